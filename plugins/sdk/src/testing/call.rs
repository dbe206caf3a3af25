//! Calls, and their blob.

use std::time::Duration;

use pointsman_plugin_api::blob::BlobHeader;
use pointsman_plugin_api::blob::CALL_BYTES;
use pointsman_plugin_api::blob::HEADER_BYTES;
use pointsman_plugin_api::blob::PARAM_BYTES;
use pointsman_plugin_api::blob::PM_BLOB_LAYOUT;
use pointsman_plugin_api::blob::PM_BLOB_MAGIC;
use pointsman_plugin_api::blob::PM_KIND_CALL;
use pointsman_plugin_api::blob::PM_NONE;
use pointsman_plugin_api::blob::PM_WANT_EXPLAIN;
use pointsman_plugin_api::blob::STRING_BYTES;

use crate::manifest::Inputs;
use crate::testing::declared::Declared;

const MS_A_DAY: i64 = 86_400_000;

/// A call of `method`.
///
/// ```
/// use pointsman_plugin::testing;
///
/// let call = testing::call("create").attachment("areaCode", "021").arguments(["42"]).seed(7);
/// ```
pub fn call(method: impl Into<String>) -> CallBuilder {
    CallBuilder { method: method.into(), ..CallBuilder::default() }
}

/// A call; [`call`] begins one.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct CallBuilder {
    method: String,
    group: Option<String>,
    version: Option<String>,
    attachments: Vec<(String, String)>,
    arguments: Vec<String>,
    seed: u64,
    now_ms: i64,
    deadline: Duration,
    is_unexplained: bool,
}

/// Strings of a blob.
#[derive(Default)]
struct Strings {
    places: Vec<(usize, usize)>,
    bytes: Vec<u8>,
}

// === impl CallBuilder ===

impl CallBuilder {
    /// Adds an attachment.
    pub fn attachment(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.attachments.push((key.into(), value.into()));
        self
    }

    /// The arguments, as simple values.
    pub fn arguments(mut self, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.arguments = values.into_iter().map(Into::into).collect();
        self
    }

    /// The service's group.
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }

    /// The service's version.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Where random choices begin; not 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The time, in milliseconds since 1970: the clock, and hour, minute and day of the week in UTC.
    pub fn now_ms(mut self, now_ms: i64) -> Self {
        self.now_ms = now_ms;
        self
    }

    /// How long the answer may take.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Nobody asks why, as in most calls.
    pub fn unexplained(mut self) -> Self {
        self.is_unexplained = true;
        self
    }

    /// The blob: of the call what `inputs` declare.
    pub(super) fn write(&self, inputs: &Inputs, config: &[(String, String)]) -> Vec<u8> {
        let mut strings = Strings::default();
        let params: Vec<_> =
            self.params(inputs, config).iter().map(|(k, v)| [strings.add(k), strings.add(v)]).collect();
        let mut optional = |text: Option<&String>| text.map_or(PM_NONE, |text| strings.add(text));
        let method = optional(inputs.method.then_some(&self.method));
        let (group, version) = (optional(self.group.as_ref()), optional(self.version.as_ref()));
        let mut item = Vec::with_capacity(CALL_BYTES);
        let flags = if self.is_unexplained { 0 } else { PM_WANT_EXPLAIN };
        let fields = [0, params.len() as u32, method, group, version, flags];
        item.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
        item.extend(u64::try_from(self.deadline.as_nanos()).unwrap_or(u64::MAX).to_le_bytes());
        item.extend(if inputs.random { self.seed } else { 0 }.to_le_bytes());
        item.extend(if inputs.clock.contains(&"now") { self.now_ms } else { 0 }.to_le_bytes());
        strings.finish(&item, &params)
    }

    /// Marked keys and values, sorted.
    fn params(&self, inputs: &Inputs, config: &[(String, String)]) -> Vec<(String, String)> {
        let declared = Declared::new(inputs.attachments, config);
        let attachments = self.attachments.iter().filter(|(key, _)| declared.contains(key));
        let mut params: Vec<_> = attachments.map(|(key, value)| (format!("@{key}"), value.clone())).collect();
        // Of two equal keys the later counts, as in a map.
        params.reverse();
        for (place, value) in self.arguments.iter().enumerate() {
            if inputs.arguments.iter().any(|declared| *declared as usize == place) {
                params.push((format!("#{place}"), value.clone()));
            }
        }
        let ms = self.now_ms.rem_euclid(MS_A_DAY);
        // 1970 began on a Thursday.
        let weekday = (self.now_ms.div_euclid(MS_A_DAY) + 3).rem_euclid(7) + 1;
        for (part, value) in [("hour", ms / 3_600_000), ("minute", ms / 60_000 % 60), ("weekday", weekday)] {
            if inputs.clock.contains(&part) {
                params.push((format!("%{part}"), value.to_string()));
            }
        }
        params.sort_by(|one, other| one.0.cmp(&other.0));
        params.dedup_by(|later, earlier| later.0 == earlier.0);
        params
    }
}

// === impl Strings ===

impl Strings {
    fn add(&mut self, text: &str) -> u32 {
        self.places.push((self.bytes.len(), text.len()));
        self.bytes.extend_from_slice(text.as_bytes());
        self.places.len() as u32 - 1
    }

    /// The blob of one item.
    fn finish(&self, item: &[u8], params: &[[u32; 2]]) -> Vec<u8> {
        let param_off = HEADER_BYTES + item.len();
        let string_off = param_off + params.len() * PARAM_BYTES;
        let bytes_off = string_off + self.places.len() * STRING_BYTES;
        let header = BlobHeader {
            magic: PM_BLOB_MAGIC,
            layout: PM_BLOB_LAYOUT,
            kind: PM_KIND_CALL,
            generation: 0,
            total_len: (bytes_off + self.bytes.len()) as u32,
            item_count: 1,
            item_off: HEADER_BYTES as u32,
            param_count: params.len() as u32,
            param_off: param_off as u32,
            string_count: self.places.len() as u32,
            string_off: string_off as u32,
            bytes_off: bytes_off as u32,
        };
        let mut blob = Vec::new();
        header.append_to(&mut blob);
        blob.extend_from_slice(item);
        blob.extend(params.iter().flatten().flat_map(|number| number.to_le_bytes()));
        let places = self.places.iter().flat_map(|(off, len)| [*off as u32, *len as u32]);
        blob.extend(places.flat_map(u32::to_le_bytes));
        blob.extend_from_slice(&self.bytes);
        blob
    }
}
