//! What a reload changed, for whoever watches.

use std::sync::Arc;

use crate::diagnostics::Finding;
use crate::rpc::ServiceKey;
use crate::runtime::RuleSet;
use crate::runtime::source_status::FileState;

/// What became of a change of the folder. Files are named by their paths relative to it.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReloadEvent {
    /// The generation in force afterwards; the old one if nothing of the change could be taken.
    pub generation: u64,
    /// Files that give rules or providers and gave none before.
    pub added: Vec<Arc<str>>,
    /// Files that are gone, and so is what they gave.
    pub removed: Vec<Arc<str>>,
    /// Files of which something else is in force now.
    pub changed: Vec<Arc<str>>,
    /// Files whose newest version was refused, or cannot be read; what was last good of them stays.
    pub rejected: Vec<Arc<str>>,
    /// Files whose newest version was refused, and that hold again what is in force.
    pub mended: Vec<Arc<str>>,
    /// The services whose list or rules are new.
    pub services: Vec<ServiceKey>,
    /// The services that had providers and have none any more.
    pub services_lost: Vec<ServiceKey>,
    /// The services that had no provider and have some now.
    pub services_found: Vec<ServiceKey>,
    /// Everything that a person should know about the folder, not only about what changed.
    pub findings: Vec<Finding>,
}

// === impl ReloadEvent ===

impl ReloadEvent {
    /// How the files of `now` differ from those of `before`.
    pub(crate) fn between(before: &[FileState], now: &[FileState]) -> Self {
        let mut event = Self::default();
        for file in now {
            let old = FileState::find(before, &file.name);
            match (old.and_then(|old| old.applied), file.applied) {
                (None, Some(_)) => event.added.push(Arc::clone(&file.name)),
                (Some(old), Some(new)) if old != new => event.changed.push(Arc::clone(&file.name)),
                (Some(_), Some(_)) if old.is_some_and(|old| old.is_refused()) && !file.is_refused() => {
                    event.mended.push(Arc::clone(&file.name));
                }
                _ => {}
            }
            if file.is_refused() && !old.is_some_and(|old| old.is_as(file)) {
                event.rejected.push(Arc::clone(&file.name));
            }
        }
        let was_told = |old: &&FileState| old.applied.is_some() || old.is_refused();
        let gone = before.iter().filter(was_told).filter(|old| FileState::find(now, &old.name).is_none());
        event.removed = gone.map(|old| Arc::clone(&old.name)).collect();
        event
    }

    /// Nothing of `now` could be had: whatever differs is rejected.
    pub(crate) fn refusing(mut self, before: &[FileState], now: &[FileState]) -> Self {
        let event = Self::between(before, now);
        self.rejected = [event.added, event.changed, event.removed, event.rejected].concat();
        self.rejected.sort();
        self.rejected.dedup();
        self
    }

    /// Adds the files of which nothing could be had at all, so that nobody knows them by a state: those with an error
    /// that was not told before are refused, those that have none any more are gone.
    pub(crate) fn with_unread(mut self, errors: &[Arc<str>], before: &[Arc<str>], now: &[FileState]) -> Self {
        let is_unknown = |file: &&Arc<str>| FileState::find(now, file).is_none();
        let new = errors.iter().filter(is_unknown).filter(|file| !before.contains(file));
        self.rejected.extend(new.cloned());
        let gone = before.iter().filter(is_unknown).filter(|file| !errors.contains(file));
        self.removed.extend(gone.cloned());
        for files in [&mut self.rejected, &mut self.removed] {
            files.sort();
            files.dedup();
        }
        self
    }

    /// Whether two rule sets give the same answers and the same status.
    pub(crate) fn is_needless(before: &RuleSet, now: &RuleSet) -> bool {
        let (old, new) = (before.files(), now.files());
        let is_same_file = |(old, new): (&FileState, &FileState)| old.name == new.name && old.is_as(new);
        before.is_same(now)
            && before.is_incomplete() == now.is_incomplete()
            && old.len() == new.len()
            && old.iter().zip(new).all(is_same_file)
    }
}
