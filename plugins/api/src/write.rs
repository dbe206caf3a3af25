//! Writing blobs of providers and of consumers. Calls are written by the host in a way of its own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasher;
use std::hash::Hasher;
use std::hash::RandomState;

use crate::blob::BlobHeader;
use crate::blob::HEADER_BYTES;
use crate::blob::PARAM_BYTES;
use crate::blob::PM_BLOB_LAYOUT;
use crate::blob::PM_BLOB_MAGIC;
use crate::blob::PM_NONE;
use crate::blob::PROVIDER_BYTES;
use crate::blob::STRING_BYTES;

/// The fixed part of a provider.
#[derive(Debug, Clone, Copy, Default)]
pub struct Row<'a> {
    /// The host.
    pub host: Option<&'a str>,
    /// The port; 0 without one.
    pub port: u16,
    /// The protocol.
    pub protocol: Option<&'a str>,
    /// The path.
    pub path: Option<&'a str>,
    /// The URL without user and password.
    pub url: Option<&'a str>,
    /// The weight.
    pub weight: u32,
}

/// A blob that does not fit: offsets have 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// Writes providers one after the other.
#[derive(Debug)]
pub struct ProvidersWriter<'a> {
    kind: u16,
    generation: u64,
    /// Room for the header, and the texts: the largest part, which is written where it stays.
    blob: Vec<u8>,
    items: Vec<u8>,
    params: Vec<u8>,
    strings: Vec<u8>,
    string_count: u32,
    numbers: HashMap<&'a str, u32, Seeded>,
    /// The params of the provider before, in the order given: with text and number of key and value. Most providers have
    /// the same keys in the same order, and half of their values.
    before: Vec<Known<'a>>,
    /// The order in which those stand in the blob; `order[i]` is a place in `before`.
    order: Vec<usize>,
    sorted: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Copy)]
struct Known<'a> {
    key: &'a str,
    key_number: u32,
    value: &'a str,
    value_number: u32,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("more than 4 GiB of providers")
    }
}

impl std::error::Error for TooLarge {}

// === impl ProvidersWriter ===

impl<'a> ProvidersWriter<'a> {
    /// Begins a blob of `kind` for the list `generation`.
    #[must_use]
    pub fn new(kind: u16, generation: u64) -> Self {
        Self {
            kind,
            generation,
            blob: vec![0; HEADER_BYTES],
            items: Vec::new(),
            params: Vec::new(),
            strings: Vec::new(),
            string_count: 0,
            numbers: HashMap::with_hasher(Seeded(RandomState::new().hash_one(0_u64) | 1)),
            before: Vec::new(),
            order: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// Makes room for so many providers, whose URLs have so many bytes together.
    #[must_use]
    pub fn with_room(mut self, providers: usize, url_bytes: usize) -> Self {
        // Of some twenty parameters a few are a provider's own: host, process, time.
        const PARAMS: usize = 24;
        const OWN_TEXTS: usize = 4;
        let tables = [PROVIDER_BYTES, PARAMS * PARAM_BYTES, OWN_TEXTS * STRING_BYTES].map(|each| providers * each);
        let [items, params, strings] = tables;
        self.items.reserve(items);
        self.params.reserve(params);
        self.strings.reserve(strings);
        self.blob.reserve(url_bytes + url_bytes / 4 + items + params + strings);
        self.numbers.reserve(providers * OWN_TEXTS);
        self
    }

    /// Adds a provider with its parameters. Of a key that stands twice the last value counts.
    ///
    /// # Errors
    ///
    /// The blob would be larger than its offsets can say.
    pub fn push(
        &mut self,
        row: &Row<'a>,
        parameters: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), TooLarge> {
        let param_first = u32::try_from(self.params.len() / PARAM_BYTES).map_err(|_| TooLarge)?;
        self.take_parameters(parameters)?;
        let param_count = u32::try_from(self.sorted.len()).map_err(|_| TooLarge)?;
        for (key, value) in &self.sorted {
            self.params.extend_from_slice(&key.to_le_bytes());
            self.params.extend_from_slice(&value.to_le_bytes());
        }
        let mut number = |text: Option<&'a str>| text.map_or(Ok(PM_NONE), |text| self.number(text));
        let (host, protocol, path) = (number(row.host)?, number(row.protocol)?, number(row.path)?);
        // No two URLs are the same, so nobody looks for this one.
        let url = row.url.map_or(Ok(PM_NONE), |url| self.append(url))?;
        let fields = [host, row.port.into(), protocol, path, url, param_first, param_count, row.weight, 0, 0]
            .map(u32::to_le_bytes);
        self.items.extend(fields.iter().flatten());
        Ok(())
    }

    /// The blob.
    ///
    /// # Errors
    ///
    /// It would be larger than its offsets can say.
    pub fn finish(self) -> Result<Vec<u8>, TooLarge> {
        let Self { mut blob, items, params, strings, .. } = self;
        let offset = |blob: &[u8]| u32::try_from(blob.len()).map_err(|_| TooLarge);
        let count = |length: usize, each: usize| u32::try_from(length / each).map_err(|_| TooLarge);
        blob.resize(blob.len().next_multiple_of(8), 0);
        let item_off = offset(&blob)?;
        blob.extend_from_slice(&items);
        let param_off = offset(&blob)?;
        blob.extend_from_slice(&params);
        let string_off = offset(&blob)?;
        blob.extend_from_slice(&strings);
        let header = BlobHeader {
            magic: PM_BLOB_MAGIC,
            layout: PM_BLOB_LAYOUT,
            kind: self.kind,
            generation: self.generation,
            total_len: offset(&blob)?,
            item_count: count(items.len(), PROVIDER_BYTES)?,
            item_off,
            param_count: count(params.len(), PARAM_BYTES)?,
            param_off,
            string_count: count(strings.len(), STRING_BYTES)?,
            string_off,
            bytes_off: HEADER_BYTES as u32,
        };
        let mut head = Vec::with_capacity(HEADER_BYTES);
        header.append_to(&mut head);
        blob.iter_mut().zip(head).for_each(|(place, byte)| *place = byte);
        Ok(blob)
    }

    /// Numbers keys and values and leaves them in `sorted`.
    fn take_parameters(&mut self, parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<(), TooLarge> {
        let mut count = 0;
        let mut same_keys = true;
        for (key, value) in parameters {
            let before = self.before.get(count).copied();
            let key_number = match before {
                Some(before) if is_same(before.key, key) => before.key_number,
                _ => {
                    same_keys = false;
                    self.number(key)?
                }
            };
            let value_number = match before {
                Some(before) if is_same(before.value, value) => before.value_number,
                _ => self.number(value)?,
            };
            let known = Known { key, key_number, value, value_number };
            match self.before.get_mut(count) {
                Some(place) => *place = known,
                None => self.before.push(known),
            }
            count += 1;
        }
        if !same_keys || count != self.before.len() {
            self.before.truncate(count);
            self.order.clear();
            self.order.extend(0..count);
            let before = &self.before;
            self.order.sort_by_key(|place| before.get(*place).map(|known| known.key));
        }
        self.sorted.clear();
        for place in &self.order {
            let Some(known) = self.before.get(*place) else { continue };
            // Sorting keeps equal keys in the order given.
            if self.sorted.last().is_some_and(|(key, _)| *key == known.key_number) {
                self.sorted.pop();
            }
            self.sorted.push((known.key_number, known.value_number));
        }
        Ok(())
    }

    /// The number of a text; equal texts have one.
    fn number(&mut self, text: &'a str) -> Result<u32, TooLarge> {
        match self.numbers.entry(text) {
            Entry::Occupied(known) => return Ok(*known.get()),
            // Its number is the next one; nothing is numbered in between.
            Entry::Vacant(place) => place.insert(self.string_count),
        };
        self.append(text)
    }

    fn append(&mut self, text: &str) -> Result<u32, TooLarge> {
        let (off, len) = (u32::try_from(self.blob.len() - HEADER_BYTES), u32::try_from(text.len()));
        let (Ok(off), Ok(len)) = (off, len) else { return Err(TooLarge) };
        self.strings.extend_from_slice(&off.to_le_bytes());
        self.strings.extend_from_slice(&len.to_le_bytes());
        self.blob.extend_from_slice(text.as_bytes());
        self.string_count += 1;
        Ok(self.string_count - 1)
    }
}

/// Whether two texts are equal.
///
/// PERF: most are short, and a call of the library's comparison costs more than they do (`plugin/providers`).
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
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

/// Hashes short texts fast; the seed keeps others from choosing texts that collide.
#[derive(Debug, Clone, Copy)]
struct Seeded(u64);

struct SeededHasher(u64);

// === impl Seeded ===

impl BuildHasher for Seeded {
    type Hasher = SeededHasher;

    fn build_hasher(&self) -> SeededHasher {
        SeededHasher(self.0)
    }
}

// === impl SeededHasher ===

impl SeededHasher {
    /// Multiplies to twice the width and folds: every bit of the word reaches every bit of the state.
    fn fold(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
        self.0 = (wide as u64) ^ ((wide >> 64) as u64);
    }
}

impl Hasher for SeededHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.fold(u64::from_le_bytes(*word)));
        let tail = rest.iter().fold(bytes.len() as u64, |tail, byte| tail << 8 | u64::from(*byte));
        self.fold(tail);
    }

    fn write_u8(&mut self, _: u8) {
        // The mark behind a text; its length is in already.
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

// === impl BlobHeader ===

impl BlobHeader {
    /// Writes it as it stands in a blob.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.magic.to_le_bytes());
        out.extend_from_slice(&self.layout.to_le_bytes());
        out.extend_from_slice(&self.kind.to_le_bytes());
        out.extend_from_slice(&self.generation.to_le_bytes());
        let rest = [
            self.total_len,
            self.item_count,
            self.item_off,
            self.param_count,
            self.param_off,
            self.string_count,
            self.string_off,
            self.bytes_off,
        ];
        out.extend(rest.map(u32::to_le_bytes).iter().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob::Blob;
    use crate::blob::PM_KIND_PROVIDERS;

    #[test]
    fn texts_are_the_same_if_no_byte_differs() {
        for length in 0..20 {
            let text = "x".repeat(length);
            assert!(is_same(&text, &text.clone()), "{length}");
            assert!(!is_same(&text, &"x".repeat(length + 1)), "{length}");
            for at in 0..length {
                let other: String = (0..length).map(|place| if place == at { 'y' } else { 'x' }).collect();
                assert!(!is_same(&text, &other), "{length} at {at}");
            }
        }
    }

    #[test]
    fn equal_texts_have_one_number_and_the_last_of_two_values_counts() {
        let rows: [&[(&str, &str)]; 4] = [
            &[("b", "1"), ("a", "x")],
            &[("b", "1"), ("a", "y")],
            &[("b", "1")],
            &[("c", "1"), ("b", "2"), ("c", "x"), ("a", "3")],
        ];
        let mut writer = ProvidersWriter::new(PM_KIND_PROVIDERS, 0);
        for row in rows {
            writer.push(&Row::default(), row.iter().copied()).unwrap();
        }
        let bytes = writer.finish().unwrap();
        let blob = Blob::read(&bytes).unwrap();
        let seen: Vec<Vec<_>> = blob.providers().map(|it| it.parameters().collect()).collect();
        let expected: [&[(&str, &str)]; 4] = [
            &[("a", "x"), ("b", "1")],
            &[("a", "y"), ("b", "1")],
            &[("b", "1")],
            &[("a", "3"), ("b", "2"), ("c", "x")],
        ];
        assert_eq!(seen, expected);
        let texts: Vec<_> = (0..blob.header().string_count).filter_map(|number| blob.string(number)).collect();
        let distinct: std::collections::HashSet<_> = texts.iter().collect();
        assert_eq!(distinct.len(), texts.len(), "{texts:?}");
    }
}
