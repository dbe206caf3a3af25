//! Which file stands at a path, and whether it is still as it was: what the file system says without reading it.

use std::fs::Metadata;

/// A file at one moment. A write changes it, and so does another file in the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    /// Seconds and nanoseconds; the second one also changes where the first is set back.
    modified: (i64, i64),
    changed: (i64, i64),
}

// === impl Identity ===

impl Identity {
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;

        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let since = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let modified = since.map_or((0, 0), |since| (since.as_secs() as i64, since.subsec_nanos().into()));
        Self { device: 0, inode: 0, size: metadata.len(), modified, changed: modified }
    }

    /// Whether both are the same file, whatever it holds.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}
