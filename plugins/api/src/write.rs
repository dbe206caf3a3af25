//! Writing blobs of providers and of consumers. Calls are written by the host in a way of its own.

use std::hash::BuildHasher as _;
use std::hash::RandomState;

use crate::blob::BlobHeader;
use crate::blob::HEADER_BYTES;
use crate::blob::PARAM_BYTES;
use crate::blob::PM_BLOB_LAYOUT;
use crate::blob::PM_BLOB_MAGIC;
use crate::blob::PM_NONE;
use crate::blob::PROVIDER_BYTES;
use crate::blob::STRING_BYTES;
use crate::blob::is_same;

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
    numbers: Numbers,
    /// The params of the provider before, in the order given: with text and number of key and value. Most providers have
    /// the same keys in the same order, and half of their values.
    before: Vec<Known<'a>>,
    /// The orders in which params stand in the blob, for the keys that providers had lately; the first is that of `before`.
    shapes: Vec<Shape>,
}

/// Which text has which number: a table of places, so that a new text costs one look at memory.
#[derive(Debug)]
struct Numbers {
    seed: u64,
    used: usize,
    // INVARIANT: none, or a power of two, at least half of them free.
    slots: Vec<Slot>,
}

/// A number and a part of its text's hash; free with the number [`PM_NONE`].
#[derive(Debug, Clone, Copy)]
struct Slot {
    tag: u32,
    number: u32,
}

/// A run of keys, and the places in it, sorted by key.
#[derive(Debug)]
struct Shape {
    keys: Vec<u32>,
    order: Vec<usize>,
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
            numbers: Numbers::new(),
            before: Vec::new(),
            shapes: Vec::new(),
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
        self.write_parameters();
        let param_end = u32::try_from(self.params.len() / PARAM_BYTES).map_err(|_| TooLarge)?;
        let param_count = param_end - param_first;
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

    /// Numbers keys and values and leaves them in `before`, with their order as the first of `shapes`.
    fn take_parameters(&mut self, parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<(), TooLarge> {
        let mut count = 0;
        let mut same_keys = true;
        for (key, value) in parameters {
            let before = self.before.get(count).copied();
            let key_number = match before {
                Some(before) if is_same(before.key.as_bytes(), key.as_bytes()) => before.key_number,
                _ => {
                    same_keys = false;
                    self.number(key)?
                }
            };
            let value_number = match before {
                Some(before) if is_same(before.value.as_bytes(), value.as_bytes()) => before.value_number,
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
            self.find_shape();
        }
        Ok(())
    }

    /// Sorts the keys of `before`, unless that was done for an earlier provider.
    fn find_shape(&mut self) {
        // PERF: few lists have more than a handful of different runs of keys (`plugin/providers`).
        const SHAPES: usize = 8;
        let before = &self.before;
        let known = self.shapes.iter().position(|shape| shape.keys.iter().eq(before.iter().map(|it| &it.key_number)));
        if let Some(place) = known {
            return self.shapes.swap(0, place);
        }
        let mut order: Vec<usize> = (0..before.len()).collect();
        // Keeps equal keys in the order given.
        order.sort_by_key(|place| before.get(*place).map(|known| known.key));
        let shape = Shape { keys: before.iter().map(|known| known.key_number).collect(), order };
        self.shapes.truncate(SHAPES - 1);
        self.shapes.insert(0, shape);
    }

    /// Writes the params of `before` in their order; of a key that stands there twice the last value.
    fn write_parameters(&mut self) {
        let Self { params, before, shapes, .. } = self;
        let mut last = None;
        for place in shapes.first().into_iter().flat_map(|shape| &shape.order) {
            let Some(Known { key_number, value_number, .. }) = before.get(*place) else { continue };
            if last == Some(*key_number) {
                params.truncate(params.len() - PARAM_BYTES);
            }
            last = Some(*key_number);
            let param = u64::from(*value_number) << 32 | u64::from(*key_number);
            params.extend_from_slice(&param.to_le_bytes());
        }
    }

    /// The number of a text; equal texts have one.
    fn number(&mut self, text: &str) -> Result<u32, TooLarge> {
        let Self { numbers, strings, blob, .. } = self;
        let (entries, texts) = (strings.as_chunks::<STRING_BYTES>().0, blob.get(HEADER_BYTES..).unwrap_or_default());
        let is_it = |number: u32| entries.get(number as usize).is_some_and(|entry| is_at(entry, texts, text));
        match numbers.find(text, self.string_count, is_it) {
            Some(known) => Ok(known),
            None => self.append(text),
        }
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

/// Whether `text` is what a string's entry points to.
fn is_at(entry: &[u8; STRING_BYTES], texts: &[u8], text: &str) -> bool {
    let word = u64::from_le_bytes(*entry);
    let (off, len) = (word as u32 as usize, (word >> 32) as usize);
    len == text.len() && texts.get(off..off + len).is_some_and(|found| is_same(found, text.as_bytes()))
}

// === impl Numbers ===

impl Numbers {
    fn new() -> Self {
        Self { seed: RandomState::new().hash_one(0_u64) | 1, used: 0, slots: Vec::new() }
    }

    /// Makes room for so many texts; half of the places stay free.
    fn reserve(&mut self, texts: usize) {
        if texts * 2 <= self.slots.len() {
            return;
        }
        let free = vec![Slot { tag: 0, number: PM_NONE }; (texts * 2).next_power_of_two()];
        let slots = std::mem::replace(&mut self.slots, free);
        for slot in slots.into_iter().filter(|slot| slot.number != PM_NONE) {
            let free = self.places(slot.tag).find(|at| self.slots.get(*at).is_some_and(|slot| slot.number == PM_NONE));
            if let Some(place) = free.and_then(|at| self.slots.get_mut(at)) {
                *place = slot;
            }
        }
    }

    /// The number of a text; one that has none gets `next`. `is_it` tells whether the text of a number is the same.
    fn find(&mut self, text: &str, next: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        self.reserve(self.used.max(7) + 1);
        let tag = hash(self.seed, text.as_bytes());
        for at in self.places(tag) {
            let slot = self.slots.get_mut(at)?;
            if slot.number == PM_NONE {
                *slot = Slot { tag, number: next };
                self.used += 1;
                return None;
            }
            if slot.tag == tag && is_it(slot.number) {
                return Some(slot.number);
            }
        }
        None
    }

    /// Where a text can stand, first the likeliest.
    fn places(&self, tag: u32) -> impl Iterator<Item = usize> + use<> {
        let count = self.slots.len();
        let mask = count.wrapping_sub(1);
        (0..count).map(move |step| (tag as usize).wrapping_add(step) & mask)
    }
}

/// Hashes short texts fast; the seed keeps others from choosing texts that collide.
fn hash(seed: u64, text: &[u8]) -> u32 {
    // Multiplies to twice the width and folds: every bit of the word reaches every bit of the state.
    let fold = |state: u64, word: u64| {
        let wide = u128::from(state ^ word) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
        (wide as u64) ^ ((wide >> 64) as u64)
    };
    let (words, rest) = text.as_chunks::<8>();
    let state = words.iter().fold(seed, |state, word| fold(state, u64::from_le_bytes(*word)));
    let tail = rest.iter().fold(text.len() as u64, |tail, byte| tail << 8 | u64::from(*byte));
    let state = fold(state, tail);
    (state ^ state >> 32) as u32
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

    /// The blob of providers with these parameters.
    fn written(rows: &[&[(&str, &str)]]) -> Vec<u8> {
        let mut writer = ProvidersWriter::new(PM_KIND_PROVIDERS, 0);
        for row in rows {
            writer.push(&Row::default(), row.iter().copied()).unwrap();
        }
        writer.finish().unwrap()
    }

    #[test]
    fn equal_texts_have_one_number_and_the_last_of_two_values_counts() {
        let rows: [&[(&str, &str)]; 4] = [
            &[("b", "1"), ("a", "x")],
            &[("b", "1"), ("a", "y")],
            &[("b", "1")],
            &[("c", "1"), ("b", "2"), ("c", "x"), ("a", "3")],
        ];
        let bytes = written(&rows);
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

    #[test]
    fn ten_thousand_texts_keep_their_numbers_while_the_table_grows() {
        let texts: Vec<String> = (0..10_000).map(|number| format!("{number}")).collect();
        let mut numbers = Numbers::new();
        for round in 0..2 {
            for (number, text) in texts.iter().enumerate() {
                let found = numbers.find(text, number as u32, |other| texts[other as usize] == *text);
                assert_eq!(found, (round == 1).then_some(number as u32), "`{text}`");
            }
        }
    }

    #[test]
    fn keys_in_another_order_are_sorted_all_the_same() {
        let rows: [&[(&str, &str)]; 3] = [
            &[("a", "1"), ("b", "2"), ("c", "3")],
            &[("c", "3"), ("a", "1"), ("a", "0")],
            &[("b", "1"), ("a", "2"), ("b", "3")],
        ];
        let bytes = written(&rows);
        let blob = Blob::read(&bytes).unwrap();
        let seen: Vec<Vec<_>> = blob.providers().map(|it| it.parameters().collect()).collect();
        let expected: [&[(&str, &str)]; 3] =
            [&[("a", "1"), ("b", "2"), ("c", "3")], &[("a", "0"), ("c", "3")], &[("a", "2"), ("b", "3")]];
        assert_eq!(seen, expected);
    }
}
