//! Where tag documents deliberately mean something else than in Dubbo.

use std::net::Ipv4Addr;
use std::net::Ipv6Addr;

use super::documents::Case;
use super::documents::Difference;
use super::engine::Role;
use crate::naive::Tree;
use crate::naive::read_yaml;

/// Every difference of tag documents.
pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference {
        name: "addresses-with-any-port",
        covers: |case| addresses(case).iter().any(|it| is_never_matched(it)),
    },
    Difference { name: "names-of-hosts", covers: |case| has_a_provider_with_a_name(case) },
    Difference {
        name: "tags-without-addresses",
        covers: |case| documents(case).iter().any(has_a_tag_without_addresses),
    },
    Difference { name: "tags-that-are-no-list", covers: |case| documents(case).iter().any(lacks_a_list) },
    Difference { name: "expressions-that-are-none", covers: |case| documents(case).iter().any(has_a_wrong_expression) },
];

fn documents(case: &Case<'_>) -> Vec<Tree> {
    let tags = case.documents.iter().filter(|placed| placed.role == Role::Tag);
    let texts = tags.flat_map(|placed| [placed.text, placed.before]).flatten();
    texts.filter_map(|text| read_yaml(text).ok()).collect()
}

fn tags(document: &Tree) -> &[Tree] {
    document.get("tags").items().unwrap_or_default()
}

fn addresses(case: &Case<'_>) -> Vec<String> {
    let documents = documents(case);
    let listed = documents.iter().flat_map(tags).flat_map(|tag| tag.get("addresses").items().unwrap_or_default());
    listed.filter_map(|address| address.text().ok().flatten()).map(|text| text.trim().to_owned()).collect()
}

/// `*:20880`, `10.0.0.1:*`, `10.0.0.0/8:20880`: a format that Dubbo 3.3 refuses each time it compares it.
fn is_never_matched(address: &str) -> bool {
    let has_port_behind_bits = address.split_once('/').is_some_and(|(_, bits)| bits.contains(':'));
    address.starts_with("*:") || address.ends_with(":*") || has_port_behind_bits
}

/// Dubbo asks the name service for each provider's host, and no address matches one that it does not know.
fn has_a_provider_with_a_name(case: &Case<'_>) -> bool {
    let is_address = |host: &str| {
        let host = host.trim_matches(['[', ']']);
        host.parse::<Ipv4Addr>().is_ok() || host.parse::<Ipv6Addr>().is_ok()
    };
    let has_tags = documents(case).iter().any(|document| !tags(document).is_empty());
    has_tags && case.world.invokers.iter().any(|url| url.host().is_some_and(|host| !is_address(host)))
}

fn has_matchers(document: &Tree) -> bool {
    matches!(document.get("configVersion"), Tree::Text(version) if version.starts_with("v3.0"))
}

fn has_a_tag_without_addresses(document: &Tree) -> bool {
    let is_empty = |tree: &Tree| tree.items().is_ok_and(<[Tree]>::is_empty);
    let lacks = |tag: &Tree| is_empty(tag.get("addresses")) && *tag.get("match") == Tree::Nothing;
    has_matchers(document) && tags(document).iter().any(lacks)
}

/// Of tags, or of the addresses of one.
fn lacks_a_list(document: &Tree) -> bool {
    !document.has("tags")
        || document.get("tags").items().is_err()
        || tags(document).iter().any(|tag| tag.get("addresses").items().is_err())
}

/// Dubbo finds out when it first compares a value with it.
fn has_a_wrong_expression(document: &Tree) -> bool {
    let is_wrong = |matcher: &Tree| {
        let regex = matcher.get("value").get("regex").text().ok().flatten();
        regex.is_some_and(|regex| regex::Regex::new(regex).is_err())
    };
    has_matchers(document)
        && tags(document).iter().any(|tag| tag.get("match").items().unwrap_or_default().iter().any(is_wrong))
}
