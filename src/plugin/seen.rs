//! Which versions were loaded: a plugin does not become older by itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;

use semver::Version;

use crate::diagnostics::Finding;
use crate::disk::read_text;
use crate::plugin::Manifest;
use crate::plugin::trust::shell;
use crate::plugin::trust::write_whole;

const FILE: &str = "plugins.seen";
const MAX_BYTES: u64 = 1 << 20;

/// The newest version of each name that was ever loaded.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    path: Option<PathBuf>,
    versions: BTreeMap<String, Version>,
}

// === impl Seen ===

impl Seen {
    /// What earlier processes have left in the folder `state`.
    ///
    /// # Errors
    ///
    /// Something is there and cannot be read: then nobody knows which versions are old.
    pub(crate) fn load(state: Option<&Path>) -> Result<Self, Finding> {
        let path = state.map(|folder| folder.join(FILE));
        let is_there = path.as_deref().is_some_and(|path| path.symlink_metadata().is_ok());
        let Some(there) = path.as_deref().filter(|_| is_there) else {
            return Ok(Self { path, versions: BTreeMap::new() });
        };
        let wrong = |why: &str| {
            let message = format!("nobody knows which versions were loaded: {} {why}", there.display());
            Finding::error("plugin::downgrade", message).with_help("mend the file, or remove it if that is known")
        };
        let text = read_text(there, FILE, MAX_BYTES).map_err(|finding| wrong(finding.message()))?;
        let line = |line: &str| {
            let (name, version) = line.split_once(' ')?;
            Some((name.to_owned(), Version::parse(version).ok()?))
        };
        let versions = text.text().lines().map(line).collect::<Option<_>>();
        let versions = versions.ok_or_else(|| wrong("has a line that is no name and version"))?;
        Ok(Self { path, versions })
    }

    /// Refuses a version that is older than one that was loaded.
    pub(crate) fn check(&self, manifest: &Manifest, path: &Path, may_downgrade: bool) -> Result<(), Finding> {
        match self.versions.get(&manifest.name) {
            Some(newest) if *newest > manifest.version && !may_downgrade => {
                let message = format!("{manifest} is older than version {newest}, which was loaded before");
                let finding = Finding::error("plugin::downgrade", message);
                Err(finding.with_help(format!("`pointsman plugin allow --allow-downgrade {}` allows it", shell(path))))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn remember(&mut self, manifest: &Manifest) {
        let newest = self.versions.get(&manifest.name);
        if newest.is_some_and(|newest| *newest >= manifest.version) {
            return;
        }
        self.versions.insert(manifest.name.clone(), manifest.version.clone());
        let text: String = self.versions.iter().map(|(name, version)| format!("{name} {version}\n")).collect();
        if let Some(path) = &self.path
            && let Err(error) = write_whole(path, &text)
        {
            tracing::warn!(path = %path.display(), %error, "cannot remember which plugins were loaded");
        }
    }
}
