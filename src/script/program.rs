//! A script before an engine has compiled it.

use std::sync::Arc;

use serde::Deserialize;
use serde::Serialize;

use crate::script::EngineKind;

/// Which program among those of one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProgramId(pub u64);

/// The text of a script and the engine that runs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The engine.
    pub engine: EngineKind,
    /// How errors and the log call it: its file.
    pub name: Arc<str>,
    /// The text.
    pub text: Arc<str>,
}
