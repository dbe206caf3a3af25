//! Running cases over one engine.

use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;

use crate::cli::cases::Coverage;
use crate::cli::cases::judge::judge;
use crate::cli::engine;
use crate::cli::explanation::Explanation;
use crate::cli::explanation::Rule;
use crate::cli::requested_call::RequestedCall;
use crate::diagnostics::Finding;
use crate::router::Clock;
use crate::router::SystemClock;
use crate::rpc::ServiceKey;
use crate::runtime::Engine;
use crate::source::cases::Case;
use crate::source::config::HostConfig;
use crate::source::folder::FolderContents;

/// What came of a case.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) case: Case,
    /// Where it is not as wanted; none of a case that passed.
    pub(crate) differences: Vec<Difference>,
    /// Why the call went where it went; none of one that could not be routed.
    pub(crate) explanation: Option<Explanation>,
}

/// One thing that is not as wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Difference {
    pub(crate) wanted: String,
    pub(crate) came: String,
}

/// The time that the case in hand is set at.
#[derive(Debug)]
struct CaseClock(Mutex<Timestamp>);

// === impl Outcome ===

impl Outcome {
    pub(crate) fn is_passed(&self) -> bool {
        self.differences.is_empty()
    }
}

// === impl CaseClock ===

impl Clock for CaseClock {
    fn now(&self) -> Timestamp {
        *self.0.lock()
    }
}

/// Runs cases, one after the other.
///
/// # Errors
///
/// The rules cannot be prepared over the providers.
pub(crate) fn run(
    cases: Vec<Case>,
    rules: engine::Compiled,
    contents: &FolderContents,
    config: &HostConfig,
) -> Result<(Vec<Outcome>, Coverage), Vec<Finding>> {
    // Cases without a time are all set at the same moment, so that a run does not change its mind at midnight.
    let start = SystemClock.now();
    let clock = Arc::new(CaseClock(Mutex::new(start)));
    let mut coverage = Coverage::of(engine::rules_of(&rules));
    let time: Arc<dyn Clock> = Arc::<CaseClock>::clone(&clock);
    let engine = engine::start(rules, contents, config, time).map_err(|error| error.findings)?;
    let services = engine::services_of(contents);
    let outcomes = cases.into_iter().map(|case| {
        *clock.0.lock() = case.clock.unwrap_or(start);
        let answer = answer(&case, &engine, &services);
        if let Ok(explanation) = &answer {
            coverage.add(explanation);
        }
        let rules: Vec<&Rule> = coverage.rules().collect();
        let differences = judge(&case.want, &answer, &rules);
        Outcome { case, differences, explanation: answer.ok() }
    });
    let outcomes = outcomes.collect();
    Ok((outcomes, coverage))
}

fn answer(case: &Case, engine: &Engine, services: &[ServiceKey]) -> Result<Explanation, Vec<Finding>> {
    let call = RequestedCall::of_case(case, services)?;
    engine::explain(engine, &call, case.seed).map_err(|error| vec![engine::failed(&error)])
}
