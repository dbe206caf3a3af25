//! Reading a folder, or single files of one.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::condition::Reading;
use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::disk::ContentHash;
use crate::disk::read_hashed;
use crate::source::folder::FileKind;
use crate::source::folder::FolderContents;
use crate::source::folder::KnownFiles;
use crate::source::folder::LoadedFile;
use crate::source::folder::Look;
use crate::source::folder::document_file::read_document_file;
use crate::source::folder::parsed::Parsed;
use crate::source::folder::providers::read_providers;
use crate::source::folder::providers_document::read_providers_document;
use crate::source::folder::reader::Held;
use crate::source::folder::reader::ReadingRules;
use crate::source::folder::roots::Roots;
use crate::source::folder::rules_file::read_rules;
use crate::source::folder::script_file::read_script;
use crate::source::folder::walk::FoundFile;
use crate::source::folder::walk::Walk;

/// The largest file below `rules/`: 4 MiB.
pub const MAX_FILE_BYTES: u64 = 4 << 20;

const PROVIDERS: &str = "providers.txt";

/// How a folder is read.
#[derive(Debug, Clone, Default)]
pub struct FolderOptions {
    prefix: String,
    roots: Option<Vec<PathBuf>>,
    held: Held,
    reading: Reading,
}

// === impl FolderOptions ===

impl FolderOptions {
    /// What stands in front of the files' names in findings, where several folders are read at once.
    #[must_use]
    pub fn with_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// The folders that `file:` rules may read below; without this, the rules folder.
    #[must_use]
    pub fn with_roots(mut self, roots: impl IntoIterator<Item = PathBuf>) -> Self {
        self.roots = Some(roots.into_iter().collect());
        self
    }

    /// How strictly the conditions of documents are read.
    #[must_use]
    pub const fn with_reading(mut self, reading: Reading) -> Self {
        self.reading = reading;
        self
    }

    /// Files that somebody is writing: they are listed, and not read.
    pub(crate) fn holding(mut self, held: Held) -> Self {
        self.held = held;
        self
    }

    fn reading_rules(&self, folder: &Path) -> Arc<ReadingRules> {
        let (roots, held) = (Roots::new(folder, self.roots.as_deref()), Arc::clone(&self.held));
        Arc::new(ReadingRules { roots, held, reading: self.reading })
    }
}

/// Reads the rules folder at `path`: whatever is wrong is a finding, and the rest is there.
///
/// ```
/// use pointsman::source::folder::{FolderOptions, load};
/// let contents = load("no/such/folder".as_ref(), &FolderOptions::default());
/// assert_eq!(contents.findings()[0].slug(), "folder::not_a_folder");
/// ```
#[must_use]
pub fn load(path: &Path, options: &FolderOptions) -> FolderContents {
    load_again(path, options, &mut KnownFiles::default(), &Look::default())
}

/// [`load`]; files that `look` saw as they are `known` are not read again, and afterwards those of this time are known.
pub(crate) fn load_again(path: &Path, options: &FolderOptions, known: &mut KnownFiles, look: &Look) -> FolderContents {
    let mut walk = match Walk::start(path) {
        Ok(walk) => walk,
        Err(finding) => return FolderContents::new(Vec::new(), vec![finding]).without([String::new()]),
    };
    let unread: Vec<String> = walk.unread().map(|name| prefixed(&options.prefix, name)).collect();
    let rules = options.reading_rules(path);
    let mut findings = std::mem::take(&mut walk.findings);
    // A `providers.txt` that is there and cannot be read has its own finding.
    let has_providers =
        walk.files.iter().any(|file| matches!(file.kind, FileKind::Providers | FileKind::ProvidersDocument))
            || findings.iter().any(|finding| finding.file().is_some_and(|file| file.starts_with("providers.")));
    if !has_providers {
        findings.push(missing_providers());
    }
    let is_of_rules =
        |file: &FoundFile| file.name.contains('/') && !matches!(file.kind, FileKind::Cases | FileKind::Plugin);
    if !walk.files.iter().any(is_of_rules) && findings.iter().all(|finding| !is_below_rules(finding)) {
        findings.push(no_rules());
    }
    let mut now_known = KnownFiles::default();
    let mut read = |file| read(file, &options.prefix, &rules, (known, look, &mut now_known), &mut findings);
    let files: Vec<LoadedFile> = walk.files.into_iter().map(&mut read).collect();
    *known = now_known;
    findings.extend(two_provider_files(&files));
    if !options.prefix.is_empty() {
        findings = findings.into_iter().map(|finding| with_prefix(finding, &options.prefix)).collect();
    }
    FolderContents::new(files, findings).without(unread)
}

/// The name of what stands at `name` in the folder; empty for the folder itself.
fn prefixed(prefix: &str, name: &str) -> String {
    if name.is_empty() { String::new() } else { format!("{prefix}{name}") }
}

/// Reads one file of a rules folder; its kind follows from its name alone.
#[must_use]
pub fn load_file(path: &Path, options: &FolderOptions) -> FolderContents {
    let name = path.to_string_lossy().into_owned();
    let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_case = path.parent().is_some_and(|folder| folder.ends_with("tests"));
    let parts = if is_case { ["", "tests", "plugins"] } else { ["", "rules", "plugins"] };
    let kinds = parts.map(|part| FileKind::of(part, &file_name));
    let kind = kinds.into_iter().find(|kind| *kind != FileKind::Unknown).unwrap_or(FileKind::Unknown);
    let mut findings = Vec::new();
    let rules = options.reading_rules(folder_of(path));
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let known = (&KnownFiles::default(), &Look::default(), &mut KnownFiles::default());
    let file = read(FoundFile { name, path: real, kind, identity: None }, "", &rules, known, &mut findings);
    FolderContents::new(vec![file], findings)
}

/// The rules folder that a file belongs to: the one that holds its `rules`, else its own.
fn folder_of(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let rules = parent.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "rules"));
    rules.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(parent)
}

/// Reads one file, unless it was looked at and is known as it is; all that is known afterwards is taken in.
fn read(
    found: FoundFile,
    prefix: &str,
    rules: &Arc<ReadingRules>,
    (known, look, read): (&KnownFiles, &Look, &mut KnownFiles),
    findings: &mut Vec<Finding>,
) -> LoadedFile {
    let name = format!("{prefix}{}", found.name);
    let is_held = rules.held.contains(&found.path);
    let mut file = LoadedFile::new(name.clone(), found.path.clone(), found.kind).read_by(Arc::clone(rules));
    if is_held {
        return file.held();
    }
    match found.kind {
        FileKind::Rules
        | FileKind::Script(_)
        | FileKind::Document
        | FileKind::Providers
        | FileKind::ProvidersDocument => {
            // PERF: most files of a reload are as they were; to open each costs more than all else (`runtime/reload`).
            file.set_hash(look.hash(&found.name));
            let parsed = match known.get(&name, file.hash()) {
                Some(parsed) => parsed,
                None => {
                    let reading = read_hashed(&found.path, &name, found.kind.max_bytes(), &|_| Ok(()));
                    file.set_hash(reading.hash);
                    let source = match reading.text {
                        Ok(source) => source,
                        Err(finding) => {
                            findings.push(finding);
                            return file;
                        }
                    };
                    Arc::new(parse(&source, found.kind, rules))
                }
            };
            findings.extend(parsed.findings.iter().cloned());
            read.add(&file, &parsed);
            return file.with(parsed);
        }
        // No rule depends on a case or a stand-in, and only who runs cases or makes calls reads them.
        FileKind::Cases | FileKind::StandIns => {}
        // Whoever loads plugins reads them.
        FileKind::Plugin => {}
        FileKind::Unsupported(what) => findings.push(unsupported(&name, what)),
        // Below `plugins/` and `tests/` other files may lie; a file below `rules/` was meant as a rule.
        FileKind::Unknown => {
            if !found.name.starts_with("plugins/") && !found.name.starts_with("tests/") {
                findings.push(unknown(&name));
            }
        }
    }
    file
}

/// Reads the folder at `path` as it was: `files` by their names, with what they held.
pub(crate) fn load_kept<'a>(
    path: &Path,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
    options: &FolderOptions,
) -> FolderContents {
    let (rules, mut findings) = (options.reading_rules(path), Vec::new());
    let read = |(name, text): (&str, &str)| {
        let part = name.split_once('/').map_or("", |(part, _)| part);
        let kind = FileKind::of(part, name.rsplit('/').next().unwrap_or(name));
        let mut file = LoadedFile::new(name.to_owned(), path.join(name), kind);
        file.set_hash(Some(ContentHash::of(text.as_bytes())));
        let parsed = parse(&SourceText::new(name, text), kind, &rules);
        findings.extend(parsed.findings.iter().cloned());
        file.read_by(Arc::clone(&rules)).with(Arc::new(parsed))
    };
    let files = files.into_iter().map(read).collect();
    FolderContents::new(files, findings)
}

/// What a text says, by the kind of its file.
fn parse(source: &SourceText, kind: FileKind, rules: &ReadingRules) -> Parsed {
    let mut parsed = Parsed { source: Some(source.clone()), ..Parsed::default() };
    let findings = &mut parsed.findings;
    match kind {
        FileKind::Rules => parsed.entries = read_rules(source, findings),
        FileKind::Script(language) => parsed.entries = read_script(source, language, findings),
        FileKind::Document => {
            (parsed.entries, parsed.documents) = read_document_file(source, rules.document_options(), findings);
        }
        FileKind::Providers => parsed.providers = read_providers(source, findings),
        FileKind::ProvidersDocument => parsed.providers = read_providers_document(source, findings),
        FileKind::Cases | FileKind::StandIns | FileKind::Plugin | FileKind::Unsupported(_) | FileKind::Unknown => {}
    }
    parsed
}

fn is_below_rules(finding: &Finding) -> bool {
    finding.file().is_some_and(|file| file == "rules" || file.starts_with("rules/"))
}

/// Findings of the walk name their file without the prefix.
fn with_prefix(finding: Finding, prefix: &str) -> Finding {
    match finding.file() {
        Some(file) if !file.starts_with(prefix) => {
            let name = format!("{prefix}{file}");
            finding.in_file(name)
        }
        _ => finding,
    }
}

fn missing_providers() -> Finding {
    Finding::error("providers::missing", "the folder has no `providers.txt` and no `providers.yaml`")
        .with_help("write one provider URL a line: `dubbo://HOST:PORT/SERVICE?key=value`")
        .in_file(PROVIDERS)
}

/// Providers stand in one file: of two, nobody could say which counts.
fn two_provider_files(files: &[LoadedFile]) -> Vec<Finding> {
    let is_of_providers = |kind| matches!(kind, FileKind::Providers | FileKind::ProvidersDocument);
    let names: Vec<&str> = files.iter().filter(|file| is_of_providers(file.kind())).map(LoadedFile::name).collect();
    let [_, _, ..] = names.as_slice() else { return Vec::new() };
    let finding = |name: &&str| {
        let message = format!("expected one file of providers, found {}", names.join(" and "));
        Finding::error("providers::two_files", message).with_help("keep one of them").in_file(*name)
    };
    names.iter().map(finding).collect()
}

fn no_rules() -> Finding {
    Finding::new("folder::no_rules", Severity::Info, "the folder has no rules: every call may go to every provider")
        .with_help("write rules into `rules/NAME.rules`, one a line")
        .in_file("rules")
}

fn unsupported(name: &str, what: &str) -> Finding {
    Finding::error("folder::unsupported_kind", format!("{what} is not supported yet"))
        .with_help("this version reads `*.so` below `plugins/`; move the file out of the folder")
        .in_file(name)
}

fn unknown(name: &str) -> Finding {
    Finding::warning("folder::unknown_file", "no kind of rule has this suffix, the file is not read")
        .with_help("rules stand in files that end in `.rules`, `.yaml`, `.yml`, `.js`, `.rhai` or `.lua`")
        .in_file(name)
}
