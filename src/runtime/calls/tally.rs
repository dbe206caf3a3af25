//! Counting calls.

use hashbrown::HashMap;

use crate::loadbalance::Random;
use crate::loadbalance::RoundRobin;
use crate::runtime::calls::CallCandidates;
use crate::runtime::calls::CallOutcome;
use crate::runtime::calls::CallRecord;
use crate::runtime::calls::CallReport;
use crate::runtime::calls::FailureCount;
use crate::runtime::calls::LatencySummary;
use crate::runtime::calls::ProviderShare;

/// Counts records as they come. A call costs eight bytes of memory.
#[derive(Debug, Default)]
pub struct CallTally {
    outcomes: Outcomes,
    attempts: u64,
    retries: u64,
    load_balances: Vec<String>,
    /// By the provider's URL.
    asked: HashMap<String, Outcomes>,
    failures: Vec<FailureCount>,
    times: Vec<u64>,
}

/// How many of each outcome.
#[derive(Debug, Clone, Copy, Default)]
struct Outcomes {
    answered: u64,
    threw: u64,
    failed: u64,
}

// === impl CallTally ===

impl CallTally {
    /// Load balances that give each provider the share of its weight.
    const BY_WEIGHT: [&str; 2] = [Random::NAME, RoundRobin::NAME];

    /// Counts one more call.
    pub fn add(&mut self, record: &CallRecord) {
        for attempt in &record.attempts {
            self.attempts += 1;
            self.retries += u64::from(attempt.is_retry);
            if !self.load_balances.contains(&attempt.load_balance) {
                self.load_balances.push(attempt.load_balance.clone());
            }
            self.asked.entry_ref(attempt.provider.as_str()).or_default().count(&attempt.outcome);
            if let Some(failure) = self.failure(&attempt.outcome) {
                failure.attempts += 1;
            }
        }
        self.outcomes.count(&record.outcome);
        if let Some(failure) = self.failure(&record.outcome) {
            failure.calls += 1;
        }
        self.times.push(record.elapsed_us);
    }

    /// How many calls there were.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.outcomes.sum()
    }

    /// What came of all of them, `candidates` being how the last call left the providers; `elapsed_us` is how long it took.
    #[must_use]
    pub fn report(self, candidates: &CallCandidates, elapsed_us: u64) -> CallReport {
        let is_by_weight = self.load_balances.iter().all(|name| Self::BY_WEIGHT.contains(&name.as_str()));
        let share = |attempts: u64| if self.attempts == 0 { 0.0 } else { attempts as f64 / self.attempts as f64 };
        let row = |provider: &str, outcomes: Outcomes| ProviderShare {
            provider: provider.to_owned(),
            weight: None,
            attempts: outcomes.sum(),
            answered: outcomes.answered,
            threw: outcomes.threw,
            failed: outcomes.failed,
            share: share(outcomes.sum()),
            expected: None,
            is_disabled: false,
            is_aside: false,
        };
        let mut spread = Vec::new();
        for (position, candidate) in candidates.providers.iter().enumerate() {
            let asked = self.asked.get(&candidate.provider).copied();
            if !candidate.is_left && asked.is_none() {
                continue;
            }
            spread.push(ProviderShare {
                weight: Some(candidate.weight),
                expected: candidates.expected(position).filter(|_| is_by_weight),
                is_disabled: candidate.is_disabled,
                is_aside: candidate.is_aside,
                ..row(&candidate.provider, asked.unwrap_or_default())
            });
        }
        let is_gone = |provider: &str| candidates.providers.iter().all(|it| it.provider != provider);
        let mut gone: Vec<_> = self.asked.iter().filter(|(provider, _)| is_gone(provider)).collect();
        gone.sort_unstable_by_key(|(provider, _)| provider.as_str());
        spread.extend(gone.into_iter().map(|(provider, outcomes)| row(provider, *outcomes)));
        CallReport {
            calls: self.outcomes.sum(),
            answered: self.outcomes.answered,
            threw: self.outcomes.threw,
            failed: self.outcomes.failed,
            attempts: self.attempts,
            retries: self.retries,
            load_balances: self.load_balances.into_iter().filter(|name| !name.is_empty()).collect(),
            spread,
            failures: self.failures,
            latency: LatencySummary::of(self.times),
            elapsed_us,
        }
    }

    fn failure(&mut self, outcome: &CallOutcome) -> Option<&mut FailureCount> {
        let kind = outcome.failure()?;
        if !self.failures.iter().any(|failure| failure.kind == kind) {
            self.failures.push(FailureCount { kind, attempts: 0, calls: 0, sample: outcome.to_string() });
        }
        self.failures.iter_mut().find(|failure| failure.kind == kind)
    }
}

// === impl Outcomes ===

impl Outcomes {
    fn count(&mut self, outcome: &CallOutcome) {
        match outcome {
            CallOutcome::Answered { .. } => self.answered += 1,
            CallOutcome::Threw { .. } => self.threw += 1,
            CallOutcome::Failed { .. } => self.failed += 1,
        }
    }

    fn sum(self) -> u64 {
        self.answered + self.threw + self.failed
    }
}
