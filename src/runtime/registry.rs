//! The factories that are there without plugins, and what a worker process serves.

use std::sync::Arc;

use crate::affinity::AffinityRouterFactory;
use crate::condition::ConditionRouterFactory;
use crate::condition::DestinationRouterFactory;
use crate::condition::Reading;
use crate::file::FileRouterFactory;
use crate::mock::MockRouterFactory;
use crate::router::BuildError;
use crate::router::RouterFactoryRegistry;
use crate::script::ScriptRouterFactory;
use crate::tag::TagRouterFactory;

/// A registry with every kind of rule that this crate knows. Scripts are refused: nobody has said where they may run,
/// see [`registry_with_scripts`].
///
/// # Errors
///
/// None in practice: the names are distinct.
pub fn default_registry() -> Result<RouterFactoryRegistry, BuildError> {
    registry_with_scripts(ScriptRouterFactory::without_host())
}

/// A registry with every kind of rule that this crate knows; scripts are compiled by `scripts`, and conditions are read as
/// strictly as `reading` says.
///
/// # Errors
///
/// None in practice: the names are distinct.
pub fn registry_with(scripts: ScriptRouterFactory, reading: Reading) -> Result<RouterFactoryRegistry, BuildError> {
    let mut registry = RouterFactoryRegistry::new();
    registry.register(Arc::new(AffinityRouterFactory))?;
    registry.register(Arc::new(ConditionRouterFactory::reading(reading)))?;
    registry.register(Arc::new(DestinationRouterFactory::reading(reading)))?;
    registry.register(Arc::new(FileRouterFactory))?;
    registry.register(Arc::new(MockRouterFactory))?;
    registry.register(Arc::new(scripts))?;
    registry.register(Arc::new(TagRouterFactory))?;
    Ok(registry)
}

/// A registry with every kind of rule that this crate knows; scripts are compiled by `scripts`.
///
/// # Errors
///
/// None in practice: the names are distinct.
pub fn registry_with_scripts(scripts: ScriptRouterFactory) -> Result<RouterFactoryRegistry, BuildError> {
    registry_with(scripts, Reading::Strict)
}

/// Runs this process as a worker of its host, for scripts or for a plugin as its second argument says; returns when the
/// host is gone. A program that can be a worker calls this when its first argument is
/// [`WORKER_ARGUMENT`](crate::worker::WORKER_ARGUMENT).
#[cfg(target_os = "linux")]
#[must_use]
pub fn serve_host() -> std::process::ExitCode {
    #[cfg(feature = "plugins")]
    if std::env::args_os().nth(2).is_some_and(|service| service == crate::plugin::PLUGIN_SERVICE) {
        return crate::worker::serve_loader(|seal| Box::new(crate::plugin::PluginService::new(seal)));
    }
    crate::worker::serve(|| Box::new(crate::script::ScriptService::new()))
}
