//! The golden vectors: what the real implementations answered, and where we answer otherwise on purpose.
//!
//! Every row of every file is run. A row passes plainly when we answer as the implementation we follow; else a named
//! difference must cover it, and our answer must be the one that the difference asks for. `POINTSMAN_VECTORS=DIR` runs
//! the files of that folder instead.

mod condition;
mod condition_differences;
mod method_param;
mod mock_selector;
mod pattern;
mod reader;
mod report;
mod url;

#[test]
fn every_difference_is_documented_under_its_name() {
    let text = include_str!("../../../docs/differences.md");
    let anchors: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let condition = condition_differences::DIFFERENCES.iter().map(|it| it.name);
    let refusals = condition_differences::REFUSALS.iter().map(|it| it.name);
    let names: Vec<&str> = condition.chain(refusals).chain(url::DIFFERENCES.iter().map(|it| it.name)).collect();
    assert_eq!(anchors, names);
}
