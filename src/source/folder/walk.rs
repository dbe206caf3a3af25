//! Which files of a rules folder count, and what each of them is.

use std::ffi::OsStr;
use std::fs;
use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::path::PathBuf;

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::disk::Identity;
use crate::disk::not_regular;
use crate::disk::unreadable;
use crate::router::Language;
use crate::source::folder::MAX_FILE_BYTES;
use crate::source::folder::MAX_PROVIDERS_BYTES;
use crate::source::folder::MAX_SCRIPT_BYTES;

/// How deep below `rules/` a file may lie: `rules/a.rules` is at depth 1.
pub const MAX_DEPTH: usize = 8;
/// How many files and folders are looked at below one rules folder.
pub const MAX_ENTRIES: usize = 20_000;

const TOO_MANY: &str = "folder::too_many_files";
const IGNORED_SUFFIXES: [&str; 3] = ["~", ".tmp", ".swp"];
const DOCUMENT_SUFFIXES: [&str; 2] = ["yaml", "yml"];
const PLUGIN_SUFFIX: &str = "so";
const FOREIGN_PLUGIN_SUFFIXES: [&str; 2] = ["dylib", "dll"];

/// What a file of a rules folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// `*.rules`: one rule a line.
    Rules,
    /// `*.yaml`, `*.yml`: rule documents; see [`crate::rule`].
    Document,
    /// `providers.txt`: one provider a line.
    Providers,
    /// `providers.yaml`: a list of providers.
    ProvidersDocument,
    /// `*.js`, `*.rhai`, `*.lua`: the file is one rule.
    Script(Language),
    /// `tests/*.yaml`: calls and the answers they must get; see [`crate::source::cases`].
    Cases,
    /// `stand-ins.yaml`: how providers behave that are only played; see [`crate::stand_in`].
    StandIns,
    /// `plugins/*.so`: a router as a shared library; a candidate, never code.
    Plugin,
    /// A kind of file that a later version reads; the text names it.
    Unsupported(&'static str),
    /// Nothing that a rules folder has.
    Unknown,
}

/// A file that counts.
#[derive(Debug)]
pub(crate) struct FoundFile {
    /// Relative to the folder, parts separated by `/`.
    pub(crate) name: String,
    /// Links followed.
    pub(crate) path: PathBuf,
    pub(crate) kind: FileKind,
    /// As it was met; none where nobody has looked.
    pub(crate) identity: Option<Identity>,
}

/// The files of one folder, in no order, and what is wrong on the way to them.
#[derive(Debug)]
pub(crate) struct Walk {
    pub(crate) files: Vec<FoundFile>,
    pub(crate) findings: Vec<Finding>,
    root: PathBuf,
    entries: usize,
}

/// Where the walk is: the folder's own path, its name for people, and the real paths of the folders above.
struct Place<'a> {
    path: &'a Path,
    name: String,
    ancestors: Vec<PathBuf>,
}

// === impl FileKind ===

impl FileKind {
    /// The largest file of this kind that is read.
    pub(crate) const fn max_bytes(self) -> u64 {
        match self {
            Self::Rules | Self::Document => MAX_FILE_BYTES,
            Self::Script(_) => MAX_SCRIPT_BYTES,
            _ => MAX_PROVIDERS_BYTES,
        }
    }

    /// What a file of the folder `part` (`rules`, `plugins`, `tests`; empty for the top) is, by its name.
    #[must_use]
    pub fn of(part: &str, file_name: &str) -> Self {
        let suffix = file_name.rsplit_once('.').map_or("", |(_, suffix)| suffix);
        match part {
            "" if file_name == "providers.txt" => Self::Providers,
            "" if matches!(file_name, "providers.yaml" | "providers.yml") => Self::ProvidersDocument,
            "" if matches!(file_name, "stand-ins.yaml" | "stand-ins.yml") => Self::StandIns,
            "rules" if suffix == "rules" => Self::Rules,
            "rules" if DOCUMENT_SUFFIXES.contains(&suffix) => Self::Document,
            "rules" => script(suffix).map_or(Self::Unknown, Self::Script),
            "plugins" if suffix == PLUGIN_SUFFIX => Self::Plugin,
            "plugins" if FOREIGN_PLUGIN_SUFFIXES.contains(&suffix) => Self::Unsupported("a plugin for another system"),
            "tests" if DOCUMENT_SUFFIXES.contains(&suffix) => Self::Cases,
            _ => Self::Unknown,
        }
    }
}

// === impl Walk ===

impl Walk {
    /// Lists the files below `folder` that count.
    ///
    /// # Errors
    ///
    /// `folder` is no folder that can be read.
    pub(crate) fn start(folder: &Path) -> Result<Self, Finding> {
        let name = folder.to_string_lossy().into_owned();
        let root = folder.canonicalize().map_err(|error| not_a_folder(&name, error.kind()))?;
        if !root.is_dir() {
            return Err(not_a_folder(&name, io::ErrorKind::NotADirectory));
        }
        // A folder that cannot be listed fails here, not with a list of missing files.
        fs::read_dir(&root).map_err(|error| unreadable(&name, &error))?;
        let mut walk = Self { files: Vec::new(), findings: Vec::new(), root: root.clone(), entries: 0 };
        for name in ["providers.txt", "providers.yaml", "providers.yml", "stand-ins.yaml", "stand-ins.yml"] {
            let path = root.join(name);
            if may_be_there(&path) {
                walk.entry("", &Place { path: &root, name: String::new(), ancestors: Vec::new() }, &path, 0);
            }
        }
        for part in ["rules", "plugins", "tests"] {
            let path = root.join(part);
            if may_be_there(&path) {
                walk.part(part, &path);
            }
        }
        Ok(walk)
    }

    /// What could not be looked at: files and folders with all below them; the empty name is the whole folder.
    pub(crate) fn unread(&self) -> impl Iterator<Item = &str> {
        let errors = self.findings.iter().filter(|finding| finding.severity() == Severity::Error);
        errors.map(|finding| if finding.slug() == TOO_MANY { "" } else { finding.file().unwrap_or_default() })
    }

    fn part(&mut self, part: &str, path: &Path) {
        let Some((real, metadata)) = self.resolve(path, part) else { return };
        if metadata.is_dir() {
            let ancestors = vec![self.root.clone(), real.clone()];
            self.folder(part, &Place { path: &real, name: part.to_owned(), ancestors }, 1);
        } else {
            self.findings.push(not_a_folder(part, io::ErrorKind::NotADirectory));
        }
    }

    /// Looks at all that stands in one folder; `depth` is that of the files in it.
    fn folder(&mut self, part: &str, place: &Place<'_>, depth: usize) {
        let entries = match fs::read_dir(place.path) {
            Ok(entries) => entries,
            Err(error) => return self.findings.push(unreadable(&place.name, &error)),
        };
        for entry in entries {
            match entry {
                Ok(entry) => self.entry(part, place, &entry.path(), depth),
                Err(error) => self.findings.push(unreadable(&place.name, &error)),
            }
        }
    }

    fn entry(&mut self, part: &str, place: &Place<'_>, path: &Path, depth: usize) {
        let Some(file_name) = path.file_name().map(OsStr::to_string_lossy).filter(|name| !is_ignored(name)) else {
            return;
        };
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            if self.entries == MAX_ENTRIES + 1 {
                self.findings.push(too_many_entries(&place.name));
            }
            return;
        }
        let name = if place.name.is_empty() { file_name.to_string() } else { format!("{}/{file_name}", place.name) };
        let Some((real, metadata)) = self.resolve(path, &name) else { return };
        if metadata.is_file() {
            let (kind, identity) = (FileKind::of(part, &file_name), Some(Identity::of(&metadata)));
            self.files.push(FoundFile { name, path: real, kind, identity });
        } else if !metadata.is_dir() || part.is_empty() || is_of_rules(part, &file_name) {
            self.findings.push(not_regular(&name, &metadata));
        } else if part == "rules" {
            self.sub_folder(part, place, Place { path: &real, name, ancestors: Vec::new() }, depth);
        }
    }

    fn sub_folder(&mut self, part: &str, above: &Place<'_>, mut place: Place<'_>, depth: usize) {
        if above.ancestors.iter().any(|ancestor| ancestor == place.path) {
            return self.findings.push(link_loop(&place.name));
        }
        if depth >= MAX_DEPTH {
            return self.findings.push(too_deep(&place.name));
        }
        place.ancestors = above.ancestors.clone();
        place.ancestors.push(place.path.to_owned());
        self.folder(part, &place, depth + 1);
    }

    /// Follows links, inside the folder only.
    fn resolve(&mut self, path: &Path, name: &str) -> Option<(PathBuf, Metadata)> {
        match self.try_resolve(path, name) {
            Ok(found) => Some(found),
            Err(finding) => {
                self.findings.push(finding);
                None
            }
        }
    }

    fn try_resolve(&self, path: &Path, name: &str) -> Result<(PathBuf, Metadata), Finding> {
        let metadata = path.symlink_metadata().map_err(|error| unreadable(name, &error))?;
        if !metadata.is_symlink() {
            return Ok((path.to_owned(), metadata));
        }
        let real = path.canonicalize().map_err(|error| broken_link(name, &error))?;
        if !real.starts_with(&self.root) {
            return Err(link_outside(name));
        }
        let metadata = real.metadata().map_err(|error| unreadable(name, &error))?;
        Ok((real, metadata))
    }
}

/// The language of a script in a folder: its suffix is the short one, in small letters.
fn script(suffix: &str) -> Option<Language> {
    Language::of_suffix(suffix).filter(|_| matches!(suffix, "js" | "rhai" | "lua"))
}

/// Whether rules are in a file of this name: a folder of that name stands where a file is meant.
fn is_of_rules(part: &str, file_name: &str) -> bool {
    matches!(FileKind::of(part, file_name), FileKind::Rules | FileKind::Document | FileKind::Script(_))
}

/// Whether something stands at `path`; what cannot be looked at may be something.
fn may_be_there(path: &Path) -> bool {
    path.symlink_metadata().map_or_else(|error| error.kind() != io::ErrorKind::NotFound, |_| true)
}

fn is_ignored(name: &str) -> bool {
    name.starts_with('.') || IGNORED_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

fn not_a_folder(name: &str, kind: io::ErrorKind) -> Finding {
    Finding::error("folder::not_a_folder", format!("expected a rules folder: {kind}"))
        .with_help("`pointsman init FOLDER` writes one that works at once")
        .in_file(name)
}

fn broken_link(name: &str, error: &io::Error) -> Finding {
    // `ErrorKind::FilesystemLoop` is not stable; ELOOP is 40 on Linux and 62 on the BSDs.
    if matches!(error.raw_os_error(), Some(40 | 62)) { link_loop(name) } else { unreadable(name, error) }
}

fn link_loop(name: &str) -> Finding {
    Finding::error("folder::link_loop", "the link leads back to itself or to a folder above it")
        .with_help("remove the link")
        .in_file(name)
}

fn link_outside(name: &str) -> Finding {
    Finding::error("folder::link_outside", "the link leads out of the rules folder")
        .with_help("links are followed inside the folder only; copy the file")
        .in_file(name)
}

fn too_deep(name: &str) -> Finding {
    let message = format!("expected files at most {MAX_DEPTH} levels below `rules`, this folder is not read");
    Finding::new("folder::too_deep", Severity::Warning, message).with_help("move its files up").in_file(name)
}

fn too_many_entries(name: &str) -> Finding {
    Finding::error(TOO_MANY, format!("expected at most {MAX_ENTRIES} files and folders, found more"))
        .with_help("put several rules into one file")
        .in_file(name)
}
