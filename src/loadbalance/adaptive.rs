//! `adaptive`: the better of two.

use crate::loadbalance::BalanceCall;
use crate::loadbalance::Candidates;
use crate::loadbalance::LoadBalance;
use crate::loadbalance::MeanResponse;
use crate::loadbalance::dice::Dice;

/// Draws two candidates by weight and picks the one that costs less, the first where that cannot be told.
///
/// The power of two choices, as in Dubbo 3's `AdaptiveLoadBalance`: of many callers not all run to the same best one. The
/// cost is (1 + reported load) × (1 + √ mean response in ms) × (calls in flight + 1) ÷ the share of calls that succeeded,
/// over the last 30 seconds. Weights count in the draw. A load that is negative or no number makes no cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Adaptive;

impl Adaptive {
    /// The policy's name.
    pub const NAME: &str = "adaptive";

    /// What a call to the invoker at `position` costs; none where its figures make no sense.
    fn cost(candidates: &Candidates<'_>, position: usize, now_ms: i64) -> Option<f64> {
        let (chunk, at) = candidates.states.find(candidates.list.id(position)?);
        let load = chunk.load(at);
        if !(load.is_finite() && load >= 0.0) {
            return None;
        }
        let mean_ms = match chunk.mean(at, now_ms) {
            MeanResponse::Micros(micros) => micros as f64 / 1_000.0,
            _ => 0.0,
        };
        // One that always fails costs a hundred times as much, so it is asked still, where the other is as bad.
        let success = chunk.success_share(at, now_ms).max(0.01);
        Some((1.0 + load) * (1.0 + mean_ms.sqrt()) * (chunk.active(at) + 1) as f64 / success)
    }
}

impl LoadBalance for Adaptive {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn wants_load(&self) -> bool {
        true
    }

    fn pick(&self, candidates: &Candidates<'_>, call: &BalanceCall<'_>) -> Option<usize> {
        let mut dice = Dice::of(call.seed);
        let mut first = None;
        for _ in 0..Candidates::DRAWS {
            let drawn = candidates.table.draw(dice.next())?;
            if Some(drawn.position) == first || !candidates.is_accepted(drawn, &mut dice, call.now_ms) {
                continue;
            }
            let Some(one) = first else {
                first = Some(drawn.position);
                continue;
            };
            let cost = |position| Self::cost(candidates, position, call.now_ms);
            let is_second = matches!((cost(one), cost(drawn.position)), (Some(one), Some(other)) if other < one);
            return Some(if is_second { drawn.position } else { one });
        }
        first.or_else(|| candidates.draw_by_weight(call))
    }
}
