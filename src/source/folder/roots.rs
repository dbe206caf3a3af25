//! Below which folders the texts of `file:` rules may lie.

use std::fs::File;
use std::path::Component;
use std::path::Path;
use std::path::PathBuf;

use crate::diagnostics::Finding;
use crate::disk::Identity;

/// The folders that `file:` rules may read below, links followed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots {
    /// The rules folder, to which relative paths belong.
    folder: PathBuf,
    roots: Vec<PathBuf>,
    /// As they were written: a path below one may be named though nothing is there.
    written: Vec<PathBuf>,
}

// === impl Roots ===

impl Roots {
    /// Those that the host gives, else the rules folder alone.
    pub(crate) fn new(folder: &Path, given: Option<&[PathBuf]>) -> Self {
        let real = |path: &Path| path.canonicalize().ok();
        let folder_alone = [folder.to_owned()];
        let written = given.unwrap_or(&folder_alone);
        Self {
            folder: real(folder).unwrap_or_else(|| folder.to_owned()),
            roots: written.iter().filter_map(|root| real(root)).collect(),
            written: written.iter().filter_map(|root| std::path::absolute(root).ok()).collect(),
        }
    }

    /// The file that a rule names.
    pub(crate) fn resolve(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// What people call a file: its path relative to the rules folder where it lies there.
    pub(crate) fn name_of(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.folder).unwrap_or(path);
        inside.to_string_lossy().into_owned()
    }

    /// Whether `path` is below a root, before anything is known of what stands there.
    pub(crate) fn admits(&self, path: &Path) -> bool {
        match path.canonicalize() {
            Ok(real) => self.contains(&real),
            // What lies outside is not told apart from what is not there.
            Err(_) => {
                let is_plain = !path.components().any(|part| part == Component::ParentDir);
                is_plain && self.roots.iter().chain(&self.written).any(|root| path.starts_with(root))
            }
        }
    }

    /// Whether an open file lies below a root.
    pub(crate) fn check_open(&self, file: &File, path: &Path, name: &str) -> Result<(), Finding> {
        let real = real_path(file, path);
        if real.is_some_and(|real| self.contains(&real)) { Ok(()) } else { Err(outside(name)) }
    }

    fn contains(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(root))
    }
}

/// Where an open file really lies.
fn real_path(file: &File, path: &Path) -> Option<PathBuf> {
    if let Some(path) = path_of_descriptor(file) {
        return Some(path);
    }
    let real = path.canonicalize().ok()?;
    let is_same = Identity::of(&real.metadata().ok()?).is_same_file(&Identity::of(&file.metadata().ok()?));
    is_same.then_some(real)
}

#[cfg(target_os = "linux")]
fn path_of_descriptor(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;

    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok().filter(|path| path.is_absolute())
}

#[cfg(not(target_os = "linux"))]
fn path_of_descriptor(_file: &File) -> Option<PathBuf> {
    None
}

/// The finding for a file that rules may not read.
pub(crate) fn outside(name: &str) -> Finding {
    Finding::error("file::outside_roots", "the file is not below a folder that rules may read")
        .with_help(
            "the host allows folders with `roots` in its configuration; without it, the rules folder is the only one",
        )
        .in_file(name)
}
