//! Where the command writes.

use std::fmt;
use std::io;
use std::io::Write;

/// Answers go to `stdout`, everything else to `stderr`.
pub struct Console<'a> {
    pub(crate) stdout: &'a mut dyn Write,
    pub(crate) stderr: &'a mut dyn Write,
    pub(crate) is_coloured: bool,
    pub(crate) has_progress: bool,
}

// === impl Console ===

impl<'a> Console<'a> {
    /// Writes without colour.
    #[must_use]
    pub fn new(stdout: &'a mut dyn Write, stderr: &'a mut dyn Write) -> Self {
        Self { stdout, stderr, is_coloured: false, has_progress: false }
    }

    /// Writes findings in colour.
    #[must_use]
    pub fn with_colour(mut self) -> Self {
        self.is_coloured = true;
        self
    }

    /// Tells on `stderr` how far a long run is: a line that is written anew, for a terminal.
    #[must_use]
    pub fn with_progress(mut self) -> Self {
        self.has_progress = true;
        self
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()?;
        self.stderr.flush()
    }
}

impl fmt::Debug for Console<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console").field("is_coloured", &self.is_coloured).finish_non_exhaustive()
    }
}
