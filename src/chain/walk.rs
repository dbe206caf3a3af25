//! One call's way through a bound chain: route and explain are this walk, without and with a visitor.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::chain::BoundChain;
use crate::chain::bound::State;
use crate::chain::bound::Step;
use crate::router::CallBlob;
use crate::router::Draw;
use crate::router::Effect;
use crate::router::OnError;
use crate::router::Read;
use crate::router::Reason;
use crate::router::RouteError;
use crate::router::RouteRequest;
use crate::router::Routed;
use crate::router::RuleHeader;
use crate::router::Selection;
use crate::router::Settled;
use crate::router::Surroundings;
use crate::router::Ticket;
use crate::router::Visitor;
use crate::router::choose;
use crate::rpc::Invocation;
use crate::rpc::Url;

/// What is said of a rule that is for other applications' providers.
const NOBODY_TO_SEE: &str = "no candidate is of the application that the rule is for";
/// What is said of a rule that the consumer meets once more.
const OWN_APPLICATION: &str = "this is the consumer's own application: the rule runs later, over all candidates";

/// What is walked with: who calls what, and the seed of all draws.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The consumer that the chain was bound for.
    pub consumer: &'a Url,
    /// The call.
    pub invocation: &'a dyn Invocation,
    /// The seed of every draw.
    pub seed: u64,
    /// What is around the call.
    pub around: Surroundings<'a>,
}

/// Where a walk stands. Its buffers serve one walk after another.
#[derive(Debug, Default)]
pub struct Walk {
    turn: usize,
    candidates: Selection,
    spare: Selection,
    trail: SmallVec<[Turn; 2]>,
    draws: u32,
    has_failed: bool,
    impure: Option<Arc<RuleHeader>>,
    /// The call for routers that want it as a blob.
    blob: CallBlob,
    /// What the last router made for this call: its memory is used again.
    made: Option<Box<Selection>>,
    /// The candidates that the rule which is asked does not see.
    outside: Selection,
    is_inside: bool,
}

/// What a walk's answer depended on besides the declared inputs, in the order it was asked for.
#[derive(Debug, Clone)]
pub(crate) enum Turn {
    Read(Read),
    Draw(Drawn),
}

/// A draw that a walk made.
#[derive(Debug, Clone)]
pub(crate) struct Drawn {
    pub(crate) weights: SmallVec<[u32; 4]>,
    pub(crate) chosen: usize,
}

/// How far a walk came.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress {
    /// To the end: [`Walk::candidates`] is the answer.
    Done,
    /// An answer is not there yet: wait for the ticket, then [`BoundChain::settle`] and advance again.
    Later(Ticket),
}

// === impl Walk ===

impl Walk {
    /// Goes to the head of `chain`: every provider is a candidate.
    pub fn start(&mut self, chain: &BoundChain) {
        self.turn = 0;
        self.trail.clear();
        self.draws = 0;
        self.has_failed = false;
        self.impure = None;
        self.is_inside = false;
        self.blob.clear();
        self.candidates.assign(chain.list().all());
    }

    /// What is left.
    #[must_use]
    pub fn candidates(&self) -> &Selection {
        &self.candidates
    }

    /// Whether an equal call would come to the same: nothing failed on the way, and every run was pure.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        !self.has_failed && self.impure.is_none()
    }

    /// The first rule whose run was impure.
    #[must_use]
    pub fn impure(&self) -> Option<&Arc<RuleHeader>> {
        self.impure.as_ref()
    }

    pub(crate) fn candidates_mut(&mut self) -> &mut Selection {
        &mut self.candidates
    }

    pub(crate) fn trail(&self) -> &[Turn] {
        &self.trail
    }

    /// Takes note of what a run read.
    fn follow(&mut self, header: &Arc<RuleHeader>, settled: &mut Settled) {
        self.trail.extend(std::mem::take(&mut settled.reads).into_iter().map(Turn::Read));
        if settled.impurity.is_some() && self.impure.is_none() {
            self.impure = Some(Arc::clone(header));
        }
    }

    fn empty(&mut self) -> Effect {
        self.candidates = Selection::none(self.candidates.list_length());
        Effect::Emptied
    }

    /// Leaves only the candidates of `reach` to the rule that is asked next; says whether there is any.
    fn go_inside(&mut self, reach: &Selection) -> bool {
        self.outside.assign(&self.candidates);
        self.outside.subtract(reach);
        self.candidates.intersect(reach);
        self.is_inside = true;
        !self.candidates.is_empty()
    }

    /// Takes back those that the rule did not see; nobody is left only if there are none of those either.
    fn come_out(&mut self, effect: Effect) -> Effect {
        if !std::mem::take(&mut self.is_inside) {
            return effect;
        }
        let was_anybody_outside = !self.outside.is_empty();
        self.candidates.unite(&self.outside);
        if effect == Effect::Emptied && was_anybody_outside { Effect::Narrowed } else { effect }
    }
}

// === impl BoundChain ===

impl BoundChain {
    /// Walks on until the end, or until an answer has to be waited for.
    ///
    /// # Errors
    ///
    /// A router failed whose `on-error` is `fail`.
    pub fn advance(
        &self,
        walk: &mut Walk,
        call: &Call<'_>,
        visitor: Option<&mut dyn Visitor>,
    ) -> Result<Progress, RouteError> {
        if self.layout().is_none() {
            return self.advance_with(&CallBlob::default(), walk, call, visitor);
        }
        // Answers borrow from the request, and the walk changes while they are taken.
        let blob = std::mem::take(&mut walk.blob);
        let progress = self.advance_with(&blob, walk, call, visitor);
        walk.blob = blob;
        progress
    }

    fn advance_with(
        &self,
        blob: &CallBlob,
        walk: &mut Walk,
        call: &Call<'_>,
        mut visitor: Option<&mut dyn Visitor>,
    ) -> Result<Progress, RouteError> {
        while !walk.candidates.is_empty() {
            let Some(step) = self.step(walk.turn, visitor.is_some()) else { break };
            if let Some(visitor) = visitor.as_deref_mut() {
                visitor.enter(&step.header, &walk.candidates);
            }
            let sees_anybody = step.reach.as_ref().is_none_or(|reach| walk.go_inside(reach));
            let routed = match &step.state {
                State::Bound(_) if !sees_anybody => silent(&mut visitor, Reason::Note(NOBODY_TO_SEE.into())),
                State::Bound(router) => {
                    let Call { consumer, invocation, seed, around } = *call;
                    let request = RouteRequest::new(consumer, invocation, router.inputs(), seed, around.clock);
                    let request = request.with_availability(around.availability);
                    let request = match self.layout() {
                        Some(layout) => request.with_blob(layout, blob, visitor.is_some()),
                        None => request,
                    };
                    router.route(&request, &walk.candidates, reborrow(&mut visitor))
                }
                State::Disabled => silent(&mut visitor, Reason::Disabled),
                State::OtherConsumer(mismatch) => silent(&mut visitor, Reason::OtherConsumer(mismatch)),
                State::OwnApplication => silent(&mut visitor, Reason::Note(OWN_APPLICATION.into())),
            };
            if let Ok(Routed::Later(ticket)) = routed {
                return Ok(Progress::Later(ticket));
            }
            apply(step, routed, walk, call.seed, &mut visitor)?;
            if let Some(made) = walk.made.take() {
                blob.reuse(made);
            }
        }
        Ok(Progress::Done)
    }

    /// Takes the answer that a ticket came to; the walk can then advance.
    ///
    /// # Errors
    ///
    /// The answer is a failure and the router's `on-error` is `fail`.
    pub fn settle(
        &self,
        walk: &mut Walk,
        settled: Result<Settled, RouteError>,
        mut visitor: Option<&mut dyn Visitor>,
    ) -> Result<(), RouteError> {
        let Some(step) = self.step(walk.turn, visitor.is_some()) else { return Ok(()) };
        apply(step, settled.map(Routed::Settled), walk, 0, &mut visitor)
    }
}

/// Lends a visitor on for one router.
fn reborrow<'a>(visitor: &'a mut Option<&mut dyn Visitor>) -> Option<&'a mut dyn Visitor> {
    match visitor {
        Some(visitor) => Some(&mut **visitor),
        None => None,
    }
}

fn silent<'a>(visitor: &mut Option<&mut dyn Visitor>, reason: Reason<'_>) -> Result<Routed<'a>, RouteError> {
    if let Some(visitor) = visitor {
        visitor.reason(reason);
    }
    Ok(Routed::Pass)
}

/// Takes a router's answer: narrows, falls back, or applies `on-error`; goes on to the next turn.
fn apply(
    step: &Step,
    routed: Result<Routed<'_>, RouteError>,
    walk: &mut Walk,
    seed: u64,
    visitor: &mut Option<&mut dyn Visitor>,
) -> Result<(), RouteError> {
    let effect = match routed.and_then(|routed| take(&step.header, routed, walk, seed, visitor)) {
        Ok(effect) => effect,
        Err(error) => {
            step.count_failure(&error);
            walk.has_failed = true;
            if let Some(visitor) = visitor {
                visitor.reason(Reason::Failed(&error));
            }
            match step.header.on_error {
                OnError::Pass => Effect::FailedOpen,
                OnError::Empty => walk.empty(),
                OnError::Fail => {
                    walk.come_out(Effect::Passed);
                    return Err(error);
                }
            }
        }
    };
    let effect = walk.come_out(effect);
    walk.turn += 1;
    if let Some(visitor) = visitor {
        visitor.leave(effect, &walk.candidates);
    }
    Ok(())
}

fn take(
    header: &Arc<RuleHeader>,
    routed: Routed<'_>,
    walk: &mut Walk,
    seed: u64,
    visitor: &mut Option<&mut dyn Visitor>,
) -> Result<Effect, RouteError> {
    let is_explaining = visitor.is_some();
    match routed {
        Routed::Kept(mask) => narrow(header, mask, walk, is_explaining),
        Routed::Made(mask) => {
            let effect = narrow(header, &mask, walk, is_explaining);
            walk.made = Some(mask);
            effect
        }
        Routed::Draw(draw) => take_draw(header, draw, walk, seed, visitor),
        Routed::Settled(mut settled) => {
            walk.follow(header, &mut settled);
            if let Some(visitor) = visitor {
                if settled.selection.is_some() {
                    visitor.reason(Reason::Matched);
                }
                settled.reasons.drain(..).for_each(|reason| visitor.reason(Reason::Note(reason.into())));
            }
            match settled.selection {
                Some(mask) => narrow(header, &mask, walk, is_explaining),
                None => Ok(Effect::Passed),
            }
        }
        Routed::Blocked => Ok(walk.empty()),
        Routed::Pass | Routed::Later(_) => Ok(Effect::Passed),
    }
}

fn narrow(header: &RuleHeader, mask: &Selection, walk: &mut Walk, is_explaining: bool) -> Result<Effect, RouteError> {
    let expected = walk.candidates.list_length();
    if mask.list_length() != expected {
        return Err(RouteError::WrongList { expected, found: mask.list_length() });
    }
    let is_anybody_left = walk.spare.assign_intersection(&walk.candidates, mask);
    if !is_anybody_left && !header.is_force {
        return Ok(Effect::Fallback);
    }
    let changed = !is_explaining || walk.spare != walk.candidates;
    std::mem::swap(&mut walk.spare, &mut walk.candidates);
    Ok(match (is_anybody_left, changed) {
        (false, _) => Effect::Emptied,
        (true, true) => Effect::Narrowed,
        (true, false) => Effect::Passed,
    })
}

/// Draws one of the alternatives that still have a candidate, by their weights.
fn take_draw(
    header: &RuleHeader,
    draw: &Draw,
    walk: &mut Walk,
    seed: u64,
    visitor: &mut Option<&mut dyn Visitor>,
) -> Result<Effect, RouteError> {
    let is_explaining = visitor.is_some();
    let possible: SmallVec<[&(Selection, u32); 4]> =
        draw.alternatives().iter().filter(|(mask, _)| walk.spare.assign_intersection(&walk.candidates, mask)).collect();
    if possible.is_empty() {
        let nobody = Selection::none(walk.candidates.list_length());
        return narrow(header, &nobody, walk, is_explaining);
    }
    let weights: SmallVec<[u32; 4]> = possible.iter().map(|(_, weight)| *weight).collect();
    let chosen = choose(seed, walk.draws, weights.iter().copied());
    walk.draws += 1;
    if let Some(visitor) = visitor {
        visitor.reason(Reason::Note(drawn_in_words(draw, possible.get(chosen).copied(), &weights).into()));
    }
    walk.trail.push(Turn::Draw(Drawn { weights, chosen }));
    match possible.get(chosen) {
        Some((mask, _)) => narrow(header, mask, walk, is_explaining),
        None => Ok(Effect::Passed),
    }
}

/// Which alternative was drawn, against which odds.
fn drawn_in_words(draw: &Draw, chosen: Option<&(Selection, u32)>, weights: &[u32]) -> String {
    let place = draw.alternatives().iter().position(|one| chosen.is_some_and(|chosen| std::ptr::eq(one, chosen)));
    let (all, possible) = (draw.alternatives().len(), weights.len());
    let total: u64 = weights.iter().copied().map(u64::from).sum();
    let weight = chosen.map_or(0, |(_, weight)| *weight);
    let number = place.map_or(0, |place| place + 1);
    format!("drew destination {number} of {all}: weight {weight} of {total} among the {possible} with a candidate")
}

impl std::fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("method", &self.invocation.method()).field("seed", &self.seed).finish()
    }
}
