//! Every slug that the source uses has a number, and every number a slug that is used.

use std::collections::BTreeSet;

use pointsman::diagnostics::codes::CODES;

use crate::repository::files;

/// The slugs in a Rust text: what looks like `"condition::missing_key"` or `code(condition::missing_key)`.
fn slugs(text: &str) -> BTreeSet<String> {
    let is_slug = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | ':');
    ["\"", "code("]
        .iter()
        .flat_map(|opening| text.match_indices(opening).map(|(at, _)| &text[at + opening.len()..]))
        .map(|rest| &rest[..rest.find(|c| !is_slug(c)).unwrap_or(rest.len())])
        .filter(|word| {
            let parts = word.split_once("::").filter(|(module, _)| module.chars().all(|c| c.is_ascii_lowercase()));
            parts.is_some_and(|(module, name)| !module.is_empty() && !name.is_empty() && !name.contains(':'))
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_slug_has_a_number_and_every_number_is_used() {
    let files = files();
    let source = files.iter().filter(|file| file.is_source() && !file.path.ends_with("codes.rs"));
    let used: BTreeSet<String> = source.flat_map(|file| slugs(&file.text)).collect();
    let known: BTreeSet<String> = CODES.iter().map(|(slug, _)| (*slug).to_owned()).collect();
    assert_eq!(used, known);
}

#[test]
fn slugs_are_found_in_calls_and_attributes() {
    let text = r#"Finding::error("a::b_c", x); #[diagnostic(code(d::e))] use x::y; "not a slug: a::b" "x::y::z""#;
    assert_eq!(slugs(text).into_iter().collect::<Vec<_>>(), ["a::b_c", "d::e"]);
}
