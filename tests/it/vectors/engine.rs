//! What the engine makes of documents: the one door through which these tests ask it.

use pointsman::rpc::RpcInvocation;

use super::reader::World;
use crate::naive;
use crate::support::naive::Reading;

/// What the place of a document says that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Condition,
    Tag,
    Affinity,
    #[expect(dead_code, reason = "no vector has a script document")]
    Script,
}

/// A document, and the one that was read at its place just before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) role: Role,
    /// `service` or `application`.
    pub(crate) scope: &'a str,
    pub(crate) key: &'a str,
    pub(crate) before: Option<&'a str>,
    /// `None`: deleted.
    pub(crate) text: Option<&'a str>,
}

/// The lists that a call may end with, by their positions, each with its share. One list: a certain answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) alternatives: Vec<(Vec<usize>, f64)>,
}

/// What the engine keeps for one call: positions, or all alternatives with shares. The tag router is asked only if there
/// is a place for it among `documents`. What is refused by default is read as Dubbo does if `reading` says so.
pub(crate) fn answer(
    world: &World,
    call: &RpcInvocation<'static>,
    documents: &[Placed<'_>],
    reading: Reading,
) -> Answer {
    // ENGINE: the naive evaluator stands in until documents are compiled.
    Answer { alternatives: naive::route(world, call, documents, reading) }
}
