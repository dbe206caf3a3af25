//! What a folder holds: files, rules, providers, and everything that is wrong with them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use hashbrown::HashMap;
use hashbrown::HashSet;

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::disk::ContentHash;
use crate::router::OfferedFile;
use crate::rpc::Url;
use crate::rule::Document;
use crate::source::folder::FileKind;
use crate::source::folder::FolderReader;
use crate::source::folder::RuleEntry;
use crate::source::folder::documents::two_of_a_key;
use crate::source::folder::left_out::LeftOut;
use crate::source::folder::left_out::MORE_FINDINGS;
use crate::source::folder::parsed::Parsed;
use crate::source::folder::reader::ReadingRules;

/// How many findings of one file are kept, errors before warnings; one more tells how many there were besides.
pub const MAX_FINDINGS_PER_FILE: usize = 200;

/// One file of a folder.
#[derive(Debug)]
pub struct LoadedFile {
    name: String,
    path: PathBuf,
    kind: FileKind,
    parsed: Arc<Parsed>,
    is_broken: bool,
    /// Somebody is writing it; it was not read.
    is_held: bool,
    hash: Option<ContentHash>,
    reading: Arc<ReadingRules>,
}

/// A folder as it was read.
#[derive(Debug, Default)]
pub struct FolderContents {
    files: Vec<LoadedFile>,
    findings: Vec<Finding>,
    /// By file, what stands beyond [`MAX_FINDINGS_PER_FILE`].
    left_out: BTreeMap<String, LeftOut>,
    /// What could not be looked at, with all below it; the empty name is the whole folder.
    unread: Vec<String>,
}

/// A file after its rules were compiled.
#[derive(Debug)]
pub(crate) struct CompiledFile<T> {
    /// None if the file has an error.
    pub(crate) rules: Option<Vec<T>>,
    /// The first error, if it came up while compiling.
    pub(crate) error: Option<Finding>,
}

// === impl LoadedFile ===

impl LoadedFile {
    pub(crate) fn new(name: String, path: PathBuf, kind: FileKind) -> Self {
        let (parsed, reading) = (Arc::default(), Arc::default());
        Self { name, path, kind, parsed, is_broken: false, is_held: false, hash: None, reading }
    }

    /// What its rules may read.
    pub(crate) fn read_by(mut self, rules: Arc<ReadingRules>) -> Self {
        self.reading = rules;
        self
    }

    pub(crate) fn held(mut self) -> Self {
        self.is_held = true;
        self
    }

    pub(crate) fn set_hash(&mut self, hash: Option<ContentHash>) {
        self.hash = hash;
    }

    pub(crate) fn is_held(&self) -> bool {
        self.is_held
    }

    /// A reader for its rules.
    pub(crate) fn reader(&self) -> FolderReader<'_> {
        FolderReader::new(&self.reading)
    }

    /// The hash of what it holds; none where it could not be read.
    #[must_use]
    pub fn hash(&self) -> Option<ContentHash> {
        self.hash
    }

    pub(crate) fn with(mut self, parsed: Arc<Parsed>) -> Self {
        self.parsed = parsed;
        self
    }

    /// Its documents in order; none if the file has an error.
    #[must_use]
    pub fn documents(&self) -> &[Document] {
        if self.is_broken { &[] } else { &self.parsed.documents }
    }

    /// What it holds; none where it could not be read, or was not.
    #[must_use]
    pub fn source(&self) -> Option<&SourceText> {
        self.parsed.source.as_ref()
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
        if self.is_broken { &[] } else { &self.parsed.entries }
    }

    /// Compiles each rule, whether or not the file has an error.
    pub(crate) fn compile<T>(
        &self,
        findings: &mut Vec<Finding>,
        mut compile: impl FnMut(&RuleEntry, &mut Vec<Finding>) -> Option<T>,
    ) -> Vec<Option<T>> {
        let mut said = Vec::new();
        let compile = |entry: &RuleEntry| match entry.is_copy() {
            false => compile(entry, findings),
            // It was all said of the rule that it is a copy of.
            true => compile(entry, &mut said),
        };
        self.parsed.entries.iter().map(compile).collect()
    }

    fn providers(&self) -> &[Url] {
        if self.is_broken { &[] } else { &self.parsed.providers }
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
        let mut contents = Self { files, findings, left_out: BTreeMap::new(), unread: Vec::new() };
        contents.settle();
        contents.findings.extend(two_of_a_key(&contents.files));
        contents.settle();
        contents.resolve_names();
        contents.sort_findings();
        contents
    }

    /// Says what could not be looked at.
    pub(crate) fn without(mut self, unread: impl IntoIterator<Item = String>) -> Self {
        self.unread.extend(unread);
        self
    }

    /// Why the file called `name`, which is not among the files, may be there all the same; none if it is gone.
    pub(crate) fn trace_of(&self, name: &str) -> Option<Option<&Finding>> {
        let is_at = |place: &str| {
            place.is_empty() || name.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let error = self.error_of(name).or_else(|| {
            let mut errors = self.findings.iter().filter(|finding| finding.severity() == Severity::Error);
            errors.find(|finding| finding.file().is_some_and(is_at))
        });
        (error.is_some() || self.unread.iter().any(|place| is_at(place))).then_some(error)
    }

    /// The first error of the file called `name`.
    pub(crate) fn error_of(&self, name: &str) -> Option<&Finding> {
        let file = |finding: &Finding| finding.file().unwrap_or_default().as_bytes().cmp(name.as_bytes());
        let start = self.findings.partition_point(|finding| file(finding).is_lt());
        let of_file = self.findings.get(start..).unwrap_or_default().iter().take_while(|finding| file(finding).is_eq());
        of_file.into_iter().find(|finding| finding.severity() == Severity::Error)
    }

    /// Whether some file or folder could not be looked at.
    pub(crate) fn is_partly_unread(&self) -> bool {
        !self.unread.is_empty()
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
        self.unread.extend(other.unread);
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

    /// The files that routers could be loaded from.
    #[must_use]
    pub fn plugins(&self) -> Vec<OfferedFile> {
        let offer =
            |file: &LoadedFile| OfferedFile { name: file.name.clone(), path: file.path.clone(), is_held: file.is_held };
        self.files.iter().filter(|file| file.kind == FileKind::Plugin).map(offer).collect()
    }

    /// Whether an error is among the findings about anything but plugins: a plugin that nobody may load takes no rule
    /// away by itself.
    pub(crate) fn has_rule_errors(&self) -> bool {
        let is_plugin = |name: &str| self.files.iter().any(|file| file.kind == FileKind::Plugin && file.name == name);
        let mut errors = self.findings.iter().filter(|finding| finding.severity() == Severity::Error);
        errors.any(|finding| !finding.file().is_some_and(is_plugin))
    }

    /// The rules of all files without errors, in order of path and line.
    pub fn entries(&self) -> impl Iterator<Item = &RuleEntry> {
        self.files.iter().flat_map(LoadedFile::entries)
    }

    /// How many rules there are; one that is for several kinds of consumers is one.
    #[must_use]
    pub fn rule_count(&self) -> usize {
        self.entries().filter(|entry| !entry.is_copy()).count()
    }

    /// The documents of all files without errors, in order of path and place.
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        self.files.iter().flat_map(LoadedFile::documents)
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
        let files = self.compile_files(|file, findings| file.compile(findings, &mut compile));
        files.into_iter().filter_map(|file| file.rules).flatten().collect()
    }

    /// [`FolderContents::compile`] file by file, in the order of [`FolderContents::files`]; `compile` answers with each of
    /// a file's rules.
    pub(crate) fn compile_files<T>(
        &mut self,
        mut compile: impl FnMut(&LoadedFile, &mut Vec<Finding>) -> Vec<Option<T>>,
    ) -> Vec<CompiledFile<T>> {
        let mut outcomes = Vec::with_capacity(self.files.len());
        for file in &mut self.files {
            let before = self.findings.len();
            let rules = compile(file, &mut self.findings);
            let found = self.findings.get(before..).unwrap_or_default();
            let error = found.iter().find(|finding| finding.severity() == Severity::Error);
            let is_good = error.is_none() && rules.iter().all(Option::is_some);
            // The rules of a broken file are compiled for their findings only.
            file.is_broken |= !is_good;
            let rules = (!file.is_broken).then(|| rules.into_iter().flatten().collect());
            outcomes.push(CompiledFile { rules, error: error.cloned() });
        }
        self.sort_findings();
        outcomes
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
        for file in &mut self.files {
            let mut repeated = Vec::new();
            for (at, entry) in file.parsed.entries.iter().enumerate().filter(|(_, entry)| !entry.is_copy()) {
                let Some(name) = entry.name() else { continue };
                if let Some((file, line)) = owners.get(name) {
                    findings.push(duplicate_name(entry, file, *line));
                    repeated.push(at);
                } else {
                    owners.insert(name.to_owned(), (entry.file().to_owned(), entry.line()));
                }
            }
            for at in repeated {
                Arc::make_mut(&mut file.parsed).entries.get_mut(at).map(RuleEntry::give_up_name);
            }
        }
        self.findings.extend(findings);
    }

    fn sort_findings(&mut self) {
        self.findings.retain(|finding| finding.slug() != MORE_FINDINGS);
        self.findings.sort_by(|one, other| key(one).cmp(&key(other)));
        // A text that aliases repeat has what is wrong with it once.
        self.findings
            .dedup_by(|one, other| one.place().is_some() && key(one) == key(other) && one.message() == other.message());
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
