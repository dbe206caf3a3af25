//! A rules folder: rules, documents and scripts below `rules/`, `providers.txt` or `providers.yaml`, `stand-ins.yaml`.
//!
//! [`load`] reads a folder once, in this order: the walk lists the files that count, each file is read whole, each
//! line becomes a [`RuleEntry`] or a provider. [`FolderContents::compile`] then hands every rule to whoever compiles it.
//!
//! - All findings of a folder come at once; none stops the reading of other files.
//! - The unit is the file: a file with an error gives no rule at all, and no provider.
//! - A file of a kind that this version does not read is an error finding, never skipped.
//! - Files are in the order of their paths' bytes; entries in the order of their lines.
//! - Nothing waits: a FIFO, a device, a loop of links and a file beyond its limit are findings.

mod contents;
mod document_file;
mod documents;
mod entry;
mod left_out;
mod load;
mod parameter;
mod parsed;
mod providers;
mod providers_document;
mod reader;
mod roots;
mod route_url;
mod rules_file;
mod script_file;
mod stand_ins;
mod tag;
mod walk;
mod watch;

pub(crate) use contents::CompiledFile;
pub use contents::FolderContents;
pub use contents::LoadedFile;
pub use contents::MAX_FINDINGS_PER_FILE;
pub use document_file::read_placed;
pub use entry::RuleEntry;
pub use entry::RuleKind;
pub use load::FolderOptions;
pub use load::MAX_FILE_BYTES;
pub use load::load;
pub(crate) use load::load_again;
pub use load::load_file;
pub(crate) use load::load_kept;
pub(crate) use parsed::KnownFiles;
pub use providers::MAX_PROVIDERS_BYTES;
pub(crate) use reader::Dependency;
pub(crate) use reader::FolderReader;
pub(crate) use reader::Held;
pub use rules_file::MAX_RULES_PER_FILE;
pub(crate) use rules_file::read_rules;
pub use script_file::MAX_SCRIPT_BYTES;
pub use stand_ins::LoadedStandIns;
pub use stand_ins::MAX_STAND_INS_BYTES;
pub use stand_ins::load_stand_ins;
pub use walk::FileKind;
pub use walk::MAX_DEPTH;
pub use walk::MAX_ENTRIES;
pub use watch::Events;
pub(crate) use watch::FolderWatcher;
pub(crate) use watch::Follow;
pub(crate) use watch::Look;
pub use watch::WatchOptions;
