//! The order in which the candidates of one set take turns: one for all threads.
//!
//! A block of turns is worked out ahead; whoever calls takes the next by counting one atomic number up. Only who finds the
//! block used up, or weights that have grown meanwhile, works out the next one, under a lock. No turn is given twice and
//! none is left out, so shares are exact whatever threads do.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use arc_swap::ArcSwap;
use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::loadbalance::CandidateTable;
use crate::loadbalance::Weight;
use crate::loadbalance::rotation_block::Standings;
use crate::rpc::InvokerId;

/// The turns of one set of candidates.
#[derive(Debug)]
pub(crate) struct Rotation {
    block: ArcSwap<Block>,
    plan: Mutex<Plan>,
    bytes: usize,
}

#[derive(Debug)]
struct Block {
    turns: Box<[u32]>,
    next: AtomicUsize,
    /// When the weights are looked at again.
    until_ms: i64,
}

#[derive(Debug)]
struct Plan {
    /// As of the first turn of the block.
    standings: Standings,
    /// The weights of all when they are warm.
    full: Box<[u32]>,
    warming: Vec<(usize, Weight)>,
    /// For candidates that are the same invoker as another one: that one.
    doubles: Vec<(usize, usize)>,
}

// === impl Rotation ===

impl Rotation {
    const FIRST_BLOCK: usize = 32;
    const LARGEST_BLOCK: usize = 1_024;
    /// A number of turns that no block has; so many were taken of one that is closed.
    const CLOSED: usize = usize::MAX / 2;

    /// A rotation of the candidates of `table`, each beginning where `current` says.
    pub(crate) fn begin(table: &CandidateTable, current: impl FnMut(InvokerId) -> i64, now_ms: i64) -> Self {
        let mut plan = Plan::of(table, current);
        let block = plan.next_block(Self::FIRST_BLOCK, now_ms);
        let bytes = table.len() * (size_of::<i64>() + 2 * size_of::<u32>() + 1)
            + plan.warming.len() * size_of::<(usize, Weight)>()
            + Self::LARGEST_BLOCK * size_of::<u32>()
            + size_of::<Self>();
        Self { block: ArcSwap::from_pointee(block), plan: Mutex::new(plan), bytes }
    }

    /// The candidate whose turn it is, by its place in the table.
    #[inline]
    pub(crate) fn next(&self, now_ms: i64) -> Option<usize> {
        loop {
            let block = self.block.load();
            if now_ms < block.until_ms || block.until_ms == i64::MAX {
                let turn = block.next.fetch_add(1, Relaxed);
                if let Some(candidate) = block.turns.get(turn) {
                    return Some(*candidate as usize);
                }
                if block.turns.is_empty() {
                    return None;
                }
            }
            self.renew(&block, now_ms);
        }
    }

    /// Bytes of memory behind the rotation at most.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    #[cold]
    fn renew(&self, old: &Arc<Block>, now_ms: i64) {
        let mut plan = self.plan.lock();
        if !Arc::ptr_eq(&self.block.load(), old) {
            return;
        }
        let taken = old.next.swap(Self::CLOSED, Relaxed).min(old.turns.len());
        plan.standings.advance(old.turns.get(..taken).unwrap_or_default());
        let block = plan.next_block((2 * old.turns.len()).min(Self::LARGEST_BLOCK), now_ms);
        self.block.store(Arc::new(block));
    }
}

// === impl Plan ===

impl Plan {
    fn of(table: &CandidateTable, mut current: impl FnMut(InvokerId) -> i64) -> Self {
        let weights: Vec<u32> = table.positions().map(|position| table.weights().full(position)).collect();
        let warming = table.positions().enumerate();
        let warming = warming.filter_map(|(index, position)| Some((index, table.weights().warming(position)?)));
        let full = weights.clone().into();
        let mut standings = Standings {
            currents: table.ids().iter().map(|id| current(*id)).collect(),
            is_double: vec![false; weights.len()],
            weights,
        };
        let mut doubles = Vec::new();
        let mut seen: HashMap<InvokerId, usize> = HashMap::with_capacity(table.len());
        for (index, id) in table.ids().iter().enumerate() {
            // An invoker that is listed twice has one current, to which both add, and the later one that adds is picked.
            let Some(before) = seen.insert(*id, index) else { continue };
            let adds = standings.weights.get(index).is_some_and(|weight| *weight > 0);
            let (double, stands) = if adds { (before, index) } else { (index, before) };
            seen.insert(*id, stands);
            doubles.push((double, stands));
            if let Some(is_double) = standings.is_double.get_mut(double) {
                *is_double = true;
            }
        }
        Self { standings, full, warming: warming.collect(), doubles }
    }

    fn next_block(&mut self, length: usize, now_ms: i64) -> Block {
        let mut until_ms = i64::MAX;
        let weights = &mut self.standings.weights;
        weights.copy_from_slice(&self.full);
        for (index, weight) in &self.warming {
            if let Some(now) = weights.get_mut(*index) {
                *now = weight.at(now_ms);
            }
            if !weight.is_warm(now_ms) {
                until_ms = until_ms.min(now_ms.saturating_add(weight.step_ms() as i64));
            }
        }
        // What a double adds, the one that stands for it adds.
        for (double, stands) in &self.doubles {
            let added = weights.get_mut(*double).map_or(0, std::mem::take);
            if let Some(weight) = weights.get_mut(*stands) {
                *weight = weight.saturating_add(added);
            }
        }
        self.warming.retain(|(_, weight)| !weight.is_warm(now_ms));
        Block { turns: self.standings.picks(length), next: AtomicUsize::new(0), until_ms }
    }
}
