//! The running engine: rules and providers put together, replaced while calls run.
//!
//! An [`Engine`] holds one immutable snapshot: service → list, chain, generation. A change
//! builds the affected services anew and swaps one pointer; a failure leaves the old snapshot in force. Calls go
//! through a [`Session`], a value that one thread owns: it has the memo and lends its answers. A session holds no
//! list and no chain while it idles, so an old list is gone as soon as the last call over it has ended.
//!
//! This is the only place where the parts are put together.

mod bindings;
mod blocking;
pub mod calls;
mod candidate;
mod config;
mod decision;
mod engine;
mod engine_directory;
mod explain;
mod folder_rules;
mod followers;
mod following;
mod guard;
mod keeper;
mod known;
mod memo_budget;
mod reference;
mod reference_builder;
mod registry;
mod reload;
mod reload_event;
mod rule_index;
mod rule_set;
mod service;
mod service_feed;
mod services;
mod session;
mod session_pool;
mod snapshot;
mod source_status;
mod status;
mod watch;

pub use blocking::BlockingReference;
pub use candidate::Candidate;
pub use candidate::Comparison;
pub use candidate::Relation;
pub use config::EngineBuilder;
pub use decision::Decision;
pub use decision::OwnedDecision;
pub use decision::SelectError;
pub use engine::Engine;
pub use engine_directory::EngineDirectory;
pub use explain::Explanation;
pub use reference::CallOptions;
pub use reference::Reference;
pub use reference_builder::ReferenceBuilder;
pub use registry::default_registry;
pub use registry::registry_with;
pub use registry::registry_with_scripts;
#[cfg(target_os = "linux")]
pub use registry::serve_host;
pub use reload::ReloadError;
pub use reload_event::ReloadEvent;
pub use rule_set::RuleSet;
pub use service::ExportedService;
pub use service::Service;
pub use service::ServiceBuilder;
pub use service_feed::Notified;
pub use service_feed::ServiceFeed;
pub use session::Session;
pub use source_status::SourceStatus;
pub use source_status::UpdateState;
pub use status::EngineStatus;
pub use status::RuleStatus;
pub use status::ServiceStatus;
pub use watch::WatchedFolder;
