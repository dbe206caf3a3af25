//! The golden vectors: what the real implementations answered, and where we answer otherwise on purpose.
//!
//! Every row of every file is run. A row passes plainly when we answer as the implementation we follow; else a named
//! difference must cover it, and our answer must be the one that the difference asks for. `POINTSMAN_VECTORS=DIR` runs
//! the files of that folder instead.

mod affinity;
mod affinity_differences;
mod balance_differences;
mod chain;
mod condition;
mod condition_differences;
mod consistent_hash;
mod doc_condition;
mod doc_multidest;
mod document_differences;
mod documentation;
mod documents;
pub(crate) mod engine;
mod method_param;
mod mock_selector;
mod pattern;
mod reader;
mod report;
mod round_robin;
mod script;
mod script_differences;
mod tag;
mod tag_differences;
mod url;
mod weight;

pub(crate) use reader::World;
