//! Follows a folder: says when something in it changed for good, and lets nobody see a change before that.
//!
//! One thread looks at the folder when events say so, and every now and then whether they do or not: on some file
//! systems none come. A *look* is what the file system says of each file (inode, size, times), and a hash of those that
//! are not as they were. Then, in this order:
//!
//! 1. two looks in a row must be equal; files that differ between them are left as they were;
//! 2. the files are read by whoever follows ([`Follow::read`]), but not those that are being written;
//! 3. a third look must be equal too, else what was read is thrown away: links may have been swapped meanwhile;
//! 4. [`Follow::accept`] takes it over.
//!
//! Where events tell of writers, a file counts when it is closed, however long its writer pauses. Where they do not, a
//! pause longer than two looks passes for the end.

mod events;
mod follower;
mod holds;
mod look;
mod options;
mod watcher;

pub(crate) use follower::Follow;
pub(crate) use look::Look;
pub use options::Events;
pub use options::WatchOptions;
pub(crate) use watcher::FolderWatcher;

#[cfg(test)]
mod tests;
