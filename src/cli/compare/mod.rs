//! Calls to try rule sets on, and what became of them: those that a folder's cases record, and those that its rules speak
//! of.

mod answers;
mod calls;
mod rules;
mod witness;

pub(crate) use answers::Answers;
pub(crate) use answers::ChangedCall;
pub(crate) use calls::TrialCall;
pub(crate) use calls::calls_of;
pub(crate) use rules::RuleChanges;
