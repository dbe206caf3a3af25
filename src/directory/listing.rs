//! What a directory lends for one call.

use std::sync::Arc;

use crate::directory::Invokers;
use crate::loadbalance::CandidateTable;
use crate::loadbalance::Candidates;
use crate::loadbalance::InvokerStates;
use crate::router::InvokerList;
use crate::rpc::Invoker;
use crate::rpc::InvokerId;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;

/// The providers that rules leave to one call, with all that is needed to choose and call one.
#[derive(Debug, Clone, Copy)]
pub struct Listing<'a> {
    /// All providers of the service.
    pub list: &'a Arc<InvokerList>,
    /// Those that are left.
    pub table: &'a CandidateTable,
    /// What is known of the invokers now.
    pub states: &'a InvokerStates,
    /// How they are called.
    pub invokers: &'a Invokers,
}

// === impl Listing ===

impl<'a> Listing<'a> {
    /// What a load balance chooses from, but for those that were tried.
    #[must_use]
    pub fn candidates(&self, avoid: &'a [usize]) -> Candidates<'a> {
        Candidates { list: self.list, table: self.table, states: self.states, avoid }
    }

    /// Slot and invoker of a position.
    ///
    /// # Errors
    ///
    /// The provider's protocol is not registered or refuses its URL, or there is no such position.
    pub fn invoker(&self, position: usize) -> Result<(InvokerId, Arc<dyn Invoker>), RpcError> {
        let Some(id) = self.list.id(position) else {
            return Err(RpcError::new(RpcErrorKind::Unknown, format!("the list has no position {position}")));
        };
        Ok((id, self.invokers.get(self.list, position)?))
    }
}
