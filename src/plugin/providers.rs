//! The providers of one list as a blob: built once a list, shared by every plugin and both levels.

use std::sync::Arc;
use std::sync::Weak;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use hashbrown::HashMap;
use parking_lot::Mutex;
use pointsman_plugin_api::blob::PM_KIND_CONSUMER;
use pointsman_plugin_api::blob::PM_KIND_PROVIDERS;
use pointsman_plugin_api::write::ProvidersWriter;
use pointsman_plugin_api::write::Row;
use pointsman_plugin_api::write::TooLarge;

use crate::router::InvokerList;
use crate::rpc::Provider;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::rpc::shown;
use crate::worker::KeptBytes;
use crate::worker::Payload;
use crate::worker::SharedBytes;

const DEFAULT_WEIGHT: u32 = 100;

/// The blob of one list, in memory that nobody can write.
#[derive(Debug)]
pub(crate) struct ProviderBlob {
    number: u64,
    /// Kept, so that no other list can have its address.
    list: Arc<InvokerList>,
    payload: Payload,
    bytes: KeptBytes,
}

/// The blobs of lists that are in use.
#[derive(Debug, Default)]
pub(crate) struct ProviderBlobs {
    next: AtomicU64,
    by_list: Mutex<HashMap<usize, Weak<ProviderBlob>>>,
}

// === impl ProviderBlobs ===

impl ProviderBlobs {
    /// The blob of `list`; built once.
    pub(crate) fn of(&self, list: &Arc<InvokerList>) -> Result<Arc<ProviderBlob>, TooLarge> {
        let mut blobs = self.by_list.lock();
        let address = Arc::as_ptr(list).addr();
        let known = blobs.get(&address).and_then(Weak::upgrade);
        if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.list, list)) {
            return Ok(known);
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let blob = Arc::new(ProviderBlob::build(list, number)?);
        blobs.retain(|_, blob| blob.strong_count() > 0);
        blobs.insert(address, Arc::downgrade(&blob));
        Ok(blob)
    }
}

// === impl ProviderBlob ===

impl ProviderBlob {
    fn build(list: &Arc<InvokerList>, number: u64) -> Result<Self, TooLarge> {
        let bytes = provider_blob(list, number)?;
        // Without descriptors or mappings a copy in plain memory does as well; only its seal is missing.
        let sealed = SharedBytes::of(&bytes, "providers").ok().and_then(|shared| Some((shared.map()?, shared)));
        let (bytes, payload) = match sealed {
            Some((mapped, shared)) if bytes.len() >= SHARED_FROM => (mapped, Payload::Shared(Arc::new(shared))),
            // A descriptor for each of a thousand small lists would be too many.
            Some((mapped, _)) => (mapped, Payload::from(bytes)),
            None => (KeptBytes::from(bytes.clone()), Payload::from(bytes)),
        };
        Ok(Self { number, list: Arc::clone(list), payload, bytes })
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn list(&self) -> &Arc<InvokerList> {
        &self.list
    }

    pub(crate) fn bytes(&self) -> KeptBytes {
        self.bytes.clone()
    }

    pub(crate) fn payload(&self) -> Payload {
        self.payload.clone()
    }
}

/// From so many bytes on a list is worth a descriptor of the host.
const SHARED_FROM: usize = 64 << 10;

/// The blob of a list's providers as plugins get it, without users and passwords; `number` tells it from others.
///
/// # Errors
///
/// More than 4 GiB.
pub fn provider_blob(list: &InvokerList, number: u64) -> Result<Vec<u8>, TooLarge> {
    let urls: Vec<Url> = list.providers().iter().map(Provider::url).map(shown).collect();
    let url_bytes = urls.iter().map(|url| url.as_str().len()).sum();
    let mut writer = ProvidersWriter::new(PM_KIND_PROVIDERS, number).with_room(urls.len(), url_bytes);
    for url in &urls {
        let weight = url.parameter(keys::WEIGHT).and_then(|text| text.parse().ok()).unwrap_or(DEFAULT_WEIGHT);
        let row = Row {
            host: url.host(),
            port: url.port().and_then(|port| u16::try_from(port).ok()).unwrap_or(0),
            protocol: url.protocol(),
            path: url.path(),
            url: Some(url.as_str()),
            weight,
        };
        writer.push(&row, url.parameters())?;
    }
    writer.finish()
}

/// What a plugin reads of the consumer.
#[derive(Debug)]
pub(crate) enum ConsumerNames {
    /// All of its parameters.
    All,
    /// These.
    These(Vec<String>),
}

/// The blob of what a plugin declared of the consumer.
///
/// # Errors
///
/// More than 4 GiB.
pub(crate) fn consumer_blob(consumer: &Url, names: &ConsumerNames) -> Result<Vec<u8>, TooLarge> {
    let consumer = shown(consumer);
    let mut writer = ProvidersWriter::new(PM_KIND_CONSUMER, 0);
    match names {
        ConsumerNames::All => writer.push(&Row::default(), consumer.parameters())?,
        ConsumerNames::These(names) => {
            let values = names.iter().filter_map(|name| Some((name.as_str(), consumer.raw(name)?)));
            writer.push(&Row::default(), values)?;
        }
    }
    writer.finish()
}
