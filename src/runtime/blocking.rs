//! Calls for threads without a runtime.

use std::io;

use tokio::runtime::Builder;
use tokio::runtime::Runtime;

use crate::rpc::Invocation;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;
use crate::rpc::contained;
use crate::runtime::CallOptions;
use crate::runtime::Reference;

/// A reference whose calls block the calling thread. One thread of its own keeps the timers and what goes on in the
/// background; any number of threads may call.
#[derive(Debug)]
pub struct BlockingReference {
    reference: Reference,
    /// There until it is dropped.
    runtime: Option<Runtime>,
}

// === impl BlockingReference ===

impl BlockingReference {
    pub(crate) fn new(reference: Reference) -> io::Result<Self> {
        let runtime =
            Builder::new_multi_thread().worker_threads(1).thread_name("pointsman-calls").enable_time().build()?;
        Ok(Self { reference, runtime: Some(runtime) })
    }

    /// Calls and waits for the answer.
    ///
    /// # Errors
    ///
    /// As [`Reference::call`]; and a task of an asynchronous runtime called, whose thread must not be blocked.
    pub fn call(&self, invocation: &dyn Invocation) -> RpcResult {
        self.call_with(invocation, CallOptions::default())
    }

    /// [`BlockingReference::call`] with what holds for this call alone.
    ///
    /// # Errors
    ///
    /// As [`Reference::call`].
    pub fn call_with(&self, invocation: &dyn Invocation, options: CallOptions<'_>) -> RpcResult {
        let Some(runtime) = &self.runtime else { return Err(RpcError::new(RpcErrorKind::Unknown, "it has ended")) };
        contained("a blocking call", || runtime.block_on(self.reference.call_with(invocation, options)))?
    }

    /// The reference itself.
    #[must_use]
    pub fn reference(&self) -> &Reference {
        &self.reference
    }
}

impl Drop for BlockingReference {
    fn drop(&mut self) {
        // Waiting for its threads would panic where blocking is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
