//! What every directory is.

use std::fmt;
use std::sync::Arc;

use crate::directory::DirectoryError;
use crate::directory::Listing;
use crate::loadbalance::InvokerStates;
use crate::rpc::Invocation;
use crate::rpc::Invoker;
use crate::rpc::InvokerId;
use crate::rpc::Soon;
use crate::rpc::Url;

/// Takes what a directory lends. It is called once, or not at all where there is an error.
pub type Lend<'a> = &'a mut (dyn FnMut(&Listing<'_>) + Send);

/// The invokers of one service for one consumer.
pub trait Directory: Send + Sync + fmt::Debug {
    /// The consumer. It names the service; what it sets of calls wins over the provider.
    fn consumer(&self) -> &Url;

    /// What is known of the invokers now.
    fn states(&self) -> &Arc<InvokerStates>;

    /// Asks the rules who may serve `invocation`, and lends the answer, empty or not: one list and the rules over it, of one
    /// moment. What rules draw by chance comes from `seed`. It waits only where a router needs time.
    fn list<'a>(
        &'a self,
        invocation: &'a dyn Invocation,
        seed: u64,
        lend: Lend<'a>,
    ) -> Soon<'a, Result<(), DirectoryError>>;

    /// Why rules leave nobody, a line for each router; empty where the directory cannot tell.
    fn why_nobody(&self, invocation: &dyn Invocation, seed: u64) -> String {
        let _ = (invocation, seed);
        String::new()
    }

    /// Whether somebody can be called at all, whatever rules say.
    fn is_available(&self) -> bool {
        true
    }

    /// Takes down that an invoker could not be reached: others go before it until it can be again.
    fn set_aside(&self, id: InvokerId, invoker: &Arc<dyn Invoker>);

    /// Ends it: from now on every call is [`DirectoryError::Destroyed`].
    fn destroy(&self);
}
