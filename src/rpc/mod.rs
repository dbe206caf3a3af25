//! What a call is made of: URLs, invocations, values, providers, invokers, answers.
//!
//! Everything in the system is described by a [`Url`]: a consumer, a provider, a rule. A call is an [`Invocation`]:
//! the borrowed trait that routers see, and [`RpcInvocation`], our own carrier of one. An [`Invoker`] answers it, and a
//! [`Protocol`] makes one of a provider's URL. Nothing here knows of rules.

pub mod keys;

mod answer;
mod app_response;
mod contained;
mod filter;
mod filter_chain;
mod invocation;
mod invoker;
mod protocol;
mod provider;
mod rpc_context;
mod rpc_error;
mod service_key;
mod shown;
mod time;
mod tower_invoker;
mod url;
mod url_error;
mod url_reader;
mod value;

pub use answer::Answer;
pub use answer::RpcResult;
pub use answer::Soon;
pub use app_response::AppResponse;
pub use app_response::Exception;
pub use contained::contained;
pub use contained::contained_future;
pub use contained::contained_panics;
pub use filter::Filter;
pub use filter::Step;
pub use filter_chain::FilterChain;
pub use filter_chain::FilterMask;
pub use invocation::Invocation;
pub use invocation::RpcInvocation;
pub use invoker::AsyncFunctionInvoker;
pub use invoker::FunctionInvoker;
pub use invoker::Invoker;
pub use protocol::Exporter;
pub use protocol::Protocol;
pub use protocol::ProtocolRegistry;
pub use provider::InvokerId;
pub use provider::InvokerSlots;
pub use provider::Provider;
pub use rpc_context::InvokeMode;
pub use rpc_context::RpcContext;
pub use rpc_error::RpcError;
pub use rpc_error::RpcErrorKind;
pub use service_key::ServiceKey;
pub(crate) use shown::shown;
pub use time::until;
pub use tower_invoker::TowerInvoker;
pub use url::Url;
pub use url_error::UrlError;
pub use value::Value;
