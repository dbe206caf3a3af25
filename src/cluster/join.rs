//! Several attempts of one call at once, in one task: dropping it gives all of them up.

use std::future::Future;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// Awaits `futures` together. Each that is done is told with its number; when `is_enough` says so, those that are left are
/// dropped.
pub(super) async fn join<T>(
    futures: Vec<Pin<Box<dyn Future<Output = T> + Send + '_>>>,
    mut is_enough: impl FnMut(usize, T) -> bool + Send,
) {
    let mut running: Vec<_> = futures.into_iter().map(Some).collect();
    poll_fn(|context| {
        let mut is_waiting = false;
        for (number, place) in running.iter_mut().enumerate() {
            let Some(future) = place else { continue };
            match future.as_mut().poll(context) {
                Poll::Pending => is_waiting = true,
                Poll::Ready(done) => {
                    *place = None;
                    if is_enough(number, done) {
                        return Poll::Ready(());
                    }
                }
            }
        }
        if is_waiting { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
}
