//! Routing by the compiled rule: the engine's own stages, from the rule's text to the walk.

use std::sync::Arc;

use pointsman::chain::BoundChain;
use pointsman::chain::Call;
use pointsman::chain::ConsumerRules;
use pointsman::chain::PreparedChain;
use pointsman::chain::PriorityOrder;
use pointsman::chain::Progress;
use pointsman::chain::Walk;
use pointsman::condition::ConditionRouter;
use pointsman::condition::parse;
use pointsman::condition::parse_as_dubbo;
use pointsman::diagnostics::Origin;
use pointsman::diagnostics::SourceText;
use pointsman::router::Binding;
use pointsman::router::InvokerList;
use pointsman::router::Phase;
use pointsman::router::Router;
use pointsman::router::RuleHeader;
use pointsman::router::Surroundings;
use pointsman::router::SystemClock;
use pointsman::rpc::Invocation;
use pointsman::rpc::Provider;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
use pointsman::runtime::default_registry;

use super::engine::definition;
use super::naive::BuildFailure;
use super::naive::Question;
use super::naive::Reading;

/// As [`super::naive::route`].
pub(crate) fn route(
    question: Question<'_>,
    consumer: &Url,
    providers: &[Url],
    call: &dyn Invocation,
) -> Result<Vec<usize>, BuildFailure> {
    let routers = router(question)?.into_iter().collect();
    Ok(walk(&bind(routers, providers, &Binding::of(consumer)), consumer, call))
}

/// The router of a rule; none of one that is not enabled, which is not even read.
pub(crate) fn router(question: Question<'_>) -> Result<Option<Arc<dyn Router>>, BuildFailure> {
    if !question.enabled {
        return Ok(None);
    }
    let origin = Origin::whole(SourceText::new("case.rules", question.rule));
    let read = match question.reading {
        Reading::Strict => parse,
        Reading::AsDubbo => parse_as_dubbo,
    };
    let rule = read(question.rule, question.dialect, &origin).map_err(|_| BuildFailure)?;
    let definition = definition(1, &format!("condition://0.0.0.0/*?force={}", question.force));
    let header = RuleHeader::read(&definition, "condition", Phase::Rule).unwrap();
    Ok(Some(Arc::new(ConditionRouter::new(header, rule))))
}

/// A chain of `routers` over `providers`, bound.
pub(crate) fn bind(routers: Vec<Arc<dyn Router>>, providers: &[Url], binding: &Binding<'_>) -> BoundChain {
    let providers = providers.iter().cloned().map(Provider::new).collect();
    let list = Arc::new(InvokerList::of(ServiceKey::parse("com.foo.BarService"), providers));
    let chain = PreparedChain::build(list, routers, ConsumerRules::default(), PriorityOrder::Descending, None).unwrap();
    chain.bind(binding, &default_registry().unwrap()).unwrap()
}

/// The positions that a call may go to.
pub(crate) fn walk(chain: &BoundChain, consumer: &Url, invocation: &dyn Invocation) -> Vec<usize> {
    let mut walk = Walk::default();
    walk.start(chain);
    let progress = chain
        .advance(&mut walk, &Call { consumer, invocation, seed: 1, around: Surroundings::at(&SystemClock) }, None)
        .unwrap();
    assert!(matches!(progress, Progress::Done));
    walk.candidates().positions().collect()
}
