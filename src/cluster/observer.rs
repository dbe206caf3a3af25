//! Seeing what became of a call.

use std::fmt;
use std::time::Duration;

use crate::rpc::RpcResult;
use crate::rpc::Url;

/// One attempt, when it is over.
#[derive(Debug)]
pub struct AttemptRecord<'a> {
    /// Its number, counted from 0.
    pub number: u32,
    /// Whether it was made because one before had failed; of several at once none is.
    pub is_retry: bool,
    /// The provider that was asked.
    pub provider: &'a Url,
    /// How many providers rules left.
    pub candidates: usize,
    /// How many there are.
    pub known: usize,
    /// The load balance that chose; empty where nothing was chosen.
    pub load_balance: &'a str,
    /// What it came to.
    pub result: &'a RpcResult,
    /// How long it took.
    pub elapsed: Duration,
}

/// Is told of every attempt of the calls that it is given to; nobody is, unless somebody asks why.
pub trait CallObserver: Send + Sync + fmt::Debug {
    /// An attempt is over.
    fn attempted(&self, attempt: &AttemptRecord<'_>);
}
