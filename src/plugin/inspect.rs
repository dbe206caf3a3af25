//! Everything that can be known of a plugin while none of its code has run.

use std::path::Path;

use crate::diagnostics::Finding;
use crate::disk::ContentHash;
use crate::plugin::Manifest;
use crate::plugin::PanicStrategy;
use crate::plugin::PluginSettings;
use crate::plugin::elf;
use crate::plugin::elf::Surroundings;
use crate::plugin::file::PluginFile;
use crate::plugin::native::glibc_version;

/// A plugin that may be loaded as far as its file tells.
#[derive(Debug, Clone)]
pub struct Inspected {
    pub(crate) file: PluginFile,
    pub(crate) manifest: Manifest,
}

// === impl Inspected ===

impl Inspected {
    /// What it says of itself.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The hash of the file.
    #[must_use]
    pub fn hash(&self) -> ContentHash {
        self.file.hash
    }

    /// How large the file is.
    #[must_use]
    pub fn len(&self) -> usize {
        self.file.bytes.len()
    }

    /// Whether the file is empty, which no plugin is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.file.bytes.is_empty()
    }
}

/// Reads and checks the file at `path`, which findings call `name`. None of its code runs.
///
/// # Errors
///
/// The first reason why the file may not be loaded.
pub fn inspect(path: &Path, name: &str, settings: &PluginSettings) -> Result<Inspected, Finding> {
    let file = PluginFile::read(path, name, settings.file_rules())?;
    inspect_bytes(file, settings).map_err(|finding| finding.in_file(name))
}

pub(crate) fn inspect_bytes(file: PluginFile, settings: &PluginSettings) -> Result<Inspected, Finding> {
    let surroundings = Surroundings { libraries: &settings.libraries, glibc: glibc_version() };
    let section = elf::manifest_section(&file.bytes, &surroundings)?;
    let manifest = Manifest::read(section)?;
    if manifest.panic == PanicStrategy::Abort && !settings.may_abort {
        let message = "the plugin was built so that a panic ends the process (`panic: abort` in the manifest)";
        let finding = Finding::error("plugin::aborts", message);
        return Err(finding.with_help(
            "build it with `panic = \"unwind\"`, or allow it with `abort = true` in the host's `[plugins]`",
        ));
    }
    Ok(Inspected { file, manifest })
}
