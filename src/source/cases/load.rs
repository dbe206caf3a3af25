//! The case files of a folder.

use std::path::Path;

use crate::diagnostics::Finding;
use crate::diagnostics::SourceText;
use crate::disk::read_text;
use crate::source::cases::Case;
use crate::source::cases::CaseKind;
use crate::source::cases::read_cases;
use crate::source::folder::FileKind;
use crate::source::folder::FolderContents;

/// The largest case file: 1 MiB.
pub const MAX_CASES_BYTES: u64 = 1 << 20;

/// All cases of a folder, by file and line, and what is wrong with them.
#[derive(Debug, Default)]
pub struct LoadedCases {
    /// Those without an error.
    pub cases: Vec<Case>,
    /// Of all files.
    pub findings: Vec<Finding>,
}

/// Reads the case files among `contents`.
#[must_use]
pub fn load_cases(contents: &FolderContents) -> LoadedCases {
    let mut loaded = LoadedCases::default();
    for file in contents.files().iter().filter(|file| file.kind() == FileKind::Cases) {
        match read_case_file(file.path(), file.name()) {
            Ok(source) => {
                let (cases, findings) = read_cases(&source, CaseKind::Folder);
                loaded.cases.extend(cases);
                loaded.findings.extend(findings);
            }
            Err(finding) => loaded.findings.push(*finding),
        }
    }
    loaded
}

/// The text of the case file at `path`, which findings call `name`.
///
/// # Errors
///
/// It cannot be read, is too large, or is no text.
pub fn read_case_file(path: &Path, name: &str) -> Result<SourceText, Box<Finding>> {
    read_text(path, name, MAX_CASES_BYTES).map_err(Box::new)
}
