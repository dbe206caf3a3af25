//! Write a router plugin for Pointsman in safe Rust, and test it without a host.
//!
//! A plugin is a type that is a [`Router`], and one line that exports it ([`pointsman_plugin!`]). Its life:
//!
//! 1. [`Router::new`] reads the rule's configuration, once a rule.
//! 2. [`Router::snapshot`] looks at a list of providers, once a list, and prepares what calls need.
//! 3. [`Router::route`] answers a call from the snapshot, on many threads at once.
//!
//! ```standalone_crate
//! use pointsman_plugin::*;
//!
//! struct AreaCode {
//!     key: String,
//! }
//!
//! impl Router for AreaCode {
//!     type Snapshot = Index;
//!     fn new(config: &Config) -> Result<Self, String> {
//!         Ok(Self { key: config.get("key").unwrap_or("areaCode").into() })
//!     }
//!     fn snapshot(&self, providers: &Blob) -> Result<Index, String> {
//!         Ok(providers.index_by(&self.key))
//!     }
//!     fn route(&self, index: &Index, call: &Call, keep: &mut Selection) -> Result<Verdict, String> {
//!         let Some(area) = call.attachment(&self.key).or_else(|| call.consumer(&self.key)) else {
//!             return Ok(Verdict::Pass);
//!         };
//!         keep.retain(index.get(area));
//!         Ok(Verdict::Use)
//!     }
//! }
//!
//! pointsman_plugin!(AreaCode, name = "areaCode", inputs = { attachments: ["{key=areaCode}"], consumer: ["{key=areaCode}"] });
//!
//! let kept = testing::plugin::<AreaCode>()
//!     .providers(["dubbo://10.0.0.1:20880/Orders?areaCode=010", "dubbo://10.0.0.2:20880/Orders?areaCode=021"])
//!     .call(testing::call("create").attachment("areaCode", "021"))
//!     .route()
//!     .unwrap();
//! assert_eq!(kept.positions(), [1]);
//! ```
//!
//! - A plugin can only narrow: what it keeps is cut with what came in.
//! - It sees of a call what its `inputs` name, and nothing else.
//! - A panic is caught, told to the host with its place, and written nowhere else. Built with `panic = "abort"` it ends
//!   the process, and the manifest says so.
//! - Nothing here writes to standard output or error: use [`log`].

mod bitmap;
mod blob;
mod call;
mod config;
mod export;
mod host;
mod index;
pub mod log;
mod macros;
mod manifest;
mod panic;
mod router;
mod selection;
pub mod testing;

pub use pointsman_plugin_api::blob::Provider;

pub use crate::bitmap::Bitmap;
pub use crate::blob::Blob;
pub use crate::call::Call;
pub use crate::config::Config;
pub use crate::host::count;
pub use crate::index::Index;
pub use crate::manifest::Inputs;
pub use crate::manifest::Manifest;
pub use crate::router::Plugin;
pub use crate::router::Router;
pub use crate::router::Verdict;
pub use crate::selection::Selection;

/// What [`pointsman_plugin!`] needs where it is expanded.
#[doc(hidden)]
pub mod __private {
    pub use pointsman_plugin_api::abi::HostV1;
    pub use pointsman_plugin_api::abi::PluginV1;

    pub use crate::export::entry;
}
