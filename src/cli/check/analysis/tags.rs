//! Tags of documents that nobody carries.

use hashbrown::HashMap;

use crate::cli::check::analysis::providers::Providers;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::rule::Body;
use crate::rule::Document;
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
    let idle: Vec<&Tag> = placed.value.tags.iter().filter(|tag| is_idle(tag)).collect();
    let names = if idle.is_empty() { HashMap::new() } else { name_places(&placed.origin) };
    idle.into_iter().map(|tag| told(tag, document, &placed.origin, &names)).collect()
}

fn told(tag: &Tag, document: &Document, tags: &Origin, names: &HashMap<&str, usize>) -> Finding {
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
    let (start, end) = match names.get(name.as_str()) {
        Some(place) => (*place, place + name.len()),
        None => (start, start + line_bytes(source.text(), start)),
    };
    let whole = Origin::whole(source.clone());
    Finding::warning(SLUG, message).with_help(help).at(&whole, start..end, "nobody carries it")
}

/// Where the names of tags stand behind `name:`, each where it stands first.
fn name_places(tags: &Origin) -> HashMap<&str, usize> {
    let (text, start) = (tags.source().text(), tags.offset(0));
    let rest = text.get(start..).unwrap_or_default();
    let mut places = HashMap::new();
    for (at, key) in rest.match_indices("name:") {
        let behind = rest.get(at + key.len()..).unwrap_or_default();
        let value = behind.trim_start_matches([' ', '"', '\'']);
        let ends = |c: char| matches!(c, '"' | '\'' | ',' | '}' | '#' | '\n' | '\r');
        let name = value.split(ends).next().unwrap_or_default().trim_end();
        places.entry(name).or_insert(start + at + key.len() + (behind.len() - value.len()));
    }
    places
}

fn line_bytes(text: &str, start: usize) -> usize {
    text.get(start..).and_then(|rest| rest.lines().next()).map_or(0, str::len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::SourceText;

    #[test]
    fn the_place_of_a_tag_is_its_name() {
        let text = "tags:\n  - name: gray-2 # why\n  - {name: \"gray\", addresses: []}\n";
        let origin = Origin::at(SourceText::new("a.yaml", text), 6);
        let places = name_places(&origin);
        let seen = ["gray", "gray-2"].map(|name| &text[places[name]..][..name.len()]);
        assert_eq!((seen, &text[places["gray"] - 1..places["gray"]]), (["gray", "gray-2"], "\""));
        assert_eq!(places.get("blue"), None);
    }
}
