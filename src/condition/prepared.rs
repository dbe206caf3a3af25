//! A condition rule over one list: the `then` side as a bitset.

use std::sync::Arc;

use crate::condition::Dialect;
use crate::condition::Pair;
use crate::condition::Pattern;
use crate::condition::Subject;
use crate::condition::Then;
use crate::condition::bound::BoundCondition;
use crate::condition::router::CompiledRule;
use crate::router::Binding;
use crate::router::BoundRouter;
use crate::router::BuildError;
use crate::router::Column;
use crate::router::InvokerList;
use crate::router::PreparedRouter;
use crate::router::Selection;

/// A rule over one list, for any consumer.
#[derive(Debug)]
pub(crate) struct PreparedCondition {
    compiled: Arc<CompiledRule>,
    list: Arc<InvokerList>,
    /// What the pairs without placeholders keep; a binding adds the others.
    fixed: Arc<Selection>,
    columns: Vec<Option<Arc<Column>>>,
}

// === impl PreparedCondition ===

impl PreparedCondition {
    pub(crate) fn new(compiled: Arc<CompiledRule>, list: Arc<InvokerList>) -> Self {
        let dialect = compiled.rule.dialect();
        let pairs = compiled.rule.then().pairs();
        let columns: Vec<_> = pairs.iter().map(|pair| column_of(pair, &list)).collect();
        let mut fixed = match pairs {
            // `=> &` has a side without a pair: nobody is kept, but nobody is blocked either.
            [] => Selection::none(list.len()),
            _ => list.all().clone(),
        };
        for (pair, column) in pairs.iter().zip(&columns).filter(|(pair, _)| !pair.has_placeholder()) {
            fixed.intersect(&accepted(pair, column.as_deref(), dialect, list.len()));
        }
        Self { compiled, list, fixed: Arc::new(fixed), columns }
    }

    /// What the `then` side keeps for one consumer.
    fn keep(&self, binding: &Binding<'_>) -> Arc<Selection> {
        let rule = &self.compiled.rule;
        let is_fixed = |pair: &Pair| !pair.has_placeholder() && binding.overridden(pair.key().as_str()).is_none();
        if rule.then().pairs().iter().all(is_fixed) {
            return Arc::clone(&self.fixed);
        }
        let mut keep = self.list.all().clone();
        for (pair, column) in rule.then().pairs().iter().zip(&self.columns) {
            let resolved = pair.resolve(binding.consumer);
            match binding.overridden(pair.key().as_str()) {
                // The consumer's value stands for every provider's: all pass, or none does.
                Some(value) if *pair.key().subject() == Subject::Parameter => {
                    if !resolved.accepts(Some(value), rule.dialect()) {
                        keep = Selection::none(self.list.len());
                    }
                }
                _ => keep.intersect(&accepted(&resolved, column.as_deref(), rule.dialect(), self.list.len())),
            }
        }
        Arc::new(keep)
    }
}

impl PreparedRouter for PreparedCondition {
    fn bind(self: Arc<Self>, binding: &Binding<'_>) -> Result<Arc<dyn BoundRouter>, BuildError> {
        let keep = match self.compiled.rule.then() {
            Then::Blocked => None,
            Then::Pairs(_) => Some(self.keep(binding)),
        };
        Ok(Arc::new(BoundCondition::new(Arc::clone(&self.compiled), binding.consumer, keep)))
    }
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
