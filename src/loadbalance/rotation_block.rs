//! A part of the order of a smooth weighted round robin, worked out ahead.
//!
//! In each step every candidate's current grows by its weight; the greatest, the first of equals, is picked and loses the
//! total. Candidates of one weight grow together, so among them only the one that is ahead can be picked: a step looks at
//! one candidate for each distinct weight, and the answer is the one that a look at all of them would give.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BinaryHeap;

/// Where every candidate stands, and how fast it moves.
#[derive(Debug, Clone)]
pub(crate) struct Standings {
    pub(crate) currents: Vec<i64>,
    pub(crate) weights: Vec<u32>,
    /// Candidates that are the same invoker as another one, which stands for both.
    pub(crate) is_double: Vec<bool>,
}

/// Candidates by their currents as of the first step; the earlier of equals is the greater.
type Heap = BinaryHeap<(i64, Reverse<u32>)>;

/// The one that is ahead among candidates of one weight.
#[derive(Debug, Clone, Copy)]
struct Head {
    current: i64,
    weight: i64,
    order: u32,
}

// === impl Standings ===

impl Standings {
    fn total(&self) -> i64 {
        self.weights.iter().map(|weight| i64::from(*weight)).sum()
    }

    /// The next `count` picks. Nobody with a weight of 0 is picked unless all weights are 0; then it is the first one.
    pub(crate) fn picks(&self, count: usize) -> Box<[u32]> {
        let total = self.total();
        let mut groups: BTreeMap<u32, Heap> = BTreeMap::new();
        let rows = self.currents.iter().zip(&self.weights).zip(&self.is_double).zip(0..);
        for (((current, weight), is_double), index) in rows {
            if !is_double && (*weight > 0 || total == 0) {
                groups.entry(*weight).or_default().push((*current, Reverse(index)));
            }
        }
        let head = |(weight, heap): (&u32, &Heap)| {
            let (current, Reverse(order)) = heap.peek().copied()?;
            Some(Head { current, weight: i64::from(*weight), order })
        };
        // PERF: the heads stand densely, one for each weight (`loadbalance/round-robin/distinct`).
        let mut heads: Vec<Head> = groups.iter().filter_map(head).collect();
        let mut heaps: Vec<Heap> = groups.into_values().collect();
        (1..=count as i64).filter_map(|step| pick(&mut heads, &mut heaps, step, total)).collect()
    }

    /// Moves on by the picks that were handed out.
    pub(crate) fn advance(&mut self, picks: &[u32]) {
        let (steps, total) = (picks.len() as i64, self.total());
        for (current, weight) in self.currents.iter_mut().zip(&self.weights) {
            *current += steps * i64::from(*weight);
        }
        for pick in picks {
            if let Some(current) = self.currents.get_mut(*pick as usize) {
                *current -= total;
            }
        }
    }
}

fn pick(heads: &mut [Head], heaps: &mut [Heap], step: i64, total: i64) -> Option<u32> {
    let (mut ahead, mut most, mut order) = (0, i64::MIN, u32::MAX);
    for (index, head) in heads.iter().enumerate() {
        let current = head.current + step * head.weight;
        if current > most || (current == most && head.order < order) {
            (ahead, most, order) = (index, current, head.order);
        }
    }
    let (head, heap) = (heads.get_mut(ahead)?, heaps.get_mut(ahead)?);
    heap.peek_mut()?.0 -= total;
    let (current, Reverse(next)) = heap.peek().copied()?;
    (head.current, head.order) = (current, next);
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::mix;

    /// As `RoundRobinLoadBalance.doSelect` does it, one look at everybody a step.
    fn naive(currents: &mut [i64], weights: &[u32]) -> u32 {
        let mut best: Option<usize> = None;
        for index in 0..weights.len() {
            currents[index] += i64::from(weights[index]);
            if best.is_none_or(|best| currents[index] > currents[best]) {
                best = Some(index);
            }
        }
        let best = best.unwrap();
        currents[best] -= weights.iter().map(|weight| i64::from(*weight)).sum::<i64>();
        best as u32
    }

    #[test]
    fn a_step_by_groups_picks_whom_a_look_at_all_would_pick() {
        for seed in 0..300_u64 {
            let count = 1 + (mix(seed) % 12) as usize;
            let kinds = 1 + mix(seed + 1_000) % 6;
            let weights: Vec<u32> =
                (0..count as u64).map(|index| 1 + (mix(seed * 100 + index) % kinds) as u32 * 7).collect();
            let mut currents: Vec<i64> =
                (0..count as u64).map(|index| (mix(seed * 77 + index) % 41) as i64 - 20).collect();
            let is_double = vec![false; count];
            let mut standings = Standings { currents: currents.clone(), weights: weights.clone(), is_double };
            let picks = standings.picks(200);
            let expected: Vec<u32> = (0..200).map(|_| naive(&mut currents, &weights)).collect();
            assert_eq!(*picks, *expected, "{weights:?}");
            standings.advance(&picks);
            assert_eq!(standings.currents, currents, "{weights:?}");
        }
    }

    #[test]
    fn weights_5_1_1_give_a_a_b_a_c_a_a() {
        let standings = Standings { currents: vec![0; 3], weights: vec![5, 1, 1], is_double: vec![false; 3] };
        assert_eq!(*standings.picks(7), [0, 0, 1, 0, 2, 0, 0]);
    }
}
