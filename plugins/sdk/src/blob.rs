//! A list of providers, read where the host keeps it.

use pointsman_plugin_api::blob;
use pointsman_plugin_api::blob::Provider;

use crate::index::Index;

/// A list of providers. Its positions are the ones of [`Selection`](crate::Selection) and [`Bitmap`](crate::Bitmap).
#[derive(Debug, Clone, Copy)]
pub struct Blob<'a> {
    inner: blob::Blob<'a>,
}

// === impl Blob ===

impl<'a> Blob<'a> {
    pub(crate) fn new(inner: blob::Blob<'a>) -> Self {
        Self { inner }
    }

    /// Reads a list from its bytes; none if they are no list.
    #[must_use]
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let inner = blob::Blob::read(bytes)?;
        (inner.header().kind == blob::PM_KIND_PROVIDERS).then_some(Self { inner })
    }

    /// Value of the parameter `key` → who has it. Quick: a provider costs some tens of nanoseconds.
    #[must_use]
    pub fn index_by(&self, key: &str) -> Index {
        Index::new(&self.inner, key)
    }

    /// How many providers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    /// Which list it is: a later list has a greater number.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.inner.header().generation
    }

    /// The provider at a position.
    #[must_use]
    pub fn provider(&self, position: usize) -> Option<Provider<'a>> {
        self.inner.provider(position)
    }

    /// The providers, in order.
    pub fn providers(&self) -> impl Iterator<Item = Provider<'a>> + use<'a> {
        let inner = self.inner;
        (0..inner.len()).filter_map(move |position| inner.provider(position))
    }

    /// The reader of the ABI below, for strings by number and the like.
    #[must_use]
    pub fn raw(&self) -> &blob::Blob<'a> {
        &self.inner
    }
}
