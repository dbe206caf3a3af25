//! What the tests call a difference is what the documentation calls it.

use super::affinity_differences;
use super::balance_differences;
use super::condition_differences;
use super::document_differences;
use super::script_differences;
use super::tag_differences;
use super::url;

#[test]
fn every_difference_is_documented_under_its_name() {
    let text = include_str!("../../../docs/differences.md");
    let anchors: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let condition = condition_differences::DIFFERENCES.iter().map(|it| it.name);
    let refusals = condition_differences::REFUSALS.iter().map(|it| it.name);
    let urls = url::DIFFERENCES.iter().map(|it| it.name);
    let scripts = script_differences::DIFFERENCES.iter().map(|it| it.name);
    let of_documents = [
        document_differences::DIFFERENCES,
        document_differences::REFUSALS,
        tag_differences::DIFFERENCES,
        affinity_differences::DIFFERENCES,
    ];
    let documents = of_documents.into_iter().flatten().map(|it| it.name);
    let balance = balance_differences::DIFFERENCES.iter().map(|it| it.name);
    let names: Vec<&str> =
        condition.chain(refusals).chain(urls).chain(scripts).chain(documents).chain(balance).collect();
    assert_eq!(anchors, names);
}
