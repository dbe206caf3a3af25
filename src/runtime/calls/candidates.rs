//! Who might be asked, with which share.

use crate::directory::is_enabled;
use crate::loadbalance::MethodWeights;
use crate::runtime::Engine;
use crate::runtime::Explanation;

/// The providers of a service as one call finds them.
#[derive(Debug, Clone, PartialEq)]
pub struct CallCandidates {
    /// All providers, in the order of the list.
    pub providers: Vec<CallCandidate>,
    /// Whether a rule draws, so that the next call may find others left.
    pub is_drawn: bool,
}

/// A provider as one call finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallCandidate {
    /// Its URL.
    pub provider: String,
    /// Its weight now.
    pub weight: u32,
    /// Whether rules leave it.
    pub is_left: bool,
    /// Whether it is disabled, and never called.
    pub is_disabled: bool,
    /// Whether it is set aside because it could not be reached.
    pub is_aside: bool,
}

// === impl CallCandidates ===

impl CallCandidates {
    /// The providers that `explanation` speaks of, as `engine` knows them now.
    #[must_use]
    pub fn of(engine: &Engine, explanation: &Explanation, method: &str) -> Self {
        let list = &explanation.list;
        let now_ms = engine.shared.settings.clock.now().as_millisecond();
        let weights = MethodWeights::of(list, method, now_ms);
        let providers = list.providers().iter().zip(list.ids()).enumerate();
        let candidate =
            |(position, (provider, id)): (usize, (&crate::rpc::Provider, &crate::rpc::InvokerId))| CallCandidate {
                provider: provider.url().to_string(),
                weight: weights.at(position, now_ms),
                is_left: explanation.selection.contains(position),
                is_disabled: !is_enabled(provider),
                is_aside: !engine.shared.states.is_available(*id),
            };
        Self { providers: providers.map(candidate).collect(), is_drawn: explanation.is_drawn }
    }

    /// The share of the calls that weights give the provider at `position`: among those that rules leave, that are
    /// not disabled and not set aside, or all that rules leave where no other is there. None where a rule draws.
    #[must_use]
    pub fn expected(&self, position: usize) -> Option<f64> {
        let candidate = self.providers.get(position)?;
        let is_called = |it: &CallCandidate| it.is_left && !it.is_disabled;
        let is_all_aside = self.providers.iter().filter(|it| is_called(it)).all(|it| it.is_aside);
        let counts = |it: &CallCandidate| is_called(it) && (is_all_aside || !it.is_aside);
        if self.is_drawn || !counts(candidate) {
            return None;
        }
        let counting = || self.providers.iter().filter(|it| counts(it));
        let total: u64 = counting().map(|it| u64::from(it.weight)).sum();
        Some(match total {
            0 => 1.0 / counting().count() as f64,
            total => f64::from(candidate.weight) / total as f64,
        })
    }
}
