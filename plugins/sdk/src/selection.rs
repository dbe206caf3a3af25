//! The candidates of a call, and who of them is kept.

use crate::bitmap::Bitmap;
use crate::bitmap::bit;
use crate::bitmap::positions_of;

/// The candidates that are kept. It begins with all that came in, and can only lose some.
#[derive(Debug)]
pub struct Selection<'a> {
    input: &'a [u64],
    bits: &'a mut [u64],
}

// === impl Selection ===

impl<'a> Selection<'a> {
    /// Over the candidates `input`; `bits` are equal to them, as the contract has it.
    pub(crate) fn new(input: &'a [u64], bits: &'a mut [u64]) -> Self {
        Self { input, bits }
    }

    /// Keeps who is in the bitmap as well. Without one nobody is kept.
    pub fn retain(&mut self, bitmap: Option<&Bitmap>) {
        match bitmap {
            Some(bitmap) => bitmap.cut(self.bits),
            None => self.bits.fill(0),
        }
    }

    /// Takes away who is in the bitmap.
    pub fn remove_all(&mut self, bitmap: &Bitmap) {
        bitmap.cut_away(self.bits);
    }

    /// Keeps whom `wanted` says yes to; it is asked for those that are left, in order.
    pub fn keep_only(&mut self, mut wanted: impl FnMut(usize) -> bool) {
        for (place, kept) in self.bits.iter_mut().enumerate() {
            for position in positions_of(&[*kept]).map(|it| place * 64 + it) {
                if !wanted(position) {
                    *kept &= !bit(position);
                }
            }
        }
    }

    /// Takes one away.
    pub fn remove(&mut self, position: usize) {
        if let Some(kept) = self.bits.get_mut(position / 64) {
            *kept &= !bit(position);
        }
    }

    /// Back to all that came in: for a second try, with a wider condition.
    pub fn reset(&mut self) {
        self.bits.iter_mut().zip(self.input).for_each(|(kept, input)| *kept = *input);
    }

    /// Whether a position is kept.
    #[must_use]
    pub fn contains(&self, position: usize) -> bool {
        self.bits.get(position / 64).is_some_and(|kept| kept & bit(position) != 0)
    }

    /// How many are kept.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bits.iter().map(|kept| kept.count_ones() as usize).sum()
    }

    /// Whether nobody is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|kept| *kept == 0)
    }

    /// Who is kept, in order.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        positions_of(self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_only_loses_candidates() {
        let input = [0b1011_0111, 0b101];
        let mut bits = input;
        let mut keep = Selection::new(&input, &mut bits);
        let seen = |keep: &Selection<'_>| keep.positions().collect::<Vec<_>>();
        assert_eq!(seen(&keep), [0, 1, 2, 4, 5, 7, 64, 66]);
        keep.retain(Some(&(0..1_000).collect()));
        assert_eq!(keep.count(), 8);
        keep.retain(Some(&[1, 3, 4, 66, 900_000].into_iter().collect()));
        assert_eq!(seen(&keep), [1, 4, 66]);
        keep.remove(4);
        keep.remove(10_000);
        assert!(keep.contains(66) && !keep.contains(4) && !keep.contains(10_000));
        keep.retain(None);
        assert!(keep.is_empty());
        keep.reset();
        keep.keep_only(|position| position > 4);
        assert_eq!(seen(&keep), [5, 7, 64, 66]);
        keep.remove_all(&[7, 64].into_iter().collect());
        assert_eq!(seen(&keep), [5, 66]);
        keep.keep_only(|_| false);
        assert_eq!(keep.count(), 0);
    }
}
