//! The engine.

use crate::script::EngineKind;
use crate::script::ScriptEngine;
use crate::script::missing;

/// An engine without programs.
pub(crate) fn create() -> Box<dyn ScriptEngine> {
    missing::create(EngineKind::QuickJs)
}
