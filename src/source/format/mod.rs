//! Rule texts in their normal form, and nothing else of a file changed.
//!
//! [`format()`] reads a text as the folder would, and edits the bytes in which rule texts stand: comments, order, quotes
//! and blank lines stay. Blanks at the ends of lines go, lines end in `\n`, and so does the file.
//!
//! - A rule text is replaced only if the new one reads, in the same dialect, as an equal rule.
//! - One with an error or a warning stays as it is, and is told of.
//! - What comes out is read again before it is given away: it has the same documents, keys and rules.
//! - Formatting what was formatted changes nothing.

mod document;
mod edit;
mod normal;
mod rules_file;
mod scalar;
mod text;

pub(crate) use normal::normal_text;
pub use text::Formatted;
pub use text::format;
