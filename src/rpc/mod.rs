//! What a call is made of: URLs, invocations, values, providers.
//!
//! Everything in the system is described by a [`Url`]: a consumer, a provider, a rule. A call is an [`Invocation`]:
//! the borrowed trait that routers see, and [`RpcInvocation`], our own carrier of one. Nothing here knows of rules.

pub mod keys;

mod invocation;
mod provider;
mod service_key;
mod shown;
mod url;
mod url_error;
mod url_reader;
mod value;

pub use invocation::Invocation;
pub use invocation::RpcInvocation;
pub use provider::InvokerId;
pub use provider::InvokerSlots;
pub use provider::Provider;
pub use service_key::ServiceKey;
pub(crate) use shown::shown;
pub use url::Url;
pub use url_error::UrlError;
pub use value::Value;
