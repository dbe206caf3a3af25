//! What depends on a set of candidates alone, worked out once and kept as long as the set.

use std::any::Any;
use std::sync::Arc;
use std::sync::OnceLock;

use crate::loadbalance::MethodWeights;
use crate::loadbalance::alias_table::AliasTable;
use crate::router::InvokerList;
use crate::router::Selection;
use crate::rpc::InvokerId;

/// A set of candidates of one list, for calls of one method: positions, slots, weights, and what policies make of them.
///
/// A value of its own: it holds no list and no state, and may be kept beside the selection it was made of. Parts that
/// only some policies need are made when one asks for the first time.
#[derive(Debug)]
pub struct CandidateTable {
    weights: Arc<MethodWeights>,
    selection: Selection,
    positions: Box<[u32]>,
    ids: Box<[InvokerId]>,
    /// Whether the slots follow one another without a gap.
    is_row: bool,
    alias: OnceLock<AliasTable>,
    kept: OnceLock<Kept>,
}

/// What a policy keeps with the table.
#[derive(Debug)]
struct Kept {
    value: Box<dyn Any + Send + Sync>,
    bytes: usize,
}

/// One that was drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drawn {
    pub(crate) position: usize,
    /// Whether its weight may be less than the one it was drawn by.
    pub(crate) is_warming: bool,
}

// === impl CandidateTable ===

impl CandidateTable {
    /// Marks, in a label of the alias table, an invoker that was not warm.
    const WARMING: u32 = 1 << 31;

    /// The table of those positions of `list` that are in `selection`. Who is warm at `now_ms` stays so.
    #[must_use]
    pub fn build(list: &InvokerList, selection: &Selection, method: &str, now_ms: i64) -> Self {
        Self::of(Arc::new(MethodWeights::of(list, method, now_ms)), list, selection)
    }

    /// The same from weights that were made before: it reads no URL.
    #[must_use]
    pub fn of(weights: Arc<MethodWeights>, list: &InvokerList, selection: &Selection) -> Self {
        let known = selection.positions().filter_map(|position| Some((position as u32, list.id(position)?)));
        let (positions, ids): (Vec<u32>, Vec<InvokerId>) = known.unzip();
        let is_row = ids.windows(2).all(|pair| matches!(pair, [one, next] if next.slot() == one.slot() + 1));
        Self {
            is_row,
            weights,
            selection: selection.clone(),
            positions: positions.into(),
            ids: ids.into(),
            alias: OnceLock::new(),
            kept: OnceLock::new(),
        }
    }

    /// How many candidates there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The position in the list of the candidate `index`, counted from 0 in the order of the list.
    #[must_use]
    #[inline]
    pub fn position(&self, index: usize) -> Option<usize> {
        self.positions.get(index).map(|position| *position as usize)
    }

    /// The positions in ascending order.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = usize> + Clone + '_ {
        self.positions.iter().map(|position| *position as usize)
    }

    /// The slots in the order of the positions.
    #[must_use]
    pub fn ids(&self) -> &[InvokerId] {
        &self.ids
    }

    /// How many candidates from `index` on are known to have slots that follow one another; at least 1.
    #[inline]
    pub(crate) fn run(&self, index: usize) -> usize {
        if self.is_row { self.ids.len().saturating_sub(index).max(1) } else { 1 }
    }

    /// Whether the invoker at `position` is a candidate.
    #[must_use]
    pub fn contains(&self, position: usize) -> bool {
        self.selection.contains(position)
    }

    /// The weights of the whole list.
    #[must_use]
    pub fn weights(&self) -> &Arc<MethodWeights> {
        &self.weights
    }

    /// One drawn by full weight; none only of an empty table.
    #[inline]
    pub(crate) fn draw(&self, random: u64) -> Option<Drawn> {
        let label = self.alias.get_or_init(|| self.build_alias()).draw(random)?;
        let position = (label & !Self::WARMING) as usize;
        Some(Drawn { position, is_warming: label & Self::WARMING != 0 })
    }

    /// What [`CandidateTable::keep`] has kept, if that is a `T`.
    #[must_use]
    #[inline]
    pub fn kept<T: Any>(&self) -> Option<&T> {
        self.kept.get()?.value.downcast_ref()
    }

    /// Keeps with the table what a policy has worked out for it, `bytes` of memory in all. The first one stays; whoever
    /// finds another's has to do without.
    pub fn keep<T: Any + Send + Sync>(&self, value: T, bytes: usize) {
        self.kept.get_or_init(|| Kept { value: Box::new(value), bytes });
    }

    /// Bytes of memory behind the table as it is now. What is shared with other tables is counted too.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.selection.bytes()
            + size_of_val(&*self.positions)
            + size_of_val(&*self.ids)
            + self.weights.bytes()
            + self.alias.get().map_or(0, AliasTable::bytes)
            + self.kept.get().map_or(0, |kept| kept.bytes)
    }

    fn build_alias(&self) -> AliasTable {
        AliasTable::build(self.positions.iter().map(|position| {
            let at = *position as usize;
            let mark = if self.weights.warming(at).is_some() { Self::WARMING } else { 0 };
            (position | mark, self.weights.full(at))
        }))
    }
}
