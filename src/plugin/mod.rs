//! Native router plugins: shared libraries that decide calls.
//!
//! A file is a candidate, never code, until the host has allowed its hash. What is done with one, in this order:
//!
//! 1. [`inspect`]: the file is read once; its owner, mode and size, its ELF headers and its manifest are checked. None of
//!    its code runs.
//! 2. Trust: the list of hashes, or a signature; the level at which it may run; never older than it was.
//! 3. It is loaded from sealed memory in a confined process, asked to test itself, and tried on what the present version
//!    serves. What fails here leaves the present version in force.
//! 4. At [`Level::Process`] it stays there; at [`Level::Native`], which is granted by hash, it is loaded into this
//!    process too.
//! 5. Rules find it by its name, as the protocol of their URLs; rules that had the version before are built anew.
//!
//! # What it promises
//!
//! - A plugin narrows: bits for providers that were no candidates are taken away and counted. One that writes outside of
//!   its answer is put into quarantine.
//! - Both levels give the same answers. At `process` nothing that the code does reaches the host; at `native` it is
//!   trusted like the host's own.
//! - A call finishes on the snapshot it began with; no list is built on the path of calls.
//! - An image is never unloaded; there is a limit to how many there are.
//!
//! The contract itself is the crate `pointsman-plugin-api`.

mod answer;
mod canary;
mod dynamic;
mod elf;
mod factory;
mod file;
mod guarded_words;
mod host;
mod inspect;
mod instance;
mod loaded;
mod manifest;
mod names;
mod native;
mod process;
mod providers;
mod router;
mod seen;
mod service;
mod settings;
mod sink;
mod trust;
mod verify;

pub use file::MAX_PLUGIN_BYTES;
pub use host::LoadedStatus;
pub use host::PluginHost;
pub use host::PluginStatus;
pub use inspect::Inspected;
pub use inspect::inspect;
pub use manifest::DeclaredInputs;
pub use manifest::Manifest;
pub use manifest::PanicStrategy;
pub use manifest::check_name;
pub use process::PLUGIN_SERVICE;
pub use providers::provider_blob;
pub use service::PluginService;
pub use settings::Level;
pub use settings::PluginLimits;
pub use settings::PluginSettings;
pub use settings::Trust;
pub use trust::AllowList;
pub use trust::Allowed;
pub use trust::PublicKey;
pub use trust::shell;
pub use verify::standing;
pub use verify::verify;
