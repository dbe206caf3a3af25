//! Strangers' code: a panic in it is an error of the call, and nothing more.

use std::any::Any;
use std::future::Future;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::pin::pin;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::task::Poll;

use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;

static PANICS: AtomicU64 = AtomicU64::new(0);

/// Runs `code`; a panic is an error that names `who`.
///
/// # Errors
///
/// The code panicked.
pub fn contained<T>(who: &str, code: impl FnOnce() -> T) -> Result<T, RpcError> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| panicked(who, payload))
}

/// Awaits `future`; a panic in it is an error that names `who`.
///
/// # Errors
///
/// The future panicked.
pub async fn contained_future<T>(who: &str, future: impl Future<Output = T>) -> Result<T, RpcError> {
    let mut future = pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(polled) => polled.map(Ok),
        Err(payload) => Poll::Ready(Err(panicked(who, payload))),
    })
    .await
}

/// How often strangers' code has panicked in this process, and was contained.
#[must_use]
pub fn contained_panics() -> u64 {
    PANICS.load(Relaxed)
}

fn panicked(who: &str, payload: Box<dyn Any + Send>) -> RpcError {
    PANICS.fetch_add(1, Relaxed);
    let said = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "something that is no text".to_owned());
    // A payload whose drop panics must not take the thread along.
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
    tracing::error!(who, said, "panicked");
    RpcError::new(RpcErrorKind::Unknown, format!("{who} panicked: {said}"))
}
