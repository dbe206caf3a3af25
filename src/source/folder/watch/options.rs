//! How often a folder is looked at.

use std::time::Duration;

use crate::source::history::RuleStore;

/// Whether the system's events are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Events {
    /// They are, and the folder is looked at besides.
    #[default]
    On,
    /// The folder is looked at only.
    Off,
}

/// How a folder is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchOptions {
    /// Whether the system's events are asked for.
    pub events: Events,
    /// How long it has to be quiet after an event: 50 ms by default. Where it never is, ten times that is enough.
    pub debounce: Duration,
    /// How often the folder is looked at, whatever events say: every 250 ms by default, and less often where a look
    /// takes long.
    pub poll: Duration,
    /// Where what is in force is kept over restarts, with its history; nowhere by default.
    pub store: Option<RuleStore>,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self { events: Events::On, debounce: Duration::from_millis(50), poll: Duration::from_millis(250), store: None }
    }
}
