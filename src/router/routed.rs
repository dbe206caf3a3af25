//! What a router answers.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use crate::router::Draw;
use crate::router::RouteError;
use crate::router::Selection;

/// The answer of one router for one call. The chain intersects it with the candidates.
#[derive(Debug)]
#[non_exhaustive]
pub enum Routed<'a> {
    /// No opinion: the candidates stay.
    Pass,
    /// These may be used; lent by the router.
    Kept(&'a Selection),
    /// These may be used; made for this call.
    Made(Selection),
    /// Nobody, whatever `force` says: the rule blocks this consumer.
    Blocked,
    /// One of several sets, by weight.
    Draw(&'a Draw),
    /// The answer is not there yet.
    Later(Ticket),
}

/// What a [`Ticket`] comes to.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The positions that may be used; none for no opinion.
    pub selection: Option<Selection>,
    /// Why, in the router's words; for explanations.
    pub reasons: Vec<String>,
}

/// An answer that is on its way. Waiting for it blocks nobody else.
pub struct Ticket(Pin<Box<dyn Future<Output = Result<Settled, RouteError>> + Send>>);

// === impl Ticket ===

impl Ticket {
    /// A ticket for what `future` will answer.
    #[must_use]
    pub fn new(future: impl Future<Output = Result<Settled, RouteError>> + Send + 'static) -> Self {
        Self(Box::pin(future))
    }
}

impl Future for Ticket {
    type Output = Result<Settled, RouteError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket")
    }
}
