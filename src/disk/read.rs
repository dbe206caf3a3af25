//! Reading one file: a regular one, of bounded size, in UTF-8, without ever waiting for a writer.

use std::fs::File;
use std::fs::Metadata;
use std::fs::OpenOptions;
use std::io;
use std::io::Read;
use std::path::Path;

use memchr::memchr_iter;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::disk::ContentHash;
use crate::disk::Identity;

const BOM: &str = "\u{feff}";

/// `O_NONBLOCK`: opening a FIFO without a writer must not wait for one.
#[cfg(all(unix, any(target_os = "linux", target_os = "android")))]
const OPEN_NON_BLOCKING: i32 = 0o4000;
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const OPEN_NON_BLOCKING: i32 = 0x4;

/// How often a file that changes while it is read is tried.
const MAX_ATTEMPTS: usize = 4;

/// What reading a file came to, and the hash of its bytes where they could be read.
pub(crate) struct Reading {
    pub(crate) hash: Option<ContentHash>,
    pub(crate) text: Result<SourceText, Finding>,
}

/// The text of the file at `path`, which findings call `name`. A byte order mark is left out.
pub(crate) fn read_text(path: &Path, name: &str, limit_bytes: u64) -> Result<SourceText, Finding> {
    read_hashed(path, name, limit_bytes, &|_| Ok(())).text
}

/// As [`read_text`]; `check` looks at the file once it is open, before anything is read.
pub(crate) fn read_hashed(
    path: &Path,
    name: &str,
    limit_bytes: u64,
    check: &dyn Fn(&File) -> Result<(), Finding>,
) -> Reading {
    match read_whole(path, name, limit_bytes, check) {
        Ok(bytes) => Reading { hash: Some(ContentHash::of(&bytes)), text: text_of(bytes, name) },
        Err(finding) => Reading { hash: None, text: Err(finding) },
    }
}

fn text_of(bytes: Vec<u8>, name: &str) -> Result<SourceText, Finding> {
    let text = decode(bytes, name)?;
    let source = SourceText::new(name, text.strip_prefix(BOM).unwrap_or(&text));
    match lone_carriage_return(source.text()) {
        Some(at) => Err(wrong_line_end(source, at)),
        None => Ok(source),
    }
}

/// The bytes of a file that did not change while it was read; `check` as in [`read_hashed`].
pub(crate) fn read_whole(
    path: &Path,
    name: &str,
    limit_bytes: u64,
    check: &dyn Fn(&File) -> Result<(), Finding>,
) -> Result<Vec<u8>, Finding> {
    for _ in 0..MAX_ATTEMPTS {
        let metadata = std::fs::metadata(path).map_err(|error| unreadable(name, &error))?;
        // Before opening too: opening a device may do something.
        require_regular(&metadata, name)?;
        let mut file = open(path).map_err(|error| unreadable(name, &error))?;
        let before = file.metadata().map_err(|error| unreadable(name, &error))?;
        require_regular(&before, name)?;
        check(&file)?;
        if before.len() > limit_bytes {
            return Err(too_large(name, limit_bytes));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(before.len()).unwrap_or_default());
        // It may grow while it is read.
        (&mut file).take(limit_bytes + 1).read_to_end(&mut bytes).map_err(|error| unreadable(name, &error))?;
        let after = file.metadata().map_err(|error| unreadable(name, &error))?;
        if Identity::of(&before) == Identity::of(&after) && bytes.len() as u64 == after.len() {
            return Ok(bytes);
        }
    }
    Err(changing(name))
}

/// The finding for a file that somebody is writing.
pub(crate) fn changing(name: &str) -> Finding {
    Finding::error("folder::changing", "the file is being written while it is read")
        .with_help("write another file and rename it to this one")
        .in_file(name)
}

/// The finding for a file or folder that cannot be read.
pub(crate) fn unreadable(name: &str, error: &io::Error) -> Finding {
    let help = match error.kind() {
        io::ErrorKind::PermissionDenied => "let the user who runs this read it",
        io::ErrorKind::NotFound => "check the path",
        _ => "the system's answer is in the message",
    };
    Finding::error("folder::unreadable", format!("cannot read it: {}", error.kind())).with_help(help).in_file(name)
}

/// What a thing is that is neither a file nor a folder.
pub(crate) fn not_regular(name: &str, metadata: &Metadata) -> Finding {
    Finding::error("folder::not_a_regular_file", format!("expected a regular file, found {}", describe(metadata)))
        .with_help("only regular files are read; take it out of the folder")
        .in_file(name)
}

fn require_regular(metadata: &Metadata, name: &str) -> Result<(), Finding> {
    if metadata.is_file() { Ok(()) } else { Err(not_regular(name, metadata)) }
}

#[cfg(unix)]
fn describe(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;

    let kind = metadata.file_type();
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn describe(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() { "a folder" } else { "something else" }
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    OpenOptions::new().read(true).custom_flags(OPEN_NON_BLOCKING).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

fn too_large(name: &str, limit_bytes: u64) -> Finding {
    Finding::error("folder::too_large", format!("expected at most {limit_bytes} bytes, found more"))
        .with_help("split it into several files")
        .in_file(name)
}

/// The first carriage return that no line feed follows.
fn lone_carriage_return(text: &str) -> Option<usize> {
    memchr_iter(b'\r', text.as_bytes()).find(|at| text.as_bytes().get(at + 1) != Some(&b'\n'))
}

/// Nothing ends a line for some readers and everything for others, so such a file is not read at all.
fn wrong_line_end(source: SourceText, at: usize) -> Finding {
    Finding::error("folder::wrong_line_end", "expected a line feed after the carriage return")
        .with_help("save the file with line ends LF or CRLF; a lone CR ends no line")
        .at(&Origin::whole(source), at..at + 1, "a lone carriage return")
}

fn decode(bytes: Vec<u8>, name: &str) -> Result<String, Finding> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let byte = error.as_bytes().get(at).copied().unwrap_or_default();
        // Up to `at` the lossy text equals the bytes, so the place is right.
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let end = at + char::REPLACEMENT_CHARACTER.len_utf8();
        Finding::error("folder::not_utf8", format!("expected UTF-8, found byte 0x{byte:02x} at offset {at}"))
            .with_help("save the file as UTF-8")
            .at(&Origin::whole(SourceText::new(name, text)), at..end, "not UTF-8 from here")
    })
}
