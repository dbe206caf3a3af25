//! How the newest version of a source was taken: what is wanted, what is in force, and why they differ.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

use crate::diagnostics::Finding;
use crate::disk::ContentHash;

/// What became of the newest version of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UpdateState {
    /// What the source holds is in force.
    Applied,
    /// What the source holds has an error; an earlier version is in force, or none if there never was a good one.
    Rejected,
    /// The source cannot be read now; an earlier version is in force.
    Stale,
}

/// A source of rules or providers at one moment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SourceStatus {
    /// The source: a file, by its path relative to the folder.
    pub source: Arc<str>,
    /// What it holds, with the files that its rules read; none where it could not be read.
    pub desired_hash: Option<ContentHash>,
    /// What is in force of it; none where nothing is.
    pub applied_hash: Option<ContentHash>,
    /// How the two stand to each other.
    pub state: UpdateState,
    /// The first thing that is wrong with it.
    pub error: Option<Finding>,
    /// Since when all of this is so, by the engine's clock.
    pub since: Timestamp,
    /// What is in force is a copy that was kept over a restart: since when it is in force, in whichever process.
    pub persisted_since: Option<Timestamp>,
}

/// What a rule set knows of a file that its rules came from.
#[derive(Debug, Clone)]
pub(crate) struct FileState {
    pub(crate) name: Arc<str>,
    pub(crate) desired: Option<ContentHash>,
    pub(crate) applied: Option<ContentHash>,
    pub(crate) state: UpdateState,
    pub(crate) error: Option<Finding>,
    /// Its rules, by their place in the set.
    pub(crate) rules: Range<usize>,
    /// The further files that its rules asked for.
    pub(crate) read: Arc<[PathBuf]>,
    /// It was broken when the folder was read for the first time, and ever since.
    pub(crate) is_missing: bool,
    /// Since when it is in force, if that is a copy that was kept over a restart.
    pub(crate) persisted_since: Option<Timestamp>,
}

// === impl UpdateState ===

impl UpdateState {
    /// `APPLIED`, `REJECTED` or `STALE`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "APPLIED",
            Self::Rejected => "REJECTED",
            Self::Stale => "STALE",
        }
    }
}

// === impl SourceStatus ===

impl SourceStatus {
    /// The status of a file; `previous` is its status so far.
    pub(crate) fn of(file: &FileState, previous: Option<&Self>, now: impl FnOnce() -> Timestamp) -> Self {
        let is_same =
            |old: &&Self| (old.desired_hash, old.applied_hash, old.state) == (file.desired, file.applied, file.state);
        Self {
            source: Arc::clone(&file.name),
            desired_hash: file.desired,
            applied_hash: file.applied,
            state: file.state,
            error: file.error.clone(),
            since: previous.filter(is_same).map_or_else(now, |old| old.since),
            persisted_since: file.persisted_since,
        }
    }
}

// === impl FileState ===

impl FileState {
    /// The file called `name` among `files`, which are in the order of their names.
    pub(crate) fn find<'a>(files: &'a [Self], name: &str) -> Option<&'a Self> {
        let at = files.binary_search_by(|file| file.name.as_bytes().cmp(name.as_bytes())).ok()?;
        files.get(at)
    }

    /// Whether what it holds is not in force.
    pub(crate) fn is_refused(&self) -> bool {
        self.state != UpdateState::Applied
    }

    /// Whether the same is wanted and in force as in `other`.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        (self.desired, self.applied, self.state) == (other.desired, other.applied, other.state)
    }
}
