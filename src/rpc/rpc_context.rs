//! What travels with a call: the invocation itself, and what is added on the way to one provider.

use std::borrow::Cow;
use std::sync::Arc;

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
    added: SmallVec<[(Cow<'a, str>, Added<'a>); 4]>,
    // INVARIANT: each sorted.
    hidden: SmallVec<[&'static [&'static str]; 1]>,
    replacement: Option<Box<RpcInvocation<'static>>>,
    /// When the call must be over.
    pub deadline: Option<Instant>,
    /// Whether somebody waits for the answer.
    pub mode: InvokeMode,
    /// The number of the attempt, counted from 0.
    pub attempt: u32,
}

/// The value of an attachment that was added.
#[derive(Clone)]
enum Added<'a> {
    Own(Cow<'a, str>),
    Shared(Arc<str>),
}

// === impl RpcContext ===

impl<'a> RpcContext<'a> {
    /// The first attempt of `invocation`, without a deadline.
    #[must_use]
    pub fn new(invocation: &'a dyn Invocation) -> Self {
        Self {
            invocation,
            added: SmallVec::new(),
            hidden: SmallVec::new(),
            replacement: None,
            deadline: None,
            mode: InvokeMode::TwoWay,
            attempt: 0,
        }
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
        self.add(key.into(), Added::Own(value.into()));
    }

    /// [`RpcContext::set_attachment`] with a text that many calls share: it is not copied.
    pub fn set_shared_attachment(&mut self, key: &'static str, value: Arc<str>) {
        self.add(Cow::Borrowed(key), Added::Shared(value));
    }

    /// From now on the attachments `keys` are as good as absent, whoever set them, beside those that
    /// are hidden already. The keys are sorted.
    pub fn hide_attachments(&mut self, keys: &'static [&'static str]) {
        self.hidden.push(keys);
    }

    /// From now on the call is of the method and with the arguments of `call`. Service and attachments stay as they are.
    pub fn replace_call(&mut self, call: RpcInvocation<'static>) {
        self.replacement = Some(Box::new(call));
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

    fn add(&mut self, key: Cow<'a, str>, value: Added<'a>) {
        match self.added.iter_mut().find(|(name, _)| *name == key) {
            Some(entry) => entry.1 = value,
            None => self.added.push((key, value)),
        }
    }

    fn hides(&self, key: &str) -> bool {
        self.hidden.iter().any(|keys| keys.binary_search(&key).is_ok())
    }

    /// Whose method and arguments count.
    fn called(&self) -> &dyn Invocation {
        match &self.replacement {
            None => self.invocation,
            Some(replacement) => &**replacement,
        }
    }
}

impl Invocation for RpcContext<'_> {
    fn service(&self) -> &str {
        self.invocation.service()
    }

    fn method(&self) -> &str {
        self.called().method()
    }

    fn attachment(&self, key: &str) -> Option<&str> {
        if self.hides(key) {
            return None;
        }
        let added = self.added.iter().find(|(name, _)| name == key);
        added.map(|(_, value)| value.as_str()).or_else(|| self.invocation.attachment(key))
    }

    fn for_each_attachment(&self, visit: &mut dyn FnMut(&str, &str)) {
        for (key, value) in self.added.iter().filter(|(key, _)| !self.hides(key)) {
            visit(key, value.as_str());
        }
        self.invocation.for_each_attachment(&mut |key, value| {
            if !self.hides(key) && !self.added.iter().any(|(name, _)| name == key) {
                visit(key, value);
            }
        });
    }

    fn argument_count(&self) -> usize {
        self.called().argument_count()
    }

    fn argument(&self, index: usize) -> Option<&Value<'_>> {
        self.called().argument(index)
    }

    fn parameter_type(&self, index: usize) -> Option<&str> {
        self.called().parameter_type(index)
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

// === impl Added ===

impl Added<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::Shared(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_hides_another_does_not_show_again() {
        let call = RpcInvocation::new("S", "m").with_attachment("a", "1").with_attachment("b", "2");
        let mut context = RpcContext::new(&call);
        context.hide_attachments(&["a"]);
        context.hide_attachments(&["b", "c"]);
        assert_eq!((context.attachment("a"), context.attachment("b")), (None, None));
    }

    #[test]
    fn what_is_set_replaced_or_hidden_is_what_the_provider_sees() {
        let caller = RpcInvocation::new("S", "$invoke")
            .with_argument("java.lang.String", "find")
            .with_attachment("token", "x")
            .with_attachment("trace", "1");
        let mut context = RpcContext::new(&caller);
        context.set_attachment("trace", "2");
        context.set_shared_attachment("application", "shop".into());
        context.hide_attachments(&["a", "token"]);
        context
            .replace_call(RpcInvocation::new("other", "find").with_argument("long", 7_i64).with_attachment("b", "c"));

        let seen = context.to_owned_invocation();
        let attachments: Vec<_> = seen.attachments().collect();
        assert_eq!(attachments, [("trace", "2"), ("application", "shop")]);
        assert_eq!((context.attachment("token"), context.attachment("application")), (None, Some("shop")));
        assert_eq!((seen.service(), seen.method(), seen.arguments()), ("S", "find", &[Value::Int(7)][..]));
        assert_eq!(seen.parameter_type(0), Some("long"));
        assert_eq!(context.invocation().method(), "$invoke", "what the caller called");
    }
}
