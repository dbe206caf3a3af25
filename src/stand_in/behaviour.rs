//! How one provider behaves.

use std::time::Duration;

use crate::router::mix;
use crate::rpc::Value;
use crate::stand_in::Latency;

/// How one provider behaves: without a word it answers at once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StandIn {
    /// How long an answer takes, or a failure.
    pub latency: Latency,
    /// How it fails, if it does.
    pub failure: Option<Failure>,
    /// What it answers; its own address without this.
    pub answer: Option<Value<'static>>,
}

/// How a provider fails, and how often.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// In which way.
    pub kind: FailureKind,
    /// How many of the calls, from 0 to 1.
    pub rate: f64,
    /// What is said; a text of the kind's own without this.
    pub message: Option<Box<str>>,
}

/// The ways in which a provider fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// It cannot be reached: it is set aside, and others are asked first.
    Network,
    /// It says that it had no time.
    Timeout,
    /// Its code throws: an answer, after which nobody else is asked.
    Exception,
    /// It says nothing until the caller has waited long enough.
    Hang,
}

/// What one call of a stand-in comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// After which time.
    pub after: Duration,
    /// In which way it fails; not at all without this.
    pub failure: Option<FailureKind>,
}

// === impl FailureKind ===

impl FailureKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Network, Self::Timeout, Self::Exception, Self::Hang];

    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Timeout => "timeout",
            Self::Exception => "exception",
            Self::Hang => "hang",
        }
    }
}

// === impl Failure ===

impl Failure {
    /// Every call fails so.
    #[must_use]
    pub const fn always(kind: FailureKind) -> Self {
        Self { kind, rate: 1.0, message: None }
    }

    fn is_drawn(&self, random: u64) -> bool {
        // 53 bits are what a double holds: below 1 whatever is drawn, so that a rate of 1 is every call.
        ((mix(random) >> 11) as f64) / ((1_u64 << 53) as f64) < self.rate
    }
}

// === impl StandIn ===

impl StandIn {
    /// What the call with the random number `random` comes to.
    #[must_use]
    pub fn draw(&self, random: u64) -> Planned {
        const OF_FAILURE: u64 = 0x6661_696c;
        let failure = self.failure.as_ref().filter(|failure| failure.is_drawn(random ^ OF_FAILURE));
        Planned { after: self.latency.draw(random), failure: failure.map(|failure| failure.kind) }
    }

    /// Whether it can be reached, by the random number `random`: a connection fails as often as its calls do.
    #[must_use]
    pub fn is_reachable(&self, random: u64) -> bool {
        self.draw(random).failure != Some(FailureKind::Network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_the_share_of_the_calls_that_fail() {
        for (rate, least, most) in [(0.0, 0, 0), (0.05, 400, 600), (0.5, 4_800, 5_200), (1.0, 10_000, 10_000)] {
            let failure = Failure { rate, ..Failure::always(FailureKind::Timeout) };
            let stand_in = StandIn { failure: Some(failure), ..StandIn::default() };
            let failed = (0..10_000).filter(|random| stand_in.draw(*random).failure.is_some()).count();
            assert!((least..=most).contains(&failed), "{rate}: {failed}");
        }
    }
}
