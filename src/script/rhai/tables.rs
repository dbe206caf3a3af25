//! The tables whose columns are kept.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use crate::script::ProviderTable;
use crate::script::rhai::columns::Columns;

/// Columns by table, the newest table first.
#[derive(Debug, Default)]
pub(super) struct Tables(VecDeque<Rc<Columns>>);

// === impl Tables ===

impl Tables {
    /// The oldest goes when there would be more.
    const MAX_TABLES: usize = 8;

    /// The columns of `table`.
    pub(super) fn columns(&mut self, table: &Arc<ProviderTable>) -> Rc<Columns> {
        if let Some(columns) = self.0.iter().find(|columns| columns.table().number() == table.number()) {
            return columns.clone();
        }
        let columns = Rc::new(Columns::of(table.clone()));
        self.0.truncate(Self::MAX_TABLES - 1);
        self.0.push_front(columns.clone());
        columns
    }

    /// Forgets the table of this number.
    pub(super) fn forget(&mut self, number: u64) {
        self.0.retain(|columns| columns.table().number() != number);
    }
}
