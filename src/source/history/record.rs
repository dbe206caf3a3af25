//! One record of a history.

use jiff::Timestamp;
use serde::Deserialize;
use serde::Serialize;

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Operation {
    /// It gives rules or providers and gave none before.
    Added,
    /// Another version of it is in force.
    Changed,
    /// It is gone, and what it gave.
    Removed,
    /// A version was not taken.
    Rejected,
    /// It was not taken, and holds again what is in force.
    Mended,
    /// An earlier version was written back.
    RolledBack,
}

/// A change of one file of a rules folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRecord {
    /// Counts the records of a folder, from 1.
    pub version: u64,
    /// When.
    pub time: Timestamp,
    /// The file, by its path relative to the folder.
    pub file: String,
    /// What happened.
    pub operation: Operation,
    /// The SHA-256 of the file's new contents; none of a file that is gone or cannot be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hash: Option<String>,
    /// That of the version in force before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub previous: Option<String>,
    /// The generation of the engine that took it, or kept its old one.
    pub generation: u64,
    /// Where the file came from: its real path.
    pub source: String,
    /// Why it was not taken, or why it was written back.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

// === impl Operation ===

impl Operation {
    /// The word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Rejected => "rejected",
            Self::Mended => "mended",
            Self::RolledBack => "rolled-back",
        }
    }
}
