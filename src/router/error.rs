//! What goes wrong when a rule is loaded ([`BuildError`]) and when a call is routed ([`RouteError`]).

use std::sync::Arc;

use serde::Deserialize;
use serde::Serialize;
use thiserror::Error;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::router::Input;

/// A rule that cannot be had. Read by whoever edits the rule.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No factory of this name.
    #[error("expected a known kind of rule, found `{protocol}`")]
    UnknownProtocol {
        /// The name asked for.
        protocol: String,
        /// The names there are, comma separated.
        known: String,
        /// The nearest of them.
        nearest: Option<String>,
    },
    /// A rule URL without a protocol.
    #[error("expected a rule URL that begins with its kind, such as `condition://`")]
    MissingProtocol,
    /// `route://` without `router=`.
    #[error("expected `router=NAME` in a `route://` rule")]
    MissingRouterName,
    /// A factory whose name cannot be a URL protocol, or is reserved.
    #[error("expected a name made of letters, digits, `+`, `.` and `-` that is not `route`, found `{protocol}`")]
    InvalidProtocol {
        /// The name.
        protocol: String,
    },
    /// Two factories of one name.
    #[error("expected a name that is not taken, found `{protocol}` again")]
    DuplicateProtocol {
        /// The name.
        protocol: String,
    },
    /// A parameter whose value is of the wrong type.
    #[error("expected {expected} for `{name}`, found `{found}`")]
    InvalidParameter {
        /// The parameter's name.
        name: String,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A parameter that the kind needs.
    #[error("expected a parameter `{name}`")]
    MissingParameter {
        /// The parameter's name.
        name: &'static str,
    },
    /// The rule's own text is wrong.
    #[error("{0}")]
    Rule(Box<Finding>),
}

/// A router that failed on a call. Read by the chain, then by metrics and explanations.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum RouteError {
    /// A router read a part of the call that it had not declared.
    #[error("read {input:?}, which it had not declared")]
    UndeclaredInput {
        /// The part.
        input: Input,
    },
    /// A router answered over another list than it was asked about.
    #[error("answered about {found} providers instead of {expected}")]
    WrongList {
        /// How many providers the list has.
        expected: usize,
        /// How many the answer speaks of.
        found: usize,
    },
    /// What the router says.
    #[error("{message}")]
    Failed {
        /// The cause, in the router's words.
        message: Arc<str>,
    },
    /// A script failed.
    #[error("{rule}{}: {message}", at(*line, *column))]
    Script {
        /// The rule.
        rule: Arc<str>,
        /// What the script says.
        message: Arc<str>,
        /// The line of its text, counted from 1.
        line: Option<u32>,
        /// The column, counted from 1.
        column: Option<u32>,
    },
    /// A run used more than it may.
    #[error("{rule}: {}", over_limit(*which, *used, *allowed, *line))]
    Limit {
        /// Which limit.
        which: Limit,
        /// How much was used when it was stopped, in the limit's unit.
        used: u64,
        /// How much is allowed.
        allowed: u64,
        /// The rule.
        rule: Arc<str>,
        /// The line of the rule's text where it was stopped; none where the engine did not live to tell.
        line: Option<u32>,
    },
    /// No worker was ready in time.
    #[error("no worker was free within {waited_ms} ms")]
    Busy {
        /// How long was waited.
        waited_ms: u64,
    },
    /// The rule hit limits so often that it is not run for a while.
    #[error("the rule's breaker is open after {hits} limit hits in a minute; next trial in {trial_in_ms} ms")]
    Breaker {
        /// How many limit hits opened it.
        hits: u32,
        /// When it will be tried again.
        trial_in_ms: u64,
    },
}

/// What a run may use up, and the unit it is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Limit {
    /// The engine's processor time, in microseconds.
    Deadline,
    /// The time on the wall behind it, in microseconds.
    Wall,
    /// Memory beyond compiled rules and lists, in bytes.
    Memory,
    /// Operations.
    Operations,
    /// Calls inside of calls.
    CallDepth,
    /// The rule's text, in bytes.
    SourceBytes,
    /// Members of the result, repeats not counted.
    Result,
}

// === impl BuildError ===

impl BuildError {
    /// The slug of the finding that it becomes.
    #[must_use]
    pub fn slug(&self) -> &'static str {
        match self {
            Self::UnknownProtocol { .. } => "router::unknown_protocol",
            Self::MissingProtocol => "router::missing_protocol",
            Self::MissingRouterName => "router::missing_router_name",
            Self::InvalidProtocol { .. } => "router::invalid_protocol",
            Self::DuplicateProtocol { .. } => "router::duplicate_protocol",
            Self::InvalidParameter { .. } => "router::invalid_parameter",
            Self::MissingParameter { .. } => "router::missing_parameter",
            Self::Rule(finding) => finding.slug(),
        }
    }

    /// The error as a finding about the text that came from `origin`; `length` is that text's.
    #[must_use]
    pub fn into_finding(self, origin: &Origin, length: usize) -> Finding {
        let help = match &self {
            Self::UnknownProtocol { known, nearest: Some(nearest), .. } => {
                format!("did you mean `{nearest}`? known kinds: {known}")
            }
            Self::UnknownProtocol { known, .. } => format!("known kinds: {known}"),
            Self::MissingProtocol => "write `condition://0.0.0.0/SERVICE?rule=…`".to_owned(),
            Self::MissingRouterName => "write `route://0.0.0.0/SERVICE?router=condition&rule=…`".to_owned(),
            Self::InvalidProtocol { .. } | Self::DuplicateProtocol { .. } => "choose another name".to_owned(),
            Self::InvalidParameter { name, expected, .. } => format!("write `{name}=…` with {expected}"),
            Self::MissingParameter { name } => format!("add `{name}=…` to the rule URL"),
            Self::Rule(finding) => return (**finding).clone(),
        };
        Finding::error(self.slug(), self.to_string()).with_help(help).at(origin, 0..length, "in this rule")
    }
}

// === impl Limit ===

impl Limit {
    /// Its name in rules and in the host's configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
            Self::Wall => "wall",
            Self::Memory => "memory",
            Self::Operations => "operations",
            Self::CallDepth => "call-depth",
            Self::SourceBytes => "source-bytes",
            Self::Result => "result",
        }
    }

    fn amount(self, amount: u64) -> String {
        match self {
            Self::Deadline | Self::Wall => format!("{}.{:03} ms", amount / 1_000, amount % 1_000),
            Self::Memory | Self::SourceBytes => format!("{amount} bytes"),
            Self::Operations | Self::CallDepth | Self::Result => amount.to_string(),
        }
    }
}

fn at(line: Option<u32>, column: Option<u32>) -> String {
    match (line, column) {
        (None, _) => String::new(),
        (Some(line), None) => format!(" at line {line}"),
        (Some(line), Some(column)) => format!(" at line {line}, column {column}"),
    }
}

fn over_limit(which: Limit, used: u64, allowed: u64, line: Option<u32>) -> String {
    let (used, allowed) = (which.amount(used), which.amount(allowed));
    format!("over its limit `{}`{}: used {used}, allowed {allowed}", which.as_str(), at(line, None))
}

impl From<Finding> for BuildError {
    fn from(finding: Finding) -> Self {
        Self::Rule(Box::new(finding))
    }
}
