//! Places for calls under way, by URL and method.

use std::hash::Hash;
use std::sync::Arc;

use hashbrown::Equivalent;
use hashbrown::HashMap;
use parking_lot::RwLock;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio::time::timeout_at;

use crate::rpc::Url;

/// From how many methods on those that nobody uses are forgotten.
const SWEEP_AT: usize = 1_024;

/// Counts calls under way against a limit. A place is a number, so that a filter can carry it as its mark; 0 is the place of
/// a call without a limit.
#[derive(Debug, Default)]
pub(super) struct Places {
    table: RwLock<Table>,
}

#[derive(Debug, Default)]
struct Table {
    numbers: HashMap<Key, u32>,
    /// By number.
    methods: Vec<Option<Arc<Method>>>,
    free: Vec<u32>,
    sweep_at: usize,
}

#[derive(Debug)]
struct Method {
    mark: u64,
    limit: Option<usize>,
    places: Semaphore,
}

#[derive(Debug, Hash, PartialEq, Eq)]
struct Key {
    url: Url,
    method: Box<str>,
}

#[derive(Hash)]
struct KeyRef<'a> {
    url: &'a Url,
    method: &'a str,
}

/// What a call finds.
#[derive(Debug)]
pub(super) enum Entry {
    /// It has this place.
    Taken(u64),
    /// All places are taken.
    Full(Queue),
}

/// Where calls wait for a place, in the order in which they came.
#[derive(Debug)]
pub(super) struct Queue {
    method: Arc<Method>,
}

// === impl Places ===

impl Places {
    /// Takes a place of `method` at `url`. `limit` is asked when the method is first seen there; none is no limit.
    pub(super) fn enter(&self, url: &Url, method: &str, limit: impl FnOnce() -> Option<u32>) -> Entry {
        let key = KeyRef { url, method };
        if let Some(entry) = self.table.read().enter(&key) {
            return entry;
        }
        let mut table = self.table.write();
        if table.number(&key).is_none() {
            table.add(&key, limit());
        }
        table.enter(&key).unwrap_or(Entry::Taken(0))
    }

    /// Gives a place back; whoever waits longest gets it.
    pub(super) fn leave(&self, mark: u64) {
        if let Some(method) = number_of(mark).and_then(|number| self.table.read().method(number).cloned()) {
            method.places.add_permits(1);
        }
    }

    /// How many places are taken.
    #[cfg(test)]
    pub(super) fn taken(&self) -> usize {
        self.table.read().methods.iter().flatten().map(|method| method.taken()).sum()
    }
}

fn number_of(mark: u64) -> Option<u32> {
    mark.checked_sub(1).and_then(|number| u32::try_from(number).ok())
}

// === impl Table ===

impl Table {
    fn number(&self, key: &KeyRef<'_>) -> Option<u32> {
        self.numbers.get(key).copied()
    }

    fn method(&self, number: u32) -> Option<&Arc<Method>> {
        self.methods.get(number as usize)?.as_ref()
    }

    fn enter(&self, key: &KeyRef<'_>) -> Option<Entry> {
        let method = self.method(self.number(key)?)?;
        if method.limit.is_none() {
            return Some(Entry::Taken(0));
        }
        Some(match method.places.try_acquire() {
            Ok(place) => {
                place.forget();
                Entry::Taken(method.mark)
            }
            Err(_) => Entry::Full(Queue { method: Arc::clone(method) }),
        })
    }

    fn add(&mut self, key: &KeyRef<'_>, limit: Option<u32>) {
        if self.numbers.len() >= self.sweep_at.max(SWEEP_AT) {
            self.sweep();
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.methods.push(None);
            u32::try_from(self.methods.len() - 1).unwrap_or(u32::MAX)
        });
        let limit = limit.map(|limit| (limit as usize).min(Semaphore::MAX_PERMITS));
        let places = Semaphore::new(limit.unwrap_or_default());
        let method = Arc::new(Method { mark: u64::from(number) + 1, limit, places });
        if let Some(slot) = self.methods.get_mut(number as usize) {
            *slot = Some(method);
            self.numbers.insert(Key { url: key.url.clone(), method: key.method.into() }, number);
        }
    }

    /// Forgets methods that have all their places and nobody waiting: providers go, and callers may invent methods.
    fn sweep(&mut self) {
        let Self { numbers, methods, free, sweep_at } = self;
        numbers.retain(|_, number| {
            let Some(slot) = methods.get_mut(*number as usize) else { return false };
            // INVARIANT: nobody enters while the table is written, and whoever waits holds the method.
            let is_idle = slot.as_ref().is_none_or(|method| method.taken() == 0 && Arc::strong_count(method) == 1);
            if is_idle {
                *slot = None;
                free.push(*number);
            }
            !is_idle
        });
        *sweep_at = numbers.len() * 2;
    }
}

// === impl Method ===

impl Method {
    fn taken(&self) -> usize {
        self.limit.map_or(0, |limit| limit.saturating_sub(self.places.available_permits()))
    }
}

// === impl KeyRef ===

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.method == &*key.method && *self.url == key.url
    }
}

// === impl Queue ===

impl Queue {
    /// How many places there are.
    pub(super) fn limit(&self) -> usize {
        self.method.limit.unwrap_or_default()
    }

    /// Waits until `end`; the place, or none. Dropping the future leaves the queue, and passes a place on that it was
    /// given meanwhile.
    pub(super) async fn wait(&self, end: Instant) -> Option<u64> {
        let place = timeout_at(end, self.method.places.acquire()).await.ok()?.ok()?;
        place.forget();
        Some(self.method.mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_nobody_uses_are_forgotten_and_those_in_use_are_not() {
        let (places, url) = (Places::default(), Url::parse("dubbo://h:1/S").unwrap());
        let Entry::Taken(kept) = places.enter(&url, "kept", || Some(1)) else { panic!("full") };
        let Entry::Full(queue) = places.enter(&url, "kept", || None) else { panic!("not full") };
        for number in 0..10 * SWEEP_AT {
            let Entry::Taken(mark) = places.enter(&url, &format!("m{number}"), || Some(2)) else { panic!("full") };
            places.leave(mark);
        }
        assert!(places.table.read().methods.len() <= SWEEP_AT + 1);
        assert_eq!((places.taken(), queue.limit()), (1, 1));
        places.leave(kept);
        assert!(matches!(places.enter(&url, "kept", || None), Entry::Taken(mark) if mark == kept), "the same method");
    }

    #[test]
    fn urls_and_methods_are_counted_apart() {
        let places = Places::default();
        let [one, two] = ["dubbo://a:1/S", "dubbo://b:1/S"].map(|text| Url::parse(text).unwrap());
        for (url, method) in [(&one, "find"), (&one, "save"), (&two, "find")] {
            assert!(matches!(places.enter(url, method, || Some(1)), Entry::Taken(1..)), "{method}");
            assert!(matches!(places.enter(url, method, || Some(1)), Entry::Full(_)), "{method}");
        }
        assert!(matches!(places.enter(&two, "free", || None), Entry::Taken(0)));
        places.leave(0);
        assert_eq!(places.taken(), 3);
    }
}
