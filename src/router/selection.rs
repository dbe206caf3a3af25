//! Which positions of a list are left: a bitset.
//!
//! Our own, not a crate's: the words are part of the plugin contract, an intersection must say whether anything is left,
//! and buffers are reused from call to call.

use std::fmt;

/// A set of positions of one [`InvokerList`](crate::router::InvokerList).
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Selection {
    length: usize,
    // INVARIANT: `length.div_ceil(64)` words; bits at and beyond `length` are 0.
    words: Vec<u64>,
}

// === impl Selection ===

impl Selection {
    /// No position of a list of `length`.
    #[must_use]
    pub fn none(length: usize) -> Self {
        Self { length, words: vec![0; length.div_ceil(64)] }
    }

    /// Every position of a list of `length`.
    #[must_use]
    pub fn all(length: usize) -> Self {
        let mut selection = Self { length, words: vec![u64::MAX; length.div_ceil(64)] };
        selection.mask_tail();
        selection
    }

    /// The positions given; those at or beyond `length` are dropped.
    #[must_use]
    pub fn from_positions(length: usize, positions: impl IntoIterator<Item = usize>) -> Self {
        let mut selection = Self::none(length);
        for position in positions {
            selection.insert(position);
        }
        selection
    }

    /// The bitmap given, lowest bit first; what lies at or beyond `length` is dropped.
    #[must_use]
    pub fn from_words(length: usize, words: &[u64]) -> Self {
        let mut selection = Self { length, words: words.to_vec() };
        selection.words.resize(length.div_ceil(64), 0);
        selection.mask_tail();
        selection
    }

    /// Becomes the bitmap that `write` leaves in its memory, over a list of `length`; what lies beyond is dropped.
    #[cfg_attr(not(feature = "plugins"), allow(dead_code, reason = "plugins ask for it"))]
    #[inline]
    pub(crate) fn rewrite<T>(&mut self, length: usize, write: impl FnOnce(&mut Vec<u64>) -> T) -> T {
        let done = write(&mut self.words);
        self.length = length;
        self.words.resize(length.div_ceil(64), 0);
        self.mask_tail();
        done
    }

    /// The bitmap's own memory.
    #[cfg_attr(not(feature = "plugins"), allow(dead_code, reason = "plugins ask for it"))]
    pub(crate) fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// How many positions the list has.
    #[must_use]
    pub fn list_length(&self) -> usize {
        self.length
    }

    /// How many positions are in the set.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no position is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// How many positions are in both sets.
    #[must_use]
    pub fn count_in(&self, other: &Self) -> usize {
        self.words.iter().zip(&other.words).map(|(one, other)| (one & other).count_ones() as usize).sum()
    }

    /// Whether some position is in both sets.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(one, other)| one & other != 0)
    }

    /// Whether `position` is in the set.
    #[must_use]
    pub fn contains(&self, position: usize) -> bool {
        self.words.get(position / 64).is_some_and(|word| word >> (position % 64) & 1 == 1)
    }

    /// Adds `position`; one beyond the list is ignored.
    pub fn insert(&mut self, position: usize) {
        if position < self.length
            && let Some(word) = self.words.get_mut(position / 64)
        {
            *word |= 1 << (position % 64);
        }
    }

    /// The positions in ascending order.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| Ones { word: *word, base: index * 64 })
    }

    /// The bitmap, lowest bit first.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Bytes of memory behind the set.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }

    /// Becomes a copy of `other`, keeping its memory.
    pub fn assign(&mut self, other: &Self) {
        self.length = other.length;
        self.words.clone_from(&other.words);
    }

    /// Becomes `left ∩ right`, keeping its memory; says whether anything is in it.
    pub fn assign_intersection(&mut self, left: &Self, right: &Self) -> bool {
        self.length = left.length;
        self.words.clear();
        // PERF: nothing but the intersection in the loop, so that it takes several words at a time; that something is
        // left mostly shows in the first of them (`chain/route/documents/100000`).
        self.words.extend(left.words.iter().zip(&right.words).map(|(left, right)| left & right));
        self.words.resize(left.words.len(), 0);
        !self.is_empty()
    }

    /// Keeps what is in `other` too.
    pub fn intersect(&mut self, other: &Self) {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        self.words.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
    }

    /// Adds what is in `other`.
    pub fn unite(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
        self.mask_tail();
    }

    /// Drops what is in `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    fn mask_tail(&mut self) {
        let used = self.length % 64;
        if used != 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << used) - 1;
        }
    }
}

impl fmt::Debug for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.positions()).finish()
    }
}

struct Ones {
    word: u64,
    base: usize,
}

impl Iterator for Ones {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.word == 0 {
            return None;
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(self.base + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_beyond_the_list_never_count() {
        let all = Selection::all(70);
        assert_eq!((all.count(), all.contains(69), all.contains(70)), (70, true, false));
        assert_eq!(Selection::from_words(3, &[u64::MAX, 1]).positions().collect::<Vec<_>>(), [0, 1, 2]);
        assert!(Selection::from_positions(3, [3, 64]).is_empty());
    }

    #[test]
    fn an_intersection_says_whether_anything_is_left() {
        let (left, right) = (Selection::from_positions(130, [1, 129]), Selection::from_positions(130, [129]));
        let mut out = Selection::default();
        assert!(out.assign_intersection(&left, &right));
        assert_eq!(out, right);
        assert!(!out.assign_intersection(&Selection::from_positions(130, [1]), &right));
    }
}
