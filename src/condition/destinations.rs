//! A rule with several destinations as a router, and the factory that compiles it.
//!
//! Of the destinations that have a candidate left, one is drawn by weight. Without any destination the traffic that the
//! rule is for is stopped.

use std::sync::Arc;

use crate::condition::Destination;
use crate::condition::DestinationRule;
use crate::condition::Dialect;
use crate::condition::Pair;
use crate::condition::ParseError;
use crate::condition::Reading;
use crate::condition::parse_destination;
use crate::condition::parse_when;
use crate::condition::router::dialect_of;
use crate::condition::then::PreparedThen;
use crate::condition::then::provider_keys;
use crate::condition::when::BoundWhen;
use crate::condition::when::CompiledWhen;
use crate::diagnostics::Finding;
use crate::router::Binding;
use crate::router::BoundRouter;
use crate::router::BuildError;
use crate::router::Draw;
use crate::router::FactoryContext;
use crate::router::Inputs;
use crate::router::InvokerList;
use crate::router::Phase;
use crate::router::PreparedRouter;
use crate::router::Reason;
use crate::router::RouteError;
use crate::router::RouteRequest;
use crate::router::Routed;
use crate::router::Router;
use crate::router::RouterFactory;
use crate::router::RuleDefinition;
use crate::router::RuleHeader;
use crate::router::Selection;
use crate::router::Visitor;
use crate::rpc::keys;

const PROTOCOL: &str = "destinations";
const KIND: &str = "condition";

/// Compiles `destinations://…?rule=…`, whose text is the JSON of a [`DestinationRule`].
#[derive(Debug, Clone, Copy, Default)]
pub struct DestinationRouterFactory {
    reading: Reading,
}

/// A compiled rule with several destinations.
#[derive(Debug)]
pub struct DestinationRouter {
    header: Arc<RuleHeader>,
    compiled: Arc<CompiledDestinations>,
}

#[derive(Debug)]
struct CompiledDestinations {
    dialect: Dialect,
    when: Arc<CompiledWhen>,
    to: Vec<(Arc<[Pair]>, u32)>,
    inputs: Inputs,
}

#[derive(Debug)]
struct PreparedDestinations {
    compiled: Arc<CompiledDestinations>,
    to: Vec<(PreparedThen, u32)>,
}

#[derive(Debug)]
struct BoundDestinations {
    when: BoundWhen,
    inputs: Inputs,
    to: Bound,
}

/// Where the calls of one consumer go.
#[derive(Debug)]
enum Bound {
    Nowhere,
    One(Arc<Selection>),
    Draw(Draw),
}

// === impl DestinationRouterFactory ===

impl DestinationRouterFactory {
    /// A factory that reads rules as strictly as `reading` says.
    #[must_use]
    pub const fn reading(reading: Reading) -> Self {
        Self { reading }
    }
}

impl RouterFactory for DestinationRouterFactory {
    fn protocol(&self) -> &str {
        PROTOCOL
    }

    fn create_router(
        &self,
        definition: &RuleDefinition,
        _context: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError> {
        let header = RuleHeader::read(definition, KIND, Phase::Rule)?;
        let rule: DestinationRule = serde_json::from_str(&definition.rule_text()?).map_err(|error| {
            let (name, expected) = (keys::RULE.to_owned(), "the JSON of a rule with destinations");
            BuildError::InvalidParameter { name, expected, found: error.to_string() }
        })?;
        let router = DestinationRouter::new(header, &rule, (dialect_of(definition)?, self.reading), definition);
        Ok(Arc::new(router.map_err(|error| BuildError::from(Finding::from(error)))?))
    }
}

// === impl DestinationRouter ===

impl DestinationRouter {
    fn new(
        header: RuleHeader,
        rule: &DestinationRule,
        (dialect, reading): (Dialect, Reading),
        definition: &RuleDefinition,
    ) -> Result<Self, ParseError> {
        // Who wrote the JSON has read the texts before, each at its own place.
        let (when, _) = parse_when(&rule.from, dialect, reading, &definition.rule_origin)?;
        let read = |destination: &Destination| {
            let (pairs, _) = parse_destination(&destination.providers, dialect, reading, &definition.rule_origin)?;
            Ok((pairs.into(), destination.weight))
        };
        let to: Vec<(Arc<[Pair]>, u32)> = rule.to.iter().map(read).collect::<Result<_, ParseError>>()?;
        let when = Arc::new(CompiledWhen::new(&when, dialect));
        let inputs = Inputs { random: to.len() > 1, ..when.inputs().clone() };
        Ok(Self { header: Arc::new(header), compiled: Arc::new(CompiledDestinations { dialect, when, to, inputs }) })
    }
}

impl Router for DestinationRouter {
    fn header(&self) -> &Arc<RuleHeader> {
        &self.header
    }

    fn inputs(&self) -> &Inputs {
        &self.compiled.inputs
    }

    fn provider_keys(&self) -> Vec<&str> {
        self.compiled.to.iter().flat_map(|(pairs, _)| provider_keys(pairs)).collect()
    }

    fn prepare(
        &self,
        list: &Arc<InvokerList>,
        _previous: Option<&dyn PreparedRouter>,
    ) -> Result<Arc<dyn PreparedRouter>, BuildError> {
        let prepare = |(pairs, weight): &(Arc<[Pair]>, u32)| {
            let everybody = list.all().clone();
            let then = PreparedThen::new(Arc::clone(pairs), self.compiled.dialect, Arc::clone(list), everybody);
            (then, *weight)
        };
        let to = self.compiled.to.iter().map(prepare).collect();
        Ok(Arc::new(PreparedDestinations { compiled: Arc::clone(&self.compiled), to }))
    }
}

impl PreparedRouter for PreparedDestinations {
    fn bind(self: Arc<Self>, binding: &Binding<'_>) -> Result<Arc<dyn BoundRouter>, BuildError> {
        let when = BoundWhen::new(Arc::clone(&self.compiled.when), binding.consumer);
        let to = match self.to.as_slice() {
            [] => Bound::Nowhere,
            [(only, _)] => Bound::One(only.keep(binding)),
            several => Bound::Draw(Draw::new(
                several.iter().map(|(then, weight)| (Selection::clone(&then.keep(binding)), *weight)).collect(),
            )),
        };
        let inputs = Inputs { random: matches!(to, Bound::Draw(_)) && !when.is_refused(), ..when.inputs().clone() };
        Ok(Arc::new(BoundDestinations { when, inputs, to }))
    }
}

// === impl BoundDestinations ===

impl BoundRouter for BoundDestinations {
    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn is_idle(&self) -> bool {
        self.when.is_refused()
    }

    fn route<'a>(
        &'a self,
        request: &RouteRequest<'a>,
        _candidates: &Selection,
        visitor: Option<&mut dyn Visitor>,
    ) -> Result<Routed<'a>, RouteError> {
        let (routed, reason) = match (self.when.mismatch(request)?, &self.to) {
            (Some(mismatch), _) => (Routed::Pass, mismatch),
            (None, Bound::Nowhere) => (Routed::Blocked, Reason::BlocksEverybody),
            (None, Bound::One(keep)) => (Routed::Kept(keep), Reason::Matched),
            (None, Bound::Draw(draw)) => (Routed::Draw(draw), Reason::Matched),
        };
        if let Some(visitor) = visitor {
            visitor.reason(reason);
        }
        Ok(routed)
    }
}
