//! `affinity`: one affinity document, one call, the positions kept.

use super::document_differences::names;
use super::documents::Case;
use super::engine::Role;
use super::reader::Vectors;
use super::report::Report;
use crate::support::naive::Reading;

/// A ratio of 0 where nobody matches, which is one of the wanted differences, is in 11 rows of a hundred.
#[test]
fn affinity_keeps_whom_the_originals_keep() {
    run("affinity", Reading::AsDubbo, 12);
}

#[test]
fn affinity_documents_are_refused_where_a_name_says_so() {
    run("affinity, strict", Reading::Strict, 100);
}

fn run(name: &'static str, reading: Reading, most_percent: usize) {
    let Some(vectors) = Vectors::load("affinity") else { return };
    let mut report = Report::new(name);
    for row in &vectors.rows {
        let case = Case::of_row(&vectors, row, Role::Affinity, reading);
        let followed = if row.text("scope") == "application" { "go" } else { "java33" };
        report.add([case.judge(row.get(followed), names(&case), row.id())]);
    }
    report.finish(most_percent);
}
