//! The keys of the host's configuration, and where it is looked for.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;

use toml::Spanned;
use toml::de::DeTable;
use toml::de::DeValue;

use crate::chain::Guard;
use crate::chain::OnEmpty;
use crate::chain::PriorityOrder;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::disk::read_text;
use crate::source::config::PluginConfig;
use crate::source::config::ScriptConfig;
use crate::source::config::reader::Reader;
use crate::source::folder::FolderOptions;

/// The largest configuration file: 1 MiB.
pub const MAX_CONFIG_BYTES: u64 = 1 << 20;

const FILE: &str = "pointsman/config.toml";
const PRIORITY_ORDER: &str = "priority-order";
const ON_EMPTY: &str = "on-empty";
const GUARD: &str = "guard";
const MASK: &str = "mask";
const ROOTS: &str = "roots";
const STATE: &str = "state";
const SCRIPTS: &str = "scripts";
const PLUGINS: &str = "plugins";
const KEYS: [&str; 8] = [PRIORITY_ORDER, ON_EMPTY, GUARD, MASK, ROOTS, STATE, SCRIPTS, PLUGINS];

/// The host's settings.
///
/// ```
/// use pointsman::diagnostics::SourceText;
/// use pointsman::chain::PriorityOrder;
/// use pointsman::source::config::HostConfig;
/// let config = HostConfig::read(&SourceText::new("config.toml", "priority-order = 'ascending'")).unwrap();
/// assert_eq!(config.priority_order, PriorityOrder::Ascending);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HostConfig {
    /// `priority-order`.
    pub priority_order: PriorityOrder,
    /// `on-empty`.
    pub on_empty: OnEmpty,
    /// `guard`.
    pub guard: Guard,
    /// `mask`: names of parameters and attachments that no output shows.
    pub mask: Vec<String>,
    /// `roots`: the folders that `file:` rules may read below; none is the rules folder.
    pub roots: Option<Vec<PathBuf>>,
    /// `state`: the folder in which the host remembers what must outlive a process; none is the user's.
    pub state: Option<PathBuf>,
    /// `[scripts]`.
    pub scripts: ScriptConfig,
    /// `[plugins]`.
    pub plugins: PluginConfig,
    /// Where it stands; none for a configuration that came from no file.
    pub folder: Option<PathBuf>,
}

// === impl HostConfig ===

impl HostConfig {
    /// Reads a configuration.
    ///
    /// # Errors
    ///
    /// All findings at once: text that is no TOML, unknown keys, wrong types and values.
    pub fn read(source: &SourceText) -> Result<Self, Vec<Finding>> {
        let origin = Origin::whole(source.clone());
        let mut reader = Reader::new(&origin);
        let (table, errors) = DeTable::parse_recoverable(source.text());
        for error in errors {
            let finding = Finding::error("config::not_toml", error.message().trim().to_owned());
            let span = error.span().unwrap_or_default();
            reader.report(finding.with_help("the file is TOML: `key = \"value\"`"), span, "here");
        }
        let mut config = Self::default();
        for (key, value) in table.get_ref() {
            config.set(key, value, &mut reader);
        }
        reader.finish(config)
    }

    /// Loads the file that `--config` names, else the user's or the system's if there is one, else the defaults.
    ///
    /// `folder` is the rules folder that must not hold it.
    ///
    /// # Errors
    ///
    /// All findings at once; a `named` file that is missing is one, a missing default file is none.
    pub fn load(named: Option<&Path>, folder: Option<&Path>) -> Result<Self, Vec<Finding>> {
        let found = match named {
            Some(path) => Some(path.to_owned()),
            None => default_paths(|name| env::var_os(name)).into_iter().find(|path| path.symlink_metadata().is_ok()),
        };
        let inside = |what: &str, path: &Path| {
            let folder = folder.filter(|folder| is_inside(path, folder))?;
            let message = format!("{what} lies inside the rules folder `{}`", folder.display());
            let finding = Finding::error("config::inside_folder", message);
            let name = path.to_string_lossy();
            Some(vec![finding.with_help("keep it where writers of rules cannot write").in_file(name)])
        };
        let config = match found {
            Some(path) => {
                if let Some(findings) = inside("the configuration", &path) {
                    return Err(findings);
                }
                let name = path.to_string_lossy();
                let source = read_text(&path, &name, MAX_CONFIG_BYTES).map_err(|finding| vec![finding])?;
                let folder = std::path::absolute(&path).ok().and_then(|path| Some(path.parent()?.to_owned()));
                Self { folder, ..Self::read(&source)? }
            }
            None => {
                let usual = default_paths(|name| env::var_os(name)).into_iter().next();
                Self { folder: usual.and_then(|path| Some(path.parent()?.to_owned())), ..Self::default() }
            }
        };
        let places = [("the list of plugins", config.allow_list()), ("the folder `state`", config.state_folder())];
        let wrong = places.into_iter().find_map(|(what, path)| inside(what, path.as_deref()?));
        wrong.map_or(Ok(config), Err)
    }

    /// The file of hashes that plugins are allowed by: as configured, else `plugins.list` beside the configuration.
    #[must_use]
    pub fn allow_list(&self) -> Option<PathBuf> {
        let beside = || Some(self.folder.as_ref()?.join("plugins.list"));
        self.plugins.allow_list.clone().or_else(beside)
    }

    /// The folder in which the host remembers: as configured, else the user's.
    #[must_use]
    pub fn state_folder(&self) -> Option<PathBuf> {
        let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let user = || {
            let base = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
            Some(base.join("pointsman"))
        };
        self.state.clone().or_else(user)
    }

    /// How rules folders are read under this configuration.
    #[must_use]
    pub fn folder_options(&self) -> FolderOptions {
        let options = FolderOptions::default();
        match &self.roots {
            Some(roots) => options.with_roots(roots.iter().cloned()),
            None => options,
        }
    }

    fn set(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) {
        match key.get_ref().as_ref() {
            PRIORITY_ORDER => {
                let words = [("descending", PriorityOrder::Descending), ("ascending", PriorityOrder::Ascending)];
                self.priority_order = reader.word(PRIORITY_ORDER, value, &words).unwrap_or_default();
            }
            ON_EMPTY => {
                let words = [("fail", OnEmpty::Fail), ("pass", OnEmpty::Pass)];
                self.on_empty = reader.word(ON_EMPTY, value, &words).unwrap_or_default();
            }
            MASK => self.mask = reader.names(MASK, value),
            ROOTS => self.roots = Some(reader.folders(ROOTS, value)),
            GUARD => {
                let words = [("off", Guard::Off), ("not-empty", Guard::NotEmpty)];
                self.guard = reader.word(GUARD, value, &words).unwrap_or_default();
            }
            STATE => self.state = reader.path(STATE, value),
            PLUGINS => self.plugins = PluginConfig::read(value, reader),
            SCRIPTS => self.scripts = ScriptConfig::read(value, reader),
            _ => reader.unknown_key(key, &KEYS),
        }
    }
}

/// Where a configuration is looked for, the user's before the system's.
fn default_paths(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    // The base directory specification has relative paths ignored.
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let user = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")));
    let system = ["/etc/xdg", "/etc"].map(PathBuf::from);
    user.into_iter().chain(system).map(|folder| folder.join(FILE)).collect()
}

/// Whether `path`, or what it links to, lies inside `folder`.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else { return false };
    let Ok(path) = std::path::absolute(path) else { return false };
    // Where it does not stand yet, the nearest folder that does says where it would.
    let nearest = path.ancestors().skip(1).find_map(|above| above.canonicalize().ok());
    nearest.into_iter().chain(path.canonicalize()).any(|real| real.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<HostConfig, Vec<Finding>> {
        HostConfig::read(&SourceText::new("config.toml", text))
    }

    #[test]
    fn every_key_is_read() {
        let config =
            read("priority-order = 'ascending'\non-empty = \"pass\"\nguard = 'not-empty'\nmask = ['apiKey', 'pin']\nroots = ['/etc/a']\nstate = '/var/lib/a'\n")
                .unwrap();
        let expected = HostConfig {
            priority_order: PriorityOrder::Ascending,
            on_empty: OnEmpty::Pass,
            guard: Guard::NotEmpty,
            mask: vec!["apiKey".to_owned(), "pin".to_owned()],
            roots: Some(vec!["/etc/a".into()]),
            state: Some("/var/lib/a".into()),
            ..HostConfig::default()
        };
        assert_eq!(config, expected);
    }

    #[test]
    fn all_errors_come_at_once_with_their_places() {
        let findings = read("prioriy-order = 'x'\non-empty = 'fial'\nmask = 'pin'\n\n[limits]\n").unwrap_err();
        let mut found: Vec<_> =
            findings.iter().map(|finding| (finding.slug(), finding.line_and_column(), finding.help_text())).collect();
        found.sort_by_key(|(_, place, _)| *place);
        assert_eq!(
            found,
            [
                ("config::unknown_key", Some((1, 1)), Some("did you mean `priority-order`?")),
                ("config::wrong_value", Some((2, 12)), Some("did you mean `fail`?")),
                ("config::wrong_type", Some((3, 8)), Some("write `mask = [\"apiKey\"]`")),
                (
                    "config::unknown_key",
                    Some((5, 2)),
                    Some("the keys are priority-order, on-empty, guard, mask, roots, state, scripts, plugins")
                ),
            ]
        );
    }

    #[test]
    fn a_root_that_is_not_absolute_is_an_error() {
        let findings = read("roots = ['/etc', 'scripts']").unwrap_err();
        assert_eq!(findings[0].message(), "expected absolute paths for `roots`, found `scripts`");
        assert_eq!((findings.len(), findings[0].line_and_column()), (1, Some((1, 9))));
    }

    #[test]
    fn a_text_that_is_no_toml_is_an_error_at_its_place() {
        let findings = read("mask = [\n").unwrap_err();
        assert!(findings.iter().all(|finding| finding.slug() == "config::not_toml"), "{findings:?}");
    }

    #[test]
    fn the_users_file_comes_before_the_systems() {
        let paths = default_paths(|name| (name == "HOME").then(|| "/home/ann".into()));
        let expected = ["/home/ann/.config", "/etc/xdg", "/etc"].map(|folder| PathBuf::from(folder).join(FILE));
        assert_eq!(paths, expected);
    }
}
