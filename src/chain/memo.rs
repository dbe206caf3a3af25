//! What walks came to, by the values they depended on.
//!
//! A chain that draws, or whose runs record what they read, has a tree for each key: at every draw the branch that was
//! taken, at every read the value that was seen. A branch that was never taken is not there yet, and the call walks.
//! Full keys and values are compared; the hash is keyed. A memo that is hardly ever right rests for a while.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::chain::Call;
use crate::chain::Walk;
use crate::chain::walk::Turn;
use crate::loadbalance::BalanceTables;
use crate::router::Input;
use crate::router::Selection;
use crate::router::choose;

/// What a walk came to.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    selection: Selection,
    /// What load balances make of the selection; empty until one asks.
    tables: BalanceTables,
}

/// The outcomes of one bound chain.
#[derive(Debug, Default)]
pub struct Memo {
    slots: HashTable<usize>,
    entries: Vec<Entry>,
    hasher: RandomState,
    bytes: usize,
    /// Calls of the trial that runs, and those that were found.
    asked: u32,
    found: u32,
    /// Calls that are still not looked for.
    resting: u32,
    reads_surroundings: bool,
    bytes_per_candidate: usize,
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
    Read { input: Input, branches: HashTable<Branch> },
}

/// Where a read goes on that saw one value.
#[derive(Debug)]
struct Branch {
    value: Option<Box<str>>,
    node: Option<Node>,
}

// === impl Outcome ===

impl Outcome {
    /// What `walk` came to.
    #[must_use]
    pub fn of(walk: &Walk) -> Self {
        Self { selection: walk.candidates().clone(), tables: BalanceTables::default() }
    }

    /// What is left of the list.
    #[must_use]
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// What load balances keep beside the selection.
    #[must_use]
    pub fn tables(&self) -> &BalanceTables {
        &self.tables
    }

    /// Becomes what `walk` came to; the walk takes this one's memory for its next start.
    pub fn take(&mut self, walk: &mut Walk) {
        std::mem::swap(&mut self.selection, walk.candidates_mut());
        self.tables = BalanceTables::default();
    }
}

// === impl Memo ===

impl Memo {
    /// After so many calls the memo judges itself.
    const TRIAL: u32 = 4_096;

    /// The bytes that a load balance keeps for a candidate: position, slot, a place of its table.
    pub const BALANCED: usize = 24;

    /// A memo whose outcomes take `bytes_per_candidate` more, once a load balance keeps its tables with them.
    #[must_use]
    pub fn with_tables(bytes_per_candidate: usize) -> Self {
        Self { bytes_per_candidate, ..Self::default() }
    }

    /// The number of the entry of `key`.
    #[must_use]
    pub fn find(&self, key: &[u8]) -> Option<usize> {
        let hash = self.hasher.hash_one(key);
        let is_it =
            |index: &usize| self.entries.get(*index).is_some_and(|entry| entry.hash == hash && *entry.key == *key);
        self.slots.find(hash, is_it).copied()
    }

    /// The outcome of entry `number` for `call`; none where its way has not been walked yet.
    #[must_use]
    pub fn outcome(&self, number: usize, call: &Call<'_>) -> Option<&Outcome> {
        let mut node = self.entries.get(number)?.node.as_ref()?;
        let mut draws = 0;
        loop {
            match node {
                Node::One(outcome) => return Some(outcome),
                Node::Draw { weights, branches } => {
                    node = branches.get(choose(call.seed, draws, weights.iter().copied()))?.as_ref()?;
                    draws += 1;
                }
                Node::Read { input, branches } => {
                    let value = input.read(call.invocation, call.around);
                    let value = value.as_deref();
                    let found = branches.find(self.hasher.hash_one(value), |branch| branch.value.as_deref() == value);
                    node = found?.node.as_ref()?;
                }
            }
        }
    }

    /// Whether the way to some outcome asks for what is around a call: who looks twice then needs it to stand still.
    #[must_use]
    pub fn reads_surroundings(&self) -> bool {
        self.reads_surroundings
    }

    /// Whether looking and keeping is worth it now; counts the call. After many calls of which hardly any was found,
    /// it is not for a while.
    pub fn is_worthwhile(&mut self) -> bool {
        if self.resting > 0 {
            self.resting -= 1;
            return false;
        }
        self.asked += 1;
        if self.asked == Self::TRIAL {
            if self.found < Self::TRIAL / 16 {
                self.resting = 16 * Self::TRIAL;
            }
            (self.asked, self.found) = (0, 0);
        }
        true
    }

    /// Counts an outcome that was found.
    pub fn count_found(&mut self) {
        self.found += 1;
    }

    /// Remembers what `walk` came to under `key`.
    pub fn insert(&mut self, key: &[u8], walk: &Walk) {
        let number = self.find(key).unwrap_or_else(|| self.add(key));
        let tables = self.table_bytes(walk);
        let Some(entry) = self.entries.get_mut(number) else { return };
        let is_around = |input: &Input| matches!(input, Input::Now(..) | Input::Availability);
        let asks = |turn: &Turn| matches!(turn, Turn::Read(read) if is_around(&read.input));
        self.reads_surroundings |= walk.trail().iter().any(asks);
        let added = grow(&mut entry.node, walk.trail(), Outcome::of(walk), tables, &self.hasher);
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
    pub fn cost(&self, key_bytes: usize, walk: &Walk) -> usize {
        const OVERHEAD: usize = size_of::<Entry>() + 2 * size_of::<usize>() + size_of::<Node>();
        let turns: usize = walk.trail().iter().map(cost_of).sum();
        OVERHEAD + key_bytes + walk.candidates().words().len() * 8 + turns + self.table_bytes(walk)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.entries.clear();
        self.bytes = 0;
    }

    /// The bytes that load balances will keep with what `walk` came to.
    fn table_bytes(&self, walk: &Walk) -> usize {
        if self.bytes_per_candidate == 0 { 0 } else { walk.candidates().count() * self.bytes_per_candidate }
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

/// The bytes that one turn of a trail takes at most.
fn cost_of(turn: &Turn) -> usize {
    match turn {
        Turn::Draw(drawn) => drawn.weights.len() * (size_of::<Node>() + size_of::<u32>()),
        Turn::Read(read) => {
            let name = if let Input::Attachment(key) = &read.input { key.len() } else { 0 };
            // A table grows by doubling, so half of it may be empty.
            size_of::<Node>() + 2 * size_of::<Branch>() + name + read.value.as_deref().map_or(0, str::len)
        }
    }
}

/// Puts an outcome where the trail leads; says how many bytes that took.
fn grow(node: &mut Option<Node>, trail: &[Turn], outcome: Outcome, tables: usize, hasher: &RandomState) -> usize {
    let Some((first, rest)) = trail.split_first() else {
        let added = if node.is_none() { outcome.selection().bytes() + size_of::<Node>() + tables } else { 0 };
        *node = Some(Node::One(outcome));
        return added;
    };
    let (branch, added) = match first {
        Turn::Draw(drawn) => {
            if !matches!(node, Some(Node::Draw { .. })) {
                let branches = drawn.weights.iter().map(|_| None).collect();
                *node = Some(Node::Draw { weights: drawn.weights.to_vec().into(), branches });
            }
            let Some(Node::Draw { branches, .. }) = node else { return 0 };
            let Some(branch) = branches.get_mut(drawn.chosen) else { return 0 };
            let is_new = branch.is_none();
            (branch, if is_new { cost_of(first) } else { 0 })
        }
        Turn::Read(read) => {
            if !matches!(node, Some(Node::Read { input, .. }) if *input == read.input) {
                *node = Some(Node::Read { input: read.input.clone(), branches: HashTable::new() });
            }
            let Some(Node::Read { branches, .. }) = node else { return 0 };
            let hash = |branch: &Branch| hasher.hash_one(branch.value.as_deref());
            let is_it = |branch: &Branch| branch.value == read.value;
            let fresh = || Branch { value: read.value.clone(), node: None };
            let branch = branches.entry(hasher.hash_one(read.value.as_deref()), is_it, hash).or_insert_with(fresh);
            let branch = &mut branch.into_mut().node;
            let is_new = branch.is_none();
            (branch, if is_new { cost_of(first) } else { 0 })
        }
    };
    added + grow(branch, rest, outcome, tables, hasher)
}
