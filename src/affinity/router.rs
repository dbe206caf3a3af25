//! An affinity rule as a router, and the factory that compiles it.

use std::borrow::Cow;
use std::sync::Arc;

use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use crate::affinity::AffinityRule;
use crate::affinity::is_key;
use crate::router::Binding;
use crate::router::BoundRouter;
use crate::router::BuildError;
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
use crate::rpc::Url;
use crate::rpc::keys;

const KIND: &str = "affinity";

/// Compiles `affinity://…?rule=…`, whose text is the JSON of an [`AffinityRule`].
#[derive(Debug, Clone, Copy, Default)]
pub struct AffinityRouterFactory;

/// A compiled affinity rule.
#[derive(Debug)]
pub struct AffinityRouter {
    header: Arc<RuleHeader>,
    rule: Arc<AffinityRule>,
    inputs: Inputs,
    /// `=> key=$key`; none where no parameter can be called so, and nobody has it.
    alike: Option<Arc<dyn Router>>,
}

#[derive(Debug)]
struct PreparedAffinity {
    rule: Arc<AffinityRule>,
    alike: Option<Arc<dyn PreparedRouter>>,
}

#[derive(Debug)]
struct BoundAffinity {
    rule: Arc<AffinityRule>,
    /// None where the consumer has no value to be like.
    alike: Option<Arc<dyn BoundRouter>>,
    inputs: Inputs,
}

// === impl AffinityRouterFactory ===

impl RouterFactory for AffinityRouterFactory {
    fn protocol(&self) -> &str {
        KIND
    }

    fn create_router(
        &self,
        definition: &RuleDefinition,
        context: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError> {
        let header = RuleHeader::read(definition, KIND, Phase::Affinity)?;
        let wrong = |expected, found| BuildError::InvalidParameter { name: keys::RULE.to_owned(), expected, found };
        let rule: AffinityRule = serde_json::from_str(&definition.rule_text()?)
            .map_err(|error| wrong("the JSON of an affinity rule", error.to_string()))?;
        if !(0.0..=100.0).contains(&rule.ratio) {
            return Err(wrong("a `ratio` of 0 to 100", rule.ratio.to_string()));
        }
        if !is_key(&rule.key) {
            return Ok(Arc::new(AffinityRouter {
                header: Arc::new(header),
                rule: Arc::new(rule),
                inputs: Inputs::none(),
                alike: None,
            }));
        }
        let alike = format!("=> {key}=${key}", key = rule.key);
        let url = format!("condition://0.0.0.0/*?dialect=v3&rule={}", utf8_percent_encode(&alike, NON_ALPHANUMERIC));
        let url = Url::parse(&url).map_err(|_| wrong("the name of a parameter as `key`", rule.key.clone()))?;
        let alike = context.registry.create_router(&RuleDefinition { url, ..definition.clone() }, context)?;
        Ok(Arc::new(AffinityRouter {
            header: Arc::new(header),
            rule: Arc::new(rule),
            inputs: Inputs::none(),
            alike: Some(alike),
        }))
    }
}

// === impl AffinityRouter ===

impl Router for AffinityRouter {
    fn header(&self) -> &Arc<RuleHeader> {
        &self.header
    }

    fn inputs(&self) -> &Inputs {
        self.alike.as_ref().map_or(&self.inputs, |alike| alike.inputs())
    }

    fn provider_keys(&self) -> Vec<&str> {
        self.alike.as_ref().map_or_else(Vec::new, |alike| alike.provider_keys())
    }

    fn prepare(
        &self,
        list: &Arc<InvokerList>,
        _previous: Option<&dyn PreparedRouter>,
    ) -> Result<Arc<dyn PreparedRouter>, BuildError> {
        let alike = self.alike.as_ref().map(|alike| alike.prepare(list, None)).transpose()?;
        Ok(Arc::new(PreparedAffinity { rule: Arc::clone(&self.rule), alike }))
    }
}

impl PreparedRouter for PreparedAffinity {
    fn bind(self: Arc<Self>, binding: &Binding<'_>) -> Result<Arc<dyn BoundRouter>, BuildError> {
        let has_value = binding.consumer.raw(&self.rule.key).is_some_and(|value| !value.is_empty());
        let alike =
            self.alike.as_ref().filter(|_| has_value).map(|alike| Arc::clone(alike).bind(binding)).transpose()?;
        Ok(Arc::new(BoundAffinity { rule: Arc::clone(&self.rule), alike, inputs: Inputs::none() }))
    }
}

// === impl BoundAffinity ===

impl BoundRouter for BoundAffinity {
    fn inputs(&self) -> &Inputs {
        self.alike.as_ref().map_or(&self.inputs, |alike| alike.inputs())
    }

    fn is_idle(&self) -> bool {
        self.alike.is_none()
    }

    fn route<'a>(
        &'a self,
        request: &RouteRequest<'a>,
        candidates: &Selection,
        visitor: Option<&mut dyn Visitor>,
    ) -> Result<Routed<'a>, RouteError> {
        let routed = self.alike.as_ref().map(|alike| alike.route(request, candidates, None)).transpose()?;
        let Some(Routed::Kept(alike)) = routed else {
            if let Some(visitor) = visitor {
                visitor.reason(Reason::Note(format!("the consumer has no `{}`: all stay", self.rule.key).into()));
            }
            return Ok(Routed::Pass);
        };
        let (found, all) = (alike.count_in(candidates), candidates.count());
        let is_enough = found > 0 && found as f64 * 100.0 >= self.rule.ratio * all as f64;
        if let Some(visitor) = visitor {
            visitor.reason(Reason::Note(self.note(request.consumer(), found, all, is_enough)));
        }
        Ok(if is_enough { Routed::Kept(alike) } else { Routed::Pass })
    }
}

impl BoundAffinity {
    fn note(&self, consumer: &Url, found: usize, all: usize, is_enough: bool) -> Cow<'static, str> {
        let AffinityRule { key, ratio } = &*self.rule;
        let own = consumer.raw(key).map_or_else(|| "none".to_owned(), |value| format!("`{value}`"));
        let verdict = if is_enough { "enough" } else { "too few: all stay" };
        format!("{found} of {all} have the consumer's {key}, {own}; {ratio} percent are asked for: {verdict}").into()
    }
}
