//! A call, as far as the plugin's inputs name it.

use std::ffi::c_void;
use std::fmt;
use std::time::Duration;

use pointsman_plugin_api::blob;
use pointsman_plugin_api::blob::PM_KIND_CONSUMER;
use pointsman_plugin_api::blob::Request;

use crate::blob::Blob;
use crate::host;

/// A call and its consumer. What the inputs do not name is absent, as is what the call does not have.
pub struct Call<'a> {
    pub(crate) handle: *mut c_void,
    pub(crate) request: Request<'a>,
    /// Its blob; most calls never look.
    pub(crate) consumer: &'a [u8],
    pub(crate) providers: &'a Blob<'a>,
}

// === impl Call ===

impl<'a> Call<'a> {
    /// An attachment. Input: `attachments`.
    #[must_use]
    pub fn attachment(&self, key: &str) -> Option<&'a str> {
        self.request.marked(b'@', key)
    }

    /// All attachments that are there, sorted by key. Input: `attachments`.
    pub fn attachments(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        self.request.parameters().filter_map(|(key, value)| Some((key.strip_prefix('@')?, value)))
    }

    /// An argument by its place, if it is a simple value. Input: `arguments`.
    #[must_use]
    pub fn argument(&self, place: usize) -> Option<&'a str> {
        // The digits of the largest number, from the right; no text is made for a look.
        let mut digits = [0; 20];
        let (mut left, mut used) = (place, 0);
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (left % 10) as u8;
            left /= 10;
            used += 1;
            if left == 0 {
                break;
            }
        }
        self.request.marked(b'#', std::str::from_utf8(digits.get(digits.len() - used..)?).ok()?)
    }

    /// The method that is meant. Input: `method`.
    #[must_use]
    pub fn method(&self) -> Option<&'a str> {
        self.request.method()
    }

    /// The service's group.
    #[must_use]
    pub fn group(&self) -> Option<&'a str> {
        self.request.group()
    }

    /// The service's version.
    #[must_use]
    pub fn version(&self) -> Option<&'a str> {
        self.request.version()
    }

    /// A parameter of the consumer's URL. Input: `consumer`.
    #[must_use]
    pub fn consumer(&self, key: &str) -> Option<&'a str> {
        let blob = blob::Blob::read(self.consumer).filter(|blob| blob.header().kind == PM_KIND_CONSUMER)?;
        blob.provider(0)?.parameter(key)
    }

    /// Where random choices begin: the same seed must give the same answer. Input: `random`.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        Some(self.request.item().seed).filter(|seed| *seed != 0)
    }

    /// The host's clock in milliseconds since 1970. Input: `clock: ["now"]`.
    #[must_use]
    pub fn now_ms(&self) -> Option<i64> {
        Some(self.request.item().now_ms).filter(|now| *now != 0)
    }

    /// The hour in UTC, from 0. Input: `clock: ["hour"]`.
    #[must_use]
    pub fn hour(&self) -> Option<u32> {
        self.clock("hour")
    }

    /// The minute, from 0. Input: `clock: ["minute"]`.
    #[must_use]
    pub fn minute(&self) -> Option<u32> {
        self.clock("minute")
    }

    /// The day of the week in UTC; Monday is 1, Sunday 7. Input: `clock: ["weekday"]`.
    #[must_use]
    pub fn weekday(&self) -> Option<u32> {
        self.clock("weekday")
    }

    /// How long the answer may take, where somebody measures.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        Some(self.request.item().deadline_ns).filter(|it| *it != 0).map(Duration::from_nanos)
    }

    /// The list that the snapshot was made of.
    #[must_use]
    pub fn providers(&self) -> Blob<'a> {
        *self.providers
    }

    /// Whether somebody asks why.
    #[must_use]
    pub fn wants_explanation(&self) -> bool {
        self.request.wants_explanation()
    }

    /// Says why the answer is what it is. The text is made only where somebody asks: `call.explain(|| format!("area {area}"))`.
    pub fn explain<T: fmt::Display>(&self, text: impl FnOnce() -> T) {
        if self.wants_explanation() {
            host::explain(self.handle, &text().to_string());
        }
    }

    fn clock(&self, part: &str) -> Option<u32> {
        self.request.marked(b'%', part)?.parse().ok()
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Call");
        debug.field("method", &self.method()).field("parameters", &self.request.parameters().collect::<Vec<_>>());
        debug.finish_non_exhaustive()
    }
}
