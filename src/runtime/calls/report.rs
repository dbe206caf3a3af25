//! What many calls came to.

use serde::Serialize;

use crate::runtime::calls::LatencySummary;

/// What many calls came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CallReport {
    /// How many there were.
    pub calls: u64,
    /// Those that were answered.
    pub answered: u64,
    /// Those whose business code threw.
    pub threw: u64,
    /// Those without an answer.
    pub failed: u64,
    /// How often a provider was asked.
    pub attempts: u64,
    /// How many of those were no first attempt.
    pub retries: u64,
    /// The load balances that chose, in order of appearance.
    pub load_balances: Vec<String>,
    /// The providers that rules leave or that were asked, in the order of the list.
    pub spread: Vec<ProviderShare>,
    /// Failures by kind, in order of appearance.
    pub failures: Vec<FailureCount>,
    /// How long calls took.
    pub latency: LatencySummary,
    /// How long all of it took, in microseconds.
    pub elapsed_us: u64,
}

/// How often one provider was asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProviderShare {
    /// Its URL.
    pub provider: String,
    /// Its weight; none where the service's list no longer has it.
    pub weight: Option<u32>,
    /// How often it was asked.
    pub attempts: u64,
    /// The attempts that it answered.
    pub answered: u64,
    /// The attempts in which its business code threw.
    pub threw: u64,
    /// The attempts that failed.
    pub failed: u64,
    /// Its share of all attempts, from 0 to 1.
    pub share: f64,
    /// The share that weights give it; none where something else than weights decides, or while it is set aside.
    pub expected: Option<f64>,
    /// Whether it is disabled, and never called.
    #[serde(rename = "disabled")]
    pub is_disabled: bool,
    /// Whether it was set aside at the end, because it could not be reached.
    #[serde(rename = "set_aside")]
    pub is_aside: bool,
}

/// How often something failed in one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailureCount {
    /// The way: the name of an [`RpcErrorKind`](crate::rpc::RpcErrorKind), or `exception`.
    pub kind: &'static str,
    /// Attempts that came to it.
    pub attempts: u64,
    /// Calls that came to it.
    pub calls: u64,
    /// What was said the first time.
    pub sample: String,
}
