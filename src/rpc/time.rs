//! Waiting with an end.

use std::future::Future;

use tokio::time::Instant;
use tokio::time::timeout_at;

/// Awaits `future` until `deadline`; none if it was not done by then. Without a deadline it waits as long as it takes.
pub async fn until<T>(deadline: Option<Instant>, future: impl Future<Output = T>) -> Option<T> {
    match deadline {
        Some(deadline) => timeout_at(deadline, future).await.ok(),
        None => Some(future.await),
    }
}
