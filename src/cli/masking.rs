//! URLs without their secrets: where the parts of a URL are known, nothing has to be guessed.

use std::ops::Range;

use crate::diagnostics::Mask;
use crate::rpc::Url;

/// The text of a URL without its secrets, escaped.
pub(crate) fn url(text: &str, mask: &Mask) -> String {
    Mask::cover(text, &hidden_in_url(text, mask)).into_owned()
}

/// The bytes of a URL's text that are hidden, in order.
pub(crate) fn hidden_in_url(text: &str, mask: &Mask) -> Vec<Range<usize>> {
    let Ok(url) = Url::parse(text) else { return mask.hidden(text) };
    let read = url.as_str();
    let head_end = read.find('?').unwrap_or(read.len());
    let mut hidden = mask.hidden(read.get(..head_end).unwrap_or_default());
    hidden.extend(url.password().and_then(|password| place_of(password, read)));
    for (key, value) in url.parameters() {
        let Some(place) = place_of(value, read) else { continue };
        if mask.hides(key) {
            hidden.push(place);
        } else {
            // A value may hold an encoded rule, or another URL.
            let inside = mask.hidden(value).into_iter();
            hidden.extend(inside.map(|range| place.start + range.start..place.start + range.end));
        }
    }
    Mask::merge(hidden)
}

/// The bytes of `text` that `part` is a slice of.
fn place_of(part: &str, text: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let range = start..start + part.len();
    text.get(range.clone()).map(|_| range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_url_are_hidden_exactly() {
        for (text, shown) in [
            ("u:hunter2@h2:1/S", "u:***@h2:1/S"),
            (
                "dubbo://u:a b&c@h:1/S?password=x y z&a=b;token=c d;e=f",
                "dubbo://u:***@h:1/S?password=***&a=b;token=***;e=f",
            ),
            (
                "dubbo://h:1/S?password=a=>b&rule=token%3Dx%20y%20%3D%3E&a=b",
                "dubbo://h:1/S?password=***&rule=token%3D***%20%3D%3E&a=b",
            ),
            (
                "dubbo://h:1/S?db.password=1&password=2&password=3&password=",
                "dubbo://h:1/S?db.password=***&password=***&password=***&password=",
            ),
            ("dubbo://h:1/S?a=b", "dubbo://h:1/S?a=b"),
            ("dubbo://u:p4ss:wordx/S", "dubbo://u:***/S"),
        ] {
            assert_eq!(url(text, &Mask::default()), shown, "{text}");
        }
    }
}
