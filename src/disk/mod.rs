//! Files that somebody else writes: read without trust, told apart by hash.
//!
//! A file counts only as a whole that did not change while it was read; nothing here ever waits for a writer.

mod content_hash;
mod identity;
mod read;

pub use content_hash::ContentHash;

pub(crate) use identity::Identity;
pub(crate) use read::Reading;
pub(crate) use read::changing;
pub(crate) use read::not_regular;
pub(crate) use read::read_hashed;
pub(crate) use read::read_text;
#[cfg(all(feature = "plugins", target_os = "linux"))]
pub(crate) use read::read_whole;
pub(crate) use read::unreadable;
