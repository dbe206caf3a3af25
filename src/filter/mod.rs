//! The filters that stand around calls, and which of them stand in a chain.
//!
//! A [`FilterRegistry`] knows filters by name, with their side, their order and when they are active: the built-in ones and
//! the user's own. [`FilterRegistry::chain`] puts them together for a URL, once; a call then passes the chain without
//! asking the registry. What a filter reads of its own URL it reads when it is made, what it reads of a provider's it looks
//! up, and a call that it does not concern costs it no memory. Names, orders and parameters are Dubbo's; `docs/filters.md`
//! lists them.

mod access_line;
mod access_log;
mod access_log_file;
mod activation;
mod active_limit;
mod built_in;
mod consumer_context;
mod definition;
mod echo;
mod exception;
mod execute_limit;
mod filter_names;
mod generic;
mod load_report;
mod places;
mod provider_context;
mod registry;
mod side;
#[cfg(test)]
mod tests;
mod timeout;
mod token_check;
mod token_sender;
mod tps_limit;

pub use access_log::AccessLogFilter;
pub use access_log_file::AccessLogFile;
pub use activation::Activation;
pub use active_limit::ActiveLimitFilter;
pub use consumer_context::ConsumerContextFilter;
pub use definition::FilterDefinition;
pub use echo::EchoFilter;
pub use exception::ExceptionFilter;
pub use execute_limit::ExecuteLimitFilter;
pub use generic::GenericFilter;
pub use load_report::LoadReportFilter;
pub use provider_context::ProviderContextFilter;
pub use registry::FilterRegistry;
pub use side::Side;
pub use timeout::TimeoutFilter;
pub use token_check::TokenCheckFilter;
pub use token_sender::TokenSenderFilter;
pub use tps_limit::TpsLimitFilter;
