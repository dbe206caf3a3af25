//! `router=areaCode,-tag` of a consumer URL: names of routers to add and to take away.

use std::sync::Arc;

use crate::chain::ChainError;
use crate::diagnostics::Finding;
use crate::diagnostics::nearest;
use crate::router::BuildError;
use crate::router::FactoryContext;
use crate::router::OnError;
use crate::router::Phase;
use crate::router::Router;
use crate::router::RouterFactoryRegistry;
use crate::router::RuleDefinition;
use crate::router::RuleHeader;
use crate::router::RuleId;
use crate::router::Scope;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::keys;

/// The routers that are there by default, under the names by which they can be taken away.
const DEFAULTS: &[(&str, Option<Phase>)] = &[
    ("mock", Some(Phase::Mock)),
    ("tag", Some(Phase::Tag)),
    ("service", Some(Phase::Service)),
    ("provider-app", Some(Phase::ProviderApplication)),
    ("app", Some(Phase::ConsumerApplication)),
    ("affinity", Some(Phase::Affinity)),
    ("script", None),
];

/// The name that stands for all of them.
const DEFAULT: &str = "default";

/// What a consumer URL's `router` says.
#[derive(Debug)]
pub(crate) struct RouterParameter<'a> {
    consumer: &'a Url,
    names: Vec<&'a str>,
}

// === impl RouterParameter ===

impl<'a> RouterParameter<'a> {
    pub(crate) fn of(consumer: &'a Url) -> Self {
        let text = consumer.non_empty_parameter(keys::ROUTER).unwrap_or_default();
        Self { consumer, names: text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect() }
    }

    /// Refuses a name, to add or to take away, that is neither a default router nor a registered factory.
    ///
    /// # Errors
    ///
    /// The first such name; the error lists those there are and the nearest.
    pub(crate) fn check(&self, registry: &RouterFactoryRegistry) -> Result<(), ChainError> {
        let plain = |name: &'a str| name.strip_prefix('-').unwrap_or(name);
        let is_known = |name: &str| is_default(name) || registry.factory(name).is_ok();
        match self.names.iter().find(|name| !is_known(plain(name))) {
            Some(name) => Err(self.error(name, unknown(name, plain(name), registry).into())),
            None => Ok(()),
        }
    }

    /// Whether a default router is taken away, by its name or by `-default`.
    pub(crate) fn removes(&self, header: &RuleHeader) -> bool {
        self.removed().any(|name| {
            DEFAULTS.iter().any(|(default, phase)| {
                let is_it = match phase {
                    Some(phase) => header.phase == *phase,
                    None => header.phase == Phase::Rule && &*header.kind == *default,
                };
                is_it && (name == *default || name == DEFAULT)
            })
        })
    }

    /// The names to add; a default's own name adds nothing.
    pub(crate) fn added(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.names.iter().copied().filter(|name| !name.starts_with('-') && !is_default(name))
    }

    /// The router `name`, built from `NAME://0.0.0.0/SERVICE` with the consumer's parameters `NAME.*`.
    pub(crate) fn create(
        &self,
        name: &str,
        service: &ServiceKey,
        registry: &RouterFactoryRegistry,
    ) -> Result<Arc<dyn Router>, ChainError> {
        let parameters: Vec<String> = self
            .consumer
            .parameters()
            .filter_map(|(key, value)| Some((key.strip_prefix(name)?.strip_prefix('.')?, value)))
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let text = format!("{name}://{}/{}?{}", keys::ANY_HOST, service.interface(), parameters.join("&"));
        let fail = |error| self.error(name, error);
        let definition = RuleDefinition::parse("consumer URL", 0, Some(name), &text);
        let definition = definition.map_err(|_| fail(BuildError::MissingProtocol))?;
        let mut warnings = Vec::new();
        let mut context = FactoryContext { registry, reader: None, warnings: &mut warnings };
        registry.create_router(&definition, &mut context).map_err(fail)
    }

    fn removed(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.names.iter().filter_map(|name| name.strip_prefix('-'))
    }

    fn error(&self, name: &str, error: BuildError) -> ChainError {
        let header = RuleHeader {
            id: RuleId::new("consumer URL", 0, Some(name), name),
            url: self.consumer.clone(),
            kind: name.into(),
            phase: Phase::Rule,
            priority: 0,
            is_force: false,
            is_runtime: false,
            is_enabled: true,
            on_error: OnError::Fail,
            scope: Scope::default(),
        };
        ChainError { header: Arc::new(header), error }
    }
}

fn is_default(name: &str) -> bool {
    name == DEFAULT || DEFAULTS.iter().any(|(default, _)| *default == name)
}

/// `written` is the name as it stands, `plain` without the `-`.
fn unknown(written: &str, plain: &str, registry: &RouterFactoryRegistry) -> Finding {
    let protocols = registry.protocols();
    let defaults = DEFAULTS.iter().map(|(name, _)| *name).chain([DEFAULT]);
    let mut known: Vec<&str> = defaults.chain(protocols.iter().map(String::as_str)).collect();
    known.sort_unstable();
    known.dedup();
    let sign = written.strip_suffix(plain).unwrap_or_default();
    let advice =
        nearest(plain, known.iter().copied()).map_or_else(String::new, |near| format!("did you mean `{sign}{near}`? "));
    let list = known.join(", ");
    let message = format!("expected a known name in `router`, found `{written}`; {advice}known are {list}");
    Finding::error("router::unknown_protocol", message)
}
