//! Where the text of a YAML scalar stands: behind quotes, escapes, indentation and folds.

use std::ops::Range;

use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;

/// The origin of `text`, which was read from the bytes `span` of the source.
pub(crate) fn origin_of(source: &SourceText, span: &Range<usize>, text: &str) -> Origin {
    let written = source.text().get(span.clone()).unwrap_or_default();
    let quote = usize::from(written.starts_with(['"', '\'']));
    if written.get(quote..).is_some_and(|rest| rest.starts_with(text)) {
        return Origin::at(source.clone(), span.start + quote);
    }
    Origin::decoded(source.clone(), table(written, quote, span.start, text))
}

/// For each byte of `text`, the byte of the source: characters are found again one after the other. Those that are
/// written otherwise (an escape, a fold) are where the search stands.
fn table(written: &str, quote: usize, start: usize, text: &str) -> Vec<u32> {
    /// How far a character may be from where it is looked for: an indentation, an escape.
    const NEAR: usize = 256;
    let clip = |at: usize| u32::try_from(start + at).unwrap_or(u32::MAX);
    // In front of a block stands its sign.
    let mut at = match written.starts_with(['|', '>']) {
        true => written.find('\n').map_or(written.len(), |end| end + 1),
        false => quote,
    };
    let mut table = Vec::with_capacity(text.len() + 1);
    for c in text.chars() {
        let near = at + written.get(at..).unwrap_or_default().char_indices().nth(NEAR).map_or(NEAR, |(far, _)| far);
        let ahead = written.get(at..near.min(written.len())).unwrap_or_default();
        // A fold reads as a blank.
        let found = ahead.find(|other| other == c || (c == ' ' && other == '\n'));
        let place = at + found.unwrap_or(0);
        table.extend(std::iter::repeat_n(clip(place), c.len_utf8()));
        if found.is_some() {
            at = place + written.get(place..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        }
    }
    table.push(clip(at.min(written.len())));
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;
    use crate::yaml::Data;

    /// What stands in the source where `needle` begins in the scalar.
    fn seen(text: &str, needle: &str) -> String {
        let source = SourceText::new("a.yaml", text);
        let (documents, findings) = yaml::read(&source);
        assert!(findings.is_empty(), "{findings:?}");
        let Data::Map(entries) = &documents[0].data else { panic!("{documents:?}") };
        let node = &entries[0].1;
        let scalar = node.text().unwrap();
        let origin = origin_of(&source, &node.span, scalar);
        let offset = origin.offset(scalar.find(needle).unwrap());
        text[offset..].chars().take(needle.chars().count()).collect()
    }

    #[test]
    fn a_byte_of_a_scalar_is_found_in_its_source() {
        for text in [
            "a: host=x => region=杭州 # why\n",
            "a: \"host=x => region=杭州\"\n",
            "a: 'host=x => it''s region=杭州'\n",
            "a: \"host=x\\t => \\u0041 region=杭州\"\n",
            "a: |\n  host=x =>\n  region=杭州\n",
            "a: >\n    host=x =>\n    region=杭州\n",
            "a: host=x =>\n   region=杭州\n",
        ] {
            assert_eq!(seen(text, "region=杭州"), "region=杭州", "{text}");
        }
    }
}
