//! A folder as it is, or as it was in a git revision: `REV:FOLDER`.

use std::fs;
use std::io;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Stdio;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering;

use crate::diagnostics::Finding;

/// A folder to read; one that was taken out of a repository is gone with this.
#[derive(Debug)]
pub(crate) struct Revision {
    folder: PathBuf,
    /// Where a revision was written out.
    written: Option<PathBuf>,
}

// === impl Revision ===

impl Revision {
    /// The folder at `path`, else `REV:FOLDER` of the repository that the current folder is in.
    ///
    /// # Errors
    ///
    /// Git does not know it, or is not there.
    pub(crate) fn of(path: &Path) -> Result<Self, Finding> {
        let text = path.to_string_lossy();
        match text.split_once(':') {
            Some((revision, folder)) if !path.exists() && !revision.is_empty() && !folder.is_empty() => {
                Self::written_out(revision, folder).map_err(|error| no_revision(&text, &error))
            }
            _ => Ok(Self { folder: path.to_owned(), written: None }),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn written_out(revision: &str, folder: &str) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        // Git would take it for an option, and some of those write files.
        if revision.starts_with('-') {
            return Err(io::Error::other(format!("no revision begins with `-`, as `{revision}` does")));
        }
        let commit = commit_of(revision)?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pointsman-{}-{number}", std::process::id());
        let written = std::env::temp_dir().join(name);
        // Only the owner may look: rules may hold secrets.
        make_private(&written)?;
        let this = Self { folder: written.join(folder), written: Some(written.clone()) };
        let mut git = Command::new("git")
            .args(["--literal-pathspecs", "archive", "--format=tar", &commit, "--", folder])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let archive = git.stdout.take().map_or_else(Stdio::null, Stdio::from);
        let unpacked = Command::new("tar").arg("-x").arg("-C").arg(&written).stdin(archive).output();
        let told = git.wait_with_output()?;
        if !told.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&told.stderr).trim().to_owned()));
        }
        let unpacked = unpacked?;
        if !unpacked.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&unpacked.stderr).trim().to_owned()));
        }
        Ok(this)
    }
}

impl Drop for Revision {
    fn drop(&mut self) {
        if let Some(written) = &self.written {
            let _ = fs::remove_dir_all(written);
        }
    }
}

/// The hash of the commit that a revision names.
fn commit_of(revision: &str) -> io::Result<String> {
    let commit = format!("{revision}^{{commit}}");
    let told = Command::new("git").args(["rev-parse", "--verify", "--end-of-options", &commit]).output()?;
    if !told.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&told.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&told.stdout).trim().to_owned())
}

#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)
}

fn no_revision(text: &str, error: &io::Error) -> Finding {
    Finding::error("diff::no_revision", format!("neither a folder nor a revision: {error}"))
        .with_help("write a folder, or `REVISION:FOLDER` inside of a git repository, the folder as seen from here")
        .in_file(text)
}
