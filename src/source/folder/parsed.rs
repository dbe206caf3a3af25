//! What a file's text says, and files whose text was read before.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::diagnostics::Finding;
use crate::diagnostics::SourceText;
use crate::disk::ContentHash;
use crate::rpc::Url;
use crate::rule::Document;
use crate::source::folder::FileKind;
use crate::source::folder::LoadedFile;
use crate::source::folder::RuleEntry;

/// All that follows from a file's kind and text alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parsed {
    /// The text.
    pub(crate) source: Option<SourceText>,
    pub(crate) entries: Vec<RuleEntry>,
    pub(crate) providers: Vec<Url>,
    pub(crate) documents: Vec<Document>,
    pub(crate) findings: Vec<Finding>,
}

/// Files as they were read last, by name. Of one way to read only: the same options each time.
#[derive(Debug, Default)]
pub(crate) struct KnownFiles {
    by_name: HashMap<String, (ContentHash, FileKind, Arc<Parsed>)>,
}

// === impl KnownFiles ===

impl KnownFiles {
    /// What `file` was when it was read last, if it still holds the same.
    pub(crate) fn get(&self, file: &LoadedFile) -> Option<Arc<Parsed>> {
        let (hash, kind, parsed) = self.by_name.get(file.name())?;
        (file.hash() == Some(*hash) && file.kind() == *kind).then(|| Arc::clone(parsed))
    }

    pub(crate) fn add(&mut self, file: &LoadedFile, parsed: &Arc<Parsed>) {
        if let Some(hash) = file.hash() {
            self.by_name.insert(file.name().to_owned(), (hash, file.kind(), Arc::clone(parsed)));
        }
    }
}
