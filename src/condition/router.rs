//! A condition rule as a router, and the factory that compiles it.

use std::sync::Arc;

use crate::condition::Dialect;
use crate::condition::Pair;
use crate::condition::Rule;
use crate::condition::Subject;
use crate::condition::parse;
use crate::condition::prepared::PreparedCondition;
use crate::router::BuildError;
use crate::router::FactoryContext;
use crate::router::Input;
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
pub struct ConditionRouterFactory;

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
    /// The `when` pairs that a binding decides.
    pub(crate) of_consumer: Vec<WhenPair>,
    /// The `when` pairs that are left to each call, with the part of it that they look at.
    pub(crate) of_call: Vec<(Input, WhenPair)>,
    pub(crate) inputs: Inputs,
}

/// A `when` pair, with its key and text for whoever asks why.
#[derive(Debug)]
pub(crate) struct WhenPair {
    pub(crate) pair: Pair,
    pub(crate) key: Arc<str>,
    pub(crate) wanted: Arc<str>,
}

// === impl ConditionRouterFactory ===

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
        let invalid = |name: &str, expected, found: &str| BuildError::InvalidParameter {
            name: name.to_owned(),
            expected,
            found: found.to_owned(),
        };
        let dialect = match definition.url.non_empty_parameter(keys::DIALECT) {
            None => Dialect::V2,
            Some(text) => Dialect::parse(text).ok_or_else(|| invalid(keys::DIALECT, "`v2` or `v3`", text))?,
        };
        let text = definition.rule_text()?;
        let rule = parse(&text, dialect, &definition.rule_origin)
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
        let (mut of_consumer, mut of_call) = (Vec::new(), Vec::new());
        for pair in rule.when().pairs() {
            let (key, wanted) = (pair.key().as_str().into(), pair.to_string().into());
            let when = WhenPair { pair: pair.clone(), key, wanted };
            match input_of(pair, rule.dialect()) {
                Some(input) => of_call.push((input, when)),
                None => of_consumer.push(when),
            }
        }
        let inputs = Inputs::declared(of_call.iter().map(|(input, _)| input.clone()));
        Self { header: Arc::new(header), compiled: Arc::new(CompiledRule { rule, of_consumer, of_call, inputs }) }
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
        &self.compiled.inputs
    }

    fn provider_keys(&self) -> Vec<&str> {
        let pairs = self.compiled.rule.then().pairs().iter();
        pairs.filter(|pair| *pair.key().subject() == Subject::Parameter).map(|pair| pair.key().as_str()).collect()
    }

    fn prepare(
        &self,
        list: &Arc<InvokerList>,
        _previous: Option<&dyn PreparedRouter>,
    ) -> Result<Arc<dyn PreparedRouter>, BuildError> {
        Ok(Arc::new(PreparedCondition::new(Arc::clone(&self.compiled), Arc::clone(list))))
    }
}

/// The part of the call that a `when` pair looks at; none where it looks at the consumer.
fn input_of(pair: &Pair, dialect: Dialect) -> Option<Input> {
    match (pair.key().subject(), dialect) {
        (Subject::Method, Dialect::V2) => Some(Input::Method),
        (Subject::Method, _) => Some(Input::TargetMethod),
        (Subject::Argument(index), _) => Some(Input::Argument(*index)),
        (Subject::Attachment(name), _) => Some(Input::Attachment(name.clone())),
        _ => None,
    }
}
