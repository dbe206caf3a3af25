//! What the tests call a difference is what the documentation calls it.

use super::condition_differences;
use super::script_differences;
use super::url;

#[test]
fn every_difference_is_documented_under_its_name() {
    let text = include_str!("../../../docs/differences.md");
    let anchors: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let condition = condition_differences::DIFFERENCES.iter().map(|it| it.name);
    let refusals = condition_differences::REFUSALS.iter().map(|it| it.name);
    let urls = url::DIFFERENCES.iter().map(|it| it.name);
    let scripts = script_differences::DIFFERENCES.iter().map(|it| it.name);
    let names: Vec<&str> = condition.chain(refusals).chain(urls).chain(scripts).collect();
    assert_eq!(anchors, names);
}
