//! The candidate with the least score, ties by weight.
//!
//! Sixteen candidates are drawn by weight and the best of them is held against all others: as long as many share the
//! least score, one of them is among the sixteen, and it was drawn by weight. Only where somebody else is better yet, and
//! so rare, ties are settled while looking.

use crate::loadbalance::BalanceCall;
use crate::loadbalance::Candidates;
use crate::loadbalance::candidates::Rank;
use crate::loadbalance::dice::Dice;
use crate::loadbalance::state_chunk::StateChunk;

/// One of those that were found to be equal so far, each with the share of its weight.
#[derive(Debug, Default)]
struct Equals {
    chosen: Option<usize>,
    count: u64,
    total: u64,
}

/// The candidate whose `score` is least. A score is below `u64::MAX`, and 0 is known to be the least there is.
pub(crate) fn least(
    candidates: &Candidates<'_>,
    call: &BalanceCall<'_>,
    score: impl Fn(&StateChunk, usize) -> u64,
) -> Option<usize> {
    let mut dice = Dice::of(call.seed);
    let mut cursor = candidates.states.cursor();
    let mut drawn: Option<(u64, usize)> = None;
    for _ in 0..Candidates::DRAWS {
        let one = candidates.table.draw(dice.next())?;
        if !candidates.is_accepted(one, &mut dice, call.now_ms) {
            continue;
        }
        let (chunk, at) = cursor.find(candidates.list.id(one.position)?);
        let score = score(chunk, at);
        if drawn.is_none_or(|(least, _)| score < least) {
            drawn = Some((score, one.position));
            if score == 0 {
                break;
            }
        }
    }
    let rank = if drawn.is_some() { Rank::BEST } else { candidates.best_rank() };
    let (mut bound, mut equals) = (drawn.map_or(u64::MAX, |(score, _)| score), Equals::default());
    if bound == 0 {
        return drawn.map(|(_, position)| position);
    }
    let (mut least, mut index) = (u64::MAX, 0);
    while let Some(id) = candidates.table.ids().get(index) {
        let (chunk, at) = cursor.find(*id);
        // PERF: a row of slots is read as it stands; hardly ever more than one compare each (`least-active/busy`).
        let run = candidates.table.run(index).min(chunk.len() - at);
        for step in 0..run {
            let score = score(chunk, at + step);
            if score >= bound {
                continue;
            }
            let position = candidates.table.position(index + step)?;
            if candidates.rank(position) != rank {
                continue;
            }
            if score < least {
                (least, bound, equals) = (score, score + 1, Equals::default());
            }
            equals.add(position, candidates.weight(position, call.now_ms), &mut dice);
        }
        index += run;
    }
    equals.chosen.or_else(|| drawn.map(|(_, position)| position))
}

// === impl Equals ===

impl Equals {
    fn add(&mut self, position: usize, weight: u32, dice: &mut Dice) {
        self.count += 1;
        self.total += u64::from(weight);
        let is_it = match self.total {
            _ if self.count == 1 => true,
            0 => dice.below(self.count) == 0,
            total => dice.below(total) < u64::from(weight),
        };
        if is_it {
            self.chosen = Some(position);
        }
    }
}
