//! A plugin's file, read once: what is checked is what is loaded, whatever becomes of the file.

use std::fs::File;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use crate::diagnostics::Finding;
use crate::disk::ContentHash;
use crate::disk::read_whole;

/// The largest plugin by default: 64 MiB.
pub const MAX_PLUGIN_BYTES: u64 = 64 << 20;

const SUFFIX: &str = "so";

/// The bytes of a plugin.
#[derive(Clone)]
pub(crate) struct PluginFile {
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) hash: ContentHash,
}

/// How a file may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileRules {
    pub(crate) max_bytes: u64,
    /// Whether others may write it.
    pub(crate) may_be_writable: bool,
}

// === impl PluginFile ===

impl PluginFile {
    /// Reads the file at `path`, which findings call `name`.
    ///
    /// # Errors
    ///
    /// It is no regular file, too large, of a stranger, writable by others, or changes while it is read.
    pub(crate) fn read(path: &Path, name: &str, rules: FileRules) -> Result<Self, Finding> {
        if path.extension().is_none_or(|extension| extension != SUFFIX) {
            let finding = Finding::error("plugin::unsafe_file", format!("expected a file that ends in `.{SUFFIX}`"));
            return Err(finding.with_help("rename it").in_file(name));
        }
        let check = |file: &File| check(file, name, rules);
        let bytes = read_whole(path, name, rules.max_bytes, &check)?;
        Ok(Self { hash: ContentHash::of(&bytes), bytes: bytes.into() })
    }
}

impl std::fmt::Debug for PluginFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PluginFile").field("bytes", &self.bytes.len()).field("hash", &self.hash).finish()
    }
}

/// A file that decides what code runs is the user's or root's, and nobody else may write it.
pub(crate) fn check_owner(metadata: &Metadata, name: &str) -> Result<(), Finding> {
    let own = rustix::process::geteuid().as_raw();
    if metadata.uid() != own && metadata.uid() != 0 {
        let message =
            format!("the file belongs to user {}, not to root or to the user who runs this ({own})", metadata.uid());
        let finding = Finding::error("plugin::unsafe_file", message);
        return Err(finding.with_help("copy it as the user who runs this").in_file(name));
    }
    if metadata.mode() & 0o022 != 0 {
        let message = format!("others may write the file (mode {:04o})", metadata.mode() & 0o7777);
        let finding = Finding::error("plugin::unsafe_file", message);
        return Err(finding.with_help("`chmod go-w FILE`").in_file(name));
    }
    Ok(())
}

fn check(file: &File, name: &str, rules: FileRules) -> Result<(), Finding> {
    let Ok(metadata) = file.metadata() else { return Ok(()) };
    if !rules.may_be_writable {
        check_owner(&metadata, name)?;
    }
    if metadata.len() > rules.max_bytes {
        let message = format!("expected at most {} bytes, found {}", rules.max_bytes, metadata.len());
        let finding = Finding::error("plugin::too_large", message);
        return Err(finding.with_help("strip it (`strip --strip-debug FILE`), or raise `max-bytes`").in_file(name));
    }
    Ok(())
}
