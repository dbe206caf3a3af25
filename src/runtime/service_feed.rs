//! The providers of one service as a registry tells them, list after list.

use crate::rpc::Provider;
use crate::rpc::ServiceKey;
use crate::runtime::Engine;
use crate::runtime::ReloadError;

/// Takes the lists of one service and puts them into an engine.
///
/// A registry that has lost its connection tells an empty list as one does whose last provider is gone. Under empty
/// protection such a list changes nothing, as in `RegistryDirectory`; who knows that there is nobody says so with
/// [`ServiceFeed::clear`].
#[derive(Debug, Clone)]
pub struct ServiceFeed {
    engine: Engine,
    service: ServiceKey,
    is_protected: bool,
}

/// What became of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notified {
    /// It is in force, in this generation.
    Taken(u64),
    /// It was empty, and the providers that there were stay.
    Kept,
}

// === impl ServiceFeed ===

impl ServiceFeed {
    pub(crate) fn new(engine: Engine, service: ServiceKey) -> Self {
        Self { engine, service, is_protected: true }
    }

    /// The same with or without empty protection; it is on at first. Without it a service whose providers are gone for
    /// good is empty at once, and nobody goes on connecting to them.
    #[must_use]
    pub fn with_empty_protection(mut self, is_protected: bool) -> Self {
        self.is_protected = is_protected;
        self
    }

    /// Takes a whole list.
    ///
    /// # Errors
    ///
    /// A provider offers another service, or a rule cannot be prepared over the list; the old one stays in force.
    pub fn notify(&self, providers: impl IntoIterator<Item = impl Into<Provider>>) -> Result<Notified, ReloadError> {
        let providers: Vec<Provider> = providers.into_iter().map(Into::into).collect();
        if providers.is_empty() && self.is_protected {
            tracing::warn!(service = %self.service, "an empty list was told; the providers that there were stay");
            return Ok(Notified::Kept);
        }
        self.engine.replace_service(&self.service, providers).map(Notified::Taken)
    }

    /// There is nobody, for certain.
    ///
    /// # Errors
    ///
    /// None in practice: nothing new is prepared.
    pub fn clear(&self) -> Result<Notified, ReloadError> {
        self.engine.replace_service(&self.service, Vec::<Provider>::new()).map(Notified::Taken)
    }
}
