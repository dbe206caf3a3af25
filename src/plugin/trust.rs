//! Who may be loaded: the list of hashes, and signatures.

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::path::PathBuf;

use ed25519_compact as ed25519;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::disk::ContentHash;
use crate::disk::read_text;
use crate::disk::unreadable;
use crate::plugin::Inspected;
use crate::plugin::Level;
use crate::plugin::PluginSettings;
use crate::plugin::Trust;
use crate::plugin::file::check_owner;

/// The largest list: 1 MiB, some ten thousand entries.
const MAX_LIST_BYTES: u64 = 1 << 20;
/// A signature in hexadecimal digits and a line end; more is none.
const MAX_SIGNATURE_BYTES: u64 = 1 << 10;

const HEAD: &str = "# Plugins that this host may load; `pointsman plugin allow FILE` adds to it.\n";
const DOWNGRADE: &str = "downgrade";

/// A hash that may be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    /// The file's hash.
    pub hash: ContentHash,
    /// Where it may run.
    pub level: Level,
    /// Whether it may replace a newer version.
    pub may_downgrade: bool,
}

/// The list of hashes that a file holds: `allow HASH LEVEL NAME VERSION`, `deny HASH`, one a line, `#` comments. Of two
/// lines of one hash the later counts, and `deny` always.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList {
    allowed: Vec<Allowed>,
    denied: Vec<ContentHash>,
}

/// A key that signatures are checked with.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey([u8; ed25519::PublicKey::BYTES]);

// === impl AllowList ===

impl AllowList {
    /// Reads a list; none that is there is an empty one.
    ///
    /// # Errors
    ///
    /// It cannot be read, or a line of it is none.
    pub fn load(path: &Path) -> Result<Self, Finding> {
        if path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Ok(Self::default());
        }
        let name = path.to_string_lossy();
        let metadata = path.metadata().map_err(|error| unreadable(&name, &error))?;
        check_owner(&metadata, &name)?;
        Self::read(&read_text(path, &name, MAX_LIST_BYTES)?)
    }

    /// Reads a list.
    ///
    /// # Errors
    ///
    /// A line of it is none; a list that is half understood would allow what it should not.
    pub fn read(source: &SourceText) -> Result<Self, Finding> {
        let mut list = Self::default();
        let mut start = 0;
        for line in source.text().split_inclusive('\n') {
            let origin = Origin::at(source.clone(), start);
            start += line.len();
            let line = line.trim_end();
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let wrong = |expected: &str| {
                Finding::error("plugin::wrong_list", format!("expected {expected}"))
                    .with_help("`pointsman plugin allow FILE` writes lines `allow HASH LEVEL NAME VERSION`")
                    .at(&origin, 0..line.len(), "this line")
            };
            let hash = |text: &str| ContentHash::parse(text).ok_or_else(|| wrong("64 hexadecimal digits as hash"));
            match words.as_slice() {
                [] => {}
                [comment, ..] if comment.starts_with('#') => {}
                ["deny", digits] => list.denied.push(hash(digits)?),
                ["allow", digits, level, _name, _version, rest @ ..] => {
                    let level = Level::parse(level).ok_or_else(|| wrong("`process` or `native` behind the hash"))?;
                    let may_downgrade = match rest {
                        [] => false,
                        [word] if *word == DOWNGRADE => true,
                        _ => return Err(wrong("nothing but `downgrade` behind the version")),
                    };
                    let hash = hash(digits)?;
                    list.allowed.retain(|known| known.hash != hash);
                    list.allowed.push(Allowed { hash, level, may_downgrade });
                }
                _ => return Err(wrong("`allow HASH LEVEL NAME VERSION` or `deny HASH`")),
            }
        }
        Ok(list)
    }

    /// Adds a plugin to the list in the file at `path`; written whole and renamed, so that nobody reads half of it.
    ///
    /// # Errors
    ///
    /// The list there cannot be read, or the new one not be written.
    pub fn allow(path: &Path, plugin: &Inspected, level: Level, may_downgrade: bool) -> Result<(), Finding> {
        let name = path.to_string_lossy().into_owned();
        let unwritable = |error: std::io::Error| {
            Finding::error("plugin::unwritable", format!("cannot write the list: {}", error.kind()))
                .with_help("let the user who runs this write it, or name another with `allow-list` in `[plugins]`")
                .in_file(name.clone())
        };
        // One after the other: none writes over what another has just added.
        let _locked = lock(path).map_err(unwritable)?;
        Self::load(path)?;
        let before = match path.exists() {
            true => read_text(path, &name, MAX_LIST_BYTES)?.text().to_owned(),
            false => HEAD.to_owned(),
        };
        let hash = plugin.hash().to_string();
        let is_other = |line: &&str| !line.starts_with(&format!("allow {hash}"));
        let mut text: String = before.split_inclusive('\n').filter(is_other).collect();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let suffix = if may_downgrade { " downgrade" } else { "" };
        let manifest = plugin.manifest();
        text.push_str(&format!("allow {hash} {} {} {}{suffix}\n", level.as_str(), manifest.name, manifest.version));
        write_whole(path, &text).map_err(unwritable)
    }

    /// The list that a host goes by. What is wrong with it is told of the plugin that asked.
    pub(crate) fn of(settings: &PluginSettings) -> Result<Self, Finding> {
        let Some(path) = settings.allow_list.as_deref() else { return Ok(Self::default()) };
        Self::load(path).map_err(|finding| {
            let line = finding.line_and_column().map_or_else(String::new, |(line, _)| format!(":{line}"));
            let message = format!("the list {}{line} cannot be used: {}", path.display(), finding.message());
            Finding::error("plugin::wrong_list", message).with_help(finding.help_text().unwrap_or_default())
        })
    }

    fn find(&self, hash: ContentHash) -> Option<&Allowed> {
        self.allowed.iter().find(|allowed| allowed.hash == hash)
    }
}

// === impl PublicKey ===

impl PublicKey {
    /// Reads a key: 64 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; ed25519::PublicKey::BYTES] = from_hex(text)?.try_into().ok()?;
        Some(Self(bytes))
    }

    fn accepts(&self, message: &[u8], signature: &ed25519::Signature) -> bool {
        ed25519::PublicKey::new(self.0).verify(message, signature).is_ok()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PublicKey")
    }
}

/// Where the file at `path` may run; `name` is what findings call it.
///
/// # Errors
///
/// Nobody allowed it; the finding has the command that does.
pub(crate) fn admit(
    plugin: &Inspected,
    path: &Path,
    settings: &PluginSettings,
    list: &AllowList,
) -> Result<Allowed, Finding> {
    let hash = plugin.hash();
    if settings.denied.contains(&hash) || list.denied.contains(&hash) {
        let finding =
            Finding::error("plugin::denied", format!("{} is on the list of denied plugins", plugin.manifest()));
        return Err(finding.with_help(format!("remove the file; its SHA-256 is {hash}")));
    }
    let own = settings.allowed.iter().find(|allowed| allowed.hash == hash);
    if let Some(allowed) = own.or_else(|| list.find(hash)) {
        return Ok(allowed.clone());
    }
    let anyone = Allowed { hash, level: Level::Process, may_downgrade: false };
    match &settings.trust {
        Trust::None => Ok(anyone),
        Trust::Signature(keys) => check_signature(plugin, path, keys).map(|()| anyone),
        Trust::AllowList => {
            let message = format!("{} is not allowed on this host: SHA-256 {hash}", plugin.manifest());
            let help =
                format!("`pointsman plugin allow {}`; add `--native` to run it in the host's own process", shell(path));
            Err(Finding::error("plugin::not_allowed", message).with_help(help))
        }
    }
}

fn check_signature(plugin: &Inspected, path: &Path, keys: &[PublicKey]) -> Result<(), Finding> {
    let signature_path = signature_of(path);
    let name = signature_path.to_string_lossy();
    let wrong = |message: String| {
        Finding::error("plugin::wrong_signature", message)
            .with_help("sign the file with Ed25519 and put the 128 hexadecimal digits beside it, into `FILE.sig`")
    };
    if !signature_path.exists() {
        let file = signature_path.file_name().unwrap_or_default().to_string_lossy();
        return Err(wrong(format!("expected a signature beside the file, `{file}`")));
    }
    let text = read_text(&signature_path, &name, MAX_SIGNATURE_BYTES)
        .map_err(|error| wrong(format!("expected a signature beside the file: {}", error.message())))?;
    let bytes: Option<[u8; ed25519::Signature::BYTES]> = from_hex(text.text().trim()).and_then(|it| it.try_into().ok());
    let signature = bytes.ok_or_else(|| wrong("the signature is not 128 hexadecimal digits".to_owned()))?;
    let signature = ed25519::Signature::new(signature);
    if keys.iter().any(|key| key.accepts(&plugin.file.bytes, &signature)) {
        return Ok(());
    }
    Err(wrong("the signature is of none of the host's keys, or of another file".to_owned()))
}

/// Where the signature of a file stands.
pub(crate) fn signature_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".sig");
    PathBuf::from(name)
}

/// A path as a shell takes it, and as no command takes it for an option.
#[must_use]
pub fn shell(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if text.starts_with('-') { format!("./{text}") } else { text.into_owned() };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+');
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}

/// Writes a file as a whole: nobody reads half of it. A link stays one.
pub(crate) fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let new = path.with_extension(format!("{}.new", std::process::id()));
    std::fs::write(&new, text)?;
    std::fs::rename(&new, path)
}

/// Waits until nobody else writes the file; until what is returned is dropped nobody does.
fn lock(path: &Path) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let file = File::options().create(true).append(true).open(path.with_extension("lock"))?;
    file.lock()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "00000000000000000000000000000000000000000000000000000000000000aa";

    fn read(text: &str) -> Result<AllowList, Finding> {
        AllowList::read(&SourceText::new("plugins.list", text))
    }

    #[test]
    fn the_later_of_two_lines_counts() {
        let text = format!("# head\n\nallow {ONE} native a 1.0.0\nallow {ONE} process a 1.0.0 downgrade\n");
        let hash = ContentHash::parse(ONE).unwrap();
        assert_eq!(read(&text).unwrap().allowed, [Allowed { hash, level: Level::Process, may_downgrade: true }]);
        assert_eq!(read(&format!("deny {ONE}")).unwrap().denied, [hash]);
    }

    #[test]
    fn a_line_that_is_none_refuses_the_list_with_its_place() {
        for (line, expected) in [
            ("allow abc native a 1", "expected 64 hexadecimal digits as hash"),
            (&*format!("allow {ONE} all a 1"), "expected `process` or `native` behind the hash"),
            (&*format!("allow {ONE} native a 1 x"), "expected nothing but `downgrade` behind the version"),
            (&*format!("alow {ONE} native a 1"), "expected `allow HASH LEVEL NAME VERSION` or `deny HASH`"),
        ] {
            let error = read(&format!("# a\n{line}\n")).unwrap_err();
            assert_eq!((error.message(), error.line_and_column()), (expected, Some((2, 1))));
        }
    }

    #[test]
    fn a_path_stays_one_word_in_a_shell() {
        assert_eq!(
            (shell(Path::new("a/b.so")), shell(Path::new("a b'.so"))),
            ("a/b.so".to_owned(), r"'a b'\''.so'".to_owned())
        );
    }
}
