//! Draws by weight, all from one seed a call, so that an answer can be given again.

use crate::router::Selection;

/// Several sets of positions, one of which is drawn by weight.
#[derive(Debug, Clone)]
pub struct Draw {
    alternatives: Vec<(Selection, u32)>,
}

// === impl Draw ===

impl Draw {
    /// Sets with their weights; a weight of 0 is never drawn while another is there.
    #[must_use]
    pub fn new(alternatives: Vec<(Selection, u32)>) -> Self {
        Self { alternatives }
    }

    /// The sets and weights.
    #[must_use]
    pub fn alternatives(&self) -> &[(Selection, u32)] {
        &self.alternatives
    }
}

/// Draws one of `weights` for the `turn`-th draw of a call with `seed`: exact shares, and equal ones if all are 0.
///
/// The same seed, turn and weights always give the same answer.
#[must_use]
pub fn choose(seed: u64, turn: u32, weights: impl Iterator<Item = u32> + Clone) -> usize {
    let count = weights.clone().count();
    let total: u64 = weights.clone().map(u64::from).sum();
    let random = mix(seed ^ mix(u64::from(turn) + 1));
    if total == 0 {
        return scale(random, count.max(1) as u64) as usize;
    }
    let mut left = scale(random, total);
    for (index, weight) in weights.enumerate() {
        let weight = u64::from(weight);
        if left < weight {
            return index;
        }
        left -= weight;
    }
    count.saturating_sub(1)
}

/// Maps 64 random bits evenly onto `0..bound`.
fn scale(random: u64, bound: u64) -> u64 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
}

/// One step of SplitMix64: close numbers become far ones.
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact_and_zero_is_never_drawn() {
        let mut counts = [0_u32; 3];
        for seed in 0..100_000 {
            counts[choose(seed, 0, [1, 0, 3].into_iter())] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((24_500..25_500).contains(&counts[0]), "{counts:?}");
    }

    #[test]
    fn equal_weights_and_all_zero_are_drawn_equally() {
        for weights in [[1, 1], [0, 0]] {
            let first = (0..10_000).filter(|seed| choose(*seed, 3, weights.into_iter()) == 0).count();
            assert!((4_800..5_200).contains(&first), "{weights:?}: {first}");
        }
    }
}
