//! Reads the texts that rules of a folder refer to, and remembers which those were.

use std::fs::File;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use hashbrown::HashSet;

use crate::condition::Reading as ConditionReading;
use crate::diagnostics::Finding;
use crate::diagnostics::SourceText;
use crate::disk::ContentHash;
use crate::disk::Reading;
use crate::disk::changing;
use crate::disk::read_hashed;
use crate::router::BuildError;
use crate::router::TextReader;
use crate::rule::DocumentOptions;
use crate::source::folder::MAX_SCRIPT_BYTES;
use crate::source::folder::roots::Roots;
use crate::source::folder::roots::outside;

/// Files that somebody is writing, by their real paths: not to be read now.
pub(crate) type Held = Arc<HashSet<PathBuf>>;

/// A file that a rule was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) path: PathBuf,
    /// None where nothing could be read.
    pub(crate) hash: Option<ContentHash>,
}

/// What may be read, and what not now.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadingRules {
    pub(crate) roots: Roots,
    pub(crate) held: Held,
    pub(crate) reading: ConditionReading,
}

/// The reader of one file's rules.
#[derive(Debug)]
pub(crate) struct FolderReader<'a> {
    rules: &'a ReadingRules,
    read: Vec<Dependency>,
}

// === impl ReadingRules ===

impl ReadingRules {
    /// How documents are read.
    pub(crate) fn document_options(&self) -> DocumentOptions<'static> {
        DocumentOptions { place: None, reading: self.reading }
    }

    /// Whether somebody is writing the file at `path`.
    pub(crate) fn is_held(&self, path: &Path) -> bool {
        !self.held.is_empty() && path.canonicalize().is_ok_and(|real| self.held.contains(&real))
    }

    fn read(&self, path: &Path) -> Reading {
        let name = self.roots.name_of(path);
        let refuse = |finding: Finding| Reading { hash: None, text: Err(finding) };
        if !self.roots.admits(path) {
            return refuse(outside(&name));
        }
        if self.is_held(path) {
            return refuse(changing(&name));
        }
        let check = |file: &File| self.roots.check_open(file, path, &name);
        read_hashed(path, &name, MAX_SCRIPT_BYTES, &check)
    }
}

// === impl FolderReader ===

impl<'a> FolderReader<'a> {
    pub(crate) fn new(rules: &'a ReadingRules) -> Self {
        Self { rules, read: Vec::new() }
    }

    /// Whether the file is as it was when a rule was made of it; one that is being written counts as the old one.
    pub(crate) fn is_current(&self, dependency: &Dependency) -> bool {
        self.rules.is_held(&dependency.path) || self.rules.read(&dependency.path).hash == dependency.hash
    }

    /// What was read since the last time this was asked.
    pub(crate) fn take_dependencies(&mut self) -> Vec<Dependency> {
        std::mem::take(&mut self.read)
    }
}

impl TextReader for FolderReader<'_> {
    fn read(&mut self, path: &str) -> Result<SourceText, BuildError> {
        let path = self.rules.roots.resolve(path);
        let Reading { hash, text } = self.rules.read(&path);
        if self.rules.roots.admits(&path) {
            self.read.push(Dependency { path, hash });
        }
        Ok(text?)
    }
}
