//! The stand-ins of a folder: no rule depends on them, so only who makes calls reads them.

use crate::diagnostics::Finding;
use crate::disk::read_text;
use crate::source::folder::FileKind;
use crate::source::folder::FolderContents;
use crate::source::folder::LoadedFile;
use crate::stand_in::StandIns;
use crate::stand_in::read_stand_ins;

/// The largest `stand-ins.yaml`: 1 MiB.
pub const MAX_STAND_INS_BYTES: u64 = 1 << 20;

/// The stand-ins of a folder, and what is wrong with them.
#[derive(Debug, Default)]
pub struct LoadedStandIns {
    /// The entries without an error.
    pub stand_ins: StandIns,
    /// Of the file.
    pub findings: Vec<Finding>,
}

/// Reads the stand-ins among `contents`; without a file there are none, and of several folders those of the first count.
/// Entries that are for none of the providers are told, where there are providers.
#[must_use]
pub fn load_stand_ins(contents: &FolderContents) -> LoadedStandIns {
    let mut loaded = LoadedStandIns::default();
    let files: Vec<&LoadedFile> = contents.files().iter().filter(|file| file.kind() == FileKind::StandIns).collect();
    for (at, file) in files.iter().enumerate() {
        let is_beside = |other: &&&LoadedFile| other.path().parent() == file.path().parent();
        if let Some(first) = files.iter().take(at).find(is_beside) {
            let message = format!("expected one file of stand-ins, found {} and {}", first.name(), file.name());
            let finding = Finding::error("standin::two_files", message).with_help("keep one of them");
            loaded.findings.push(finding.in_file(file.name()));
        }
        match read_text(file.path(), file.name(), MAX_STAND_INS_BYTES) {
            Ok(source) => {
                let (stand_ins, findings) = read_stand_ins(&source);
                loaded.findings.extend(findings);
                if contents.providers().next().is_some() {
                    loaded.findings.extend(stand_ins.unused(contents.providers()));
                }
                if at == 0 {
                    loaded.stand_ins = stand_ins;
                }
            }
            Err(finding) => loaded.findings.push(finding),
        }
    }
    loaded
}
