//! How an engine is doing: services, rules, counts.

use std::sync::atomic::Ordering;

use crate::router::RuleId;
use crate::rpc::ServiceKey;
use crate::rpc::contained_panics;
use crate::runtime::Engine;
use crate::runtime::SourceStatus;

/// An engine at one moment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EngineStatus {
    /// The generation in force.
    pub generation: u64,
    /// The id of the rule set in force.
    pub rule_set: u64,
    /// The services, by key.
    pub services: Vec<ServiceStatus>,
    /// The rules, in the order they were given.
    pub rules: Vec<RuleStatus>,
    /// The files that rules and providers came from, by name; none where they came from elsewhere.
    pub sources: Vec<SourceStatus>,
    /// Sessions that are open.
    pub sessions: usize,
    /// Calls that sessions have answered.
    pub calls: u64,
    /// Calls that were answered from a memo.
    pub memo_hits: u64,
    /// Bytes that all memos take.
    pub memo_bytes: usize,
    /// Panics of invokers, filters and protocols that were contained, in the whole process.
    pub contained_panics: u64,
}

/// One service at one moment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServiceStatus {
    /// The service.
    pub service: ServiceKey,
    /// The generation in which it last changed.
    pub generation: u64,
    /// Its providers.
    pub providers: usize,
    /// Its rules, in the order in which they are asked.
    pub rules: Vec<RuleId>,
    /// The first rule that keeps answers of some consumer from being remembered.
    pub unmemoisable: Option<RuleId>,
}

/// One rule at one moment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RuleStatus {
    /// The rule.
    pub id: RuleId,
    /// Its kind.
    pub kind: String,
    /// Whether it is active.
    pub is_enabled: bool,
    /// How often it failed for the consumers that are bound now.
    pub failures: u64,
    /// The file that it came from.
    pub source: Option<SourceStatus>,
}

// === impl Engine ===

impl Engine {
    /// How the engine is doing. Counts are summed here, not while calls run.
    #[must_use]
    pub fn status(&self) -> EngineStatus {
        let snapshot = self.shared.snapshot.load_full();
        let bound: Vec<_> = snapshot.services.iter().map(|service| service.bindings.all()).collect();
        let rule_failures = |id: &RuleId| {
            let failures = bound.iter().flatten().flat_map(|chain| chain.failures());
            failures.filter(|(header, _)| header.id == *id).map(|(_, count)| count).sum()
        };
        let services = snapshot.services.iter().zip(&bound).map(|(service, bound)| ServiceStatus {
            service: service.key.clone(),
            generation: service.generation,
            providers: service.chain.list().len(),
            rules: service.chain.headers().map(|header| header.id.clone()).collect(),
            unmemoisable: bound.iter().find_map(|chain| chain.unmemoisable()).map(|header| header.id.clone()),
        });
        let source_of = |place: usize| {
            let file = snapshot.rules.file_of(place)?;
            snapshot.sources.iter().find(|source| source.source == file.name).cloned()
        };
        let headers = snapshot.rules.routers().iter().map(|router| router.header()).enumerate();
        let rules = headers.map(|(place, header)| RuleStatus {
            id: header.id.clone(),
            kind: header.kind.to_string(),
            is_enabled: header.is_enabled,
            failures: rule_failures(&header.id),
            source: source_of(place),
        });
        let sessions: Vec<_> = self.shared.sessions.lock().iter().filter_map(std::sync::Weak::upgrade).collect();
        let ended = &self.shared.ended;
        let sum = |counts: Vec<u64>| counts.into_iter().sum::<u64>();
        EngineStatus {
            generation: snapshot.generation,
            rule_set: snapshot.rules.id(),
            services: services.collect(),
            rules: rules.collect(),
            sources: snapshot.sources.to_vec(),
            sessions: sessions.len(),
            calls: ended.calls.load(Ordering::Relaxed)
                + sum(sessions.iter().map(|session| session.calls.load(Ordering::Relaxed)).collect()),
            memo_hits: ended.hits.load(Ordering::Relaxed)
                + sum(sessions.iter().map(|session| session.hits.load(Ordering::Relaxed)).collect()),
            memo_bytes: self.shared.memo.used(),
            contained_panics: contained_panics(),
        }
    }
}
