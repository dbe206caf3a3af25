//! The golden vectors: what the real implementations answered, and where we answer otherwise on purpose.
//!
//! Every row of every file is run. A row passes plainly when we answer as the implementation we follow; else a named
//! difference must cover it, and our answer must be the one that the difference asks for. `POINTSMAN_VECTORS=DIR` runs
//! the files of that folder instead.

mod condition;
mod condition_differences;
mod documentation;
mod method_param;
mod mock_selector;
mod pattern;
mod reader;
mod report;
mod script;
mod script_differences;
mod url;
