//! Answers whoever asks whether somebody is there.

use crate::rpc::AppResponse;
use crate::rpc::Filter;
use crate::rpc::Invocation as _;
use crate::rpc::RpcContext;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::Value;
use crate::rpc::keys;

/// Answers `$echo` with its one argument, and never asks the service. As `EchoFilter`.
#[derive(Debug, Clone, Copy, Default)]
pub struct EchoFilter;

// === impl EchoFilter ===

impl EchoFilter {
    /// The filter's name.
    pub const NAME: &str = "echo";
}

impl Filter for EchoFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn before(&self, context: &mut RpcContext<'_>, _: &Url) -> Step {
        if context.method() != keys::ECHO || context.argument_count() != 1 {
            return Step::Pass(0);
        }
        let argument = context.argument(0).cloned().unwrap_or(Value::Null);
        Step::Answer(Ok(AppResponse::new(argument.into_owned())))
    }
}
