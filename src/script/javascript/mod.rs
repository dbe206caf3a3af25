//! What both JavaScript engines share: the host API, written in JavaScript, and the reading of a rule's text.

mod prelude;

pub(crate) use prelude::SOURCE as PRELUDE;
