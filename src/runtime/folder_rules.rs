//! The rules of a folder, file by file: a file that is broken now keeps what was last good of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostics::Finding;
use crate::disk::ContentHash;
use crate::runtime::known::CompiledRule;
use crate::runtime::source_status::FileState;
use crate::runtime::source_status::UpdateState;
use crate::source::folder::CompiledFile;
use crate::source::folder::Dependency;
use crate::source::folder::FileKind;
use crate::source::folder::LoadedFile;

/// What a rule set remembers of the folder that it came from.
#[derive(Debug, Clone, Default)]
pub(crate) struct FolderState {
    /// By name.
    pub(crate) files: Arc<[FileState]>,
    /// Something could not be looked at when the folder was read for the first time, and ever since.
    pub(crate) is_partly_unread: bool,
}

/// The rules of a folder while they are put together.
#[derive(Debug)]
pub(crate) struct FolderRules<'a> {
    /// What was in force before: the files and all rules.
    previous: Option<(&'a FolderState, &'a [CompiledRule])>,
    files: BTreeMap<Arc<str>, (FileState, Vec<CompiledRule>)>,
}

// === impl FolderState ===

impl FolderState {
    pub(crate) fn file(&self, name: &str) -> Option<&FileState> {
        FileState::find(&self.files, name)
    }
}

// === impl FolderRules ===

impl<'a> FolderRules<'a> {
    pub(crate) fn after(previous: Option<(&'a FolderState, &'a [CompiledRule])>) -> Self {
        Self { previous, files: BTreeMap::new() }
    }

    /// Takes a file that was read; `read` is what its rules read, `error` what is wrong with it.
    pub(crate) fn add(
        &mut self,
        file: &LoadedFile,
        compiled: CompiledFile<CompiledRule>,
        read: &[Dependency],
        error: Option<&Finding>,
    ) {
        if matches!(file.kind(), FileKind::Unknown | FileKind::Plugin | FileKind::Cases | FileKind::StandIns) {
            return;
        }
        let name: Arc<str> = file.name().into();
        if file.is_held() {
            return self.keep_as_it_was(&name);
        }
        let paths: Vec<_> = read.iter().map(|file| (file.path.to_string_lossy(), file.hash)).collect();
        let read: Arc<[PathBuf]> = read.iter().map(|file| file.path.clone()).collect();
        let desired = file.hash().map(|hash| hash.with(paths.iter().map(|(path, hash)| (&**path, *hash))));
        match compiled.rules {
            Some(rules) => {
                let state = FileState {
                    name: Arc::clone(&name),
                    desired,
                    applied: desired,
                    state: UpdateState::Applied,
                    error: None,
                    rules: 0..0,
                    read,
                    is_missing: false,
                    persisted_since: None,
                };
                self.files.insert(name, (state, rules));
            }
            None => self.keep(&name, desired, compiled.error.or_else(|| error.cloned()), read),
        }
    }

    /// Takes the files that were there before and are not among those that were read: `trace_of` tells which of them may
    /// be there all the same.
    pub(crate) fn add_unread<'f>(&mut self, trace_of: impl Fn(&str) -> Option<Option<&'f Finding>>) {
        let Some((previous, _)) = self.previous else { return };
        for file in previous.files.iter().filter(|file| file.applied.is_some()) {
            if !self.files.contains_key(&file.name)
                && let Some(error) = trace_of(&file.name)
            {
                self.keep(&file.name, None, error.cloned(), Arc::default());
            }
        }
    }

    /// Takes the files of a set that was put together before; the one called `name` is refused after all.
    pub(crate) fn add_but(&mut self, files: &[FileState], rules: &[CompiledRule], name: &str, error: &Finding) {
        for file in files {
            if &*file.name == name {
                self.keep(&file.name, file.desired, Some(error.clone()), Arc::clone(&file.read));
            } else {
                let rules = rules.get(file.rules.clone()).unwrap_or_default().to_vec();
                self.files.insert(Arc::clone(&file.name), (file.clone(), rules));
            }
        }
    }

    /// All rules in the order of the files, and what is to be remembered of them.
    pub(crate) fn finish(self, is_partly_unread: bool) -> (Vec<CompiledRule>, FolderState) {
        let is_partly_unread = is_partly_unread && self.previous.is_none_or(|(previous, _)| previous.is_partly_unread);
        let (mut all, mut files) = (Vec::new(), Vec::with_capacity(self.files.len()));
        for (state, rules) in self.files.into_values() {
            let start = all.len();
            all.extend(rules);
            files.push(FileState { rules: start..all.len(), ..state });
        }
        (all, FolderState { files: files.into(), is_partly_unread })
    }

    /// What was last good of a file stays in force.
    fn keep(&mut self, name: &Arc<str>, desired: Option<ContentHash>, error: Option<Finding>, read: Arc<[PathBuf]>) {
        let (before, rules) = self.before(name);
        let applied = before.and_then(|file| file.applied);
        let state = FileState {
            name: Arc::clone(name),
            desired,
            applied,
            state: if desired.is_none() && applied.is_some() { UpdateState::Stale } else { UpdateState::Rejected },
            error,
            rules: 0..0,
            read,
            persisted_since: before.and_then(|file| file.persisted_since),
            is_missing: applied.is_none() && self.previous.is_none_or(|_| before.is_some_and(|file| file.is_missing)),
        };
        self.files.insert(Arc::clone(name), (state, rules));
    }

    /// A file that nobody looked at.
    fn keep_as_it_was(&mut self, name: &Arc<str>) {
        let (before, rules) = self.before(name);
        if let Some(state) = before.cloned() {
            self.files.insert(Arc::clone(name), (state, rules));
        }
    }

    fn before(&self, name: &str) -> (Option<&'a FileState>, Vec<CompiledRule>) {
        let Some((previous, rules)) = self.previous else { return (None, Vec::new()) };
        let file = previous.file(name);
        let rules = file.and_then(|file| rules.get(file.rules.clone())).unwrap_or_default().to_vec();
        (file, rules)
    }
}
