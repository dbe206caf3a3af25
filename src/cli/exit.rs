//! What a run of the command comes to, as scripts see it.

use std::process::ExitCode;

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// 0: done.
    Ok,
    /// 1: it could not be done.
    Failed,
    /// 2: arguments, the call or the host's configuration are wrong.
    Usage,
    /// 3: the call was routed, and nobody is left.
    Nobody,
    /// 4: a rule or a file of the folder has errors.
    RuleErrors,
}

// === impl Exit ===

impl Exit {
    /// The exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Nobody => 3,
            Self::RuleErrors => 4,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
