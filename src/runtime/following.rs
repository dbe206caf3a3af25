//! What a directory makes of the list that its engine has now: by the writer, before a call sees the list.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use hashbrown::HashSet;
use parking_lot::Mutex;

use crate::directory::Availability;
use crate::directory::Backoff;
use crate::directory::ByMethod;
use crate::directory::Invokers;
use crate::directory::is_enabled;
use crate::loadbalance::InvokerStates;
use crate::loadbalance::MethodWeights;
use crate::router::Clock;
use crate::router::InvokerList;
use crate::router::Selection;
use crate::rpc::InvokerId;
use crate::rpc::ProtocolRegistry;
use crate::rpc::Provider;
use crate::rpc::ServiceKey;

/// Invokers, weights and availability of one service's providers, for one directory.
#[derive(Debug)]
pub(crate) struct Following {
    pub(crate) service: ServiceKey,
    pub(crate) invokers: Invokers,
    pub(crate) availability: Availability,
    states: Arc<InvokerStates>,
    clock: Arc<dyn Clock>,
    facts: ByMethod<ListFacts>,
    catching_up: Mutex<()>,
    is_ended: AtomicBool,
}

/// What is worked out once for a list and a method.
#[derive(Debug)]
pub(crate) struct ListFacts {
    pub(crate) weights: Arc<MethodWeights>,
    /// Those that can and may be called; none where that is everybody.
    pub(crate) callable: Option<Selection>,
}

// === impl Following ===

impl Following {
    pub(crate) fn new(
        service: ServiceKey,
        protocols: ProtocolRegistry,
        states: &Arc<InvokerStates>,
        clock: &Arc<dyn Clock>,
        backoff: Backoff,
    ) -> Self {
        Self {
            service,
            invokers: Invokers::new(protocols),
            availability: Availability::new(Arc::clone(states), backoff),
            states: Arc::clone(states),
            clock: Arc::clone(clock),
            facts: ByMethod::default(),
            catching_up: Mutex::default(),
            is_ended: AtomicBool::new(false),
        }
    }

    /// Makes everything that calls over `list` need; calls over the list before go on.
    pub(crate) fn prepare(&self, list: &Arc<InvokerList>) {
        if self.is_ended() {
            return;
        }
        self.states.reserve(list.ids());
        self.invokers.follow(list);
        self.facts.renew(list, |method| self.facts_of(list, method));
    }

    /// Lets go of what only lists before `list` had; without one, of all.
    pub(crate) fn settle(&self, list: Option<&Arc<InvokerList>>) {
        match list {
            Some(list) => self.invokers.settle(list),
            None => self.invokers.clear(),
        }
        if !self.availability.is_forgotten() {
            let ids: HashSet<InvokerId> = list.map_or_else(HashSet::new, |list| list.ids().iter().copied().collect());
            self.availability.retain(|id| ids.contains(&id));
        }
    }

    /// Lets go of everything, for good.
    pub(crate) fn end(&self) {
        self.is_ended.store(true, Relaxed);
        self.settle(None);
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended.load(Relaxed)
    }

    /// For a call over a list that the writer did not prepare: one call does it, the others take or make what they need. So
    /// does a call that has come late, over a list that `is_current` no longer: what the present one has stays.
    #[inline]
    pub(crate) fn catch_up(&self, list: &Arc<InvokerList>, is_current: impl FnOnce() -> bool) {
        if self.invokers.follows(list) {
            return;
        }
        if let Some(_catching_up) = self.catching_up.try_lock()
            && is_current()
        {
            self.prepare(list);
            self.settle(Some(list));
        }
    }

    pub(crate) fn facts(&self, list: &Arc<InvokerList>, method: &str) -> Arc<ListFacts> {
        self.facts.get(list, method, || self.facts_of(list, method))
    }

    fn facts_of(&self, list: &Arc<InvokerList>, method: &str) -> ListFacts {
        let now_ms = self.clock.now().as_millisecond();
        let is_callable = |(position, provider): (usize, &Provider)| {
            is_enabled(provider) && self.invokers.refusal(list, position).is_none()
        };
        let callable: Vec<bool> = list.providers().iter().enumerate().map(is_callable).collect();
        let is_everybody = callable.iter().all(|is_callable| *is_callable);
        let positions = callable.iter().enumerate().filter_map(|(at, is_callable)| is_callable.then_some(at));
        ListFacts {
            weights: Arc::new(MethodWeights::of(list, method, now_ms)),
            callable: (!is_everybody).then(|| Selection::from_positions(list.len(), positions)),
        }
    }

    /// Whether somebody of `list` may be called and can be reached.
    pub(crate) fn has_anybody(&self, list: &Arc<InvokerList>) -> bool {
        let can_be_reached = |id: InvokerId| self.states.all_available() || self.states.is_available(id);
        list.providers().iter().zip(list.ids()).enumerate().any(|(position, (provider, id))| {
            can_be_reached(*id) && is_enabled(provider) && self.invokers.refusal(list, position).is_none()
        })
    }

    /// Why nobody of `list` can be called, whatever rules say; nothing where somebody can.
    pub(crate) fn why_nobody_can_be_called(&self, list: &Arc<InvokerList>) -> Option<String> {
        let mut disabled = 0;
        let mut reasons: Vec<String> = Vec::new();
        for (position, provider) in list.providers().iter().enumerate() {
            if !is_enabled(provider) {
                disabled += 1;
                continue;
            }
            let reason = self.invokers.refusal(list, position)?.message().to_owned();
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        let (all, more) = (list.len(), if reasons.len() > REASONS { "; …" } else { "" });
        reasons.truncate(REASONS);
        let reasons = format!("{}{more}", reasons.join("; "));
        Some(match disabled {
            0 => format!("none of its {all} providers can be called: {reasons}"),
            _ if disabled == all => format!("all {all} providers are disabled"),
            _ => format!("of {all} providers {disabled} are disabled, and the others cannot be called: {reasons}"),
        })
    }
}

/// So many different reasons are told.
const REASONS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::SystemClock;
    use crate::rpc::Url;
    use crate::stand_in::StandIns;
    use crate::transport::StandInProtocol;

    fn list(hosts: &[&str]) -> Arc<InvokerList> {
        let url = |host: &&str| Url::parse(&format!("dubbo://{host}:1/S")).unwrap();
        let providers = hosts.iter().map(|host| Provider::new(url(host))).collect();
        Arc::new(InvokerList::of(ServiceKey::parse("S"), providers))
    }

    #[test]
    fn a_call_that_comes_late_takes_nothing_from_the_present_list() {
        let mut protocols = ProtocolRegistry::new();
        protocols.register(Arc::new(StandInProtocol::new("dubbo", Arc::new(StandIns::default()), 1)));
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let states = Arc::new(InvokerStates::new(Arc::clone(&clock)));
        let following = Following::new(ServiceKey::parse("S"), protocols, &states, &clock, Backoff::default());
        let (old, new) = (list(&["a", "b"]), list(&["c", "d", "e"]));
        following.catch_up(&old, || true);
        assert!(following.invokers.follows(&old));
        following.prepare(&new);
        assert!(following.invokers.follows(&old) && following.invokers.follows(&new), "calls come over both");
        following.settle(Some(&new));
        let kept = following.invokers.get(&new, 0).unwrap();
        following.catch_up(&old, || false);
        assert!(!following.invokers.follows(&old) && following.invokers.follows(&new));
        assert_eq!(following.invokers.get(&old, 0).unwrap().url().host(), Some("a"), "made for this call");
        assert!(Arc::ptr_eq(&kept, &following.invokers.get(&new, 0).unwrap()));
        following.end();
        following.prepare(&new);
        assert!(following.invokers.is_empty());
    }
}
