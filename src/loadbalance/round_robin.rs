//! `roundrobin`: smooth weighted round robin.
//!
//! What has been given to an address is kept for each service and method, as in Dubbo. A set of candidates that is met for
//! the first time takes one step from there, at the price of a look at all of it; one that is met again has a
//! [`Rotation`] of its own, which begins where that step ended and costs one atomic number a call. So sets that differ from
//! call to call share one memory, and sets that stay are fast and exact.

use std::hash::BuildHasher;
use std::hash::Hash;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::loadbalance::BalanceCall;
use crate::loadbalance::CandidateTable;
use crate::loadbalance::Candidates;
use crate::loadbalance::LoadBalance;
use crate::loadbalance::rotation::Rotation;
use crate::rpc::InvokerId;
use crate::rpc::ServiceKey;

/// Gives every candidate its turns by weight, evenly spread: weights 5, 1, 1 give A A B A C A A.
///
/// As `RoundRobinLoadBalance`: every candidate's current grows by its weight, the greatest is picked and loses the total.
/// There is one order for all threads. Unlike there, a weight that changes does not set its address back to 0: under
/// weights that change at every call nobody would ever get ahead.
#[derive(Debug, Clone, Default)]
pub struct RoundRobin {
    turns: Arc<Turns>,
}

/// The memory of every service and method.
#[derive(Debug, Default)]
struct Turns {
    methods: Mutex<HashMap<(ServiceKey, Box<str>), SharedTurns>>,
}

/// The memory of one method.
#[derive(Debug, Default)]
struct MethodTurns {
    currents: HashMap<InvokerId, Current>,
    sets: HashMap<SetKey, KnownSet>,
    last_ms: i64,
    cleaned_ms: i64,
}

#[derive(Debug, Clone, Copy)]
struct Current {
    value: i64,
    seen_ms: i64,
}

type SharedTurns = Arc<Mutex<MethodTurns>>;

/// Tells sets apart by slots and weights.
type SetKey = (usize, u64, u64);

#[derive(Debug)]
struct KnownSet {
    seen_ms: i64,
    rotation: Option<Arc<Rotation>>,
}

/// How a set is known.
enum Met {
    /// Not at all: a step was made for it.
    First(Option<usize>),
    /// It was met before, and has a rotation.
    Often(Arc<Rotation>),
}

/// What is kept with a table.
#[derive(Debug)]
struct TableTurns {
    turns: Arc<Turns>,
    method: SharedTurns,
    rotation: Arc<Rotation>,
}

// === impl RoundRobin ===

impl RoundRobin {
    /// The policy's name.
    pub const NAME: &str = "roundrobin";

    /// Takes turns until a candidate is welcome.
    fn take_turns(candidates: &Candidates<'_>, rotation: &Rotation, now_ms: i64) -> Option<usize> {
        (0..Candidates::DRAWS)
            .find_map(|_| candidates.table.position(rotation.next(now_ms)?).filter(|at| candidates.is_welcome(*at)))
    }
}

impl LoadBalance for RoundRobin {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn pick(&self, candidates: &Candidates<'_>, call: &BalanceCall<'_>) -> Option<usize> {
        let table = candidates.table;
        let kept = table.kept::<TableTurns>().filter(|kept| Arc::ptr_eq(&kept.turns, &self.turns));
        if let Some(kept) = kept {
            return Self::take_turns(candidates, &kept.rotation, call.now_ms)
                .or_else(|| kept.method.lock().step(candidates, call.now_ms));
        }
        let method = self.turns.method(candidates.list.service(), call);
        let met = method.lock().meet(candidates, call.now_ms);
        let rotation = match met {
            Met::Often(rotation) => rotation,
            Met::First(picked) => return picked,
        };
        let bytes = rotation.bytes();
        let (turns, shared) = (Arc::clone(&self.turns), Arc::clone(&method));
        table.keep(TableTurns { turns, method: shared, rotation: Arc::clone(&rotation) }, bytes);
        Self::take_turns(candidates, &rotation, call.now_ms).or_else(|| method.lock().step(candidates, call.now_ms))
    }
}

// === impl Turns ===

impl Turns {
    /// So many methods are told apart; callers may invent names.
    const MAX_METHODS: usize = 16_384;

    fn method(&self, service: &ServiceKey, call: &BalanceCall<'_>) -> SharedTurns {
        let mut methods = self.methods.lock();
        let key = (service.clone(), call.method.into());
        if let Some(method) = methods.get(&key) {
            return Arc::clone(method);
        }
        if methods.len() >= Self::MAX_METHODS {
            methods.retain(|_, method| Arc::strong_count(method) > 1 || !method.lock().is_idle(call.now_ms));
        }
        // Names beyond that share their turns.
        let is_full = methods.len() >= Self::MAX_METHODS;
        let key = if is_full { (service.clone(), "".into()) } else { key };
        Arc::clone(methods.entry(key).or_default())
    }
}

// === impl MethodTurns ===

impl MethodTurns {
    /// What was not seen for so long is forgotten, as in `RoundRobinLoadBalance`.
    const FORGET_MS: i64 = 60_000;
    /// So many sets are known at most.
    const MAX_SETS: usize = 4_096;

    fn is_idle(&self, now_ms: i64) -> bool {
        now_ms.saturating_sub(self.last_ms) > Self::FORGET_MS
    }

    /// The rotation of a set that was met before, else one step for it.
    fn meet(&mut self, candidates: &Candidates<'_>, now_ms: i64) -> Met {
        self.clean(now_ms);
        let table = candidates.table;
        let Self { currents, sets, .. } = self;
        let Some(known) = sets.get_mut(&set_key(table)) else {
            sets.insert(set_key(table), KnownSet { seen_ms: now_ms, rotation: None });
            return Met::First(self.step(candidates, now_ms));
        };
        known.seen_ms = now_ms;
        if let Some(rotation) = &known.rotation {
            return Met::Often(Arc::clone(rotation));
        }
        let current = |id| currents.get(&id).filter(|it| it.is_remembered(now_ms)).map_or(0, |it| it.value);
        let rotation = Arc::new(Rotation::begin(table, current, now_ms));
        known.rotation = Some(Arc::clone(&rotation));
        // The first turn of the rotation counts for all sets, so that those which begin now do not all begin alike.
        self.step(candidates, now_ms);
        Met::Often(rotation)
    }

    /// One step among those candidates that may be had.
    fn step(&mut self, candidates: &Candidates<'_>, now_ms: i64) -> Option<usize> {
        self.last_ms = now_ms;
        let rank = candidates.best_rank();
        let rows = candidates.table.positions().zip(candidates.table.ids());
        let rows = || rows.clone().filter(|(position, _)| candidates.rank(*position) == rank);
        let total: i64 = rows().map(|(position, _)| i64::from(candidates.weight(position, now_ms))).sum();
        let mut best: Option<(i64, usize, InvokerId)> = None;
        for (position, id) in rows() {
            let weight = i64::from(candidates.weight(position, now_ms));
            let current = self.currents.entry(*id).or_insert(Current { value: 0, seen_ms: now_ms });
            if !current.is_remembered(now_ms) {
                current.value = 0;
            }
            current.value = current.value.saturating_add(weight);
            current.seen_ms = now_ms;
            let may_be_picked = weight > 0 || total == 0;
            if may_be_picked && best.is_none_or(|(most, ..)| current.value > most) {
                best = Some((current.value, position, *id));
            }
        }
        let (_, position, id) = best?;
        if let Some(current) = self.currents.get_mut(&id) {
            current.value = current.value.saturating_sub(total);
        }
        Some(position)
    }

    /// Forgets what is old, once in the time after which things are. A rotation that a table has stays.
    fn clean(&mut self, now_ms: i64) {
        self.last_ms = now_ms;
        let is_time = now_ms.saturating_sub(self.cleaned_ms) > Self::FORGET_MS;
        if !is_time && self.sets.len() < Self::MAX_SETS {
            return;
        }
        self.cleaned_ms = now_ms;
        let is_held = |set: &KnownSet| set.rotation.as_ref().is_some_and(|rotation| Arc::strong_count(rotation) > 1);
        let is_new = |set: &KnownSet| now_ms.saturating_sub(set.seen_ms) <= Self::FORGET_MS;
        self.sets.retain(|_, set| is_held(set) || is_new(set));
        if self.sets.len() >= Self::MAX_SETS {
            self.sets.retain(|_, set| is_held(set));
        }
        self.currents.retain(|_, current| current.is_remembered(now_ms));
    }
}

// === impl Current ===

impl Current {
    fn is_remembered(&self, now_ms: i64) -> bool {
        now_ms.saturating_sub(self.seen_ms) <= MethodTurns::FORGET_MS
    }
}

fn set_key(table: &CandidateTable) -> SetKey {
    let hash = |seed| {
        let mut hasher = FixedState::with_seed(seed).build_hasher();
        for (position, id) in table.positions().zip(table.ids()) {
            (id, table.weights().full(position), table.weights().warming(position)).hash(&mut hasher);
        }
        std::hash::Hasher::finish(&hasher)
    };
    (table.len(), hash(1), hash(2))
}
