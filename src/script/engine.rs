//! What every script engine is.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use serde::Deserialize;
use serde::Serialize;

use crate::router::Limit;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::ProviderTable;
use crate::script::Run;

/// An engine with the programs it has compiled and what it made of provider tables. It belongs to one thread.
///
/// Two programs never see each other, and two runs of one program never see each other's state: whatever a run changes
/// is gone, or could not be changed. An engine that panicked or ran out of memory is dropped and made anew.
pub trait ScriptEngine: fmt::Debug {
    /// Compiles a program; it is then known by `id`. Runs nothing of it.
    ///
    /// # Errors
    ///
    /// The text is no program, or is too large or too deep for the parser.
    fn compile(&mut self, id: ProgramId, program: &Program) -> Result<(), CompileError>;

    /// Whether a program is known.
    fn knows(&self, id: ProgramId) -> bool;

    /// Forgets a program.
    fn forget(&mut self, id: ProgramId);

    /// Makes what runs over a table need, ahead of them and of their limits; nothing where that was made before. What goes
    /// wrong here goes wrong in the run.
    fn take_in(&mut self, table: &Arc<ProviderTable>);

    /// Forgets what was made of the provider table of this number.
    fn forget_table(&mut self, number: u64);

    /// Runs a program that is known. The positions it answers with may repeat and come in any order; what is no
    /// candidate is left out by whoever asks.
    ///
    /// # Errors
    ///
    /// The script failed, hit a limit, or its value is no list of invokers.
    fn run(&mut self, id: ProgramId, run: &Rc<Run>) -> Result<Vec<u32>, RunError>;
}

/// A script that is no program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileError {
    /// What is wrong, as the engine says it.
    pub message: String,
    /// Where, counted from 1; none where the engine cannot tell.
    pub line: Option<u32>,
    /// Where in the line, counted from 1 in characters.
    pub column: Option<u32>,
    /// What to do.
    pub help: Option<String>,
}

/// A run that came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunError {
    /// It used more than it may.
    Limit {
        /// Which limit.
        which: Limit,
        /// How much was used, in the limit's unit.
        used: u64,
        /// How much is allowed.
        allowed: u64,
        /// The line where it was stopped, counted from 1.
        line: Option<u32>,
    },
    /// It failed by itself.
    Failed {
        /// What it says, bounded in length.
        message: String,
        /// The line, counted from 1.
        line: Option<u32>,
        /// The column, counted from 1.
        column: Option<u32>,
    },
    /// Its value is no list of invokers.
    WrongResult {
        /// What it is: `null`, `undefined`, `a number`, …
        found: String,
    },
}

// === impl RunError ===

impl RunError {
    /// The most bytes of a script's own message that are kept.
    pub const MAX_MESSAGE_BYTES: usize = 1_000;

    /// A failure with a message that the script may have chosen: it is cut to [`RunError::MAX_MESSAGE_BYTES`].
    #[must_use]
    pub fn failed(message: &str, line: Option<u32>, column: Option<u32>) -> Self {
        let end =
            message.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= Self::MAX_MESSAGE_BYTES);
        let message = message.get(..end.last().unwrap_or(0)).unwrap_or_default().to_owned();
        Self::Failed { message, line, column }
    }
}
