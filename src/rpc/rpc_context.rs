//! What travels with a call: the invocation itself, and what is added on the way to one provider.

use std::borrow::Cow;

use smallvec::SmallVec;
use tokio::time::Instant;

use crate::rpc::Invocation;
use crate::rpc::RpcInvocation;
use crate::rpc::Value;

/// Whether somebody waits for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InvokeMode {
    /// The caller takes the answer when it is there.
    #[default]
    TwoWay,
    /// Nobody takes it: the call is done when it is sent.
    OneWay,
}

/// A call on its way to one provider: the caller's invocation, with attachments that were added for this provider alone.
///
/// Every attempt has one of its own, so nothing that a filter adds for one provider reaches the next.
#[derive(Clone)]
pub struct RpcContext<'a> {
    invocation: &'a dyn Invocation,
    added: SmallVec<[(Cow<'a, str>, Cow<'a, str>); 4]>,
    /// When the call must be over.
    pub deadline: Option<Instant>,
    /// Whether somebody waits for the answer.
    pub mode: InvokeMode,
    /// The number of the attempt, counted from 0.
    pub attempt: u32,
}

// === impl RpcContext ===

impl<'a> RpcContext<'a> {
    /// The first attempt of `invocation`, without a deadline.
    #[must_use]
    pub fn new(invocation: &'a dyn Invocation) -> Self {
        Self { invocation, added: SmallVec::new(), deadline: None, mode: InvokeMode::TwoWay, attempt: 0 }
    }

    /// The same call with a deadline.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    /// The same call for `mode`.
    #[must_use]
    pub fn with_mode(mut self, mode: InvokeMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets an attachment for this provider; it hides the caller's of the same key.
    pub fn set_attachment(&mut self, key: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) {
        let (key, value) = (key.into(), value.into());
        match self.added.iter_mut().find(|(name, _)| *name == key) {
            Some(entry) => entry.1 = value,
            None => self.added.push((key, value)),
        }
    }

    /// What the caller called.
    #[must_use]
    pub fn invocation(&self) -> &'a dyn Invocation {
        self.invocation
    }

    /// A copy of the call as it is now, free of what it borrowed.
    #[must_use]
    pub fn to_owned_invocation(&self) -> RpcInvocation<'static> {
        RpcInvocation::copied(self)
    }
}

impl Invocation for RpcContext<'_> {
    fn service(&self) -> &str {
        self.invocation.service()
    }

    fn method(&self) -> &str {
        self.invocation.method()
    }

    fn attachment(&self, key: &str) -> Option<&str> {
        let added = self.added.iter().find(|(name, _)| name == key);
        added.map(|(_, value)| value.as_ref()).or_else(|| self.invocation.attachment(key))
    }

    fn for_each_attachment(&self, visit: &mut dyn FnMut(&str, &str)) {
        self.added.iter().for_each(|(key, value)| visit(key, value));
        self.invocation.for_each_attachment(&mut |key, value| {
            if !self.added.iter().any(|(name, _)| name == key) {
                visit(key, value);
            }
        });
    }

    fn argument_count(&self) -> usize {
        self.invocation.argument_count()
    }

    fn argument(&self, index: usize) -> Option<&Value<'_>> {
        self.invocation.argument(index)
    }

    fn parameter_type(&self, index: usize) -> Option<&str> {
        self.invocation.parameter_type(index)
    }
}

impl std::fmt::Debug for RpcContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RpcContext")
            .field("service", &self.service())
            .field("method", &self.method())
            .field("added", &self.added.iter().map(|(key, _)| key).collect::<Vec<_>>())
            .field("deadline", &self.deadline)
            .field("mode", &self.mode)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}
