//! What a router answers.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use crate::router::Draw;
use crate::router::Read;
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
    /// These may be used; made for this call, in memory that serves the next one.
    Made(Box<Selection>),
    /// Nobody, whatever `force` says: the rule blocks this consumer.
    Blocked,
    /// One of several sets, by weight.
    Draw(&'a Draw),
    /// What a run came to, with what it read.
    Settled(Settled),
    /// The answer is not there yet.
    Later(Ticket),
}

/// What a run came to.
#[derive(Debug, Clone, Default)]
pub struct Settled {
    /// The positions that may be used; none for no opinion.
    pub selection: Option<Selection>,
    /// What it read of the call, in order: an equal call would get this answer again.
    pub reads: Vec<Read>,
    /// Why this answer must not be given again: the clock's seconds, chance, something it said to the log.
    pub impurity: Option<Box<str>>,
    /// Why, in the router's words; for explanations.
    pub reasons: Vec<String>,
}

/// An answer that is on its way. As a future it blocks nobody; [`Ticket::wait`] blocks the calling thread.
pub struct Ticket(Pin<Box<dyn Answer>>);

/// What a ticket can stand for.
pub trait Answer: Future<Output = Result<Settled, RouteError>> + Send {
    /// Waits on the calling thread.
    ///
    /// # Errors
    ///
    /// As the future's.
    fn wait(self: Pin<Box<Self>>) -> Result<Settled, RouteError>;
}

/// A future that is waited for by polling it.
struct Plain<F>(F);

// === impl Ticket ===

impl Ticket {
    /// A ticket for what `future` will answer.
    #[must_use]
    pub fn new(future: impl Future<Output = Result<Settled, RouteError>> + Send + 'static) -> Self {
        Self(Box::pin(Plain(Box::pin(future))))
    }

    /// A ticket for an answer that has its own way to wait.
    #[must_use]
    pub fn of(answer: impl Answer + 'static) -> Self {
        Self(Box::pin(answer))
    }

    /// Waits for the answer on the calling thread.
    ///
    /// # Errors
    ///
    /// The router failed.
    pub fn wait(self) -> Result<Settled, RouteError> {
        self.0.wait()
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

// === impl Plain ===

impl<F: Future<Output = Result<Settled, RouteError>> + Unpin> Future for Plain<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx)
    }
}

impl<F: Future<Output = Result<Settled, RouteError>> + Send + Unpin> Answer for Plain<F> {
    fn wait(self: Pin<Box<Self>>) -> Result<Settled, RouteError> {
        pollster::block_on(self)
    }
}
