//! The candidates of one call, and drawing one of them by weight.
//!
//! A draw takes one look at the alias table. Who warms up is accepted in proportion, who was tried or is unavailable is
//! not accepted; after 16 refusals all candidates are looked at. So whom one gets has the shares of the weights of those
//! that may be had, and a list where nearly everybody may be had costs no more than a short one.

use crate::loadbalance::BalanceCall;
use crate::loadbalance::CandidateTable;
use crate::loadbalance::InvokerStates;
use crate::loadbalance::candidate_table::Drawn;
use crate::loadbalance::dice::Dice;
use crate::router::InvokerList;

/// The candidates of one call.
#[derive(Debug, Clone, Copy)]
pub struct Candidates<'a> {
    /// The list of which the candidates are positions.
    pub list: &'a InvokerList,
    /// Who the candidates are.
    pub table: &'a CandidateTable,
    /// What is known of the invokers now.
    pub states: &'a InvokerStates,
    /// The positions that this call was sent to already, in order. They are picked again only where nobody else is left,
    /// and the last of them only where it is the only one.
    pub avoid: &'a [usize],
}

/// How welcome a candidate is; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u8);

// === impl Rank ===

impl Rank {
    /// Available and not tried.
    pub(crate) const BEST: Self = Self(0);
    /// Behind all others.
    pub(crate) const NONE: Self = Self(u8::MAX);
}

// === impl Candidates ===

impl Candidates<'_> {
    /// How often one is drawn before all are looked at.
    pub(crate) const DRAWS: usize = 16;

    /// Draws one by weight: the shares are those of the weights at `call.now_ms` among the candidates that may be had.
    #[must_use]
    pub fn draw_by_weight(&self, call: &BalanceCall<'_>) -> Option<usize> {
        let mut dice = Dice::of(call.seed);
        for _ in 0..Self::DRAWS {
            let drawn = self.table.draw(dice.next())?;
            if self.is_accepted(drawn, &mut dice, call.now_ms) {
                return Some(drawn.position);
            }
        }
        self.scan_by_weight(&mut dice, call.now_ms)
    }

    /// The first candidate among those that may be had.
    #[must_use]
    pub fn first(&self) -> Option<usize> {
        self.table.positions().min_by_key(|position| self.rank(*position))
    }

    /// Whether the invoker at `position` is available and was not tried: best taken, if there is such a one.
    #[must_use]
    #[inline]
    pub fn is_welcome(&self, position: usize) -> bool {
        (self.avoid.is_empty() || !self.avoid.contains(&position)) && self.is_available(position)
    }

    /// The weight of the invoker at `position` now.
    #[must_use]
    pub fn weight(&self, position: usize, now_ms: i64) -> u32 {
        self.table.weights().at(position, now_ms)
    }

    #[inline]
    fn is_available(&self, position: usize) -> bool {
        // PERF: the slot is looked up only while somebody is unavailable (`loadbalance/random/100000`).
        self.states.all_available() || self.list.id(position).is_none_or(|id| self.states.is_available(id))
    }

    /// Whether one that was drawn by its full weight is taken.
    #[inline]
    pub(crate) fn is_accepted(&self, drawn: Drawn, dice: &mut Dice, now_ms: i64) -> bool {
        self.is_welcome(drawn.position) && (!drawn.is_warming || self.is_warm_enough(drawn.position, dice, now_ms))
    }

    fn is_warm_enough(&self, position: usize, dice: &mut Dice, now_ms: i64) -> bool {
        let Some(weight) = self.table.weights().warming(position) else { return true };
        weight.is_warm(now_ms) || dice.below(weight.full().into()) < u64::from(weight.at(now_ms))
    }

    pub(crate) fn rank(&self, position: usize) -> Rank {
        let tried = match self.avoid.last() {
            Some(last) if *last == position => 2,
            Some(_) if self.avoid.contains(&position) => 1,
            _ => 0,
        };
        Rank(if self.is_available(position) { tried } else { 3 + tried })
    }

    /// The best rank that some candidate has.
    pub(crate) fn best_rank(&self) -> Rank {
        if self.avoid.is_empty() && self.states.all_available() {
            return Rank::BEST;
        }
        let mut best = Rank::NONE;
        for position in self.table.positions() {
            best = best.min(self.rank(position));
            if best == Rank::BEST {
                break;
            }
        }
        best
    }

    /// Looks at every candidate: a roulette over those of the best rank, equal shares if all their weights are 0.
    fn scan_by_weight(&self, dice: &mut Dice, now_ms: i64) -> Option<usize> {
        let rank = self.best_rank();
        let ranked = || self.table.positions().filter(|position| self.rank(*position) == rank);
        let weight = |position: usize| u64::from(self.weight(position, now_ms));
        let (count, total) = ranked().fold((0, 0), |(count, total), at| (count + 1, total + weight(at)));
        if total == 0 {
            return ranked().nth(dice.below(count) as usize);
        }
        let mut left = dice.below(total);
        ranked().find(|position| {
            let weight = weight(*position);
            let is_it = left < weight;
            left = left.saturating_sub(weight);
            is_it
        })
    }
}
