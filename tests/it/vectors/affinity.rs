//! `affinity`: one affinity document, one call, the positions kept.

use super::affinity_differences::DIFFERENCES;
use super::document_differences;
use super::documents::Case;
use super::documents::covering;
use super::engine::Role;
use super::reader::Vectors;
use super::report::Report;
use crate::support::naive::Reading;

#[test]
fn affinity_keeps_whom_the_originals_keep() {
    let Some(vectors) = Vectors::load("affinity") else { return };
    let mut report = Report::new("affinity");
    for row in &vectors.rows {
        let case = Case::of_row(&vectors, row, Role::Affinity, Reading::AsDubbo);
        let followed = if row.text("scope") == "application" { "go" } else { "java33" };
        let names = [covering(&case, document_differences::DIFFERENCES), covering(&case, DIFFERENCES)].concat();
        report.add([case.judge(row.get(followed), names, row.id())]);
    }
    report.finish(8);
}
