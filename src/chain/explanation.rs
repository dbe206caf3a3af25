//! The visitor that keeps what a walk was told. It builds no text: rendering comes later, if at all.

use std::sync::Arc;

use crate::router::ConsumerMismatch;
use crate::router::Effect;
use crate::router::Reason;
use crate::router::RouteError;
use crate::router::RuleHeader;
use crate::router::Selection;
use crate::router::Visitor;

/// Keeps every step of a walk.
#[derive(Debug, Default)]
pub struct Explainer {
    steps: Vec<ExplainedStep>,
}

/// What one router did in a walk.
#[derive(Debug, Clone)]
pub struct ExplainedStep {
    /// The rule.
    pub header: Arc<RuleHeader>,
    /// Why it answered as it did.
    pub reasons: Vec<KeptReason>,
    /// What the chain made of the answer.
    pub effect: Effect,
    /// The candidates that came in.
    pub before: Selection,
    /// The candidates that went out.
    pub after: Selection,
}

/// A [`Reason`] that outlives the walk.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum KeptReason {
    /// The rule is switched off.
    Disabled,
    /// The rule is for other consumers.
    OtherConsumer(ConsumerMismatch),
    /// A condition about consumer or call is not fulfilled.
    Mismatch {
        /// The key that was looked at.
        key: Arc<str>,
        /// The condition as the rule has it.
        wanted: Arc<str>,
        /// The value that was seen.
        seen: Option<Box<str>>,
    },
    /// Every condition about consumer and call is fulfilled.
    Matched,
    /// Every condition is fulfilled, and the rule allows nobody.
    BlocksEverybody,
    /// What another kind of router has to say.
    Note(Box<str>),
    /// The router failed.
    Failed(RouteError),
}

// === impl Explainer ===

impl Explainer {
    /// The steps in order.
    #[must_use]
    pub fn into_steps(self) -> Vec<ExplainedStep> {
        self.steps
    }
}

impl Visitor for Explainer {
    fn enter(&mut self, header: &Arc<RuleHeader>, candidates: &Selection) {
        self.steps.push(ExplainedStep {
            header: Arc::clone(header),
            reasons: Vec::new(),
            effect: Effect::Passed,
            before: candidates.clone(),
            after: Selection::default(),
        });
    }

    fn reason(&mut self, reason: Reason<'_>) {
        if let Some(step) = self.steps.last_mut() {
            step.reasons.push(KeptReason::of(reason));
        }
    }

    fn leave(&mut self, effect: Effect, candidates: &Selection) {
        if let Some(step) = self.steps.last_mut() {
            step.effect = effect;
            step.after.assign(candidates);
        }
    }
}

// === impl ExplainedStep ===

impl ExplainedStep {
    /// The candidates that the step removed.
    #[must_use]
    pub fn removed(&self) -> Selection {
        let mut removed = self.before.clone();
        removed.subtract(&self.after);
        removed
    }
}

// === impl KeptReason ===

impl KeptReason {
    fn of(reason: Reason<'_>) -> Self {
        match reason {
            Reason::Disabled => Self::Disabled,
            Reason::OtherConsumer(mismatch) => Self::OtherConsumer(mismatch.clone()),
            Reason::Mismatch { key, wanted, seen } => Self::Mismatch {
                key: Arc::clone(key),
                wanted: Arc::clone(wanted),
                seen: seen.map(|seen| seen.into_owned().into()),
            },
            Reason::Matched => Self::Matched,
            Reason::BlocksEverybody => Self::BlocksEverybody,
            Reason::Note(note) => Self::Note(note.into_owned().into()),
            Reason::Failed(error) => Self::Failed(error.clone()),
        }
    }
}
