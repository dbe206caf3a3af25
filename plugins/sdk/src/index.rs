//! Who has which value of a parameter.

use pointsman_plugin_api::blob::Blob;

use crate::bitmap::Bitmap;

/// Value of a parameter → the providers that have it; [`Blob::index_by`](crate::Blob::index_by) makes one.
#[derive(Debug, Clone, Default)]
pub struct Index {
    /// Sorted by value. A table of hashes would want the system's random numbers, which a confined plugin may not have.
    entries: Vec<(Box<str>, Bitmap)>,
    /// How each of them begins, see [`beginning`].
    beginnings: Vec<u64>,
}

/// Up to so many values are gone through one by one.
const FEW: usize = 16;

/// No group yet.
const NONE: u32 = u32::MAX;

// === impl Index ===

impl Index {
    pub(crate) fn new(blob: &Blob<'_>, key: &str) -> Self {
        // Equal texts have one number, so a provider costs two look-ups in tables and no text.
        let mut group_of = vec![NONE; blob.header().string_count as usize];
        let mut groups: Vec<(u32, Bitmap)> = Vec::new();
        let mut hint = None;
        for (position, provider) in (0..blob.len()).filter_map(|it| Some((it, blob.provider(it)?))) {
            let Some(number) = provider.parameter_number(key, &mut hint) else { continue };
            let Some(group) = group_of.get_mut(number as usize) else { continue };
            if *group == NONE {
                *group = groups.len() as u32;
                groups.push((number, Bitmap::new()));
            }
            if let Some((_, bitmap)) = groups.get_mut(*group as usize) {
                bitmap.insert(position);
            }
        }
        let texts = groups.into_iter().filter_map(|(number, bitmap)| Some((blob.string(number)?.into(), bitmap)));
        let mut entries: Vec<(Box<str>, Bitmap)> = texts.collect();
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        // A blob from elsewhere may have one text under two numbers.
        entries.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                earlier.1.extend(later.1.positions());
            }
            is_same
        });
        let beginnings = entries.iter().map(|(text, _)| beginning(text.as_bytes())).collect();
        Self { entries, beginnings }
    }

    /// The providers that have this value; none where nobody has it.
    #[must_use]
    pub fn get(&self, value: &str) -> Option<&Bitmap> {
        // PERF: numbers are compared, and no text unless two of them begin alike (`plugin/route`).
        let wanted = beginning(value.as_bytes());
        let first = if self.beginnings.len() <= FEW {
            self.beginnings.iter().position(|it| *it == wanted)?
        } else {
            self.beginnings.partition_point(|it| *it < wanted)
        };
        let (text, bitmap) = self.entries.get(first).filter(|_| self.beginnings.get(first) == Some(&wanted))?;
        if text.len() == value.len() && (value.len() <= size_of::<u64>() || **text == *value) {
            return Some(bitmap);
        }
        let place = self.entries.binary_search_by(|(text, _)| (**text).cmp(value)).ok()?;
        self.entries.get(place).map(|(_, bitmap)| bitmap)
    }

    /// All values and who has them, sorted by value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Bitmap)> {
        self.entries.iter().map(|(value, bitmap)| (&**value, bitmap))
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nobody has the parameter.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// The first eight bytes as a number, zeros behind a shorter text: sorted as the texts are, as far as they go.
fn beginning(text: &[u8]) -> u64 {
    if let Some(first) = text.first_chunk::<8>() {
        return u64::from_be_bytes(*first);
    }
    let word = text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    // Eight zeros behind no text are as many as a word has.
    word.checked_shl(64 - 8 * text.len() as u32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_plugin_api::blob::PM_KIND_PROVIDERS;
    use pointsman_plugin_api::write::ProvidersWriter;
    use pointsman_plugin_api::write::Row;

    #[test]
    fn an_index_tells_who_has_which_value() {
        let rows: [&[(&str, &str)]; 5] =
            [&[("zone", "b"), ("x", "a")], &[("zone", "a")], &[], &[("a", "1"), ("zone", "b")], &[("zone", "")]];
        let mut writer = ProvidersWriter::new(PM_KIND_PROVIDERS, 0);
        for row in rows {
            writer.push(&Row::default(), row.iter().copied()).unwrap();
        }
        let bytes = writer.finish().unwrap();
        let index = Index::new(&Blob::read(&bytes).unwrap(), "zone");
        let seen: Vec<_> =
            index.iter().map(|(value, bitmap)| (value, bitmap.positions().collect::<Vec<_>>())).collect();
        assert_eq!(seen, [("", vec![4]), ("a", vec![1]), ("b", vec![0, 3])]);
        assert_eq!((index.len(), index.get("c"), index.get("a").map(Bitmap::count)), (3, None, Some(1)));
        assert!(Index::new(&Blob::read(&bytes).unwrap(), "none").is_empty());
    }

    #[test]
    fn values_are_found_among_many_that_begin_alike() {
        let mut values: Vec<String> = (0..40).map(|number| format!("hangzhou-{number}")).collect();
        values.extend(["", "a", "a\0", "ab", "hangzhou", "hangzhou\0", "hangzhov", "zürich", "\0"].map(str::to_owned));
        // The same few by few, so that both ways to look are gone.
        for values in [&values[..], &values[38..], &values[44..45]] {
            let mut writer = ProvidersWriter::new(PM_KIND_PROVIDERS, 0);
            for value in values {
                writer.push(&Row::default(), [("zone", value.as_str())]).unwrap();
            }
            let bytes = writer.finish().unwrap();
            let index = Index::new(&Blob::read(&bytes).unwrap(), "zone");
            for (position, value) in values.iter().enumerate() {
                assert!(index.get(value).is_some_and(|found| found.positions().eq([position])), "{value:?}");
            }
            for value in ["hangzhou-", "hangzhou-40", "hangzho", "b", "\0\0", "zürich-", "~"] {
                assert_eq!(index.get(value), None, "{value:?}");
            }
        }
    }
}
