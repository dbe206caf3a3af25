//! The blob: one flat run of bytes, little-endian, all offsets from its beginning.
//!
//! ```text
//! header | items, params, strings and bytes, in any order
//! ```
//!
//! An item is a provider, the consumer, or the call. Its params are a run of (key, value) pairs of string numbers, sorted
//! by the bytes of the key. A string is an offset into `bytes` and a length; texts are UTF-8. In a blob of providers equal
//! strings have one number.
//!
//! Reading trusts nothing: what lies outside is absent.

/// `PMB1`.
pub const PM_BLOB_MAGIC: u32 = 0x3142_4d50;
/// The layout that this module describes.
pub const PM_BLOB_LAYOUT: u16 = 1;
/// A list of providers.
pub const PM_KIND_PROVIDERS: u16 = 1;
/// One consumer.
pub const PM_KIND_CONSUMER: u16 = 2;
/// One call.
pub const PM_KIND_CALL: u16 = 3;
/// No string.
pub const PM_NONE: u32 = u32::MAX;
/// `CallItem::flags`: somebody asks why.
pub const PM_WANT_EXPLAIN: u32 = 1;

/// What a blob begins with.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlobHeader {
    /// [`PM_BLOB_MAGIC`].
    pub magic: u32,
    /// [`PM_BLOB_LAYOUT`].
    pub layout: u16,
    /// What the items are.
    pub kind: u16,
    /// Which list it is; 0 for a consumer or a call.
    pub generation: u64,
    /// Bytes of the whole blob.
    pub total_len: u32,
    /// How many items.
    pub item_count: u32,
    /// Where they begin.
    pub item_off: u32,
    /// How many params, of all items.
    pub param_count: u32,
    /// Where they begin.
    pub param_off: u32,
    /// How many strings.
    pub string_count: u32,
    /// Where they begin.
    pub string_off: u32,
    /// Where the texts begin.
    pub bytes_off: u32,
}

/// A provider, or the consumer: of that only the params are filled.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderItem {
    /// A string, or [`PM_NONE`].
    pub host: u32,
    /// A number; 0 without one.
    pub port: u32,
    /// A string, or [`PM_NONE`].
    pub protocol: u32,
    /// A string, or [`PM_NONE`].
    pub path: u32,
    /// The URL without user and password; a string, or [`PM_NONE`].
    pub raw_url: u32,
    /// The first of its params.
    pub param_first: u32,
    /// How many they are.
    pub param_count: u32,
    /// Its parameter `weight`, else 100.
    pub weight: u32,
    /// None is defined yet: 0.
    pub flags: u32,
    /// 0.
    pub reserved: u32,
}

/// A call. Its params are what the manifest declares of it: `@key` an attachment, `#0` an argument, `%hour`, `%minute`
/// and `%weekday` (Monday is 1) the time in UTC.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallItem {
    /// The first of its params.
    pub param_first: u32,
    /// How many they are.
    pub param_count: u32,
    /// The method that is meant, a string; [`PM_NONE`] where the manifest does not declare it.
    pub method: u32,
    /// The service's group; a string, or [`PM_NONE`].
    pub group: u32,
    /// The service's version; a string, or [`PM_NONE`].
    pub version: u32,
    /// [`PM_WANT_EXPLAIN`].
    pub flags: u32,
    /// Nanoseconds that the call may take; 0 where nobody measures.
    pub deadline_ns: u64,
    /// Where random choices begin; 0 unless declared.
    pub seed: u64,
    /// The host's clock in milliseconds since 1970; 0 unless declared.
    pub now_ms: i64,
}

/// A parameter: numbers of strings.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// The key.
    pub key: u32,
    /// The value.
    pub value: u32,
}

/// Where a text stands.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StringEntry {
    /// From `bytes_off` on.
    pub off: u32,
    /// In bytes.
    pub len: u32,
}

/// Bytes of a [`BlobHeader`].
pub const HEADER_BYTES: usize = size_of::<BlobHeader>();
/// Bytes of a [`ProviderItem`].
pub const PROVIDER_BYTES: usize = size_of::<ProviderItem>();
/// Bytes of a [`CallItem`].
pub const CALL_BYTES: usize = size_of::<CallItem>();
/// Bytes of a [`Param`].
pub const PARAM_BYTES: usize = size_of::<Param>();
/// Bytes of a [`StringEntry`].
pub const STRING_BYTES: usize = size_of::<StringEntry>();

/// A blob that is read where it lies.
#[derive(Debug, Clone, Copy)]
pub struct Blob<'a> {
    bytes: &'a [u8],
    header: BlobHeader,
}

/// One provider, or the consumer.
#[derive(Debug, Clone, Copy)]
pub struct Provider<'a> {
    blob: Blob<'a>,
    item: ProviderItem,
}

/// One call.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    blob: Blob<'a>,
    item: CallItem,
}

// === impl Blob ===

impl<'a> Blob<'a> {
    /// Reads the header; none if these bytes are no blob of this layout, or do not hold all that the header says.
    #[must_use]
    #[inline]
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        // PERF: one check for all of it; a call reads two headers.
        let head: &[u8; HEADER_BYTES] = bytes.first_chunk()?;
        let u32_at = |at: usize| read_u32(head, at);
        let header = BlobHeader {
            magic: u32_at(0)?,
            layout: read_u16(head, 4)?,
            kind: read_u16(head, 6)?,
            generation: read_u64(head, 8)?,
            total_len: u32_at(16)?,
            item_count: u32_at(20)?,
            item_off: u32_at(24)?,
            param_count: u32_at(28)?,
            param_off: u32_at(32)?,
            string_count: u32_at(36)?,
            string_off: u32_at(40)?,
            bytes_off: u32_at(44)?,
        };
        let item_bytes = if header.kind == PM_KIND_CALL { CALL_BYTES } else { PROVIDER_BYTES };
        let is_known = header.magic == PM_BLOB_MAGIC
            && header.layout == PM_BLOB_LAYOUT
            && matches!(header.kind, PM_KIND_PROVIDERS | PM_KIND_CONSUMER | PM_KIND_CALL)
            && header.total_len as usize == bytes.len();
        let fits = |offset: u32, count: u32, each: usize| {
            u64::from(offset) + u64::from(count) * each as u64 <= bytes.len() as u64
        };
        let is_whole = fits(header.item_off, header.item_count, item_bytes)
            && fits(header.param_off, header.param_count, PARAM_BYTES)
            && fits(header.string_off, header.string_count, STRING_BYTES)
            && header.bytes_off as usize <= bytes.len();
        (is_known && is_whole).then_some(Self { bytes, header })
    }

    /// What it begins with.
    #[must_use]
    #[inline]
    pub fn header(&self) -> &BlobHeader {
        &self.header
    }

    /// The bytes it is read from.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How many items there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.header.item_count as usize
    }

    /// Whether there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.header.item_count == 0
    }

    /// The provider at `position`; in a consumer's blob the consumer is the first.
    #[must_use]
    pub fn provider(&self, position: usize) -> Option<Provider<'a>> {
        if position >= self.len() || self.header.kind == PM_KIND_CALL {
            return None;
        }
        let at = self.header.item_off as usize + position * PROVIDER_BYTES;
        let item: &[u8; PROVIDER_BYTES] = self.bytes.get(at..)?.first_chunk()?;
        let field = |index: usize| read_u32(item, 4 * index);
        let item = ProviderItem {
            host: field(0)?,
            port: field(1)?,
            protocol: field(2)?,
            path: field(3)?,
            raw_url: field(4)?,
            param_first: field(5)?,
            param_count: field(6)?,
            weight: field(7)?,
            flags: field(8)?,
            reserved: field(9)?,
        };
        Some(Provider { blob: *self, item })
    }

    /// The providers in order.
    pub fn providers(&self) -> impl Iterator<Item = Provider<'a>> + '_ {
        (0..self.len()).filter_map(|position| self.provider(position))
    }

    /// The call, in the blob of one.
    #[must_use]
    #[inline]
    pub fn request(&self) -> Option<Request<'a>> {
        if self.header.kind != PM_KIND_CALL || self.is_empty() {
            return None;
        }
        let item: &[u8; CALL_BYTES] = self.bytes.get(self.header.item_off as usize..)?.first_chunk()?;
        let field = |index: usize| read_u32(item, 4 * index);
        let item = CallItem {
            param_first: field(0)?,
            param_count: field(1)?,
            method: field(2)?,
            group: field(3)?,
            version: field(4)?,
            flags: field(5)?,
            deadline_ns: read_u64(item, 24)?,
            seed: read_u64(item, 32)?,
            now_ms: read_u64(item, 40)?.cast_signed(),
        };
        Some(Request { blob: *self, item })
    }

    /// The text of a string; none for [`PM_NONE`], and for one that is not there.
    #[must_use]
    #[inline]
    pub fn string(&self, number: u32) -> Option<&'a str> {
        text_of(self.raw_string(number)?)
    }

    /// A param by its place among those of all items.
    #[must_use]
    #[inline]
    pub fn param(&self, place: u32) -> Option<Param> {
        if place >= self.header.param_count {
            return None;
        }
        let at = self.header.param_off as usize + place as usize * PARAM_BYTES;
        Some(Param { key: read_u32(self.bytes, at)?, value: read_u32(self.bytes, at + 4)? })
    }

    #[inline]
    fn raw_string(&self, number: u32) -> Option<&'a [u8]> {
        if number >= self.header.string_count {
            return None;
        }
        let at = self.header.string_off as usize + number as usize * STRING_BYTES;
        let (off, len) = (read_u32(self.bytes, at)?, read_u32(self.bytes, at + 4)?);
        let start = (self.header.bytes_off as usize).checked_add(off as usize)?;
        self.bytes.get(start..start.checked_add(len as usize)?)
    }

    /// The place of `key` among the sorted params of one item; its value.
    fn find(&self, first: u32, count: u32, key: &str) -> Option<(u32, Param)> {
        let (mut low, mut high) = (0, count.min(self.header.param_count.saturating_sub(first)));
        while low < high {
            let middle = low + (high - low) / 2;
            let param = self.param(first + middle)?;
            match self.raw_string(param.key)?.cmp(key.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some((middle, param)),
            }
        }
        None
    }

    fn params(&self, first: u32, count: u32) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let blob = *self;
        let places = first..first.saturating_add(count).min(self.header.param_count);
        places.filter_map(move |place| {
            let param = blob.param(place)?;
            Some((blob.string(param.key)?, blob.string(param.value)?))
        })
    }
}

// === impl Provider ===

impl<'a> Provider<'a> {
    /// All of the item.
    #[must_use]
    pub fn item(&self) -> &ProviderItem {
        &self.item
    }

    /// The host.
    #[must_use]
    pub fn host(&self) -> Option<&'a str> {
        self.blob.string(self.item.host)
    }

    /// The port; none where the URL has none.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        u16::try_from(self.item.port).ok().filter(|port| *port > 0)
    }

    /// The protocol.
    #[must_use]
    pub fn protocol(&self) -> Option<&'a str> {
        self.blob.string(self.item.protocol)
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> Option<&'a str> {
        self.blob.string(self.item.path)
    }

    /// The URL without user and password.
    #[must_use]
    pub fn url(&self) -> Option<&'a str> {
        self.blob.string(self.item.raw_url)
    }

    /// The parameter `weight`, else 100.
    #[must_use]
    pub fn weight(&self) -> u32 {
        self.item.weight
    }

    /// A parameter.
    #[must_use]
    pub fn parameter(&self, key: &str) -> Option<&'a str> {
        let (_, param) = self.blob.find(self.item.param_first, self.item.param_count, key)?;
        self.blob.string(param.value)
    }

    /// A parameter whose key has been found before: at `hint`, its place among an item's parameters, with that number.
    /// Answers with the value's number; much faster over a list than [`Provider::parameter`].
    #[must_use]
    pub fn parameter_number(&self, key: &str, hint: &mut Option<(u32, u32)>) -> Option<u32> {
        if let Some((place, number)) = *hint
            && place < self.item.param_count
            && let Some(param) = self.blob.param(self.item.param_first.saturating_add(place))
            && param.key == number
        {
            return Some(param.value);
        }
        let (place, param) = self.blob.find(self.item.param_first, self.item.param_count, key)?;
        *hint = Some((place, param.key));
        Some(param.value)
    }

    /// All parameters, sorted by key.
    pub fn parameters(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        self.blob.params(self.item.param_first, self.item.param_count)
    }
}

// === impl Request ===

impl<'a> Request<'a> {
    /// All of the item.
    #[must_use]
    #[inline]
    pub fn item(&self) -> &CallItem {
        &self.item
    }

    /// The method that is meant.
    #[must_use]
    pub fn method(&self) -> Option<&'a str> {
        self.blob.string(self.item.method)
    }

    /// The service's group.
    #[must_use]
    pub fn group(&self) -> Option<&'a str> {
        self.blob.string(self.item.group)
    }

    /// The service's version.
    #[must_use]
    pub fn version(&self) -> Option<&'a str> {
        self.blob.string(self.item.version)
    }

    /// What stands under a mark and a name: `@key`, `#0`, `%hour`.
    #[must_use]
    pub fn parameter(&self, key: &str) -> Option<&'a str> {
        let (_, param) = self.blob.find(self.item.param_first, self.item.param_count, key)?;
        self.blob.string(param.value)
    }

    /// What stands under `mark` and a name, without putting the two together first.
    #[must_use]
    #[inline]
    pub fn marked(&self, mark: u8, name: &str) -> Option<&'a str> {
        let first = self.item.param_first;
        // A call has a handful: a look at each is faster than dividing.
        let places = first..first.saturating_add(self.item.param_count).min(self.blob.header.param_count);
        for place in places {
            let param = self.blob.param(place)?;
            if let Some([found, rest @ ..]) = self.blob.raw_string(param.key)
                && *found == mark
                && is_same(rest, name.as_bytes())
            {
                return self.blob.string(param.value);
            }
        }
        None
    }

    /// All that is there, sorted by key.
    pub fn parameters(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        self.blob.params(self.item.param_first, self.item.param_count)
    }

    /// Whether somebody asks why.
    #[must_use]
    #[inline]
    pub fn wants_explanation(&self) -> bool {
        self.item.flags & PM_WANT_EXPLAIN != 0
    }
}

/// Bytes as text, if they are UTF-8.
///
/// PERF: nearly all are ASCII, which is told without a call (`plugin/route`).
#[inline]
#[expect(unsafe_code, reason = "what is ASCII is not read twice")]
fn text_of(bytes: &[u8]) -> Option<&str> {
    if bytes.is_ascii() {
        // SAFETY: every ASCII text is UTF-8.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    std::str::from_utf8(bytes).ok()
}

/// Whether two texts are equal.
///
/// PERF: most are short, and a call of the library's comparison costs more than they do (`plugin/providers`).
#[inline]
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match one.len() {
        // The first and the last bytes lie over one another, and cover all.
        8..=16 => {
            one.first_chunk::<8>() == other.first_chunk::<8>() && one.last_chunk::<8>() == other.last_chunk::<8>()
        }
        4..8 => one.first_chunk::<4>() == other.first_chunk::<4>() && one.last_chunk::<4>() == other.last_chunk::<4>(),
        0..4 => one.iter().zip(other).all(|(one, other)| one == other),
        _ => one == other,
    }
}

#[inline]
fn read_u16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[inline]
fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[inline]
fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::ProvidersWriter;
    use crate::write::Row;

    fn sample() -> Vec<u8> {
        let mut writer = ProvidersWriter::new(PM_KIND_PROVIDERS, 7);
        for (host, area) in [("10.0.0.1", "010"), ("10.0.0.2", "021")] {
            let row = Row { host: Some(host), port: 20_880, protocol: Some("dubbo"), ..Row::default() };
            writer.push(&row, [("side", "provider"), ("areaCode", area)]).unwrap();
        }
        writer.finish().unwrap()
    }

    #[test]
    fn the_magic_is_a_word_that_a_person_can_read() {
        assert_eq!(&PM_BLOB_MAGIC.to_le_bytes(), b"PMB1");
    }

    #[test]
    fn what_was_written_is_read() {
        let bytes = sample();
        let blob = Blob::read(&bytes).unwrap();
        assert_eq!((blob.len(), blob.header().generation), (2, 7));
        let mut hint = None;
        let seen: Vec<_> = blob
            .providers()
            .map(|it| (it.host(), it.port(), it.parameter("areaCode"), it.parameter_number("areaCode", &mut hint)))
            .map(|(host, port, area, number)| (host, port, area, number.and_then(|number| blob.string(number))))
            .collect();
        let expected = [("10.0.0.1", "010"), ("10.0.0.2", "021")]
            .map(|(host, area)| (Some(host), Some(20_880), Some(area), Some(area)));
        assert_eq!(seen, expected);
        let first: Vec<_> = blob.provider(0).unwrap().parameters().collect();
        assert_eq!(first, [("areaCode", "010"), ("side", "provider")]);
        assert_eq!(blob.provider(0).unwrap().parameter("area"), None);
        assert!(blob.provider(2).is_none() && blob.request().is_none());
    }

    #[test]
    fn a_blob_that_is_cut_or_bent_anywhere_is_read_without_harm() {
        let bytes = sample();
        let read = |bytes: &[u8]| {
            let Some(blob) = Blob::read(bytes) else { return 0 };
            blob.providers().map(|it| it.parameters().count() + it.url().map_or(0, str::len)).sum::<usize>()
        };
        for length in 0..bytes.len() {
            assert!(Blob::read(&bytes[..length]).is_none(), "{length}");
        }
        // Under an interpreter each byte takes its time.
        for at in (0..bytes.len()).step_by(if cfg!(miri) { 7 } else { 1 }) {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bent = bytes.clone();
                bent[at] = value;
                let _ = read(&bent);
            }
        }
    }

    #[test]
    fn texts_are_the_same_if_no_byte_differs() {
        for length in 0..20 {
            let text = "x".repeat(length);
            assert!(is_same(text.as_bytes(), text.clone().as_bytes()), "{length}");
            assert!(!is_same(text.as_bytes(), "x".repeat(length + 1).as_bytes()), "{length}");
            for at in 0..length {
                let other: String = (0..length).map(|place| if place == at { 'y' } else { 'x' }).collect();
                assert!(!is_same(text.as_bytes(), other.as_bytes()), "{length} at {at}");
            }
        }
    }
}
