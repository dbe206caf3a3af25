//! What a folder holds: files, rules, providers, and everything that is wrong with them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;

use hashbrown::HashMap;
use hashbrown::HashSet;

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::rpc::Url;
use crate::source::folder::FileKind;
use crate::source::folder::RuleEntry;
use crate::source::folder::left_out::LeftOut;
use crate::source::folder::left_out::MORE_FINDINGS;

/// How many findings of one file are kept, errors before warnings; one more tells how many there were besides.
pub const MAX_FINDINGS_PER_FILE: usize = 200;

/// One file of a folder.
#[derive(Debug)]
pub struct LoadedFile {
    name: String,
    path: PathBuf,
    kind: FileKind,
    entries: Vec<RuleEntry>,
    providers: Vec<Url>,
    is_broken: bool,
}

/// A folder as it was read.
#[derive(Debug, Default)]
pub struct FolderContents {
    files: Vec<LoadedFile>,
    findings: Vec<Finding>,
    /// By file, what stands beyond [`MAX_FINDINGS_PER_FILE`].
    left_out: BTreeMap<String, LeftOut>,
}

// === impl LoadedFile ===

impl LoadedFile {
    pub(crate) fn new(name: String, path: PathBuf, kind: FileKind) -> Self {
        Self { name, path, kind, entries: Vec::new(), providers: Vec::new(), is_broken: false }
    }

    pub(crate) fn with_contents(mut self, entries: Vec<RuleEntry>, providers: Vec<Url>) -> Self {
        self.entries = entries;
        self.providers = providers;
        self
    }

    /// The path relative to the folder, parts separated by `/`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it really lies, links followed.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Its rules in the order of the lines; none if the file has an error.
    #[must_use]
    pub fn entries(&self) -> &[RuleEntry] {
        if self.is_broken { &[] } else { &self.entries }
    }

    fn providers(&self) -> &[Url] {
        if self.is_broken { &[] } else { &self.providers }
    }

    /// Whether an error stands in it, so that it gives nothing.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }
}

// === impl FolderContents ===

impl FolderContents {
    /// Puts files and findings together: files with errors give nothing, all is sorted.
    pub(crate) fn new(mut files: Vec<LoadedFile>, findings: Vec<Finding>) -> Self {
        files.sort_by(|one, other| one.name.as_bytes().cmp(other.name.as_bytes()));
        let mut contents = Self { files, findings, left_out: BTreeMap::new() };
        contents.settle();
        contents.resolve_names();
        contents.sort_findings();
        contents
    }

    /// Takes in what another part of the folder's contents found, `rules/a.rules` standing for its file.
    pub fn add_findings(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings);
        self.settle();
        self.sort_findings();
    }

    /// Adds the files and findings of another load (`check` reads several folders and files). A file that is there
    /// already counts once.
    pub fn append(&mut self, mut other: Self) {
        let known: HashSet<PathBuf> = self.files.iter().map(|file| file.path.clone()).collect();
        let (twice, files): (Vec<_>, Vec<_>) = other.files.into_iter().partition(|file| known.contains(&file.path));
        let is_twice = |name: &str| twice.iter().any(|file| file.name == name);
        other.findings.retain(|finding| !finding.file().is_some_and(is_twice));
        other.left_out.retain(|name, _| !is_twice(name));
        self.files.extend(files);
        self.findings.extend(other.findings);
        for (file, other) in other.left_out {
            self.left_out.entry(file).or_default().add(other);
        }
        self.sort_findings();
    }

    /// The files, by path.
    #[must_use]
    pub fn files(&self) -> &[LoadedFile] {
        &self.files
    }

    /// The rules of all files without errors, in order of path and line.
    pub fn entries(&self) -> impl Iterator<Item = &RuleEntry> {
        self.files.iter().flat_map(LoadedFile::entries)
    }

    /// The providers in the order of the file; none if it has an error.
    pub fn providers(&self) -> impl Iterator<Item = &Url> {
        self.files.iter().flat_map(LoadedFile::providers)
    }

    /// Everything that a person should know, sorted by file and place; at most [`MAX_FINDINGS_PER_FILE`] of a file, and
    /// one that counts the rest.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether an error is among the findings.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity() == Severity::Error)
    }

    /// Compiles every rule. What `compile` reports is added to the findings; a file in which one rule fails gives none.
    ///
    /// ```
    /// # let folder = std::env::temp_dir().join("pointsman-doc-compile");
    /// # std::fs::create_dir_all(folder.join("rules")).unwrap();
    /// # std::fs::write(folder.join("rules/a.rules"), "host = 10.0.0.1 => false\n").unwrap();
    /// use pointsman::source::folder::{FolderOptions, load};
    /// let mut contents = load(&folder, &FolderOptions::default());
    /// let compiled = contents.compile(|entry, _findings| Some(entry.text().len()));
    /// assert_eq!(compiled, [24]);
    /// ```
    pub fn compile<T>(&mut self, mut compile: impl FnMut(&RuleEntry, &mut Vec<Finding>) -> Option<T>) -> Vec<T> {
        let mut compiled = Vec::new();
        for file in &mut self.files {
            let before = self.findings.len();
            let rules: Vec<Option<T>> = file.entries.iter().map(|entry| compile(entry, &mut self.findings)).collect();
            let found = self.findings.get(before..).unwrap_or_default();
            let is_good =
                rules.iter().all(Option::is_some) && found.iter().all(|finding| finding.severity() != Severity::Error);
            // The rules of a broken file are compiled for their findings only.
            if is_good && !file.is_broken {
                compiled.extend(rules.into_iter().flatten());
            } else {
                file.is_broken = true;
            }
        }
        self.sort_findings();
        compiled
    }

    /// Takes everything away from files that an error finding names.
    fn settle(&mut self) {
        let errors = self.findings.iter().filter(|finding| finding.severity() == Severity::Error);
        let broken: HashSet<&str> = errors.filter_map(Finding::file).collect();
        for file in self.files.iter_mut().filter(|file| broken.contains(file.name.as_str())) {
            file.is_broken = true;
        }
    }

    /// A name belongs to the first rule that has it.
    fn resolve_names(&mut self) {
        let mut owners: HashMap<String, (String, usize)> = HashMap::new();
        let mut findings = Vec::new();
        for entry in self.files.iter_mut().flat_map(|file| &mut file.entries) {
            let Some(name) = entry.name() else { continue };
            if let Some((file, line)) = owners.get(name) {
                findings.push(duplicate_name(entry, file, *line));
                entry.give_up_name();
            } else {
                owners.insert(name.to_owned(), (entry.file().to_owned(), entry.line()));
            }
        }
        self.findings.extend(findings);
    }

    fn sort_findings(&mut self) {
        self.findings.retain(|finding| finding.slug() != MORE_FINDINGS);
        self.findings.sort_by(|one, other| key(one).cmp(&key(other)));
        self.limit_findings();
    }

    /// Leaves out what a file has beyond [`MAX_FINDINGS_PER_FILE`], the lightest and last first, and says how many.
    fn limit_findings(&mut self) {
        let by_file = || self.findings.chunk_by(|one, other| one.file() == other.file());
        if self.left_out.is_empty() && by_file().all(|of_file| of_file.len() <= MAX_FINDINGS_PER_FILE) {
            return;
        }
        let mut kept: Vec<Finding> = Vec::with_capacity(self.findings.len().min(MAX_FINDINGS_PER_FILE));
        for of_file in self.findings.chunk_by(|one, other| one.file() == other.file()) {
            let Some(file) = of_file.first().and_then(Finding::file) else {
                kept.extend_from_slice(of_file);
                continue;
            };
            if of_file.len() > MAX_FINDINGS_PER_FILE {
                let mut by_weight: Vec<&Finding> = of_file.iter().collect();
                by_weight.sort_by_key(|finding| Reverse(finding.severity()));
                let (first, rest) = by_weight.split_at(MAX_FINDINGS_PER_FILE);
                self.left_out.entry(file.to_owned()).or_default().count(rest);
                let start = kept.len();
                kept.extend(first.iter().copied().cloned());
                kept.get_mut(start..).unwrap_or_default().sort_by(|one, other| key(one).cmp(&key(other)));
            } else {
                kept.extend_from_slice(of_file);
            }
            kept.extend(self.left_out.get(file).map(|left_out| left_out.to_finding(file)));
        }
        self.findings = kept;
    }
}

fn key(finding: &Finding) -> (&[u8], usize, &str) {
    let offset = finding.place().map_or(0, |place| place.span.offset());
    (finding.file().unwrap_or_default().as_bytes(), offset, finding.slug())
}

fn duplicate_name(entry: &RuleEntry, file: &str, line: usize) -> Finding {
    let name = entry.name().unwrap_or_default();
    Finding::warning("rules::duplicate_name", format!("the name `{name}` belongs to the rule at {file}:{line}"))
        .with_help(format!("give it another name; until then it is known as {}:{}", entry.file(), entry.line()))
        .at(entry.line_origin(), 0..entry.line_bytes(), "this rule")
}
