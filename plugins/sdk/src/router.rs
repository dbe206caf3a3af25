//! What a plugin's author implements.

use crate::blob::Blob;
use crate::call::Call;
use crate::config::Config;
use crate::manifest::Manifest;
use crate::selection::Selection;

/// A router: decides for each call which of the providers may serve it.
///
/// The example of the crate is one.
pub trait Router: Send + Sync + Sized + 'static {
    /// What is prepared for a list of providers. Calls only read it.
    type Snapshot: Send + Sync + 'static;

    /// Reads a rule's configuration.
    ///
    /// # Errors
    ///
    /// The configuration is wrong; the text is for whoever wrote the rule.
    fn new(config: &Config) -> Result<Self, String>;

    /// Prepares a list of providers, off the path of calls.
    ///
    /// # Errors
    ///
    /// The list cannot be served; the one before stays.
    fn snapshot(&self, providers: &Blob) -> Result<Self::Snapshot, String>;

    /// Answers a call: `keep` holds the candidates, take away who may not serve it. Must not block.
    ///
    /// Keeping nobody is an answer: whether all come back then is the rule's `force`.
    ///
    /// # Errors
    ///
    /// There is no answer; the rule's `on-error` decides.
    fn route(&self, snapshot: &Self::Snapshot, call: &Call, keep: &mut Selection) -> Result<Verdict, String>;

    /// A look at itself, once before the plugin is used.
    ///
    /// # Errors
    ///
    /// The plugin cannot work here, and is not used.
    fn self_test() -> Result<(), String> {
        Ok(())
    }
}

/// What a [`Router`] says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The selection is the answer.
    Use,
    /// No opinion: all candidates stay, whatever the selection holds.
    Pass,
}

/// A [`Router`] that is exported; [`pointsman_plugin!`](crate::pointsman_plugin) implements it.
pub trait Plugin: Router {
    /// What is known of the plugin before its code runs.
    const MANIFEST: Manifest;
    /// The manifest as it stands in the library.
    const SECTION: &'static [u8];
}
