//! The host's configuration: what only the host may decide, never a rules folder.
//!
//! TOML. Keys, units and defaults: `docs/configuration.md`.

mod host;
mod plugins;
mod reader;
mod scripts;

pub use host::HostConfig;
pub use host::MAX_CONFIG_BYTES;
pub use plugins::PluginConfig;
pub use plugins::PluginTrust;
pub use scripts::JavaScriptEngine;
pub use scripts::ScriptConfig;
pub use scripts::ScriptDomain;
pub use scripts::ScriptIsolation;
