//! What a follower keeps over restarts, and the records it writes.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::disk::ContentHash;
use crate::router::RouterFactoryRegistry;
use crate::runtime::ReloadEvent;
use crate::runtime::RuleSet;
use crate::source::folder::FolderContents;
use crate::source::folder::FolderOptions;
use crate::source::folder::load_kept;
use crate::source::history::HistoryRecord;
use crate::source::history::Operation;
use crate::source::history::RuleStore;

/// Keeps the texts in force, and takes down what changes.
#[derive(Debug)]
pub(crate) struct Keeper {
    store: RuleStore,
    /// What is in force, by file.
    in_force: BTreeMap<Arc<str>, (ContentHash, SourceText)>,
    is_failing: bool,
}

// === impl Keeper ===

impl Keeper {
    pub(crate) fn new(store: RuleStore) -> Self {
        Self { store, in_force: BTreeMap::new(), is_failing: false }
    }

    /// What was in force last, compiled again, with the folder as it was; none if nothing was kept.
    pub(crate) fn restore(
        &mut self,
        folder: &Path,
        options: &FolderOptions,
        registry: &RouterFactoryRegistry,
    ) -> Option<(FolderContents, RuleSet)> {
        let kept = self.store.kept();
        if kept.is_empty() {
            return None;
        }
        let files = kept.iter().map(|file| (file.name.as_str(), file.text.as_str()));
        let mut contents = load_kept(folder, files, options);
        let since = |name: &str| kept.iter().find(|file| file.name == name).map(|file| file.since);
        let rules = RuleSet::from_folder(&mut contents, registry, None).persisted(since);
        for file in contents.files().iter().filter(|file| !file.is_broken()) {
            if let (Some(hash), Some(source)) = (file.hash(), file.source()) {
                self.in_force.insert(file.name().into(), (hash, source.clone()));
            }
        }
        Some((contents, rules))
    }

    /// Takes down what an event changed. What is wrong with the store joins the event's findings; nothing else changes.
    pub(crate) fn note(&mut self, event: &mut ReloadEvent, contents: &FolderContents, rules: &RuleSet) {
        let now = Timestamp::now();
        let records = self.records(event, contents, now);
        self.take(contents, rules);
        let files = self.in_force.iter().map(|(name, (hash, source))| (&**name, *hash, source.text()));
        let written = self.store.keep(files, now).and_then(|()| {
            for source in rejected(event, contents).filter_map(|file| file.source()) {
                self.store.keep_contents(source.text())?;
            }
            self.store.append(records)
        });
        match written {
            Ok(()) => self.is_failing = false,
            Err(error) => {
                if !std::mem::replace(&mut self.is_failing, true) {
                    tracing::warn!(folder = %self.store.folder().display(), %error, "the history cannot be written");
                }
                event.findings.push(unwritable(&self.store, &error));
            }
        }
    }

    /// The texts in force after a change.
    fn take(&mut self, contents: &FolderContents, rules: &RuleSet) {
        let mut in_force = BTreeMap::new();
        for file in rules.files().iter().filter(|file| file.applied.is_some()) {
            let read = contents.files().iter().find(|read| read.name() == &*file.name && !read.is_broken());
            let read = read.and_then(|read| Some((read.hash()?, read.source()?.clone())));
            let text = read.or_else(|| self.in_force.get(&file.name).cloned());
            in_force.extend(text.map(|text| (Arc::clone(&file.name), text)));
        }
        self.in_force = in_force;
    }

    fn records(&self, event: &ReloadEvent, contents: &FolderContents, now: Timestamp) -> Vec<HistoryRecord> {
        let record = |file: &Arc<str>, operation: Operation| {
            let read = contents.files().iter().find(|read| read.name() == &**file);
            let reason = |finding: &&Finding| finding.file() == Some(&**file) && finding.severity() == Severity::Error;
            let finding = event.findings.iter().find(reason).filter(|_| operation == Operation::Rejected);
            HistoryRecord {
                version: 0,
                time: now,
                file: file.to_string(),
                operation,
                hash: read.and_then(|read| read.hash()).map(|hash| hash.to_string()),
                previous: self.in_force.get(file).map(|(hash, _)| hash.to_string()),
                generation: event.generation,
                source: read.map_or_else(String::new, |read| read.path().to_string_lossy().into_owned()),
                reason: finding.map(|finding| format!("{} {}: {finding}", finding.number(), finding.slug())),
            }
        };
        let of = |files: &[Arc<str>], operation| files.iter().map(|file| record(file, operation)).collect::<Vec<_>>();
        // After a restart everything is new to the process; what was in force before it is not new to the history.
        let is_rejected = |name: &str| event.rejected.iter().any(|file| &**file == name);
        let is_new = |record: &HistoryRecord| {
            (record.hash.is_none() || record.hash != record.previous) && !is_rejected(&record.file)
        };
        let added = of(&event.added, Operation::Added).into_iter().map(|record| match &record.previous {
            Some(_) => HistoryRecord { operation: Operation::Changed, ..record },
            None => record,
        });
        let all = added
            .chain(of(&event.changed, Operation::Changed))
            .chain(of(&event.removed, Operation::Removed))
            .filter(is_new)
            .chain(of(&event.mended, Operation::Mended))
            .chain(of(&event.rejected, Operation::Rejected));
        all.collect()
    }
}

fn rejected<'a>(
    event: &'a ReloadEvent,
    contents: &'a FolderContents,
) -> impl Iterator<Item = &'a crate::source::folder::LoadedFile> {
    contents.files().iter().filter(|file| event.rejected.iter().any(|name| &**name == file.name()))
}

fn unwritable(store: &RuleStore, error: &io::Error) -> Finding {
    let message = format!("the history of the folder cannot be written: {error}");
    Finding::warning("history::unwritable", message)
        .with_help("calls are not affected; after a restart, what is in force now may be missing: make room, or configure another `state`")
        .in_file(store.folder().to_string_lossy())
}
