//! What is worked out once for a method and a list.

use std::fmt;
use std::sync::Arc;
use std::sync::Weak;

use arc_swap::ArcSwap;
use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::router::InvokerList;

/// Values by method, each good for one list. Readers never wait.
pub struct ByMethod<T> {
    known: ArcSwap<HashMap<Box<str>, Values<T>>>,
}

/// The newest value first, then that of the list before: while one list replaces another, calls come over both.
type Values<T> = SmallVec<[Known<T>; 2]>;

struct Known<T> {
    /// No other list gets its address as long as this is here; the list itself may go.
    list: Weak<InvokerList>,
    value: Arc<T>,
}

/// How many methods are remembered; beyond that all are forgotten.
const MAX_METHODS: usize = 256;

// === impl ByMethod ===

impl<T> ByMethod<T> {
    /// The value of `method` over `list`; made if there is none yet.
    pub fn get(&self, list: &Arc<InvokerList>, method: &str, make: impl FnOnce() -> T) -> Arc<T> {
        if let Some(known) = self.known.load().get(method).and_then(|values| find(values, list)) {
            return Arc::clone(known);
        }
        let value = Arc::new(make());
        self.known.rcu(|known| {
            let mut known = HashMap::clone(known);
            if known.len() >= MAX_METHODS {
                known.clear();
            }
            let older = known.get(method).and_then(|values| values.first()).cloned();
            let newest = Known { list: Arc::downgrade(list), value: Arc::clone(&value) };
            known.insert(method.into(), [newest].into_iter().chain(older).collect());
            known
        });
        value
    }

    /// Makes the value of every method that was asked for before, over a new list.
    pub fn renew(&self, list: &Arc<InvokerList>, make: impl Fn(&str) -> T) {
        for method in self.known.load_full().keys() {
            self.get(list, method, || make(method));
        }
    }
}

fn find<'a, T>(values: &'a Values<T>, list: &Arc<InvokerList>) -> Option<&'a Arc<T>> {
    values.iter().find(|known| known.list.as_ptr() == Arc::as_ptr(list)).map(|known| &known.value)
}

impl<T> Default for ByMethod<T> {
    fn default() -> Self {
        Self { known: ArcSwap::default() }
    }
}

impl<T> fmt::Debug for ByMethod<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByMethod").field("methods", &self.known.load().len()).finish()
    }
}

// === impl Known ===

impl<T> Clone for Known<T> {
    fn clone(&self) -> Self {
        Self { list: Weak::clone(&self.list), value: Arc::clone(&self.value) }
    }
}
