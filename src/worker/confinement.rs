//! What keeps a worker in, as it tells it in its first words.

use serde::Deserialize;
use serde::Serialize;

/// How much of a mechanism the kernel has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Enforced {
    /// Nothing.
    No,
    /// An older form of it.
    Partly,
    /// All of what is asked.
    Fully,
}

/// What keeps a worker in, beside resource limits, an empty environment and closed descriptors, which always hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Landlock: no file, no TCP.
    pub landlock: Enforced,
    /// The list of allowed system calls; any other kills the worker.
    pub seccomp: Enforced,
}

impl Confinement {
    /// True if nothing is missing.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.landlock == Enforced::Fully && self.seccomp == Enforced::Fully
    }
}
