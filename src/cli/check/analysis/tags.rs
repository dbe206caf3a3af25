//! Tags of documents that nobody carries.

use crate::cli::check::analysis::providers::Providers;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::rule::Body;
use crate::rule::Document;
use crate::source::folder::MAX_FINDINGS_PER_FILE;
use crate::tag::AddressPattern;
use crate::tag::Carriers;
use crate::tag::Tag;

const SLUG: &str = "check::tag_without_providers";

pub(super) fn find(document: &Document, providers: &Providers) -> Vec<Finding> {
    let Body::Tags(placed) = document.body() else { return Vec::new() };
    // That no provider is of the application is told of the document.
    let Some(list) = providers.list_of_application(document.key()) else { return Vec::new() };
    let mut carriers = Carriers::of(&list);
    let mut is_idle = |tag: &&Tag| {
        let is_meant = |address: &String| AddressPattern::parse(address).is_some_and(|pattern| !pattern.is_empty());
        let is_readable = tag.addresses.iter().any(is_meant);
        let says_who = is_readable || tag.matches.as_ref().is_some_and(|matches| !matches.is_empty());
        !tag.name.is_empty() && says_who && carriers.of_tag(tag).is_some_and(|carriers| carriers.is_empty())
    };
    let tags = placed.value.tags.iter();
    let idle: Vec<&Tag> = tags.filter(|tag| is_idle(tag)).take(MAX_FINDINGS_PER_FILE + 1).collect();
    idle.into_iter().map(|tag| told(tag, document, &placed.origin)).collect()
}

fn told(tag: &Tag, document: &Document, tags: &Origin) -> Finding {
    let (name, application) = (&tag.name, document.key());
    let what = if tag.addresses.is_empty() { "fulfils its `match`" } else { "is at one of its addresses" };
    let message = format!("no provider of `{application}` {what}, so nobody carries the tag `{name}`");
    let help = match (tag.addresses.is_empty(), document.is_force()) {
        (true, _) => {
            "calls with the tag are routed as if it were not listed: to providers that carry it themselves, else to those \
             without a tag; with `addresses` and `force` they would reach nobody"
        }
        (false, true) => "calls with the tag reach nobody, since the document is forced",
        (false, false) => "calls with the tag go to providers without one",
    };
    let (source, start) = (tags.source(), tags.offset(0));
    let place = name_place(source.text(), start, name);
    let (start, end) = place.unwrap_or((start, start + line_bytes(source.text(), start)));
    let whole = Origin::whole(source.clone());
    Finding::warning(SLUG, message).with_help(help).at(&whole, start..end, "nobody carries it")
}

/// Where the name of a tag stands behind `name:`.
fn name_place(text: &str, start: usize, name: &str) -> Option<(usize, usize)> {
    let rest = text.get(start..)?;
    rest.match_indices("name:").find_map(|(at, key)| {
        let behind = rest.get(at + key.len()..)?;
        let value = behind.trim_start_matches([' ', '"', '\'']);
        let found = value.strip_prefix(name)?;
        let is_whole =
            found.chars().next().is_none_or(|next| !next.is_alphanumeric() && !matches!(next, '-' | '_' | '|'));
        let begin = start + at + key.len() + (behind.len() - value.len());
        is_whole.then_some((begin, begin + name.len()))
    })
}

fn line_bytes(text: &str, start: usize) -> usize {
    text.get(start..).and_then(|rest| rest.lines().next()).map_or(0, str::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_tag_is_its_name() {
        let text = "tags:\n  - name: gray-2\n  - {name: \"gray\"}\n";
        let (start, end) = name_place(text, 6, "gray").unwrap();
        assert_eq!((&text[start..end], &text[start - 1..start]), ("gray", "\""));
        assert_eq!(name_place(text, 6, "blue"), None);
    }
}
