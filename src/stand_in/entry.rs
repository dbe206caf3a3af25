//! One entry: for whom, and what.

use crate::rpc::Url;
use crate::stand_in::NamePattern;
use crate::stand_in::StandIn;

/// What holds for the providers that it fits. An empty list of patterns fits every provider.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StandInEntry {
    /// The providers' addresses, `host:port` or the host alone.
    pub providers: Vec<NamePattern>,
    /// Their services, `group/interface:version` or the interface alone.
    pub services: Vec<NamePattern>,
    /// The weight that counts instead of the providers' own.
    pub weight: Option<u32>,
    /// How they behave.
    pub stand_in: StandIn,
}

// === impl StandInEntry ===

impl StandInEntry {
    /// Whether it is for the provider `url`.
    #[must_use]
    pub fn fits(&self, url: &Url) -> bool {
        let is_one = |patterns: &[NamePattern], name: Option<&str>| {
            patterns.iter().any(|it| name.is_some_and(|name| it.is_match(name)))
        };
        let key = url.service_key();
        let is_provider = || is_one(&self.providers, url.address()) || is_one(&self.providers, url.host());
        let is_service = || {
            is_one(&self.services, key.as_ref().map(|key| key.as_str()))
                || is_one(&self.services, key.as_ref().map(|key| key.interface()))
        };
        (self.providers.is_empty() || is_provider()) && (self.services.is_empty() || is_service())
    }
}
