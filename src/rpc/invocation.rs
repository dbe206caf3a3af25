//! A call, as routers see it and as we carry it.

use std::borrow::Cow;
use std::fmt;

use smallvec::SmallVec;

use crate::rpc::Value;
use crate::rpc::keys;

/// A call that is being routed. Everything is read lazily: a proxy must not decode what it only passes on.
pub trait Invocation: Sync {
    /// The service that is called.
    fn service(&self) -> &str;
    /// The method's name as it was called; `$invoke` for a generic call.
    fn method(&self) -> &str;
    /// The attachment `key`.
    fn attachment(&self, key: &str) -> Option<&str>;
    /// Tells every attachment, in any order; the same key once.
    fn for_each_attachment(&self, visit: &mut dyn FnMut(&str, &str));
    /// How many arguments there are.
    fn argument_count(&self) -> usize;
    /// The argument at `index`, counted from 0.
    fn argument(&self, index: usize) -> Option<&Value<'_>>;
    /// The type of the parameter at `index`, as Java names it.
    fn parameter_type(&self, index: usize) -> Option<&str>;

    /// Whether the call is generic: the first argument names the method, the third holds the arguments.
    fn is_generic(&self) -> bool {
        matches!(self.method(), keys::INVOKE | keys::INVOKE_ASYNC)
    }

    /// The method that is meant: of a generic call the one named by its first argument, as in `RpcUtils.getMethodName`.
    fn target_method(&self) -> &str {
        let method = self.method();
        if !self.is_generic() {
            return method;
        }
        self.argument(0).and_then(Value::as_text).unwrap_or(method)
    }
}

/// A call that borrows its texts. Up to 4 arguments and 8 attachments need no memory of their own.
///
/// ```
/// use pointsman::rpc::{Invocation, RpcInvocation};
/// let call = RpcInvocation::new("com.shop.OrderService", "create")
///     .with_argument("java.lang.String", "book")
///     .with_attachment("dubbo.tag", "gray");
/// assert_eq!(call.attachment("dubbo.tag"), Some("gray"));
/// ```
#[derive(Clone)]
pub struct RpcInvocation<'a> {
    service: Cow<'a, str>,
    method: Cow<'a, str>,
    parameter_types: SmallVec<[Cow<'a, str>; 4]>,
    arguments: SmallVec<[Value<'a>; 4]>,
    attachments: SmallVec<[(Cow<'a, str>, Cow<'a, str>); 8]>,
}

// === impl RpcInvocation ===

impl<'a> RpcInvocation<'a> {
    /// A call of `method` without arguments and attachments.
    #[must_use]
    #[inline]
    pub fn new(service: impl Into<Cow<'a, str>>, method: impl Into<Cow<'a, str>>) -> Self {
        Self {
            service: service.into(),
            method: method.into(),
            parameter_types: SmallVec::new(),
            arguments: SmallVec::new(),
            attachments: SmallVec::new(),
        }
    }

    /// Adds an argument and its type.
    #[must_use]
    #[inline]
    pub fn with_argument(mut self, parameter_type: impl Into<Cow<'a, str>>, value: impl Into<Value<'a>>) -> Self {
        self.parameter_types.push(parameter_type.into());
        self.arguments.push(value.into());
        self
    }

    /// Sets an attachment; the same key again replaces it.
    #[must_use]
    #[inline]
    pub fn with_attachment(mut self, key: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        let (key, value) = (key.into(), value.into());
        match self.attachments.iter_mut().find(|(name, _)| *name == key) {
            Some(entry) => entry.1 = value,
            None => self.attachments.push((key, value)),
        }
        self
    }

    /// The arguments in order.
    #[must_use]
    pub fn arguments(&self) -> &[Value<'a>] {
        &self.arguments
    }

    /// The attachments in the order they were set.
    pub fn attachments(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attachments.iter().map(|(key, value)| (key.as_ref(), value.as_ref()))
    }

    /// A copy of `invocation`.
    #[must_use]
    pub fn copied(invocation: &dyn Invocation) -> RpcInvocation<'static> {
        let own = |text: &str| Cow::Owned(text.to_owned());
        let mut copy = RpcInvocation::new(invocation.service().to_owned(), invocation.method().to_owned());
        for index in 0..invocation.argument_count() {
            copy.parameter_types.push(own(invocation.parameter_type(index).unwrap_or_default()));
            copy.arguments.push(invocation.argument(index).cloned().map_or(Value::Null, Value::into_owned));
        }
        invocation.for_each_attachment(&mut |key, value| copy.attachments.push((own(key), own(value))));
        copy
    }

    /// The same call, free of what it borrowed.
    #[must_use]
    pub fn into_owned(self) -> RpcInvocation<'static> {
        let own = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        RpcInvocation {
            service: own(self.service),
            method: own(self.method),
            parameter_types: self.parameter_types.into_iter().map(own).collect(),
            arguments: self.arguments.into_iter().map(Value::into_owned).collect(),
            attachments: self.attachments.into_iter().map(|(key, value)| (own(key), own(value))).collect(),
        }
    }
}

impl Invocation for RpcInvocation<'_> {
    fn service(&self) -> &str {
        &self.service
    }

    fn method(&self) -> &str {
        &self.method
    }

    fn attachment(&self, key: &str) -> Option<&str> {
        self.attachments.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_ref())
    }

    fn for_each_attachment(&self, visit: &mut dyn FnMut(&str, &str)) {
        self.attachments().for_each(|(key, value)| visit(key, value));
    }

    fn argument_count(&self) -> usize {
        self.arguments.len()
    }

    fn argument(&self, index: usize) -> Option<&Value<'_>> {
        self.arguments.get(index)
    }

    fn parameter_type(&self, index: usize) -> Option<&str> {
        self.parameter_types.get(index).map(AsRef::as_ref)
    }
}

/// Prints keys and counts, never values: they may be secret.
impl fmt::Debug for RpcInvocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RpcInvocation")
            .field("service", &self.service)
            .field("method", &self.method)
            .field("arguments", &self.arguments.len())
            .field("attachments", &self.attachments.iter().map(|(key, _)| key).collect::<Vec<_>>())
            .finish()
    }
}
