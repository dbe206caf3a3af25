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
#[derive(Debug, Default)]
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

/// A column while it is built, provider by provider.
struct ColumnBuilder<'a> {
    key: &'a str,
    /// The previous list's column: a provider that was there keeps its value's number.
    old: Option<Arc<Column>>,
    values: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    value_of: Vec<u32>,
}

// === impl ColumnBuilder ===

impl<'a> ColumnBuilder<'a> {
    fn new(key: &'a str, old: Option<Arc<Column>>, providers: usize) -> Self {
        let values: Vec<Arc<str>> = old.as_ref().map(|column| column.values.to_vec()).unwrap_or_default();
        let numbers = values.iter().cloned().zip(0..).collect();
        Self { key, old, values, numbers, value_of: Vec::with_capacity(providers) }
    }

    fn push(&mut self, provider: &Provider, old_position: Option<u32>) {
        let old = self.old.as_ref().and_then(|column| column.value_of.get(old_position? as usize).copied());
        let number = old.unwrap_or_else(|| provider.raw(self.key).map_or(ABSENT, |value| self.number(value)));
        self.value_of.push(number);
    }

    fn number(&mut self, value: &str) -> u32 {
        if let Some(number) = self.numbers.get(value) {
            return *number;
        }
        let (text, number) = (Arc::<str>::from(value), self.values.len() as u32);
        self.values.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    fn finish(self) -> Column {
        Column::from_numbers(self.values, self.value_of)
    }
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
        self.positions(number).for_each(|position| selection.insert(position));
    }

    /// The positions of value `number`, in order.
    pub fn positions(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let bounds = self.starts.get(number).zip(self.starts.get(number + 1));
        let positions = bounds.and_then(|(start, end)| self.positions.get(*start as usize..*end as usize));
        positions.unwrap_or_default().iter().map(|position| *position as usize)
    }

    /// The positions that have the key at all.
    #[must_use]
    pub fn present(&self) -> &Selection {
        &self.present
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
        self.build(providers, [key]);
        self.columns.lock().get(key).cloned().unwrap_or_default()
    }

    /// Builds the columns of `keys` that are not there yet, in one pass over the providers.
    pub(crate) fn build<'a>(&self, providers: &[Provider], keys: impl IntoIterator<Item = &'a str>) {
        let carry = self.carry.lock();
        let mut columns = self.columns.lock();
        let mut missing: Vec<&str> = keys.into_iter().filter(|key| !columns.contains_key(*key)).collect();
        missing.sort_unstable();
        missing.dedup();
        let old = |key: &str| carry.as_ref().and_then(|carry| carry.columns.get(key).cloned());
        let mut builders: Vec<ColumnBuilder<'_>> =
            missing.into_iter().map(|key| ColumnBuilder::new(key, old(key), providers.len())).collect();
        let old_positions = carry.as_ref().map(|carry| &*carry.old_positions).unwrap_or_default();
        // PERF: provider by provider, so that each one's text is read once (`runtime/rebuild`).
        for (position, provider) in providers.iter().enumerate() {
            let old_position = old_positions.get(position).copied();
            builders.iter_mut().for_each(|builder| builder.push(provider, old_position));
        }
        columns.extend(builders.into_iter().map(|builder| (builder.key.into(), Arc::new(builder.finish()))));
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
