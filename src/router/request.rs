//! What a router sees of a call: only the inputs it declared.

use std::borrow::Cow;

use crate::router::Clock;
use crate::router::Input;
use crate::router::Inputs;
use crate::router::Reads;
use crate::router::RouteError;
use crate::rpc::Invocation;
use crate::rpc::Url;

/// One call as it is shown to one router.
#[derive(Clone, Copy)]
pub struct RouteRequest<'a> {
    consumer: &'a Url,
    invocation: &'a dyn Invocation,
    inputs: &'a Inputs,
    seed: u64,
    clock: &'a dyn Clock,
}

// === impl RouteRequest ===

impl<'a> RouteRequest<'a> {
    /// Shows `invocation` to a router that declared `inputs`.
    #[must_use]
    pub fn new(
        consumer: &'a Url,
        invocation: &'a dyn Invocation,
        inputs: &'a Inputs,
        seed: u64,
        clock: &'a dyn Clock,
    ) -> Self {
        Self { consumer, invocation, inputs, seed, clock }
    }

    /// The consumer that the chain was bound for.
    #[must_use]
    pub fn consumer(&self) -> &'a Url {
        self.consumer
    }

    /// The seed of every random draw of this call.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The host's clock.
    #[must_use]
    pub fn clock(&self) -> &'a dyn Clock {
        self.clock
    }

    /// The whole call, for routers that record what they read, or declared that they may read everything.
    #[must_use]
    pub fn invocation(&self) -> Option<&'a dyn Invocation> {
        matches!(self.inputs.reads, Reads::Recorded | Reads::All).then_some(self.invocation)
    }

    /// A part of the call; none where the call lacks it.
    ///
    /// # Errors
    ///
    /// [`RouteError::UndeclaredInput`] for a part that the router did not declare.
    pub fn read(&self, input: &Input) -> Result<Option<Cow<'a, str>>, RouteError> {
        if !self.inputs.allows(input) {
            return Err(RouteError::UndeclaredInput { input: input.clone() });
        }
        Ok(input.read(self.invocation, self.clock))
    }

    /// The attachment `key`; none where the call lacks it. The same as [`RouteRequest::read`], without a key of its own.
    ///
    /// # Errors
    ///
    /// [`RouteError::UndeclaredInput`] for an attachment that the router did not declare.
    pub fn attachment(&self, key: &str) -> Result<Option<&'a str>, RouteError> {
        if !self.inputs.allows_attachment(key) {
            return Err(RouteError::UndeclaredInput { input: Input::Attachment(key.into()) });
        }
        Ok(self.invocation.attachment(key))
    }
}

impl std::fmt::Debug for RouteRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RouteRequest").field("method", &self.invocation.method()).field("inputs", self.inputs).finish()
    }
}
