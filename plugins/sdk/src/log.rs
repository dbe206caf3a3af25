//! Lines for the host's log, tagged there with the plugin's name, version and hash.
//!
//! The host takes no more than so many a second. Without a host (a plain unit test) they go nowhere.
//!
//! ```
//! use pointsman_plugin::log;
//!
//! log::info("loaded");
//! log::warn(format_args!("{} providers have no `zone`", 3));
//! ```

use std::fmt::Display;

use pointsman_plugin_api::abi::PM_LOG_DEBUG;
use pointsman_plugin_api::abi::PM_LOG_ERROR;
use pointsman_plugin_api::abi::PM_LOG_INFO;
use pointsman_plugin_api::abi::PM_LOG_WARN;

use crate::host;

/// Somebody must act.
pub fn error(text: impl Display) {
    host::log(PM_LOG_ERROR, &text.to_string());
}

/// Something is not as it should be, and goes on.
pub fn warn(text: impl Display) {
    host::log(PM_LOG_WARN, &text.to_string());
}

/// Life cycle.
pub fn info(text: impl Display) {
    host::log(PM_LOG_INFO, &text.to_string());
}

/// Everything else.
pub fn debug(text: impl Display) {
    host::log(PM_LOG_DEBUG, &text.to_string());
}
