//! The memory that a plugin writes its answer into, with guards before and behind.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "instructions that not every processor has"))]

use std::cell::Cell;

/// What stands around the words that a plugin may write.
const GUARD: u64 = 0x9e37_79b9_7f4a_7c15;
const GUARDS: usize = 2;
/// From so many words on a wider way through them pays.
#[cfg(target_arch = "x86_64")]
const MANY: usize = 16;

/// Guards, the answer, guards: one run of memory, which becomes the bitmap of a selection.
pub(crate) struct GuardedWords<'a> {
    memory: &'a mut Vec<u64>,
    input: &'a [u64],
}

/// A plugin wrote where it must not.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WroteOutside;

// === impl GuardedWords ===

impl<'a> GuardedWords<'a> {
    /// Fills `memory` anew: the answer begins as a copy of `input`.
    pub(crate) fn of(input: &'a [u64], memory: &'a mut Vec<u64>) -> Self {
        memory.clear();
        memory.reserve(input.len() + 2 * GUARDS);
        memory.extend_from_slice(&[GUARD; GUARDS]);
        memory.extend_from_slice(input);
        memory.extend_from_slice(&[GUARD; GUARDS]);
        Self { memory, input }
    }

    /// The first of the answer's words.
    pub(crate) fn answer(&mut self) -> *mut u64 {
        self.memory.as_mut_ptr().wrapping_add(GUARDS)
    }

    /// Whether nothing was written around the answer.
    pub(crate) fn check(&self) -> Result<(), WroteOutside> {
        match self.memory.as_slice() {
            [GUARD, GUARD, answer @ .., GUARD, GUARD] if answer.len() == self.input.len() => Ok(()),
            _ => Err(WroteOutside),
        }
    }

    /// Leaves nothing but the answer in the memory, less the bits that the input lacks: how many they were.
    pub(crate) fn take(self) -> u32 {
        let Self { memory, input } = self;
        let has_strays = move_to_front(memory, input) != 0;
        memory.truncate(input.len());
        if !has_strays {
            return 0;
        }
        let strays = memory.iter().zip(input).map(|(word, input)| (word & !input).count_ones()).sum();
        memory.iter_mut().zip(input).for_each(|(word, input)| *word &= input);
        strays
    }
}

/// Moves the answer over the first guards; some bits of it that the input lacks, if there are any.
fn move_to_front(memory: &mut [u64], input: &[u64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if input.len() >= MANY && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what it needs.
        return unsafe { move_to_front_wide(memory, input) };
    }
    move_each_to_front(memory, input)
}

/// PERF: four words at a time instead of two (`plugin/route/native/10000`).
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn move_to_front_wide(memory: &mut [u64], input: &[u64]) -> u64 {
    move_each_to_front(memory, input)
}

// PERF: moving and looking for strays in one pass; that they are counted is rare (`plugin/route`).
#[inline(always)]
fn move_each_to_front(memory: &mut [u64], input: &[u64]) -> u64 {
    let places = Cell::from_mut(memory).as_slice_of_cells();
    let answer = places.get(GUARDS..).unwrap_or_default();
    places.iter().zip(answer).zip(input).fold(0, |strays, ((place, word), input)| {
        place.set(word.get());
        strays | word.get() & !input
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_cut_to_the_input_and_strays_are_counted() {
        for length in [0, 1, 2, 3, 15, 16, 17, 157] {
            let input: Vec<u64> = (0..length).map(|place| !place).collect();
            let mut memory = vec![7; 3];
            let words = GuardedWords::of(&input, &mut memory);
            assert_eq!(words.check(), Ok(()), "{length}");
            words.memory[GUARDS..][..input.len()].iter_mut().zip(0..).for_each(|(word, place)| *word &= place * 3);
            assert_eq!(words.take(), 0, "{length}");
            let expected: Vec<u64> = (0..length).map(|place| !place & (place * 3)).collect();
            assert_eq!(memory, expected);

            let words = GuardedWords::of(&input, &mut memory);
            words.memory[GUARDS..][..input.len()].fill(u64::MAX);
            assert_eq!(words.check(), Ok(()), "{length}");
            assert_eq!(words.take(), (0..length).map(u64::count_ones).sum::<u32>(), "{length}");
            assert_eq!(memory, input);
        }
    }

    #[test]
    fn a_word_beside_the_answer_is_noticed() {
        for length in [0, 1, 40] {
            let input = vec![1; length];
            for at in [0, 1, GUARDS + length, GUARDS + length + 1] {
                let mut memory = Vec::new();
                let words = GuardedWords::of(&input, &mut memory);
                words.memory[at] ^= 1;
                assert_eq!(words.check(), Err(WroteOutside), "{length} {at}");
            }
        }
    }
}
