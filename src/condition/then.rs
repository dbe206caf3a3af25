//! A `then` side over one list: a bitset.

use std::sync::Arc;

use crate::condition::Dialect;
use crate::condition::Pair;
use crate::condition::Pattern;
use crate::condition::Subject;
use crate::router::Binding;
use crate::router::Column;
use crate::router::InvokerList;
use crate::router::Selection;

/// A `then` side over one list, for any consumer.
#[derive(Debug)]
pub(crate) struct PreparedThen {
    pairs: Arc<[Pair]>,
    dialect: Dialect,
    list: Arc<InvokerList>,
    /// What the pairs without placeholders keep; a binding adds the others.
    fixed: Arc<Selection>,
    columns: Vec<Option<Arc<Column>>>,
}

// === impl PreparedThen ===

impl PreparedThen {
    /// `start` is what stands where there is no pair.
    pub(crate) fn new(pairs: Arc<[Pair]>, dialect: Dialect, list: Arc<InvokerList>, start: Selection) -> Self {
        let columns: Vec<_> = pairs.iter().map(|pair| column_of(pair, &list)).collect();
        let mut fixed = if pairs.is_empty() { start } else { list.all().clone() };
        for (pair, column) in pairs.iter().zip(&columns).filter(|(pair, _)| !pair.has_placeholder()) {
            fixed.intersect(&accepted(pair, column.as_deref(), dialect, list.len()));
        }
        Self { pairs, dialect, list, fixed: Arc::new(fixed), columns }
    }

    /// Whether `kept` is the whole list.
    pub(crate) fn is_all(&self, kept: &Selection) -> bool {
        kept == self.list.all()
    }

    /// What it keeps for one consumer.
    pub(crate) fn keep(&self, binding: &Binding<'_>) -> Arc<Selection> {
        let is_fixed = |pair: &Pair| !pair.has_placeholder() && binding.overridden(pair.key().as_str()).is_none();
        if self.pairs.iter().all(is_fixed) {
            return Arc::clone(&self.fixed);
        }
        let mut keep = self.list.all().clone();
        for (pair, column) in self.pairs.iter().zip(&self.columns) {
            let resolved = pair.resolve(binding.consumer);
            match binding.overridden(pair.key().as_str()) {
                // The consumer's value stands for every provider's: all pass, or none does.
                Some(value) if *pair.key().subject() == Subject::Parameter => {
                    if !resolved.accepts(Some(value), self.dialect) {
                        keep = Selection::none(self.list.len());
                    }
                }
                _ => keep.intersect(&accepted(&resolved, column.as_deref(), self.dialect, self.list.len())),
            }
        }
        Arc::new(keep)
    }
}

/// What no consumer can get beyond: the positions that the pairs without placeholders keep, all where there is none.
#[must_use]
pub fn at_most(pairs: &[Pair], dialect: Dialect, list: &InvokerList) -> Selection {
    let mut kept = list.all().clone();
    for pair in pairs.iter().filter(|pair| !pair.has_placeholder()) {
        kept.intersect(&accepted(pair, column_of(pair, list).as_deref(), dialect, list.len()));
    }
    kept
}

/// The keys of providers that pairs look at.
pub(crate) fn provider_keys(pairs: &[Pair]) -> impl Iterator<Item = &str> {
    pairs.iter().filter(|pair| *pair.key().subject() == Subject::Parameter).map(|pair| pair.key().as_str())
}

fn column_of(pair: &Pair, list: &InvokerList) -> Option<Arc<Column>> {
    (*pair.key().subject() == Subject::Parameter).then(|| list.column(pair.key().as_str()))
}

/// The positions whose value a pair without placeholders accepts; equal to [`Pair::accepts`] on each.
fn accepted(pair: &Pair, column: Option<&Column>, dialect: Dialect, length: usize) -> Selection {
    let Some(column) = column else { return Selection::none(length) };
    let mut accepted = match (pair.matches(), pair.mismatches()) {
        ([], []) => Selection::none(length),
        ([], _) => column.present().clone(),
        (patterns, _) => matching(patterns, column, length),
    };
    if !pair.mismatches().is_empty() {
        accepted.subtract(&matching(pair.mismatches(), column, length));
    }
    if pair.accepts_absent(dialect) {
        let mut absent = Selection::all(length);
        absent.subtract(column.present());
        accepted.unite(&absent);
    }
    accepted
}

/// The positions whose value any of `patterns` matches. Texts are looked up, prefixes are a range, all else is tried
/// on the distinct values.
fn matching(patterns: &[Pattern], column: &Column, length: usize) -> Selection {
    let mut selection = Selection::none(length);
    for pattern in patterns {
        match pattern {
            Pattern::Any => selection.unite(column.present()),
            Pattern::Literal(text) => {
                column.number(text).into_iter().for_each(|number| column.add_to(number, &mut selection));
            }
            Pattern::Prefix(prefix) => {
                column.prefix(prefix).for_each(|number| column.add_to(number, &mut selection));
            }
            other => column
                .values()
                .filter(|(_, value)| other.is_match(value))
                .for_each(|(number, _)| column.add_to(number, &mut selection)),
        }
    }
    selection
}
