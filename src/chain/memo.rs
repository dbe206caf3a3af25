//! What walks came to, by the values they depended on.
//!
//! A chain that draws has a tree for each key: at every draw the branch that was taken. A branch that was never
//! taken is not there yet, and the call walks. Full keys are compared; the hash is keyed.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::chain::Walk;
use crate::chain::walk::Drawn;
use crate::router::Selection;
use crate::router::choose;

/// What a walk came to.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    selection: Selection,
}

/// The outcomes of one bound chain.
#[derive(Debug, Default)]
pub struct Memo {
    slots: HashTable<usize>,
    entries: Vec<Entry>,
    hasher: RandomState,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    key: Box<[u8]>,
    node: Option<Node>,
}

#[derive(Debug)]
enum Node {
    One(Outcome),
    Draw { weights: Box<[u32]>, branches: Box<[Option<Node>]> },
}

// === impl Outcome ===

impl Outcome {
    /// What `walk` came to.
    #[must_use]
    pub fn of(walk: &Walk) -> Self {
        Self { selection: walk.candidates().clone() }
    }

    /// What is left of the list.
    #[must_use]
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Becomes what `walk` came to; the walk takes this one's memory for its next start.
    pub fn take(&mut self, walk: &mut Walk) {
        std::mem::swap(&mut self.selection, walk.candidates_mut());
    }
}

// === impl Memo ===

impl Memo {
    /// The number of the entry of `key`.
    #[must_use]
    pub fn find(&self, key: &[u8]) -> Option<usize> {
        let hash = self.hasher.hash_one(key);
        let is_it =
            |index: &usize| self.entries.get(*index).is_some_and(|entry| entry.hash == hash && *entry.key == *key);
        self.slots.find(hash, is_it).copied()
    }

    /// The outcome of entry `number` for a call with `seed`; none where that draw has not been walked yet.
    #[must_use]
    pub fn outcome(&self, number: usize, seed: u64) -> Option<&Outcome> {
        let mut node = self.entries.get(number)?.node.as_ref()?;
        let mut turn = 0;
        loop {
            match node {
                Node::One(outcome) => return Some(outcome),
                Node::Draw { weights, branches } => {
                    node = branches.get(choose(seed, turn, weights.iter().copied()))?.as_ref()?;
                    turn += 1;
                }
            }
        }
    }

    /// Remembers what `walk` came to under `key`.
    pub fn insert(&mut self, key: &[u8], walk: &Walk) {
        let number = self.find(key).unwrap_or_else(|| self.add(key));
        let Some(entry) = self.entries.get_mut(number) else { return };
        let added = grow(&mut entry.node, walk.drawn(), Outcome::of(walk));
        self.bytes += added;
    }

    /// Bytes of memory that the outcomes take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many keys are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The bytes that `walk`'s outcome takes at most under a key of `key_bytes`.
    #[must_use]
    pub fn cost(key_bytes: usize, walk: &Walk) -> usize {
        const OVERHEAD: usize = size_of::<Entry>() + 2 * size_of::<usize>() + size_of::<Node>();
        let branches: usize = walk.drawn().iter().map(|drawn| drawn.weights.len()).sum();
        OVERHEAD + key_bytes + walk.candidates().words().len() * 8 + branches * (size_of::<Node>() + size_of::<u32>())
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.entries.clear();
        self.bytes = 0;
    }

    fn add(&mut self, key: &[u8]) -> usize {
        let (number, hash) = (self.entries.len(), self.hasher.hash_one(key));
        self.entries.push(Entry { hash, key: key.into(), node: None });
        let Self { slots, entries, .. } = self;
        slots.insert_unique(hash, number, |index| entries.get(*index).map_or(0, |entry| entry.hash));
        self.bytes += size_of::<Entry>() + size_of::<usize>() * 2 + key.len();
        number
    }
}

/// Puts an outcome where the draws lead; says how many bytes that took.
fn grow(node: &mut Option<Node>, drawn: &[Drawn], outcome: Outcome) -> usize {
    let Some((first, rest)) = drawn.split_first() else {
        let added = if node.is_none() { outcome.selection().bytes() + size_of::<Node>() } else { 0 };
        *node = Some(Node::One(outcome));
        return added;
    };
    let mut added = 0;
    if !matches!(node, Some(Node::Draw { .. })) {
        let branches: Box<[Option<Node>]> = first.weights.iter().map(|_| None).collect();
        added += branches.len() * (size_of::<Node>() + size_of::<u32>());
        *node = Some(Node::Draw { weights: first.weights.to_vec().into(), branches });
    }
    match node {
        Some(Node::Draw { branches, .. }) => match branches.get_mut(first.chosen) {
            Some(branch) => added + grow(branch, rest, outcome),
            None => added,
        },
        _ => added,
    }
}
