//! How strictly rules are read.

/// What becomes of a rule that Dubbo accepts and nobody can have meant so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reading {
    /// It is refused, with advice.
    #[default]
    Strict,
    /// It does what it does in Dubbo, with a warning: for rules that must go on as they do in a running system.
    AsDubbo,
}
