//! The name of a service: `group/interface:version`.

use std::cmp::Ordering;
use std::fmt;
use std::hash::Hash;
use std::hash::Hasher;
use std::sync::Arc;

use crate::rpc::keys;

/// `group/interface:version`, each part left out when empty. Cheap to clone, compared by text.
///
/// An interface may hold a `/` of its own (a context path). Such a text can be split in two ways, as group and interface
/// or as interface alone; both are one key, as in Dubbo, where a service key is a text.
#[derive(Clone)]
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

    /// Reads `group/interface:version`: what stands before the first `/` is the group.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let (group, rest) = text.split_once('/').map_or((None, text), |(group, rest)| (Some(group), rest));
        let (interface, version) =
            rest.split_once(':').map_or((rest, None), |(interface, version)| (interface, Some(version)));
        Self::new(group, interface, version)
    }

    /// Reads `interface:version`: a `/` belongs to the interface.
    #[must_use]
    pub fn parse_without_group(text: &str) -> Self {
        let (interface, version) =
            text.split_once(':').map_or((text, None), |(interface, version)| (interface, Some(version)));
        Self::new(None, interface, version)
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
    /// Keys of the same text accept each other.
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
        if self == provider {
            return true;
        }
        let version_fits = self.version() == Some(keys::ANY) || self.version() == provider.version();
        let group_fits = match (self.group(), provider.group()) {
            (Some(keys::ANY), _) | (None, None) => true,
            (Some(asked), Some(group)) => asked.split(',').any(|one| one.trim() == group),
            _ => false,
        };
        self.interface() == provider.interface() && version_fits && group_fits
    }
}

impl PartialEq for ServiceKey {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for ServiceKey {}

impl Hash for ServiceKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl PartialOrd for ServiceKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ServiceKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn keys_of_one_text_are_one_key_however_they_are_split() {
        let printed = ServiceKey::new(None, "context/path", Some("1.0.0"));
        let read = ServiceKey::parse(printed.as_str());
        assert_eq!(read.group(), Some("context"));
        assert_eq!((&read, read.cmp(&printed)), (&printed, Ordering::Equal));
        assert_eq!([read.clone(), printed.clone()].into_iter().collect::<HashSet<_>>().len(), 1);
        assert!(read.accepts(&printed) && printed.accepts(&read));
    }

    #[test]
    fn a_context_path_is_read_whole_without_a_group() {
        let key = ServiceKey::parse_without_group("context/path:*");
        assert_eq!((key.group(), key.interface(), key.version()), (None, "context/path", Some("*")));
    }
}
