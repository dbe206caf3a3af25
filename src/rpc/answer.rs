//! A thing that is there, or comes.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use crate::rpc::AppResponse;
use crate::rpc::RpcError;

/// What a call comes to.
pub type RpcResult = Result<AppResponse, RpcError>;

/// The answer of an invoker.
pub type Answer<'a> = Soon<'a, RpcResult>;

/// A thing that is there, or comes. One that is there costs no memory of its own.
pub enum Soon<'a, T> {
    /// It is there; none once it was taken.
    Ready(Option<T>),
    /// It comes. Dropping the future gives it up.
    Later(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
}

// === impl Soon ===

impl<'a, T> Soon<'a, T> {
    /// A thing that is there.
    #[must_use]
    pub fn ready(thing: T) -> Self {
        Self::Ready(Some(thing))
    }

    /// A thing that comes.
    #[must_use]
    pub fn later(future: impl Future<Output = T> + Send + 'a) -> Self {
        Self::Later(Box::pin(future))
    }
}

impl<T> Unpin for Soon<'_, T> {}

/// What was taken is pending for ever.
impl<T> Future for Soon<'_, T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match self.get_mut() {
            Self::Ready(thing) => thing.take().map_or(Poll::Pending, Poll::Ready),
            Self::Later(future) => future.as_mut().poll(context),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Soon<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready(thing) => f.debug_tuple("Ready").field(thing).finish(),
            Self::Later(_) => f.write_str("Later"),
        }
    }
}
