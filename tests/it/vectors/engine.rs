//! What the engine makes of documents: the one door through which these tests ask it.

use std::collections::BTreeMap;
use std::sync::Arc;

use pointsman::chain::BoundChain;
use pointsman::chain::Call;
use pointsman::chain::ConsumerRules;
use pointsman::chain::PreparedChain;
use pointsman::chain::PriorityOrder;
use pointsman::chain::Progress;
use pointsman::chain::Walk;
use pointsman::condition;
use pointsman::diagnostics::SourceText;
use pointsman::router::Binding;
use pointsman::router::InvokerList;
use pointsman::router::Router;
use pointsman::router::RouterFactoryRegistry;
use pointsman::router::Surroundings;
use pointsman::router::SystemClock;
use pointsman::rpc::Provider;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
use pointsman::rule::DocumentKind;
use pointsman::rule::DocumentPlace;
use pointsman::rule::DocumentScope;
use pointsman::runtime::RuleSet;
use pointsman::runtime::registry_with;
use pointsman::script::ScriptRouterFactory;
use pointsman::source::folder::read_placed;
use pointsman::tag::TagRouter;

use super::reader::World;
use crate::support::naive::Reading;

/// How often a chain that draws is asked.
const DRAWS: u32 = 5_000;

/// What the place of a document says that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Condition,
    Tag,
    Affinity,
    #[expect(dead_code, reason = "no vector has a script document")]
    Script,
}

/// A document, and the one that was read at its place just before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) role: Role,
    /// `service` or `application`.
    pub(crate) scope: &'a str,
    pub(crate) key: &'a str,
    pub(crate) before: Option<&'a str>,
    /// `None`: deleted.
    pub(crate) text: Option<&'a str>,
}

/// The lists that a call may end with, by their positions, each with its share. One list: a certain answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) alternatives: Vec<(Vec<usize>, f64)>,
    /// How many draws the shares were counted in; 0 where they are exact.
    pub(crate) draws: u32,
}

/// What the engine keeps for one call: positions, or the lists of a seeded run of draws with their shares. The tag router
/// is asked only if there is a place for it among `documents`. What is refused by default is read as Dubbo does if
/// `reading` says so.
pub(crate) fn answer(
    world: &World,
    call: &RpcInvocation<'static>,
    documents: &[Placed<'_>],
    reading: Reading,
) -> Answer {
    let reading = match reading {
        Reading::Strict => condition::Reading::Strict,
        Reading::AsDubbo => condition::Reading::AsDubbo,
    };
    let registry = registry_with(ScriptRouterFactory::without_host(), reading).unwrap();
    let before = rules(documents.iter().map(|it| (it, it.before)), &registry, reading, None);
    let now = rules(documents.iter().map(|it| (it, it.text)), &registry, reading, Some(&before));
    let bound = chain(world, &now, documents.iter().any(|it| it.role == Role::Tag), &registry);
    let mut found: BTreeMap<Vec<usize>, u32> = BTreeMap::new();
    let draws = if bound.draws() { DRAWS } else { 1 };
    for seed in 0..draws {
        *found.entry(walk(&bound, &world.consumer, call, u64::from(seed))).or_default() += 1;
    }
    let alternatives = found.into_iter().map(|(list, count)| (list, f64::from(count) / f64::from(draws)));
    Answer { alternatives: alternatives.collect(), draws: if bound.draws() { draws } else { 0 } }
}

/// The rules of documents at their places, after those that were there before.
fn rules<'a>(
    documents: impl Iterator<Item = (&'a Placed<'a>, Option<&'a str>)>,
    registry: &RouterFactoryRegistry,
    reading: condition::Reading,
    previous: Option<&RuleSet>,
) -> RuleSet {
    let placed = documents.filter_map(|(placed, text)| {
        let place = placed.place();
        let name = format!("{}/{}", place.key, place.kind);
        Some((place, SourceText::new(name, text?)))
    });
    RuleSet::from_folder(&mut read_placed(placed, reading), registry, previous)
}

fn chain(world: &World, rules: &RuleSet, has_tags: bool, registry: &RouterFactoryRegistry) -> BoundChain {
    let service = world.place_key();
    let covering = rules.routers().iter().filter(|router| router.header().scope.covers(&service)).cloned();
    let built_in: Option<Arc<dyn Router>> =
        if has_tags { Some(Arc::new(TagRouter::built_in().unwrap())) } else { None };
    let providers = world.invokers.iter().cloned().map(Provider::new).collect();
    let list = Arc::new(InvokerList::of(service.clone(), providers));
    let routers = built_in.into_iter().chain(covering).collect();
    let chain = PreparedChain::build(list, routers, ConsumerRules::default(), PriorityOrder::Descending, None).unwrap();
    chain.bind(&Binding::of(&world.consumer), registry).unwrap()
}

fn walk(chain: &BoundChain, consumer: &Url, invocation: &RpcInvocation<'static>, seed: u64) -> Vec<usize> {
    let mut walk = Walk::default();
    walk.start(chain);
    let progress = chain
        .advance(&mut walk, &Call { consumer, invocation, seed, around: Surroundings::at(&SystemClock) }, None)
        .unwrap();
    assert!(matches!(progress, Progress::Done));
    walk.candidates().positions().collect()
}

impl Placed<'_> {
    fn place(&self) -> DocumentPlace {
        let kind = match self.role {
            Role::Condition => DocumentKind::Condition,
            Role::Tag => DocumentKind::Tag,
            Role::Affinity => DocumentKind::Affinity,
            Role::Script => DocumentKind::Script,
        };
        let scope = if self.scope == "service" { DocumentScope::Service } else { DocumentScope::Application };
        DocumentPlace { kind, scope, key: self.key.to_owned() }
    }
}

impl World {
    /// The service that the consumer asks for, as a key.
    fn place_key(&self) -> ServiceKey {
        self.consumer.service_key().unwrap_or_else(|| ServiceKey::parse("none"))
    }
}
