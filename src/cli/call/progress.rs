//! A line that tells how far a run is, on a terminal only.

use std::io;
use std::io::Write;
use std::time::Duration;
use std::time::Instant;

use crate::cli::call::figures::grouped;

/// How often the line is written anew.
const PERIOD: Duration = Duration::from_millis(100);
/// How often it is looked at whether it is time.
const CALLS: u64 = 64;

/// The line; it is gone when the run is over.
#[derive(Debug)]
pub(crate) struct Progress {
    all: u64,
    done: u64,
    written: Option<Instant>,
    began: Instant,
}

// === impl Progress ===

impl Progress {
    pub(crate) fn of(all: u64) -> Self {
        Self { all, done: 0, written: None, began: Instant::now() }
    }

    /// One more is done.
    pub(crate) fn step(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.done += 1;
        let is_looked_at = self.done.is_multiple_of(CALLS) || self.all < CALLS * CALLS;
        if !is_looked_at || self.written.unwrap_or(self.began).elapsed() < PERIOD {
            return Ok(());
        }
        self.written = Some(Instant::now());
        write!(out, "\r{} of {} calls", grouped(self.done), grouped(self.all))?;
        out.flush()
    }

    /// Takes the line away.
    pub(crate) fn end(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.written {
            Some(_) => {
                write!(out, "\r\u{1b}[K")?;
                out.flush()
            }
            None => Ok(()),
        }
    }
}
