//! The manifest: what is known of a plugin before any of its code runs.
//!
//! It stands in a link section of its own, [`SECTION`], as [`MAGIC`] and a JSON object:
//!
//! ```json
//! {
//!   "abi": 1, "min_minor": 0, "name": "areaCode", "version": "0.1.0",
//!   "inputs": { "method": false, "consumer": ["{key}"], "attachments": ["{key}"], "arguments": [], "random": false,
//!               "clock": [] },
//!   "panic": "unwind", "serial": false, "language": "rust"
//! }
//! ```

/// The link section.
pub const SECTION: &str = ".pointsman";

/// What the section begins with.
pub const MAGIC: &str = "pointsman-plugin 1\n";
