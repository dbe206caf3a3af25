//! Waiting with an end.

use std::future::Future;

use tokio::runtime::Handle;
use tokio::time::Instant;
use tokio::time::timeout_at;

use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::contained::contained;

/// Awaits `future` until `deadline`; without one, as long as it takes.
///
/// # Errors
///
/// A timeout if it was not done by then; and there is no tokio runtime whose timer could tell.
pub async fn until<T>(deadline: Option<Instant>, future: impl Future<Output = T>) -> Result<T, RpcError> {
    let Some(deadline) = deadline else { return Ok(future.await) };
    let unwatched = || {
        let help =
            "a call with a timeout needs a tokio runtime with its timer enabled; `Reference::blocking` brings one";
        RpcError::new(RpcErrorKind::Unknown, help)
    };
    if Handle::try_current().is_err() {
        return Err(unwatched());
    }
    // A runtime whose timer is switched off panics here.
    let timed = contained("the timer", || timeout_at(deadline, future)).map_err(|_| unwatched())?;
    timed.await.map_err(|_| RpcError::new(RpcErrorKind::Timeout, "no answer came in time"))
}
