//! YAML as a tree of values that know where they stand.
//!
//! `read` turns a text into documents. It builds its tree from the events of `saphyr-parser`; the ready-made trees of
//! `saphyr` will not do, for their loader recurses once a level and a line of a thousand dashes ends the process. Here the
//! parser's own state is a list, and what comes of it is bounded:
//!
//! - at most [`MAX_DEPTH`] levels, counted through aliases;
//! - what anchors keep and aliases repeat takes at most [`MAX_REPEATED_BYTES`], so that nine lines cannot stand for a billion values;
//! - no tags: a file may name no type of its own;
//! - a key stands once in a map, and is a text; `<<` takes in the keys of other maps that the map lacks.
//!
//! A scalar keeps its text. Who asks for a text gets it as it was written (`version: 1.10` stays `1.10`), who asks for a
//! value gets what YAML's core schema makes of it (`Node::to_value`).

mod fields;
mod node;
mod reader;

pub(crate) use fields::FieldSlugs;
pub(crate) use fields::Fields;
pub(crate) use fields::Report;
pub(crate) use node::Data;
pub(crate) use node::Key;
pub(crate) use node::Node;
pub(crate) use reader::read;

pub use reader::MAX_DEPTH;
pub use reader::MAX_REPEATED_BYTES;
