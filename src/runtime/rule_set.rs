//! A set of rules is a value, with an id made of its rules' texts.

use std::hash::BuildHasher;
use std::hash::Hasher;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::diagnostics::Finding;
use crate::router::FactoryContext;
use crate::router::Router;
use crate::router::RouterFactoryRegistry;
use crate::router::RuleDefinition;
use crate::router::RuleId;
use crate::rpc::Url;

/// Compiled rules. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    routers: Arc<[Arc<dyn Router>]>,
    id: u64,
    is_incomplete: bool,
}

// === impl RuleSet ===

impl RuleSet {
    /// A set of routers that are there already.
    #[must_use]
    pub fn of(routers: Vec<Arc<dyn Router>>) -> Self {
        let mut hasher = foldhash::quality::FixedState::with_seed(0).build_hasher();
        for header in routers.iter().map(|router| router.header()) {
            hasher.write(header.id.source().as_bytes());
            hasher.write_u32(header.id.line());
            hasher.write(header.url.as_str().as_bytes());
        }
        Self { id: hasher.finish(), routers: routers.into(), is_incomplete: false }
    }

    /// Compiles rules; those that `previous` has unchanged are taken over. Every rule that compiles is in the set;
    /// errors and warnings are among the findings.
    #[must_use]
    pub fn compile(
        definitions: &[RuleDefinition],
        registry: &RouterFactoryRegistry,
        previous: Option<&Self>,
    ) -> (Self, Vec<Finding>) {
        let known: HashMap<(&RuleId, &Url), &Arc<dyn Router>> = previous
            .map(|set| set.routers.iter().map(|router| ((&router.header().id, &router.header().url), router)).collect())
            .unwrap_or_default();
        let mut findings = Vec::new();
        let mut routers = Vec::with_capacity(definitions.len());
        for definition in definitions {
            if let Some(router) = known.get(&(&definition.id, &definition.url)) {
                routers.push(Arc::clone(router));
                continue;
            }
            let mut context = FactoryContext { registry, reader: None, warnings: &mut findings };
            match registry.create_router(definition, &mut context) {
                Ok(router) => routers.push(router),
                Err(error) => findings.push(error.into_finding(&definition.origin, definition.url.as_str().len())),
            }
        }
        (Self::of(routers), findings)
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

    /// The set's id: equal for equal rules.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }
}
