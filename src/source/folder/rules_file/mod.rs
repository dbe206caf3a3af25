//! `*.rules`: one rule a line, tags between them.
//!
//! A line that begins with `scheme:/` is a route URL, `@TAG VALUE` holds for the bare conditions after it, `#` in the
//! first column is a comment, anything else is a bare condition. Each rule becomes a route URL ([`RuleEntry::to_url`](crate::source::folder::RuleEntry::to_url)).

mod reader;

pub use reader::MAX_RULES_PER_FILE;
pub(crate) use reader::read_rules;

#[cfg(test)]
mod tests;
