//! Tables kept beside a selection, one for each method that was asked for.

use std::sync::Arc;
use std::sync::OnceLock;

use crate::loadbalance::CandidateTable;

/// The tables of one set of candidates by method. It grows without moving or locking, up to a bound.
#[derive(Debug, Default, Clone)]
pub struct BalanceTables {
    first: OnceLock<Arc<Entry>>,
}

#[derive(Debug)]
struct Entry {
    method: Box<str>,
    table: CandidateTable,
    next: OnceLock<Arc<Entry>>,
}

/// Beyond so many methods a table is made for each call; nothing is thrown away that somebody may be looking at.
const MAX_METHODS: usize = 64;

// === impl BalanceTables ===

impl BalanceTables {
    /// Lends the table for `method`; it is made if there is none yet.
    pub fn lend<T>(
        &self,
        method: &str,
        make: impl FnOnce() -> CandidateTable,
        lend: impl FnOnce(&CandidateTable) -> T,
    ) -> T {
        let mut cell = &self.first;
        for _ in 0..MAX_METHODS {
            let Some(entry) = cell.get() else {
                let fresh = Arc::new(Entry { method: method.into(), table: make(), next: OnceLock::new() });
                // Where another was quicker, this call uses its own, and the next one looks further.
                let _ = cell.set(Arc::clone(&fresh));
                return lend(&fresh.table);
            };
            if *entry.method == *method {
                return lend(&entry.table);
            }
            cell = &entry.next;
        }
        lend(&make())
    }
}
