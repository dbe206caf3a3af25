//! `consistenthash`: the same arguments go to the same candidate.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;
use parking_lot::Mutex;

use crate::loadbalance::BalanceCall;
use crate::loadbalance::Candidates;
use crate::loadbalance::LoadBalance;
use crate::loadbalance::hash_key::hash_of;
use crate::loadbalance::hash_ring::HashRing;
use crate::loadbalance::hash_ring::Requests;
use crate::router::mix;
use crate::rpc::Provider;
use crate::rpc::Url;
use crate::rpc::keys;

/// Picks by a hash of arguments, so that a key stays with its candidate while others come and go.
///
/// As `ConsistentHashLoadBalance` of Dubbo 3: a ring of `hash.nodes` (160) points an address, and the first point at or
/// after the hash of the arguments `hash.arguments` (`0`) as text. Both are what the consumer sets, else the
/// first candidate, for the method.
/// A candidate that was tried or is unavailable is passed over, as if it were not on the ring.
///
/// `hash.bounded=true` passes over, as Dubbo 2.7.23 does, who has had one and a half times the mean number of calls: keys
/// then wander. `hash.bounded=active` counts the calls in flight instead: a key stays until its candidate is overloaded,
/// and every call looks at the counts of all candidates.
#[derive(Debug, Clone, Default)]
pub struct ConsistentHash {
    rings: Arc<Mutex<Rings>>,
}

/// The rings that were used last, so that equal candidates in a new list find theirs.
#[derive(Debug, Default)]
struct Rings {
    /// With the hash of their content, the one used last at the end.
    recent: Vec<(u64, Arc<HashRing>)>,
    built: u64,
}

/// What is kept with a table.
#[derive(Debug)]
struct TableRing {
    ring: Arc<HashRing>,
    arguments: Box<[usize]>,
    bound: Bound,
}

/// What keeps calls from crowding on one candidate.
#[derive(Debug)]
enum Bound {
    None,
    Requests(Arc<Requests>),
    Active,
}

// === impl ConsistentHash ===

impl ConsistentHash {
    /// The policy's name.
    pub const NAME: &str = "consistenthash";
    /// Points an address has where nothing is said.
    pub const DEFAULT_NODES: usize = 160;
    /// So many points are passed before candidates are told apart by another hash.
    const MAX_STEPS: usize = 1_024;

    /// How many rings have been built.
    #[must_use]
    pub fn built_rings(&self) -> u64 {
        self.rings.lock().built
    }

    fn table_ring(&self, candidates: &Candidates<'_>, consumer: Option<&Url>, method: &str) -> TableRing {
        let provider = |position: usize| candidates.list.provider(position);
        let first = candidates.table.position(0).and_then(provider);
        let first_url = first.map(Provider::url);
        let plain = |key| consumer.and_then(|consumer| consumer.non_empty_parameter(key));
        let of_first = |key| first.and_then(|first| first.method_parameter(method, key));
        // The method's own goes before a plain one, whoever sets it.
        let parameter = |key| {
            let own = [consumer, first_url].into_iter().flatten();
            let own = own.filter_map(|url| url.own_method_parameter(method, key)).next();
            own.or_else(|| plain(key)).or_else(|| of_first(key)).unwrap_or_default()
        };
        let nodes = parameter(keys::HASH_NODES).parse().unwrap_or(Self::DEFAULT_NODES);
        let address = |position| provider(position).and_then(|provider| provider.url().address()).unwrap_or_default();
        let addresses: Vec<&str> = candidates.table.positions().map(address).collect();
        let ring = self.rings.lock().find_or_make(&addresses, nodes);
        let bound = match parameter(keys::HASH_BOUNDED) {
            "true" => Bound::Requests(ring.requests(method)),
            "active" => Bound::Active,
            _ => Bound::None,
        };
        TableRing { ring, arguments: arguments(parameter(keys::HASH_ARGUMENTS)), bound }
    }
}

/// The indexes in a list such as `0,2`. Blanks around them do not count, and neither does what is no index; where none is
/// left, it is the first argument.
fn arguments(text: &str) -> Box<[usize]> {
    let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let indexes: Option<Vec<Option<usize>>> =
        entries.map(|entry| entry.parse::<i64>().ok().map(|index| usize::try_from(index).ok())).collect();
    match indexes {
        // Numbers that are no place of an argument (`-1`) are left out.
        Some(indexes) if !indexes.is_empty() => indexes.into_iter().flatten().collect(),
        _ => [0].into(),
    }
}

impl LoadBalance for ConsistentHash {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn pick(&self, candidates: &Candidates<'_>, call: &BalanceCall<'_>) -> Option<usize> {
        let table = candidates.table;
        if let Some(kept) = table.kept::<TableRing>() {
            return kept.pick(candidates, call);
        }
        let made = self.table_ring(candidates, call.consumer, call.method);
        let picked = made.pick(candidates, call);
        let bytes = made.ring.bytes();
        table.keep(made, bytes);
        picked
    }
}

// === impl TableRing ===

impl TableRing {
    fn pick(&self, candidates: &Candidates<'_>, call: &BalanceCall<'_>) -> Option<usize> {
        let hash = hash_of(call.invocation, &self.arguments);
        let limit = match self.bound {
            Bound::Active => active_limit(candidates),
            _ => 0,
        };
        let is_over = |candidate: usize| match &self.bound {
            Bound::None => false,
            Bound::Requests(requests) => requests.is_over(candidate),
            Bound::Active => {
                let id = candidates.table.ids().get(candidate);
                id.is_some_and(|id| candidates.states.active(*id) >= limit)
            }
        };
        let mut fallback = None;
        for candidate in self.ring.from(hash).take(ConsistentHash::MAX_STEPS) {
            let Some(position) = candidates.table.position(candidate) else { continue };
            if !candidates.is_welcome(position) {
                continue;
            }
            fallback = fallback.or(Some((candidate, position)));
            if !is_over(candidate) {
                return Some(self.taken(candidate, position));
            }
        }
        if let Some((candidate, position)) = fallback {
            return Some(self.taken(candidate, position));
        }
        by_rendezvous(candidates, hash)
    }

    fn taken(&self, candidate: usize, position: usize) -> usize {
        if let Bound::Requests(requests) = &self.bound {
            requests.count(candidate);
        }
        position
    }
}

/// One and a half times the mean of the calls in flight, this one among them; at least 1.
fn active_limit(candidates: &Candidates<'_>) -> u64 {
    let active: u64 = candidates.table.ids().iter().map(|id| candidates.states.active(*id)).sum();
    let count = 2 * candidates.table.len().max(1) as u64;
    (3 * (active + 1)).div_ceil(count)
}

/// The candidate whose address goes best with `hash`, among those that may be had: where nearly nobody may, this is
/// shorter than the way around the ring, and as steady.
fn by_rendezvous(candidates: &Candidates<'_>, hash: u32) -> Option<usize> {
    let rank = candidates.best_rank();
    let ranked = candidates.table.positions().filter(|position| candidates.rank(*position) == rank);
    let address = |position: usize| candidates.list.provider(position).map(Provider::url).and_then(|url| url.address());
    let hasher = FixedState::with_seed(0);
    ranked.max_by_key(|position| mix(hasher.hash_one(address(*position)) ^ u64::from(hash)))
}

// === impl Rings ===

impl Rings {
    const MOST: usize = 64;
    /// The rings that are kept without a table take so many bytes at most, the last one apart.
    const MOST_BYTES: usize = 64 << 20;

    fn find_or_make(&mut self, addresses: &[&str], nodes: usize) -> Arc<HashRing> {
        let hash = FixedState::with_seed(0).hash_one((addresses, nodes));
        let found = self.recent.iter().position(|(other, ring)| *other == hash && ring.is_of(addresses, nodes));
        let entry = match found {
            Some(at) => self.recent.remove(at),
            None => {
                self.built += 1;
                (hash, Arc::new(HashRing::of(addresses, nodes)))
            }
        };
        let ring = Arc::clone(&entry.1);
        self.recent.push(entry);
        let mut bytes: usize = self.recent.iter().map(|(_, ring)| ring.bytes()).sum();
        while self.recent.len() > 1 && (self.recent.len() > Self::MOST || bytes > Self::MOST_BYTES) {
            bytes -= self.recent.remove(0).1.bytes();
        }
        ring
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_read_as_they_are_meant() {
        for (text, expected) in [
            ("", &[0][..]),
            ("0", &[0]),
            ("2,0", &[2, 0]),
            (" 0 , 1 ", &[0, 1]),
            ("0,0", &[0, 0]),
            ("-1", &[]),
            ("0,-1", &[0]),
            ("first", &[0]),
            (",", &[0]),
        ] {
            assert_eq!(*arguments(text), *expected, "`{text}`");
        }
    }
}
