//! Condition rules in another form: route URLs, documents of `v3.0`, documents of `v3.1`.
//!
//! [`convert`] reads a file as the folder would, takes its rules for what they mean (a sheet: the rules of
//! one key and what they have in common), and writes them down in the form that is asked for.
//!
//! - What the new form cannot say is a finding for each rule, never silence; [`Converted::is_whole`] tells whether there
//!   is one.
//! - What it says a little differently is a remark.
//! - What is written can be read back, and its rules are those that were meant.

mod document_writer;
mod documents;
mod loss;
mod route_urls;
mod sheet;
mod sides;
mod target;
mod url_writer;

pub use target::Converted;
pub use target::Target;
pub use target::convert;
