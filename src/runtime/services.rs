//! The providers by service, as they were last given.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;

use crate::rpc::Provider;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::UrlError;
use crate::rpc::keys;

/// Providers grouped by the service they offer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Services {
    by_key: BTreeMap<ServiceKey, Arc<Vec<Provider>>>,
}

/// A service's providers while they are gathered.
struct Group<'a> {
    key: ServiceKey,
    providers: Vec<Provider>,
    /// What the service had before.
    old: &'a [Provider],
}

// === impl Group ===

impl Group<'_> {
    /// Whether `provider` is of this service too; one that stands where it stood before surely is.
    fn goes_on_with(&self, provider: &Provider) -> bool {
        self.old.get(self.providers.len()).is_some_and(|old| old.is_same(provider)) || offers(provider.url(), &self.key)
    }
}

// === impl Services ===

impl Services {
    /// Groups providers anew; those without an interface serve nobody and are left out.
    pub(crate) fn regroup(&self, providers: Vec<Provider>) -> Self {
        let mut groups: Vec<Group<'_>> = Vec::new();
        let mut by_key: BTreeMap<ServiceKey, usize> = BTreeMap::new();
        let mut last: Option<usize> = None;
        for provider in providers {
            // PERF: neighbours are mostly of one service, and mostly the neighbours they were (`runtime/rebuild`).
            let same = last.filter(|at| groups.get(*at).is_some_and(|group| group.goes_on_with(&provider)));
            let at = match same {
                Some(at) => at,
                None => {
                    let Some(key) = provider.url().service_key() else { continue };
                    *by_key.entry(key.clone()).or_insert_with(|| {
                        let old = self.by_key.get(&key).map_or(&[][..], |providers| providers);
                        groups.push(Group { key, providers: Vec::new(), old });
                        groups.len() - 1
                    })
                }
            };
            last = Some(at);
            if let Some(group) = groups.get_mut(at) {
                group.providers.push(provider);
            }
        }
        Self { by_key: groups.into_iter().map(|group| (group.key, Arc::new(group.providers))).collect() }
    }

    pub(crate) fn replace(&mut self, key: ServiceKey, providers: Vec<Provider>) {
        self.by_key.insert(key, Arc::new(providers));
    }

    pub(crate) fn remove(&mut self, key: &ServiceKey) {
        self.by_key.remove(key);
    }

    pub(crate) fn contains(&self, key: &ServiceKey) -> bool {
        self.by_key.contains_key(key)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &ServiceKey> {
        self.by_key.keys()
    }

    /// The providers that a consumer of `asked` may use; of several services one after the other.
    pub(crate) fn providers_for(&self, asked: &ServiceKey) -> Option<Vec<Provider>> {
        // A provider may be of a group that reads like a list; its own key finds it all the same.
        if let Some(providers) = self.by_key.get(asked) {
            return Some(providers.to_vec());
        }
        let mut fitting = self.by_key.iter().filter(|(key, _)| asked.accepts(key)).peekable();
        fitting.peek()?;
        Some(fitting.flat_map(|(_, providers)| providers.iter().cloned()).collect())
    }

    /// Whether a consumer of `asked` may use any provider.
    pub(crate) fn has_providers_for(&self, asked: &ServiceKey) -> bool {
        self.by_key.contains_key(asked) || self.by_key.keys().any(|key| asked.accepts(key))
    }

    /// All providers, service by service.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Provider> {
        self.by_key.values().flat_map(|providers| providers.iter())
    }
}

/// Whether `url` offers the service `key`; answers without putting a key together.
pub(crate) fn offers(url: &Url, key: &ServiceKey) -> bool {
    url.service_interface() == Some(key.interface())
        && url.non_empty_parameter(keys::GROUP) == key.group()
        && url.non_empty_parameter(keys::VERSION) == key.version()
}

/// Reads texts as URLs; a text that one of `known` was read from is not read again.
pub(crate) fn read_urls<'a>(
    texts: impl Iterator<Item = &'a str>,
    known: &Services,
) -> Result<Vec<Provider>, Vec<(usize, UrlError)>> {
    let mut table: HashTable<&Provider> =
        HashTable::with_capacity(known.by_key.values().map(|group| group.len()).sum());
    let hash = |provider: &&Provider| provider.url().text_hash();
    known.all().for_each(|provider| {
        table.insert_unique(provider.url().text_hash(), provider, hash);
    });
    let hasher = Url::text_hasher();
    let mut errors = Vec::new();
    let mut providers = Vec::with_capacity(table.len());
    for (index, text) in texts.enumerate() {
        let found = table.find(hasher.hash_one(text), |provider| provider.url().as_str() == text);
        match found {
            Some(provider) => providers.push((*provider).clone()),
            None => match Url::parse(text) {
                Ok(url) => providers.push(url.into()),
                Err(error) => errors.push((index, error)),
            },
        }
    }
    if errors.is_empty() { Ok(providers) } else { Err(errors) }
}
