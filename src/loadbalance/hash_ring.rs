//! The ring of `consistenthash`: points of addresses in order.
//!
//! The points are digests and so spread evenly: an index of their upper bits leads to the right place at once, whatever the
//! size of the ring.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::loadbalance::hash_key::points_of;

/// A ring over candidates, named by their places in the table. Its points are made when they are asked for.
#[derive(Debug)]
pub(crate) struct HashRing {
    addresses: Box<[Box<str>]>,
    nodes: usize,
    points: OnceLock<Points>,
    requests: Mutex<HashMap<Box<str>, Arc<Requests>>>,
}

#[derive(Debug)]
struct Points {
    /// Hash above, candidate below; in order of the hash.
    points: Box<[u64]>,
    /// For each value of the upper bits the first point at or after it.
    index: Box<[u32]>,
    shift: u32,
}

/// How many calls went to each candidate, for the bound of Dubbo 2.7.
#[derive(Debug)]
pub(crate) struct Requests {
    total: AtomicU64,
    by_candidate: Box<[AtomicU64]>,
}

// === impl HashRing ===

impl HashRing {
    /// So many points a ring has at most; with more addresses than that allows, each has fewer.
    const MAX_POINTS: usize = 1 << 24;
    /// So many points an address has at most.
    const MAX_NODES: usize = 10_000;

    /// The ring of `addresses`, each with `nodes` points.
    pub(crate) fn of(addresses: &[&str], nodes: usize) -> Self {
        let addresses = addresses.iter().map(|address| (*address).into()).collect();
        Self { addresses, nodes, points: OnceLock::new(), requests: Mutex::default() }
    }

    /// How many digests an address has.
    fn digests(addresses: usize, nodes: usize) -> usize {
        (nodes.min(Self::MAX_NODES) / 4).min(Self::MAX_POINTS / 4 / addresses.max(1)).max(1)
    }

    /// Whether this is the ring of these addresses in this order.
    pub(crate) fn is_of(&self, addresses: &[&str], nodes: usize) -> bool {
        self.nodes == nodes
            && self.addresses.len() == addresses.len()
            && self.addresses.iter().zip(addresses).all(|(one, other)| **one == **other)
    }

    /// The candidates from `hash` on, once around; one comes as often as it has points.
    pub(crate) fn from(&self, hash: u32) -> impl Iterator<Item = usize> + '_ {
        let Points { points, index, shift } = self.points();
        let upper = u64::from(hash) >> shift;
        let mut at = index.get(upper as usize).map_or(0, |first| *first as usize);
        while points.get(at).is_some_and(|point| (*point >> 32) < u64::from(hash)) {
            at += 1;
        }
        let (before, after) = points.split_at(at.min(points.len()));
        after.iter().chain(before).map(|point| (*point & u64::from(u32::MAX)) as usize)
    }

    /// The counters of `method`.
    pub(crate) fn requests(&self, method: &str) -> Arc<Requests> {
        let mut requests = self.requests.lock();
        let fresh = || {
            let by_candidate = self.addresses.iter().map(|_| AtomicU64::new(0)).collect();
            Arc::new(Requests { total: AtomicU64::new(0), by_candidate })
        };
        Arc::clone(requests.entry(method.into()).or_insert_with(fresh))
    }

    /// Bytes of memory behind the ring.
    pub(crate) fn bytes(&self) -> usize {
        let texts: usize = self.addresses.iter().map(|address| address.len() + size_of::<Box<str>>()).sum();
        texts + self.points.get().map_or(0, |it| size_of_val(&*it.points) + size_of_val(&*it.index))
    }

    #[inline]
    fn points(&self) -> &Points {
        self.points.get_or_init(|| Points::build(&self.addresses, Self::digests(self.addresses.len(), self.nodes)))
    }
}

// === impl Points ===

impl Points {
    /// Four points for each digest of every address. Where two share a hash, the later address has it.
    fn build(addresses: &[Box<str>], digests: usize) -> Self {
        let mut points = Vec::with_capacity(addresses.len() * digests * 4);
        let mut text = String::new();
        for (candidate, address) in (0_u64..).zip(addresses) {
            for digest in 0..digests {
                text.clear();
                text.push_str(address);
                text.push_str(&digest.to_string());
                points.extend(points_of(&text).map(|hash| u64::from(hash) << 32 | candidate));
            }
        }
        points.sort_unstable();
        points.dedup_by(|next, kept| {
            let is_same = *next >> 32 == *kept >> 32;
            if is_same {
                *kept = *next;
            }
            is_same
        });
        let bits = (points.len() / 2).max(2).ilog2();
        let mut index = vec![0; (1 << bits) + 1];
        let mut at = 0;
        for (upper, first) in index.iter_mut().enumerate() {
            let start = (upper as u64) << (64 - bits);
            let is_last = upper == 1 << bits;
            while !is_last && points.get(at).is_some_and(|point| *point < start) {
                at += 1;
            }
            *first = if is_last { points.len() as u32 } else { at as u32 };
        }
        Self { points: points.into(), index: index.into(), shift: 32 - bits }
    }
}

// === impl Requests ===

impl Requests {
    /// Whether a candidate has had one and a half times the mean or more.
    pub(crate) fn is_over(&self, candidate: usize) -> bool {
        let Some(had) = self.by_candidate.get(candidate).map(|count| count.load(Relaxed)) else { return false };
        let mean = self.total.load(Relaxed) as f64 / self.by_candidate.len() as f64;
        had > 0 && had as f64 >= 1.5 * mean
    }

    pub(crate) fn count(&self, candidate: usize) {
        if let Some(count) = self.by_candidate.get(candidate) {
            count.fetch_add(1, Relaxed);
            self.total.fetch_add(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::mix;

    #[test]
    fn the_index_leads_to_the_first_point_at_or_after() {
        for (count, nodes) in [(1, 4), (2, 7), (3, 160), (50, 320)] {
            let addresses: Vec<String> = (0..count).map(|host| format!("10.0.0.{host}:20880")).collect();
            let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
            let ring = HashRing::of(&addresses, nodes);
            let points = &ring.points().points;
            let edges = [0, 1, u32::MAX - 1, u32::MAX];
            let own = points.iter().map(|point| (*point >> 32) as u32);
            for hash in (0..2_000).map(|seed| mix(seed) as u32).chain(edges).chain(own) {
                let by_scan = points.iter().find(|point| (**point >> 32) as u32 >= hash);
                let expected = by_scan.or(points.first()).map(|point| (*point & 0xffff_ffff) as usize);
                assert_eq!(ring.from(hash).next(), expected, "{count} x {nodes}, {hash}");
            }
            assert_eq!(ring.from(7).count(), points.len());
        }
    }

    #[test]
    fn nobody_can_ask_for_more_points_than_there_may_be() {
        assert_eq!(HashRing::digests(1, usize::MAX), 2_500);
        assert_eq!(HashRing::digests(100_000, 160), 40);
        assert_eq!(HashRing::digests(1 << 20, usize::MAX) * 4 * (1 << 20), HashRing::MAX_POINTS);
        assert_eq!(HashRing::digests(3, 0), 1);
    }
}
