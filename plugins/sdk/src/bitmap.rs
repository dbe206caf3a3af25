//! Sets of positions in a list of providers.

/// A set of positions.
///
/// It needs four bytes a position at most, and one bit where they stand close: ten thousand values with one provider
/// each are as cheap as one value with ten thousand.
///
/// ```
/// use pointsman_plugin::Bitmap;
///
/// let even: Bitmap = (0..10).filter(|position| position % 2 == 0).collect();
/// assert!(even.contains(4) && !even.contains(5));
/// assert_eq!(even.positions().collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Bitmap {
    form: Form,
    count: usize,
}

#[derive(Debug, Clone)]
enum Form {
    /// Sorted, each once.
    Sparse(Vec<u32>),
    Dense(Vec<u64>),
}

// === impl Bitmap ===

impl Bitmap {
    /// No position.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a position; one that no list can have, past `u32::MAX`, is left out.
    pub fn insert(&mut self, position: usize) {
        let Ok(number) = u32::try_from(position) else { return };
        match &mut self.form {
            Form::Sparse(positions) => {
                if let Err(place) = positions.binary_search(&number) {
                    positions.insert(place, number);
                    self.count += 1;
                }
                // As bits it is smaller from here on.
                if positions.last().is_some_and(|last| *last as usize / 32 < self.count) {
                    self.form = Form::Dense(words_of(positions));
                }
            }
            Form::Dense(words) => {
                if position / 64 >= words.len() {
                    if position / 32 > self.count + 1 {
                        self.form = Form::Sparse(self.positions().map(|it| it as u32).chain([number]).collect());
                        self.count += 1;
                        return;
                    }
                    words.resize(position / 64 + 1, 0);
                }
                if let Some(word) = words.get_mut(position / 64) {
                    self.count += usize::from(*word & bit(position) == 0);
                    *word |= bit(position);
                }
            }
        }
    }

    /// Whether a position is in it.
    #[must_use]
    pub fn contains(&self, position: usize) -> bool {
        match &self.form {
            Form::Sparse(positions) => {
                u32::try_from(position).is_ok_and(|number| positions.binary_search(&number).is_ok())
            }
            Form::Dense(words) => words.get(position / 64).is_some_and(|word| word & bit(position) != 0),
        }
    }

    /// How many positions are in it.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether no position is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The positions, in order.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        let (sparse, dense) = match &self.form {
            Form::Sparse(positions) => (positions.as_slice(), [].as_slice()),
            Form::Dense(words) => ([].as_slice(), words.as_slice()),
        };
        sparse.iter().map(|number| *number as usize).chain(positions_of(dense))
    }

    /// Takes out of `bits` who is not in it.
    pub(crate) fn cut(&self, bits: &mut [u64]) {
        match &self.form {
            Form::Sparse(positions) => {
                let mut left = positions.as_slice();
                for (place, kept) in bits.iter_mut().enumerate() {
                    let mut word = 0;
                    while let [first, rest @ ..] = left
                        && *first as usize / 64 == place
                    {
                        word |= bit(*first as usize);
                        left = rest;
                    }
                    *kept &= word;
                }
            }
            Form::Dense(words) => {
                let (both, past) = bits.split_at_mut(words.len().min(bits.len()));
                intersect(both, words);
                if !past.is_empty() {
                    past.fill(0);
                }
            }
        }
    }

    /// Takes out of `bits` who is in it.
    pub(crate) fn cut_away(&self, bits: &mut [u64]) {
        match &self.form {
            Form::Sparse(positions) => positions.iter().map(|it| *it as usize).for_each(|position| {
                if let Some(kept) = bits.get_mut(position / 64) {
                    *kept &= !bit(position);
                }
            }),
            Form::Dense(words) => bits.iter_mut().zip(words).for_each(|(kept, word)| *kept &= !word),
        }
    }
}

impl Default for Form {
    fn default() -> Self {
        Self::Sparse(Vec::new())
    }
}

impl FromIterator<usize> for Bitmap {
    fn from_iter<I: IntoIterator<Item = usize>>(positions: I) -> Self {
        let mut bitmap = Self::new();
        bitmap.extend(positions);
        bitmap
    }
}

impl Extend<usize> for Bitmap {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, positions: I) {
        positions.into_iter().for_each(|position| self.insert(position));
    }
}

impl PartialEq for Bitmap {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count && self.positions().eq(other.positions())
    }
}

impl Eq for Bitmap {}

/// The positions of the bits that are set.
pub(crate) fn positions_of(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(place, word)| {
        let mut left = *word;
        std::iter::from_fn(move || {
            let next = (left != 0).then(|| place * 64 + left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            next
        })
    })
}

pub(crate) const fn bit(position: usize) -> u64 {
    1 << (position % 64)
}

fn words_of(positions: &[u32]) -> Vec<u64> {
    let mut words = vec![0; positions.last().map_or(0, |last| *last as usize / 64 + 1)];
    for position in positions {
        if let Some(word) = words.get_mut(*position as usize / 64) {
            *word |= bit(*position as usize);
        }
    }
    words
}

/// From so many words on a wider way through them pays.
#[cfg(target_arch = "x86_64")]
const MANY: usize = 16;

/// Takes the bits out of `kept` that are not in `words`.
#[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "instructions that not every processor has"))]
fn intersect(kept: &mut [u64], words: &[u64]) {
    #[cfg(target_arch = "x86_64")]
    if kept.len() >= MANY && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what it needs.
        return unsafe { intersect_wide(kept, words) };
    }
    kept.iter_mut().zip(words).for_each(|(kept, word)| *kept &= word);
}

/// PERF: four words at a time instead of two (`plugin/route/native/10000`).
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn intersect_wide(kept: &mut [u64], words: &[u64]) {
    kept.iter_mut().zip(words).for_each(|(kept, word)| *kept &= word);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_bitmap_holds_what_a_set_of_numbers_holds_in_either_form() {
        // Dense, sparse, dense that becomes sparse, and in no order.
        let runs: [&[usize]; 6] = [
            &[],
            &[0, 1, 2, 3, 64, 65, 127],
            &[5_000, 1, 900_000, 1],
            &[0, 1, 2, 3, 4_000_000_000, 7],
            &[63, 31, 0, 95, 32],
            &[usize::MAX, 2],
        ];
        for run in runs {
            let set: BTreeSet<usize> = run.iter().copied().filter(|it| u32::try_from(*it).is_ok()).collect();
            let bitmap: Bitmap = run.iter().copied().collect();
            assert!(bitmap.positions().eq(set.iter().copied()), "{run:?}: {bitmap:?}");
            assert_eq!((bitmap.count(), bitmap.is_empty()), (set.len(), set.is_empty()), "{run:?}");
            assert!(set.iter().all(|it| bitmap.contains(*it) && bitmap.contains(it + 10) == set.contains(&(it + 10))));
            let (mut inside, mut outside) = ([u64::MAX; 16], [u64::MAX; 16]);
            bitmap.cut(&mut inside);
            bitmap.cut_away(&mut outside);
            assert!(positions_of(&inside).eq(set.iter().copied().filter(|it| *it < 1_024)), "{run:?}");
            assert_eq!(outside, inside.map(|word| !word), "{run:?}");
        }
    }

    #[test]
    fn a_far_position_costs_no_more_than_a_near_one() {
        let mut bitmap: Bitmap = (0..1_000).collect();
        assert!(matches!(&bitmap.form, Form::Dense(words) if words.len() == 16));
        bitmap.insert(u32::MAX as usize);
        assert!(matches!(&bitmap.form, Form::Sparse(positions) if positions.len() == 1_001));
    }
}
