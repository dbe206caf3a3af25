//! A script that lies in the folder is a rule by itself; tags stand in the comments above its code.
//!
//! The whole file is the rule's text, comments included, so that a place in the text is the same place in the file.

mod comments;
mod reader;

pub use reader::MAX_SCRIPT_BYTES;
pub(crate) use reader::read_script;

#[cfg(test)]
mod tests;
