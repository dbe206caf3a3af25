//! A set of rules is a value, with an id made of its rules' texts.

use std::hash::BuildHasher;
use std::hash::Hasher;
use std::sync::Arc;

use hashbrown::HashMap;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use crate::diagnostics::ConfigError;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::router::FactoryContext;
use crate::router::Router;
use crate::router::RouterFactoryRegistry;
use crate::router::RuleDefinition;
use crate::router::RuleId;
use crate::rpc::Url;
use crate::rpc::UrlError;
use crate::rpc::keys;
use crate::runtime::default_registry;
use crate::source::folder::FolderContents;

/// What findings call conditions that came from no file.
const CONDITIONS: &str = "conditions";

/// Compiled rules. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    routers: Arc<[Arc<dyn Router>]>,
    /// What compiling each router had to say; told again when it is taken over.
    warnings: Arc<[Vec<Finding>]>,
    id: u64,
    is_incomplete: bool,
}

// === impl RuleSet ===

impl RuleSet {
    /// A set of routers that are there already.
    #[must_use]
    pub fn of(routers: Vec<Arc<dyn Router>>) -> Self {
        Self::of_compiled(routers.into_iter().map(|router| (router, Vec::new())).collect())
    }

    fn of_compiled(compiled: Vec<Compiled>) -> Self {
        let (routers, warnings): (Vec<_>, Vec<_>) = compiled.into_iter().unzip();
        let mut hasher = foldhash::quality::FixedState::with_seed(0).build_hasher();
        for header in routers.iter().map(|router| router.header()) {
            hasher.write(header.id.source().as_bytes());
            hasher.write_u32(header.id.line());
            hasher.write(header.url.as_str().as_bytes());
        }
        Self { id: hasher.finish(), routers: routers.into(), warnings: warnings.into(), is_incomplete: false }
    }

    /// Compiles bare conditions, as a `*.rules` file without tags has them: for every service and every consumer, in
    /// dialect `v2`, without `force`. Findings name the source `conditions`, as if it had one rule a line.
    ///
    /// ```
    /// use pointsman::runtime::RuleSet;
    /// let rules = RuleSet::from_conditions(["method = find* => region = $region", "host = 10.9.* => false"]).unwrap();
    /// assert_eq!(rules.routers().len(), 2);
    /// let error = RuleSet::from_conditions(["method=find* => region=hangzhou => host=10.0.0.1"]).unwrap_err();
    /// assert_eq!(error.findings()[0].slug(), "condition::second_arrow");
    /// ```
    ///
    /// # Errors
    ///
    /// All findings of all rules, warnings included, if one of them does not compile.
    pub fn from_conditions<'a>(conditions: impl IntoIterator<Item = &'a str>) -> Result<Self, ConfigError> {
        let registry = default_registry()
            .map_err(|error| ConfigError::new(vec![Finding::error(error.slug(), error.to_string())]))?;
        let conditions: Vec<&str> = conditions.into_iter().collect();
        let source = SourceText::new(CONDITIONS, conditions.join("\n"));
        let (mut definitions, mut findings, mut start) = (Vec::with_capacity(conditions.len()), Vec::new(), 0);
        for condition in conditions {
            let origin = Origin::at(source.clone(), start);
            start += condition.len() + 1;
            match define(condition, &origin) {
                Ok(definition) => definitions.push(definition),
                Err(error) => findings.push(Finding::error("route::not_a_url", error.to_string()).at(
                    &origin,
                    0..condition.len(),
                    "this rule",
                )),
            }
        }
        let (rules, found) = Self::compile(&definitions, &registry, None);
        findings.extend(found);
        let has_errors = findings.iter().any(|finding| finding.severity() == Severity::Error);
        if has_errors { Err(ConfigError::new(findings)) } else { Ok(rules) }
    }

    /// Compiles rules; those that `previous` has unchanged are taken over. Every rule that compiles is in the set;
    /// errors and warnings are among the findings.
    #[must_use]
    pub fn compile(
        definitions: &[RuleDefinition],
        registry: &RouterFactoryRegistry,
        previous: Option<&Self>,
    ) -> (Self, Vec<Finding>) {
        let known = Known::of(previous);
        let mut findings = Vec::new();
        let create = |definition| known.get_or_create(definition, registry, &mut findings);
        let routers = definitions.iter().filter_map(create).collect();
        (Self::of_compiled(routers), findings)
    }

    /// Compiles the rules of a folder; findings join the folder's. A file with an error gives no rule, and the set is
    /// then incomplete. Rules that `previous` has unchanged are taken over.
    ///
    /// ```
    /// use pointsman::runtime::{Engine, RuleSet, default_registry};
    /// use pointsman::source::folder::{FolderOptions, load};
    /// let mut contents = load("examples/shop".as_ref(), &FolderOptions::default());
    /// let rules = RuleSet::from_folder(&mut contents, &default_registry().unwrap(), None);
    /// let engine = Engine::builder().rules(rules).providers(contents.providers().cloned()).build().unwrap();
    /// assert_eq!(engine.services().len(), 5);
    /// ```
    #[must_use]
    pub fn from_folder(
        contents: &mut FolderContents,
        registry: &RouterFactoryRegistry,
        previous: Option<&Self>,
    ) -> Self {
        let known = Known::of(previous);
        let set = Self::of_compiled(
            contents.compile(|entry, findings| known.get_or_create(&entry.to_definition(), registry, findings)),
        );
        if contents.has_errors() { set.incomplete() } else { set }
    }

    /// Says that some rules are missing which have no earlier good version; `on-empty` decides what that means.
    #[must_use]
    pub fn incomplete(self) -> Self {
        Self { is_incomplete: true, ..self }
    }

    /// Whether some rules are missing which have no earlier good version.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// The rules in the order given.
    #[must_use]
    pub fn routers(&self) -> &[Arc<dyn Router>] {
        &self.routers
    }

    /// Whether both hold the very same routers.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.routers.len() == other.routers.len()
            && self.routers.iter().zip(&*other.routers).all(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// The set's id: equal for rules of equal texts.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }
}

/// A router with what compiling it had to say.
type Compiled = (Arc<dyn Router>, Vec<Finding>);

/// The rules of a set, found by what they were compiled from.
struct Known<'a> {
    set: Option<&'a RuleSet>,
    places: HashMap<(&'a RuleId, &'a Url), usize>,
}

// === impl Known ===

impl<'a> Known<'a> {
    fn of(set: Option<&'a RuleSet>) -> Self {
        let headers = set.map(RuleSet::routers).unwrap_or_default().iter().map(|router| router.header());
        Self { set, places: headers.map(|header| (&header.id, &header.url)).zip(0..).collect() }
    }

    fn get(&self, definition: &RuleDefinition) -> Option<Compiled> {
        let (set, place) = (self.set?, *self.places.get(&(&definition.id, &definition.url))?);
        Some((Arc::clone(set.routers.get(place)?), set.warnings.get(place)?.clone()))
    }

    /// The rule if it is known, else compiled; what is to be said of it joins `findings`.
    fn get_or_create(
        &self,
        definition: &RuleDefinition,
        registry: &RouterFactoryRegistry,
        findings: &mut Vec<Finding>,
    ) -> Option<Compiled> {
        if let Some(known) = self.get(definition) {
            findings.extend(known.1.iter().cloned());
            return Some(known);
        }
        let mut said = Vec::new();
        let mut context = FactoryContext { registry, reader: None, warnings: &mut said };
        let created = registry.create_router(definition, &mut context);
        findings.extend(said.iter().cloned());
        match created {
            Ok(router) => Some((router, said)),
            Err(error) => {
                findings.push(error.into_finding(&definition.origin, definition.source_bytes));
                None
            }
        }
    }
}

/// A bare condition as a rule for everybody.
fn define(condition: &str, origin: &Origin) -> Result<RuleDefinition, UrlError> {
    let rule = utf8_percent_encode(condition, NON_ALPHANUMERIC);
    let url = Url::parse(&format!("condition://{}/{}?{}={rule}", keys::ANY_HOST, keys::ANY, keys::RULE))?;
    let line = u32::try_from(origin.line()).unwrap_or(u32::MAX);
    let id = RuleId::new(CONDITIONS, line, None, url.as_str());
    let source_bytes = condition.len();
    Ok(RuleDefinition { id, url, origin: origin.clone(), source_bytes, rule_origin: origin.clone() })
}
