//! What the host decides about plugins; nothing that stands in a rules folder can.

use std::path::PathBuf;
use std::time::Duration;

use crate::disk::ContentHash;
use crate::plugin::Allowed;
use crate::plugin::PublicKey;
use crate::plugin::file::FileRules;
use crate::plugin::file::MAX_PLUGIN_BYTES;

/// Where a plugin's code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// In supervised processes of its own: whatever it does, only its own calls are hurt.
    Process,
    /// In this process: fastest, and trusted with everything that the process may do.
    Native,
}

/// Which files may be loaded at all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Trust {
    /// Those whose hash is on the list.
    #[default]
    AllowList,
    /// Those with a signature beside them, `FILE.sig`, of one of these keys; and those on the list.
    Signature(Vec<PublicKey>),
    /// Every file. For machines on which nobody else can write the folder.
    None,
}

/// What a call may use at [`Level::Process`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PluginLimits {
    /// Processor time of one call; five times that is the limit on the wall.
    pub deadline: Duration,
    /// How long a call waits for a worker.
    pub queue: Duration,
}

/// The host's decisions. Cheap enough to clone once.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PluginSettings {
    /// Which files may be loaded.
    pub trust: Trust,
    /// Hashes that may be loaded, as the host itself knows them.
    pub allowed: Vec<Allowed>,
    /// Hashes that may never be loaded.
    pub denied: Vec<ContentHash>,
    /// A file with further such hashes; see [`AllowList`](crate::plugin::AllowList).
    pub allow_list: Option<PathBuf>,
    /// Where it is remembered which versions were loaded, so that a later process refuses older ones too.
    pub state: Option<PathBuf>,
    /// The program that is started for [`Level::Process`]; without one, plugins of that level are refused.
    pub program: Option<PathBuf>,
    /// Worker processes of each plugin, at least one; a spare comes on top.
    pub workers: usize,
    /// What a call may use.
    pub limits: PluginLimits,
    /// Libraries that plugins may need besides those of C.
    pub libraries: Vec<String>,
    /// The largest file.
    pub max_bytes: u64,
    /// Whether files may be writable by others.
    pub may_be_writable: bool,
    /// Whether plugins may end their process when they panic.
    pub may_abort: bool,
    /// How many images of native plugins may be loaded: none is ever unloaded.
    pub max_images: usize,
}

// === impl Level ===

impl Level {
    /// The word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Native => "native",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Process, Self::Native].into_iter().find(|level| level.as_str() == text)
    }
}

// === impl PluginSettings ===

impl PluginSettings {
    /// Nothing is allowed yet; no program, so only what is allowed as native can be loaded.
    #[must_use]
    pub fn new() -> Self {
        Self {
            trust: Trust::default(),
            allowed: Vec::new(),
            denied: Vec::new(),
            allow_list: None,
            state: None,
            program: None,
            workers: 2,
            limits: PluginLimits { deadline: Duration::from_millis(20), queue: Duration::from_millis(100) },
            libraries: Vec::new(),
            max_bytes: MAX_PLUGIN_BYTES,
            may_be_writable: false,
            may_abort: false,
            max_images: 32,
        }
    }

    pub(crate) fn file_rules(&self) -> FileRules {
        FileRules { max_bytes: self.max_bytes, may_be_writable: self.may_be_writable }
    }
}

impl Default for PluginSettings {
    fn default() -> Self {
        Self::new()
    }
}
