//! A tag rule as a router, the router that stands in every chain, and the factory that makes both.

use std::sync::Arc;

use crate::router::BuildError;
use crate::router::FactoryContext;
use crate::router::Input;
use crate::router::Inputs;
use crate::router::InvokerList;
use crate::router::Phase;
use crate::router::PreparedRouter;
use crate::router::Reach;
use crate::router::Router;
use crate::router::RouterFactory;
use crate::router::RuleDefinition;
use crate::router::RuleHeader;
use crate::rpc::keys;
use crate::tag::AddressPattern;
use crate::tag::RegexBudget;
use crate::tag::RegexProblem;
use crate::tag::Tag;
use crate::tag::TagRule;
use crate::tag::prepared::PreparedTags;
use crate::tag::text_match::CompiledMatch;

const KIND: &str = "tag";

/// Makes routers of `tag:` rules, whose text is the JSON of a [`TagRule`]; without a text, only the providers' own tags
/// count.
#[derive(Debug, Clone, Copy, Default)]
pub struct TagRouterFactory;

/// A compiled tag rule.
#[derive(Debug)]
pub struct TagRouter {
    header: Arc<RuleHeader>,
    inputs: Arc<Inputs>,
    /// None where only the providers' own tags count.
    rule: Option<CompiledTags>,
}

/// The tags of a rule, ready to be laid over a list.
#[derive(Debug)]
pub(crate) struct CompiledTags {
    pub(crate) tags: Vec<CompiledTag>,
}

#[derive(Debug)]
pub(crate) struct CompiledTag {
    pub(crate) name: String,
    /// Each with its text.
    pub(crate) addresses: Vec<(String, AddressPattern)>,
    pub(crate) matches: Vec<(String, CompiledMatch)>,
    /// Whether conditions, not addresses, say who carries it.
    pub(crate) is_by_match: bool,
    /// Whether addresses were written at all, good or bad.
    pub(crate) has_addresses: bool,
}

// === impl TagRouterFactory ===

impl RouterFactory for TagRouterFactory {
    fn protocol(&self) -> &str {
        KIND
    }

    fn create_router(
        &self,
        definition: &RuleDefinition,
        _context: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError> {
        let header = RuleHeader::read(definition, KIND, Phase::Tag)?;
        if definition.url.parameter(keys::RULE).is_none() {
            return Ok(Arc::new(TagRouter::new(header, None)));
        }
        let text = definition.rule_text()?;
        let wrong = |found: String| BuildError::InvalidParameter {
            name: keys::RULE.to_owned(),
            expected: "the JSON of a tag rule",
            found,
        };
        let rule: TagRule = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let compiled = CompiledTags::of(&rule).map_err(|error| wrong(error.to_string()))?;
        Ok(Arc::new(TagRouter::new(header, Some(compiled))))
    }
}

// === impl CompiledTags ===

impl CompiledTags {
    fn of(rule: &TagRule) -> Result<Self, RegexProblem> {
        let mut budget = RegexBudget::default();
        let tags = rule.tags.iter().map(|tag| CompiledTag::of(tag, &mut budget));
        let mut tags: Vec<CompiledTag> = tags.collect::<Result<_, RegexProblem>>()?;
        // Of two with one name the later counts, and one by conditions is later than one by addresses.
        tags.sort_by_key(|tag| tag.is_by_match);
        Ok(Self { tags })
    }
}

// === impl CompiledTag ===

impl CompiledTag {
    pub(crate) fn of(tag: &Tag, budget: &mut RegexBudget) -> Result<Self, RegexProblem> {
        let pattern = |text: &String| Some((text.trim().to_owned(), AddressPattern::parse(text)?));
        let is_by_match = tag.addresses.is_empty() && tag.matches.is_some();
        let matches = tag.matches.iter().flatten().map(|one| Ok((one.key.clone(), one.value.compile(budget)?)));
        Ok(Self {
            name: tag.name.clone(),
            addresses: tag.addresses.iter().filter_map(pattern).collect(),
            matches: matches.collect::<Result<_, RegexProblem>>()?,
            is_by_match,
            has_addresses: !tag.addresses.is_empty(),
        })
    }
}

// === impl TagRouter ===

impl TagRouter {
    /// The router that every chain has: the providers' own tags, for all applications without a tag document.
    ///
    /// # Errors
    ///
    /// None in practice: its own URL is well formed.
    pub fn built_in() -> Result<Self, BuildError> {
        let definition = RuleDefinition::parse("built-in", 0, Some(KIND), "tag://0.0.0.0/*");
        let mut header = RuleHeader::read(&definition.map_err(|_| BuildError::MissingProtocol)?, KIND, Phase::Tag)?;
        header.scope.providers = Reach::OtherApplications;
        Ok(Self::new(header, None))
    }

    fn new(header: RuleHeader, rule: Option<CompiledTags>) -> Self {
        let inputs = Inputs::declared([keys::TAG, keys::FORCE_TAG].map(|key| Input::Attachment(key.into())));
        Self { header: Arc::new(header), inputs: Arc::new(inputs), rule }
    }
}

impl Router for TagRouter {
    fn header(&self) -> &Arc<RuleHeader> {
        &self.header
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn provider_keys(&self) -> Vec<&str> {
        let tags = self.rule.iter().flat_map(|rule| &rule.tags);
        let addresses = [keys::ADDRESS, keys::HOST, keys::PORT];
        let addresses = addresses.into_iter().filter(|_| self.rule.is_some());
        let matches = tags.flat_map(|tag| tag.matches.iter().map(|(key, _)| key.as_str()));
        std::iter::once(keys::TAG).chain(addresses).chain(matches).collect()
    }

    fn prepare(
        &self,
        list: &Arc<InvokerList>,
        _previous: Option<&dyn PreparedRouter>,
    ) -> Result<Arc<dyn PreparedRouter>, BuildError> {
        Ok(Arc::new(PreparedTags::new(self.rule.as_ref(), self.header.is_force, &self.inputs, list)))
    }
}
