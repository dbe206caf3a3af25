//! Where affinity documents deliberately mean something else than in Dubbo Java (of a service) or dubbo-go (of an application).

use super::documents::Case;
use super::documents::Difference;
use super::engine::Placed;
use super::engine::Role;
use crate::naive::Tree;
use crate::naive::read_yaml;

/// Every difference of affinity documents.
pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference { name: "affinity-without-a-match", covers: |case| affinity(case).any(|(_, it)| asks_for_nobody(&it)) },
    Difference {
        name: "affinity-of-an-application",
        covers: |case| {
            affinity(case)
                .any(|(placed, it)| placed.scope == "application" && is_read_otherwise_by_go(case, placed, &it))
        },
    },
];

/// What is there now; a document that is no YAML counts as one without anything.
fn affinity<'a>(case: &'a Case<'_>) -> impl Iterator<Item = (&'a Placed<'a>, Tree)> {
    let placed = case.documents.iter().filter(|placed| placed.role == Role::Affinity);
    placed.map(|placed| (placed, placed.text.and_then(|text| read_yaml(text).ok()).unwrap_or(Tree::Nothing)))
}

/// Nobody at all is 0 percent, and Dubbo keeps nobody then.
fn asks_for_nobody(document: &Tree) -> bool {
    match document.get("affinityAware").get("ratio") {
        Tree::Nothing => true,
        Tree::Number(text) | Tree::Text(text) => text.parse() == Ok(0.0),
        _ => false,
    }
}

/// dubbo-go takes a missing `enabled` for false, forgets what was in force when a document is
/// broken, reads whole numbers only, drops prefixes, and compares with the text of the consumer.
fn is_read_otherwise_by_go(case: &Case<'_>, placed: &Placed<'_>, document: &Tree) -> bool {
    let aware = document.get("affinityAware");
    let is_whole = matches!(aware.get("ratio"), Tree::Nothing | Tree::Number(_)) && !aware.has("ratio")
        || matches!(aware.get("ratio"), Tree::Number(text) if text.parse::<i64>().is_ok());
    let key = aware.get("key").text();
    let is_odd_key = |key: &str| key.contains(['=', '.', '[', '$']);
    let is_range = |key: &str| case.world.consumer.raw(key).is_some_and(|value| value.contains('~'));
    placed.before.is_some()
        || !document.has("enabled")
        || !is_whole
        || !matches!(key, Ok(Some(key)) if !is_odd_key(key) && !is_range(key))
}
