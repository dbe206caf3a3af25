//! The name of a service: `group/interface:version`.

use std::fmt;
use std::sync::Arc;

use crate::rpc::keys;

/// `group/interface:version`, each part left out when empty. Cheap to clone, compared by value.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServiceKey {
    text: Arc<str>,
    group: u32,
    interface_end: u32,
}

// === impl ServiceKey ===

impl ServiceKey {
    /// Puts a key together; an empty group or version counts as none.
    #[must_use]
    pub fn new(group: Option<&str>, interface: &str, version: Option<&str>) -> Self {
        let group = group.filter(|group| !group.is_empty());
        let version = version.filter(|version| !version.is_empty());
        let mut text = String::with_capacity(interface.len() + 16);
        if let Some(group) = group {
            text.push_str(group);
            text.push('/');
        }
        let group_bytes = text.len();
        text.push_str(interface);
        let interface_end = text.len();
        if let Some(version) = version {
            text.push(':');
            text.push_str(version);
        }
        let clip = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { text: text.into(), group: clip(group_bytes), interface_end: clip(interface_end) }
    }

    /// Reads `group/interface:version`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let (group, rest) = text.split_once('/').map_or((None, text), |(group, rest)| (Some(group), rest));
        let (interface, version) =
            rest.split_once(':').map_or((rest, None), |(interface, version)| (interface, Some(version)));
        Self::new(group, interface, version)
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The group, if there is one.
    #[must_use]
    pub fn group(&self) -> Option<&str> {
        self.text.get(..(self.group as usize).checked_sub(1)?)
    }

    /// The interface.
    #[must_use]
    pub fn interface(&self) -> &str {
        self.text.get(self.group as usize..self.interface_end as usize).unwrap_or_default()
    }

    /// The version, if there is one.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.text.get(self.interface_end as usize + 1..)
    }

    /// Whether a consumer that asks for this key may use a provider of the key `provider`.
    ///
    /// The interface is equal; the version equal, or `*` is asked; the group equal, `*`, or in the comma list asked for.
    ///
    /// ```
    /// use pointsman::rpc::ServiceKey;
    /// let provider = ServiceKey::parse("gray/com.shop.OrderService:1.0.0");
    /// assert!(ServiceKey::parse("*/com.shop.OrderService:*").accepts(&provider));
    /// assert!(ServiceKey::parse("blue,gray/com.shop.OrderService:1.0.0").accepts(&provider));
    /// assert!(!ServiceKey::parse("com.shop.OrderService").accepts(&provider));
    /// ```
    #[must_use]
    pub fn accepts(&self, provider: &Self) -> bool {
        let version_fits = self.version() == Some(keys::ANY) || self.version() == provider.version();
        let group_fits = match (self.group(), provider.group()) {
            (Some(keys::ANY), _) | (None, None) => true,
            (Some(asked), Some(group)) => asked.split(',').any(|one| one.trim() == group),
            _ => false,
        };
        self.interface() == provider.interface() && version_fits && group_fits
    }

    /// Whether only one provider key can satisfy this one: no wildcard and no list in it.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.version() != Some(keys::ANY) && self.group().is_none_or(|group| group != keys::ANY && !group.contains(','))
    }
}

impl fmt::Display for ServiceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for ServiceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.text, f)
    }
}
