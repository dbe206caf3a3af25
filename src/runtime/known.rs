//! Rules that were compiled before, found by what they were compiled from.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::diagnostics::Finding;
use crate::router::FactoryContext;
use crate::router::Router;
use crate::router::RouterFactoryRegistry;
use crate::router::RuleDefinition;
use crate::router::RuleId;
use crate::router::TextReader;
use crate::rpc::Url;
use crate::source::folder::Dependency;
use crate::source::folder::FolderReader;
use crate::source::folder::RuleEntry;

/// A router with what it was compiled from, and what compiling it had to say.
#[derive(Debug, Clone)]
pub(crate) struct CompiledRule {
    pub(crate) router: Arc<dyn Router>,
    id: RuleId,
    /// As the source has it; the router's own URL may be what a `file:` URL became.
    url: Url,
    /// The files that it was made of.
    pub(crate) dependencies: Vec<Dependency>,
    /// Told again when it is taken over.
    warnings: Vec<Finding>,
}

/// The rules of some sets, found by what they were compiled from.
pub(crate) struct Known<'a> {
    rules: HashMap<(&'a RuleId, &'a Url), &'a CompiledRule>,
}

// === impl CompiledRule ===

impl CompiledRule {
    /// A router that is there already.
    pub(crate) fn of(router: Arc<dyn Router>) -> Self {
        let (id, url) = (router.header().id.clone(), router.header().url.clone());
        Self { router, id, url, dependencies: Vec::new(), warnings: Vec::new() }
    }

    /// Whether it was made of `entry`, which stands where it stood: another file may have taken its name, or left it.
    pub(crate) fn is_of(&self, entry: &RuleEntry) -> bool {
        self.id.name() == entry.name()
    }

    /// The rule once more, with what was said of it.
    pub(crate) fn again(&self, findings: &mut Vec<Finding>) -> Self {
        findings.extend(self.warnings.iter().cloned());
        self.clone()
    }
}

// === impl Known ===

impl<'a> Known<'a> {
    /// Where two are made of the same, the later one counts.
    pub(crate) fn of(rules: impl IntoIterator<Item = &'a CompiledRule>) -> Self {
        Self { rules: rules.into_iter().map(|rule| ((&rule.id, &rule.url), rule)).collect() }
    }

    fn get(&self, definition: &RuleDefinition, reader: Option<&FolderReader<'_>>) -> Option<&'a CompiledRule> {
        let rule = *self.rules.get(&(&definition.id, &definition.url))?;
        let is_current = |dependency| reader.is_some_and(|reader| reader.is_current(dependency));
        (rule.router.is_current() && rule.dependencies.iter().all(is_current)).then_some(rule)
    }

    /// The rule if it is known, else compiled; what is to be said of it joins `findings`, what it read joins `read`.
    pub(crate) fn get_or_create(
        &self,
        definition: &RuleDefinition,
        registry: &RouterFactoryRegistry,
        mut reader: Option<&mut FolderReader<'_>>,
        findings: &mut Vec<Finding>,
        read: &mut Vec<Dependency>,
    ) -> Option<CompiledRule> {
        if let Some(known) = self.get(definition, reader.as_deref()) {
            read.extend(known.dependencies.iter().cloned());
            return Some(known.again(findings));
        }
        let mut warnings = Vec::new();
        let text_reader = reader.as_deref_mut().map(|reader| reader as &mut dyn TextReader);
        let mut context = FactoryContext { registry, reader: text_reader, warnings: &mut warnings };
        let created = registry.create_router(definition, &mut context);
        let dependencies = reader.map(FolderReader::take_dependencies).unwrap_or_default();
        findings.extend(warnings.iter().cloned());
        read.extend(dependencies.iter().cloned());
        match created {
            Ok(router) => {
                let (id, url) = (definition.id.clone(), definition.url.clone());
                Some(CompiledRule { router, id, url, dependencies, warnings })
            }
            Err(error) => {
                findings.push(error.into_finding(&definition.origin, definition.source_bytes));
                None
            }
        }
    }
}
