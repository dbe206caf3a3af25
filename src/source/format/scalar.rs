//! A scalar of YAML with another text, in the quotes that it has.

/// `written` is the scalar as it stands in the file, `text` what it reads as; none where `new` cannot stand there in
/// the same manner. Scalars of several lines are somebody's layout and stay.
pub(super) fn rewritten(written: &str, text: &str, is_plain: bool, new: &str) -> Option<String> {
    if written.contains(['\n', '\r']) || new.contains(|c: char| c.is_control() || c == '\u{feff}') {
        return None;
    }
    if is_plain {
        return (written == text && stays_plain(text, new)).then(|| new.to_owned());
    }
    if let Some(inside) = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        // Who wrote `\u676d` wants to see no other characters.
        let mut signs = inside.chars();
        let has_plain_escapes =
            std::iter::from_fn(|| signs.find(|c| *c == '\\').and_then(|_| signs.next())).all(|c| "\\\"tn/".contains(c));
        return has_plain_escapes.then(|| format!("\"{}\"", new.replace('\\', "\\\\").replace('"', "\\\"")));
    }
    let is_single = written.len() > 1 && written.starts_with('\'') && written.ends_with('\'');
    is_single.then(|| format!("'{}'", new.replace('\'', "''")))
}

/// Whether `new` needs no quotes where `text` needs none: it brings no sign that YAML could take for one of its own.
fn stays_plain(text: &str, new: &str) -> bool {
    let brings = |sign: &str| new.contains(sign) && !text.contains(sign);
    let is_first = |c: char| c.is_alphanumeric() || c == '=' || c == '_';
    let begins_alike = new.starts_with(is_first) || new.chars().next() == text.chars().next();
    begins_alike
        && !new.contains(": ")
        && !new.contains(" #")
        && !new.ends_with(':')
        && ![",", "[", "]", "{", "}"].into_iter().any(brings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_stay_as_they_are() {
        for (written, text, is_plain, new, expected) in [
            ("a = b", "a = b", true, "a=b", Some("a=b")),
            ("\"a = b\"", "a = b", false, "a=\"b\\", Some("\"a=\\\"b\\\\\"")),
            ("'it''s = b'", "it's = b", false, "it's=b", Some("'it''s=b'")),
            ("a = b & a = c", "a = b & a = c", true, "a=b,c", None),
            ("\"\\u0061 = b\"", "a = b", false, "a=b", None),
            ("\"a\\\\ = b\"", "a\\ = b", false, "a\\=b", Some("\"a\\\\=b\"")),
            ("a =\n  b", "a = b", true, "a=b", None),
            ("|\n  a = b\n", "a = b\n", false, "a=b", None),
        ] {
            assert_eq!(rewritten(written, text, is_plain, new).as_deref(), expected, "{written}");
        }
    }
}
