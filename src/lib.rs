//! Decides, for every RPC call, which providers may serve it: Dubbo's routing rules as one engine.
//!
//! A rule says which calls it is for and which providers those calls may go to. An [`Engine`] holds rules and providers,
//! a [`Session`] answers calls: it narrows the list of a service's providers, rule by rule, to those that may be
//! called. It never invents, changes or reorders a provider, and for every answer it can say which rule decided.
//!
//! # Embedding
//!
//! ```
//! use pointsman::{Engine, RpcInvocation, RuleSet, Url};
//!
//! let providers = ["dubbo://10.1.0.1:20880/Orders?region=hangzhou", "dubbo://10.2.0.1:20880/Orders?region=shanghai"];
//! let rules = RuleSet::from_conditions(["method = create => region = $region"]).unwrap();
//! let engine = Engine::builder().rules(rules).providers(providers.map(|text| Url::parse(text).unwrap())).build().unwrap();
//!
//! let consumer = Url::parse("consumer://10.1.0.9/Orders?region=hangzhou").unwrap();
//! let mut session = engine.session();
//! let decision = session.select(&consumer, &RpcInvocation::new("Orders", "create")).unwrap();
//! let chosen: Vec<&str> = decision.providers().map(|(_, provider)| provider.url().as_str()).collect();
//! assert_eq!(chosen, [providers[0]]);
//! ```
//!
//! - Read a consumer URL once and keep it: it names the service, and a session finds what it knows of it fastest so.
//! - A session belongs to one thread or task; an engine is shared, and cheap to clone. `select_async` of either waits without
//!   blocking; what a session decided it remembers, an engine remembers nothing.
//! - [`Engine::replace_rules`] and [`Engine::replace_providers`] may be called at any time: a call sees all of a change
//!   or nothing of it, and a change that fails leaves everything as it was.
//! - An empty [`Decision`] is no error: rules may leave nobody. [`Engine::explain`] tells which one did.
//! - [`source::folder::load`] reads a folder, [`RuleSet::from_folder`] compiles its rules; the command does just that.
//!
//! # Modules
//!
//! Lower ones know nothing of those above; `docs/architecture.md` follows one call and one rule through them.
//!
//! | module | holds |
//! |---|---|
//! | `cli` | the command, behind the feature `cli` |
//! | [`runtime`] | the running engine: snapshots, sessions, decisions, replacing rules and providers |
//! | [`source`] | where rules, providers and settings come from: a folder, the host's configuration |
//! | [`rule`] | rule documents: Dubbo's YAML |
//! | [`cluster`] | what a failure means: retries, deadlines, mocks |
//! | [`filter`] | what stands around calls: limits, tokens, logs, and which of it is active |
//! | [`transport`] | ways to call a provider: `injvm`, and stand-ins for those that are not there |
//! | [`directory`] | the invokers of one service: who may be asked, and how each is called |
//! | [`chain`] | the rules of one service in order: binding, walking, `force`, `on-error`, the memo |
//! | [`condition`] | condition rules, `when => then`, in two dialects |
//! | [`mod@file`] | rules whose text stands in a file of its own |
//! | [`script`] | rules in JavaScript, Rhai and Lua, each within its own budget |
//! | `plugin` | rules whose routers come as shared libraries; Linux only, behind the feature `plugins` |
//! | [`tag`] | tag rules: addresses and parameters by tag, with their fallback |
//! | [`affinity`] | affinity rules: providers like the consumer first, if there are enough |
//! | [`loadbalance`] | which one of the candidates a call goes to: weights, policies, states of invokers |
//! | [`stand_in`] | how a stand-in behaves: latency, failures, answers |
//! | [`mock`] | the selector that keeps mock providers for calls which ask for them |
//! | [`router`] | what every rule is: four stages, lists, selections, the registry of kinds |
//! | [`rpc`] | URLs, calls, values, providers, invokers |
//! | `worker` | supervised child processes for what is not trusted; Linux only |
//! | [`mod@disk`] | files read without trust, and their hashes |
//! | [`yaml`] | YAML as values that know where they stand, within bounds |
//! | [`diagnostics`] | findings with number, place and help; masking |
//!
//! # Features
//!
//! `cli` builds the command; `boa`, `quickjs`, `rhai` and `lua` each build in a script engine; `plugins` loads routers that
//! come as shared libraries, on Linux. All are default, and the library needs none: `default-features = false`. A script
//! whose engine is left out is refused when it is loaded, and so is a plugin.

pub mod affinity;
pub mod chain;
#[cfg(feature = "cli")]
pub mod cli;
pub mod cluster;
pub mod condition;
pub mod diagnostics;
pub mod directory;
pub mod disk;
pub mod file;
pub mod filter;
pub mod loadbalance;
pub mod mock;
#[cfg(all(feature = "plugins", target_os = "linux"))]
pub mod plugin;
pub mod router;
pub mod rpc;
pub mod rule;
pub mod runtime;
pub mod script;
pub mod source;
pub mod stand_in;
pub mod tag;
pub mod transport;
#[cfg(target_os = "linux")]
pub mod worker;
pub mod yaml;

pub use chain::OnEmpty;
pub use chain::PriorityOrder;
pub use diagnostics::Finding;
pub use diagnostics::Severity;
pub use rpc::AppResponse;
pub use rpc::Invocation;
pub use rpc::Invoker;
pub use rpc::InvokerId;
pub use rpc::Provider;
pub use rpc::RpcContext;
pub use rpc::RpcError;
pub use rpc::RpcInvocation;
pub use rpc::RpcResult;
pub use rpc::ServiceKey;
pub use rpc::Url;
pub use rpc::Value;
pub use runtime::Decision;
pub use runtime::Engine;
pub use runtime::EngineBuilder;
pub use runtime::Explanation;
pub use runtime::OwnedDecision;
pub use runtime::Reference;
pub use runtime::ReloadError;
pub use runtime::RuleSet;
pub use runtime::SelectError;
pub use runtime::Service;
pub use runtime::Session;

/// The examples of the README run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The manual's example of a service and its consumer runs with the tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/embedding.md")]
struct Embedding;

/// So do those of the manual of load balancing.
#[cfg(doctest)]
#[doc = include_str!("../docs/loadbalance.md")]
struct LoadBalanceManual;

/// So do those of the page on filters.
#[cfg(doctest)]
#[doc = include_str!("../docs/filters.md")]
struct Filters;
