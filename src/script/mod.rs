//! Scripts: rules written in JavaScript, Rhai or Lua, run within a budget whatever they contain.
//!
//! Order of work: a rule's text is compiled once ([`ScriptEngine::compile`]); for a call it gets the candidates, a copy
//! of the call and its limits ([`Run`]); its value becomes a selection of the candidates. What it read of the call is
//! recorded, so that equal calls are answered from the chain's memo.
//!
//! - One host API for all languages: `docs/scripting.md`.
//! - A script sees copies; strangers and repeats in its answer are dropped, the order is the list's.
//! - Engines are `!Send`: an [`Executor`] holds those of one thread, in a worker process or, for trusted text, inline.

#[cfg(feature = "boa")]
mod boa;
mod call;
mod cpu_clock;
mod engine;
mod engine_kind;
mod executor;
mod factory;
mod host;
mod inline;
#[cfg(any(feature = "boa", feature = "quickjs"))]
mod javascript;
mod limits;
#[cfg(feature = "lua")]
mod luau;
#[cfg(not(all(feature = "boa", feature = "quickjs", feature = "rhai", feature = "lua")))]
mod missing;
mod program;
#[cfg(feature = "quickjs")]
mod quickjs;
mod report;
#[cfg(feature = "rhai")]
mod rhai;
mod router;
mod run;
#[cfg(target_os = "linux")]
mod service;
mod table;
#[cfg(target_os = "linux")]
mod workers;

pub use call::CapturedCall;
pub use engine::CompileError;
pub use engine::RunError;
pub use engine::ScriptEngine;
pub use engine_kind::EngineKind;
pub use executor::Executor;
pub use executor::RunReport;
pub use factory::ScriptRouterFactory;
pub use host::Isolation;
pub use host::ScriptHost;
pub use host::ScriptSettings;
pub use limits::Limits;
pub use limits::RunLimits;
pub use program::Program;
pub use program::ProgramId;
pub use router::ScriptRouter;
pub use run::Run;
#[cfg(target_os = "linux")]
pub use service::ScriptService;
pub use table::ProviderTable;
#[cfg(target_os = "linux")]
pub use workers::Domain;
