//! The factories that are there without plugins.

use std::sync::Arc;

use crate::condition::ConditionRouterFactory;
use crate::file::FileRouterFactory;
use crate::mock::MockRouterFactory;
use crate::router::BuildError;
use crate::router::RouterFactoryRegistry;

/// A registry with every kind of rule that this crate knows.
///
/// # Errors
///
/// None in practice: the names are distinct.
pub fn default_registry() -> Result<RouterFactoryRegistry, BuildError> {
    let mut registry = RouterFactoryRegistry::new();
    registry.register(Arc::new(ConditionRouterFactory))?;
    registry.register(Arc::new(FileRouterFactory))?;
    registry.register(Arc::new(MockRouterFactory))?;
    Ok(registry)
}
