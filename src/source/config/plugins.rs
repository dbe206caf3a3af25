//! `[plugins]`: which plugins may be loaded, and within what.

use std::path::PathBuf;
use std::time::Duration;

use toml::Spanned;
use toml::de::DeTable;
use toml::de::DeValue;

use crate::source::config::reader::Reader;
use crate::source::config::reader::SIZES;
use crate::source::config::reader::TIMES;

/// What the host decides about plugins; what is none is left to the defaults.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PluginConfig {
    /// `trust`.
    pub trust: PluginTrust,
    /// `keys`: public keys of signatures, 64 hexadecimal digits each.
    pub keys: Vec<String>,
    /// `allow-list`: the file of hashes.
    pub allow_list: Option<PathBuf>,
    /// `deny`: hashes that are never loaded, 64 hexadecimal digits each.
    pub deny: Vec<String>,
    /// `libraries`: what plugins may need besides the libraries of C.
    pub libraries: Vec<String>,
    /// `writable`: whether files may be writable by others.
    pub writable: bool,
    /// `abort`: whether plugins may end their process when they panic.
    pub abort: bool,
    /// `workers`: processes of each plugin.
    pub workers: Option<u64>,
    /// `queue`: how long a call waits for one of them.
    pub queue: Option<Duration>,
    /// `deadline`: processor time of a call.
    pub deadline: Option<Duration>,
    /// `max-bytes`: the largest file.
    pub max_bytes: Option<u64>,
    /// `max-images`: how many images of native plugins may be loaded.
    pub max_images: Option<u64>,
}

/// Which files may be loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PluginTrust {
    /// Those on the list.
    #[default]
    AllowList,
    /// Those that are signed, and those on the list.
    Signature,
    /// All.
    None,
}

const TRUST: &str = "trust";
const KEYS_OF_SIGNATURES: &str = "keys";
const ALLOW_LIST: &str = "allow-list";
const DENY: &str = "deny";
const LIBRARIES: &str = "libraries";
const WRITABLE: &str = "writable";
const ABORT: &str = "abort";
const WORKERS: &str = "workers";
const QUEUE: &str = "queue";
const DEADLINE: &str = "deadline";
const MAX_BYTES: &str = "max-bytes";
const MAX_IMAGES: &str = "max-images";
const KEYS: [&str; 12] = [
    TRUST,
    KEYS_OF_SIGNATURES,
    ALLOW_LIST,
    DENY,
    LIBRARIES,
    WRITABLE,
    ABORT,
    WORKERS,
    QUEUE,
    DEADLINE,
    MAX_BYTES,
    MAX_IMAGES,
];

/// Hexadecimal digits of a SHA-256 and of an Ed25519 key.
const DIGITS: usize = 64;

// === impl PluginConfig ===

impl PluginConfig {
    pub(super) fn read(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Self {
        let mut config = Self::default();
        let DeValue::Table(table) = value.get_ref() else {
            let _: Option<()> = reader.wrong_type("plugins", "a table", value.get_ref().type_str(), value);
            return config;
        };
        config.read_table(table, reader);
        if config.trust == PluginTrust::Signature && config.keys.is_empty() {
            reader.missing(KEYS_OF_SIGNATURES, "`trust = \"signature\"` needs at least one key", value);
        }
        config
    }

    fn read_table(&mut self, table: &DeTable<'_>, reader: &mut Reader<'_>) {
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            match name {
                TRUST => {
                    let words = [
                        ("allowlist", PluginTrust::AllowList),
                        ("signature", PluginTrust::Signature),
                        ("none", PluginTrust::None),
                    ];
                    self.trust = reader.word(TRUST, value, &words).unwrap_or_default();
                }
                KEYS_OF_SIGNATURES => self.keys = reader.digits(name, value, DIGITS),
                DENY => self.deny = reader.digits(name, value, DIGITS),
                ALLOW_LIST => self.allow_list = reader.path(name, value),
                LIBRARIES => self.libraries = reader.names(name, value),
                WRITABLE => self.writable = reader.flag(name, value),
                ABORT => self.abort = reader.flag(name, value),
                WORKERS => self.workers = reader.count(name, value),
                MAX_IMAGES => self.max_images = reader.count(name, value),
                MAX_BYTES => self.max_bytes = reader.amount(name, value, "a size such as `64MiB`", &SIZES),
                QUEUE | DEADLINE => {
                    let time = reader.amount(name, value, "a time such as `20ms`", &TIMES).map(Duration::from_micros);
                    if name == QUEUE { self.queue = time } else { self.deadline = time }
                }
                _ => reader.unknown_key(key, &KEYS),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::SourceText;
    use crate::source::config::HostConfig;

    #[test]
    fn every_key_of_plugins_is_read() {
        let digits = "0a".repeat(32);
        let text = format!(
            "[plugins]\ntrust = 'signature'\nkeys = ['{digits}']\nallow-list = '/etc/a'\ndeny = ['{digits}']\n\
             libraries = ['libz.so.1']\nwritable = true\nabort = true\nworkers = 3\nqueue = '50ms'\ndeadline = '5ms'\n\
             max-bytes = '8MiB'\nmax-images = 4\n"
        );
        let config = HostConfig::read(&SourceText::new("config.toml", text)).unwrap().plugins;
        let expected = PluginConfig {
            trust: PluginTrust::Signature,
            keys: vec![digits.clone()],
            allow_list: Some("/etc/a".into()),
            deny: vec![digits],
            libraries: vec!["libz.so.1".to_owned()],
            writable: true,
            abort: true,
            workers: Some(3),
            queue: Some(Duration::from_millis(50)),
            deadline: Some(Duration::from_millis(5)),
            max_bytes: Some(8 << 20),
            max_images: Some(4),
        };
        assert_eq!(config, expected);
    }

    #[test]
    fn what_is_wrong_is_told_at_its_place() {
        let text =
            "[plugins]\ntrust = 'signature'\ndeny = ['abc']\nallow-list = 'here'\nabort = 'yes'\nwriteable = true\n";
        let findings = HostConfig::read(&SourceText::new("config.toml", text)).unwrap_err();
        let mut found: Vec<_> = findings.iter().map(|it| (it.line_and_column().unwrap().0, it.message())).collect();
        found.sort_unstable();
        let expected = [
            (1, "`trust = \"signature\"` needs at least one key: `keys` is missing"),
            (3, "expected 64 hexadecimal digits in `deny`, found `abc`"),
            (4, "expected an absolute path for `allow-list`, found `here`"),
            (5, "expected `true` or `false` for `abort`, found string"),
            (6, "unknown key `writeable`"),
        ];
        assert_eq!(found, expected);
    }
}
