//! The providers of one list as scripts see them.

use std::sync::Arc;

use crate::router::InvokerList;
use crate::rpc::Provider;
use crate::rpc::Url;
use crate::rpc::shown;

/// The URLs of one list in order, without users and passwords. Immutable; engines keep what they make of it under its
/// number.
#[derive(Debug)]
pub struct ProviderTable {
    number: u64,
    service: Arc<str>,
    urls: Box<[Url]>,
}

// === impl ProviderTable ===

impl ProviderTable {
    /// The table of `list`; `number` is no other table's.
    #[must_use]
    pub fn of(list: &InvokerList, number: u64) -> Self {
        let urls = list.providers().iter().map(Provider::url).map(shown).collect();
        Self { number, service: list.service().as_str().into(), urls }
    }

    /// The number.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The service whose providers these are: `group/interface:version`.
    #[must_use]
    pub fn service(&self) -> &str {
        &self.service
    }

    /// How many providers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.urls.len()
    }

    /// Whether there is no provider.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.urls.is_empty()
    }

    /// The URL at `position`.
    #[must_use]
    pub fn url(&self, position: usize) -> Option<&Url> {
        self.urls.get(position)
    }

    /// The URLs in order.
    #[must_use]
    pub fn urls(&self) -> &[Url] {
        &self.urls
    }

    /// The table as bytes, for another process.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let urls: Vec<&str> = self.urls.iter().map(Url::as_str).collect();
        // Texts in memory can always be written.
        postcard::to_stdvec(&(&*self.service, urls)).unwrap_or_default()
    }

    /// Reads what [`ProviderTable::to_bytes`] wrote; none if it is something else.
    #[must_use]
    pub fn from_bytes(number: u64, bytes: &[u8]) -> Option<Self> {
        let (service, urls): (&str, Vec<&str>) = postcard::from_bytes(bytes).ok()?;
        let urls = urls.into_iter().map(Url::parse).collect::<Result<_, _>>().ok()?;
        Some(Self { number, service: service.into(), urls })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::ServiceKey;

    #[test]
    fn a_table_survives_the_way_to_another_process_without_credentials() {
        let urls = [
            "dubbo://ann:secret@10.0.0.1:20880/S?a=b\nc&password=x&x.password=y;e=f&passwords=3&PassWord=z",
            "tri://[::1]:1/S",
            "10.0.0.1",
        ];
        let providers = urls.map(|url| Provider::from(Url::parse(url).unwrap())).to_vec();
        let table = ProviderTable::of(&InvokerList::of(ServiceKey::parse("S"), providers), 7);
        let read = ProviderTable::from_bytes(7, &table.to_bytes()).unwrap();
        assert_eq!(read.urls(), table.urls());
        assert_eq!(
            read.url(0).unwrap().as_str(),
            "dubbo://10.0.0.1:20880/S?a=b\nc&password=******&x.password=******;e=f&passwords=3&PassWord=******"
        );
        assert!(ProviderTable::from_bytes(7, b"\xff\xff\xff\xff\x0f").is_none());
    }
}
