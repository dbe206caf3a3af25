//! Files to format: finding, reading and replacing them.

use std::fs;
use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::io::Read as _;
use std::io::Write as _;
use std::path::Path;
use std::path::PathBuf;

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::disk::read_text;
use crate::source::config::HostConfig;
use crate::source::folder::FileKind;
use crate::source::folder::MAX_FILE_BYTES;
use crate::source::folder::load;
use crate::source::folder::load_file;

/// What some editors put in front of a file.
const MARK: &str = "\u{feff}";

/// A file that has rule texts.
pub(super) struct RulesFile {
    /// As findings name it.
    pub(super) name: String,
    /// Where it really lies, links followed.
    path: PathBuf,
    pub(super) kind: FileKind,
}

// === impl RulesFile ===

impl RulesFile {
    /// The files at `path`: those of a folder, or the one that it is.
    pub(super) fn at(path: &Path, config: &HostConfig) -> Result<Vec<Self>, Finding> {
        if path.is_file() {
            return Self::single(path).map(|file| vec![file]);
        }
        if path.exists() && !path.is_dir() {
            let findings = load_file(path, &config.folder_options()).findings().to_vec();
            let error = findings.into_iter().find(|finding| finding.severity() == Severity::Error);
            return Err(error.unwrap_or_else(|| wrong_file(&path.to_string_lossy())));
        }
        let contents = load(path, &config.folder_options().with_prefix(format!("{}/", path.display())));
        if let Some(finding) = contents.findings().iter().find(|finding| finding.slug() == "folder::not_a_folder") {
            return Err(finding.clone());
        }
        let files = contents.files().iter().filter(|file| has_rule_texts(file.kind()));
        let files: Vec<Self> = files
            .map(|file| Self { name: file.name().to_owned(), path: file.path().to_owned(), kind: file.kind() })
            .collect();
        if files.is_empty() && !path.join("rules").is_dir() {
            let finding = Finding::error("fmt::wrong_file", "expected a rules folder, found no `rules` in it");
            let help = "name the folder that holds `rules`, or a file of rules";
            return Err(finding.with_help(help).in_file(path.to_string_lossy()));
        }
        Ok(files)
    }

    fn single(path: &Path) -> Result<Self, Finding> {
        let name = path.to_string_lossy().into_owned();
        let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_elsewhere = path.parent().is_some_and(|folder| folder.ends_with("tests"))
            || FileKind::of("", &file_name) != FileKind::Unknown;
        let kind = FileKind::of("rules", &file_name);
        if is_elsewhere || !has_rule_texts(kind) {
            return Err(wrong_file(&name));
        }
        Ok(Self { name, path: path.canonicalize().unwrap_or_else(|_| path.to_owned()), kind })
    }

    /// The text without a byte order mark.
    pub(super) fn read(&self) -> Result<SourceText, Finding> {
        read_text(&self.path, &self.name, MAX_FILE_BYTES)
    }

    /// Replaces the file at once: whoever looks sees the old text or the new one. Permissions stay.
    pub(super) fn replace(&self, text: &str) -> Result<(), Finding> {
        self.try_replace(text).map_err(|error| {
            Finding::error("fmt::unwritable", format!("cannot write it: {error}"))
                .with_help("let the user who runs this write the file and its folder")
                .in_file(&self.name)
        })
    }

    fn try_replace(&self, text: &str) -> io::Result<()> {
        let permissions = fs::metadata(&self.path)?.permissions();
        // Renaming asks the folder only; who may not write the file is not asked for it.
        OpenOptions::new().write(true).open(&self.path)?;
        let beside = self.beside();
        let write = || {
            let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
            file.set_permissions(permissions.clone())?;
            if self.has_mark()? {
                file.write_all(MARK.as_bytes())?;
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&beside, &self.path)
        };
        let written = write();
        if written.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::AlreadyExists) {
            // What is left of a failed attempt is in nobody's way: no folder reads such a name.
            let _ = fs::remove_file(&beside);
        }
        written
    }

    /// A name that no rules folder reads.
    fn beside(&self) -> PathBuf {
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
    }

    fn has_mark(&self) -> io::Result<bool> {
        let mut head = Vec::new();
        File::open(&self.path)?.take(MARK.len() as u64).read_to_end(&mut head)?;
        Ok(head == MARK.as_bytes())
    }
}

fn wrong_file(name: &str) -> Finding {
    let help = "`*.rules`, `*.yaml` and `*.yml` of a rules folder are formatted, `providers.*` and `tests/*` are not";
    Finding::error("fmt::wrong_file", "expected a file of rules or of rule documents").with_help(help).in_file(name)
}

fn has_rule_texts(kind: FileKind) -> bool {
    matches!(kind, FileKind::Rules | FileKind::Document)
}
