//! Standard input in the place of a file.

use std::io;
use std::io::Read as _;
use std::path::Path;

use crate::diagnostics::Finding;
use crate::diagnostics::SourceText;
use crate::source::folder::MAX_FILE_BYTES;

/// How an argument says standard input.
const STDIN: &str = "-";

/// Whether `path` means standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new(STDIN)
}

/// The text of standard input, which is as short as a file must be.
pub(crate) fn read_stdin() -> Result<SourceText, Finding> {
    let wrong = |what: String| Finding::error("folder::unreadable", what).in_file(STDIN);
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| wrong(format!("cannot read it: {error}")))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(wrong(format!("expected at most {MAX_FILE_BYTES} bytes, found more")));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong("expected UTF-8".to_owned()))?;
    Ok(SourceText::new(STDIN, text.strip_prefix('\u{feff}').unwrap_or(&text)))
}
