//! A stand-in for scripts: of the whole text, the line `keep REGION` says which region is kept.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use pointsman::condition::ConditionRouterFactory;
use pointsman::diagnostics::Finding;
use pointsman::file::FileRouterFactory;
use pointsman::mock::MockRouterFactory;
use pointsman::router::BuildError;
use pointsman::router::FactoryContext;
use pointsman::router::Router;
use pointsman::router::RouterFactory;
use pointsman::router::RouterFactoryRegistry;
use pointsman::router::RuleDefinition;
use pointsman::rpc::Url;

use crate::support::engine::encode;

/// Compiles `script://` rules and counts them.
#[derive(Debug, Default)]
pub(crate) struct Scripts {
    pub(crate) compiled: AtomicUsize,
}

impl RouterFactory for Scripts {
    fn protocol(&self) -> &str {
        "script"
    }

    fn create_router(
        &self,
        definition: &RuleDefinition,
        context: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError> {
        self.compiled.fetch_add(1, Ordering::Relaxed);
        let text = definition.url.parameter_decoded("rule").unwrap().unwrap();
        let Some(region) = text.lines().find_map(|line| line.strip_prefix("keep ")) else {
            let finding = Finding::error("script::stand_in", "nothing is kept").with_help("write `keep REGION`");
            let at = text.find("broken").unwrap_or(0);
            return Err(finding.at(&definition.rule_origin, at..at + 1, "here").into());
        };
        let (head, _) = definition.url.as_str().split_once("rule=").unwrap();
        let rule = encode(&format!("=> region={region}"));
        let url = format!("{}force=true&rule={rule}", head.replacen("script://", "condition://", 1));
        let inner = RuleDefinition { url: Url::parse(&url).unwrap(), ..definition.clone() };
        context.registry.factory("condition")?.create_router(&inner, context)
    }
}

/// The kinds there are, and scripts.
pub(crate) fn registry(scripts: &Arc<Scripts>) -> Arc<RouterFactoryRegistry> {
    let mut registry = RouterFactoryRegistry::new();
    registry.register(Arc::new(ConditionRouterFactory::default())).unwrap();
    registry.register(Arc::new(FileRouterFactory)).unwrap();
    registry.register(Arc::new(MockRouterFactory)).unwrap();
    registry.register(Arc::clone(scripts) as Arc<dyn RouterFactory>).unwrap();
    Arc::new(registry)
}
