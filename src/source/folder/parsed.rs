//! What a file's text says, and files whose text was read before.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::diagnostics::Finding;
use crate::diagnostics::SourceText;
use crate::disk::ContentHash;
use crate::rpc::Url;
use crate::rule::Document;
use crate::source::folder::LoadedFile;
use crate::source::folder::RuleEntry;

/// All that follows from a file's name and text alone.
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
    by_name: HashMap<String, (ContentHash, Arc<Parsed>)>,
}

// === impl KnownFiles ===

impl KnownFiles {
    /// What the file of this name and hash says, if it was read before.
    pub(crate) fn get(&self, name: &str, hash: Option<ContentHash>) -> Option<Arc<Parsed>> {
        let (known, parsed) = self.by_name.get(name)?;
        (hash == Some(*known)).then(|| Arc::clone(parsed))
    }

    pub(crate) fn add(&mut self, file: &LoadedFile, parsed: &Arc<Parsed>) {
        if let Some(hash) = file.hash() {
            self.by_name.insert(file.name().to_owned(), (hash, Arc::clone(parsed)));
        }
    }
}
