//! A condition rule as a router, and the factory that compiles it.

use std::sync::Arc;

use crate::condition::Dialect;
use crate::condition::Reading;
use crate::condition::Rule;
use crate::condition::parse_with;
use crate::condition::prepared::PreparedCondition;
use crate::condition::then::provider_keys;
use crate::condition::when::CompiledWhen;
use crate::router::BuildError;
use crate::router::FactoryContext;
use crate::router::Inputs;
use crate::router::InvokerList;
use crate::router::Phase;
use crate::router::PreparedRouter;
use crate::router::Router;
use crate::router::RouterFactory;
use crate::router::RuleDefinition;
use crate::router::RuleHeader;
use crate::rpc::keys;

const KIND: &str = "condition";

/// Compiles `condition://…?rule=…`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConditionRouterFactory {
    reading: Reading,
}

/// A compiled condition rule.
#[derive(Debug)]
pub struct ConditionRouter {
    header: Arc<RuleHeader>,
    compiled: Arc<CompiledRule>,
}

/// What a rule's prepared and bound forms share.
#[derive(Debug)]
pub(crate) struct CompiledRule {
    pub(crate) rule: Rule,
    pub(crate) when: Arc<CompiledWhen>,
}

// === impl ConditionRouterFactory ===

impl ConditionRouterFactory {
    /// A factory that reads rules as strictly as `reading` says.
    #[must_use]
    pub const fn reading(reading: Reading) -> Self {
        Self { reading }
    }
}

impl RouterFactory for ConditionRouterFactory {
    fn protocol(&self) -> &str {
        KIND
    }

    fn create_router(
        &self,
        definition: &RuleDefinition,
        context: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError> {
        let header = RuleHeader::read(definition, KIND, Phase::Rule)?;
        let dialect = dialect_of(definition)?;
        let text = definition.rule_text()?;
        let rule = parse_with(&text, dialect, self.reading, &definition.rule_origin)
            .map_err(|error| BuildError::from(crate::diagnostics::Finding::from(error)))?;
        context.warnings.extend(rule.warnings().iter().cloned());
        Ok(Arc::new(ConditionRouter::new(header, rule)))
    }
}

// === impl ConditionRouter ===

impl ConditionRouter {
    /// A router of a rule that was read.
    #[must_use]
    pub fn new(header: RuleHeader, rule: Rule) -> Self {
        let when = Arc::new(CompiledWhen::new(rule.when(), rule.dialect()));
        Self { header: Arc::new(header), compiled: Arc::new(CompiledRule { rule, when }) }
    }

    /// The rule.
    #[must_use]
    pub fn rule(&self) -> &Rule {
        &self.compiled.rule
    }
}

impl Router for ConditionRouter {
    fn header(&self) -> &Arc<RuleHeader> {
        &self.header
    }

    fn inputs(&self) -> &Inputs {
        self.compiled.when.inputs()
    }

    fn provider_keys(&self) -> Vec<&str> {
        provider_keys(self.compiled.rule.then().pairs()).collect()
    }

    fn prepare(
        &self,
        list: &Arc<InvokerList>,
        _previous: Option<&dyn PreparedRouter>,
    ) -> Result<Arc<dyn PreparedRouter>, BuildError> {
        Ok(Arc::new(PreparedCondition::new(Arc::clone(&self.compiled), list)))
    }
}

/// The dialect that a rule's URL asks for; `v2` where it does not.
pub(crate) fn dialect_of(definition: &RuleDefinition) -> Result<Dialect, BuildError> {
    let Some(text) = definition.url.non_empty_parameter(keys::DIALECT) else { return Ok(Dialect::V2) };
    Dialect::parse(text).ok_or_else(|| BuildError::InvalidParameter {
        name: keys::DIALECT.to_owned(),
        expected: "`v2` or `v3`",
        found: text.to_owned(),
    })
}
