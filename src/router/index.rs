//! The index of one list: for a key that some rule names, which providers have which value.
//!
//! A [`Column`] is built when a rule that names its key is prepared, and carried over from the previous list where
//! providers stayed the same. Values are stored once a list; every value knows its positions.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::router::Selection;
use crate::rpc::Provider;

const ABSENT: u32 = u32::MAX;

/// The values of one key over a list.
#[derive(Debug)]
pub struct Column {
    /// Distinct values in byte order.
    values: Box<[Arc<str>]>,
    /// For each value, where its positions begin; one more entry is the end.
    starts: Box<[u32]>,
    positions: Box<[u32]>,
    value_of: Box<[u32]>,
    present: Selection,
}

/// Columns by key; belongs to one list.
#[derive(Default)]
pub struct InvokerIndex {
    columns: Mutex<HashMap<Box<str>, Arc<Column>>>,
    carry: Mutex<Option<Carry>>,
}

/// What a previous list's index can give: its columns, and for each new position the old one.
pub(crate) struct Carry {
    columns: HashMap<Box<str>, Arc<Column>>,
    old_positions: Vec<u32>,
}

// === impl Column ===

impl Column {
    /// Distinct values in byte order, each with its number.
    pub fn values(&self) -> impl Iterator<Item = (usize, &str)> {
        self.values.iter().enumerate().map(|(number, value)| (number, &**value))
    }

    /// The number of `value`.
    #[must_use]
    pub fn number(&self, value: &str) -> Option<usize> {
        self.values.binary_search_by(|other| (**other).cmp(value)).ok()
    }

    /// The numbers of the values that begin with `prefix`.
    #[must_use]
    pub fn prefix(&self, prefix: &str) -> Range<usize> {
        let start = self.values.partition_point(|value| &**value < prefix);
        let rest = self.values.get(start..).unwrap_or_default();
        start..start + rest.partition_point(|value| value.starts_with(prefix))
    }

    /// Adds the positions of value `number` to `selection`.
    pub fn add_to(&self, number: usize, selection: &mut Selection) {
        let bounds = self.starts.get(number).zip(self.starts.get(number + 1));
        let positions = bounds.and_then(|(start, end)| self.positions.get(*start as usize..*end as usize));
        for position in positions.unwrap_or_default() {
            selection.insert(*position as usize);
        }
    }

    /// The positions that have the key at all.
    #[must_use]
    pub fn present(&self) -> &Selection {
        &self.present
    }

    /// The value at `position`.
    #[must_use]
    pub fn value_at(&self, position: usize) -> Option<&str> {
        self.values.get(*self.value_of.get(position)? as usize).map(|value| &**value)
    }

    fn build(providers: &[Provider], key: &str, carried: Option<(&Self, &[u32])>) -> Self {
        let mut values: Vec<Arc<str>> = carried.map(|(column, _)| column.values.to_vec()).unwrap_or_default();
        let mut numbers: HashMap<Arc<str>, u32> = HashMap::with_capacity(values.len());
        let mut numbers_are_known = false;
        let mut value_of = Vec::with_capacity(providers.len());
        for (position, provider) in providers.iter().enumerate() {
            let old = carried.and_then(|(column, old)| column.value_of.get(*old.get(position)? as usize));
            if let Some(number) = old {
                value_of.push(*number);
                continue;
            }
            if !numbers_are_known {
                numbers.extend(values.iter().cloned().zip(0..));
                numbers_are_known = true;
            }
            let Some(value) = provider.raw(key) else {
                value_of.push(ABSENT);
                continue;
            };
            let number = numbers.get(value).copied().unwrap_or_else(|| {
                let (text, number) = (Arc::<str>::from(value), values.len() as u32);
                values.push(Arc::clone(&text));
                numbers.insert(text, number);
                number
            });
            value_of.push(number);
        }
        Self::from_numbers(values, value_of)
    }

    /// Sorts the values, drops those without a position, and lists each one's positions.
    fn from_numbers(values: Vec<Arc<str>>, mut value_of: Vec<u32>) -> Self {
        let mut counts = vec![0_u32; values.len()];
        for number in &value_of {
            if let Some(count) = counts.get_mut(*number as usize) {
                *count += 1;
            }
        }
        let mut used: Vec<(u32, Arc<str>)> =
            (0..).zip(values).filter(|(number, _)| counts.get(*number as usize) > Some(&0)).collect();
        used.sort_unstable_by(|(_, one), (_, other)| one.cmp(other));
        let mut renumbered = vec![ABSENT; counts.len()];
        let mut starts = Vec::with_capacity(used.len() + 1);
        let mut total = 0;
        for (new, (old, _)) in (0..).zip(&used) {
            starts.push(total);
            total += counts.get(*old as usize).copied().unwrap_or(0);
            if let Some(slot) = renumbered.get_mut(*old as usize) {
                *slot = new;
            }
        }
        starts.push(total);
        let mut next: Vec<u32> = starts.clone();
        let mut positions = vec![0_u32; total as usize];
        let mut present = Selection::none(value_of.len());
        for (position, number) in value_of.iter_mut().enumerate() {
            *number = renumbered.get(*number as usize).copied().unwrap_or(ABSENT);
            let Some(at) = next.get_mut(*number as usize) else { continue };
            if let Some(slot) = positions.get_mut(*at as usize) {
                *slot = position as u32;
            }
            *at += 1;
            present.insert(position);
        }
        Self {
            values: used.into_iter().map(|(_, value)| value).collect(),
            starts: starts.into(),
            positions: positions.into(),
            value_of: value_of.into(),
            present,
        }
    }
}

// === impl InvokerIndex ===

impl InvokerIndex {
    /// An index that takes over what it can from the index of a previous list. `old_positions` has an entry for each
    /// new position: the old one, or `u32::MAX` for a new provider.
    pub(crate) fn carrying(previous: &Self, old_positions: Vec<u32>) -> Self {
        let columns = previous.columns.lock().clone();
        Self { columns: Mutex::default(), carry: Mutex::new(Some(Carry { columns, old_positions })) }
    }

    /// The column of `key` over `providers`, which are always those of the list that the index belongs to.
    pub(crate) fn column(&self, providers: &[Provider], key: &str) -> Arc<Column> {
        if let Some(column) = self.columns.lock().get(key) {
            return Arc::clone(column);
        }
        let carry = self.carry.lock();
        let carried = carry.as_ref().and_then(|carry| Some((&**carry.columns.get(key)?, &*carry.old_positions)));
        let column = Arc::new(Column::build(providers, key, carried));
        drop(carry);
        self.columns.lock().insert(key.into(), Arc::clone(&column));
        column
    }

    /// Lets go of the previous list's columns: everything that rules name has been built.
    pub(crate) fn seal(&self) {
        *self.carry.lock() = None;
    }
}

impl fmt::Debug for InvokerIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InvokerIndex({} columns)", self.columns.lock().len())
    }
}
