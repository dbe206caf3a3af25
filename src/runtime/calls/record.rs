//! What became of one call.

use std::fmt;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;

use crate::cluster::AttemptRecord;
use crate::cluster::CallObserver;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;

/// One call, when it is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallRecord {
    /// Its number, counted from 0.
    pub number: u64,
    /// Who was asked, in the order in which the attempts ended.
    pub attempts: Vec<CallAttempt>,
    /// What it came to.
    #[serde(flatten)]
    pub outcome: CallOutcome,
    /// How long it took, in microseconds.
    pub elapsed_us: u64,
}

/// One attempt of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallAttempt {
    /// Its number, counted from 0.
    pub number: u32,
    /// Whether it was made because one before had failed.
    #[serde(skip)]
    pub is_retry: bool,
    /// The provider's URL.
    pub provider: String,
    /// How many providers rules left.
    pub candidates: usize,
    /// How many there are.
    pub known: usize,
    /// The load balance that chose; empty where nothing was chosen.
    pub load_balance: String,
    /// What it came to.
    #[serde(flatten)]
    pub outcome: CallOutcome,
    /// How long it took, in microseconds.
    pub elapsed_us: u64,
}

/// What a call or an attempt came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum CallOutcome {
    /// There is an answer.
    Answered {
        /// The value, as Java prints it.
        value: String,
    },
    /// Business code threw: an answer too, and no reason to ask another provider.
    Threw {
        /// The class, as Java names it.
        class: String,
        /// What it says.
        message: String,
    },
    /// There is no answer.
    Failed {
        /// The name of the [`RpcErrorKind`].
        kind: &'static str,
        /// What happened.
        message: String,
    },
}

/// Takes down the attempts of one call.
#[derive(Debug, Default)]
pub(super) struct AttemptLog(Mutex<Vec<CallAttempt>>);

// === impl CallOutcome ===

impl CallOutcome {
    /// What failures are counted under where business code threw.
    pub const EXCEPTION: &str = "exception";
    /// What failures are counted under where rules left nobody.
    pub const NOBODY: &str = RpcErrorKind::NoInvokerAvailableAfterFilter.as_str();

    pub(super) fn of(result: &RpcResult) -> Self {
        match result.as_ref().map(|response| response.outcome()) {
            Ok(Ok(value)) => Self::Answered { value: value.text().into_owned() },
            Ok(Err(exception)) => Self::Threw { class: exception.class.clone(), message: exception.message.clone() },
            Err(error) => Self::Failed { kind: error.kind().as_str(), message: error.message().to_owned() },
        }
    }

    /// Whether there is an answer that nobody threw.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        matches!(self, Self::Answered { .. })
    }

    /// The kind of failure that it is; none of an answer.
    #[must_use]
    pub fn failure(&self) -> Option<&'static str> {
        match self {
            Self::Answered { .. } => None,
            Self::Threw { .. } => Some(Self::EXCEPTION),
            Self::Failed { kind, .. } => Some(kind),
        }
    }
}

/// The value, or what was said instead.
impl fmt::Display for CallOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered { value } => f.write_str(value),
            Self::Threw { class, message } => write!(f, "{class}: {message}"),
            Self::Failed { message, .. } => f.write_str(message),
        }
    }
}

// === impl AttemptLog ===

impl AttemptLog {
    pub(super) fn into_attempts(self) -> Vec<CallAttempt> {
        self.0.into_inner()
    }
}

impl CallObserver for AttemptLog {
    fn attempted(&self, attempt: &AttemptRecord<'_>) {
        self.0.lock().push(CallAttempt {
            number: attempt.number,
            is_retry: attempt.is_retry,
            provider: attempt.provider.to_string(),
            candidates: attempt.candidates,
            known: attempt.known,
            load_balance: attempt.load_balance.to_owned(),
            outcome: CallOutcome::of(attempt.result),
            elapsed_us: micros(attempt.elapsed),
        });
    }
}

pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
