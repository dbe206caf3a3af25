//! `doc-multidest`: one condition document with destinations, one call, the positions kept or drawn.

use super::document_differences::names;
use super::document_differences::weights;
use super::documents::Case;
use super::documents::distance;
use super::engine::Role;
use super::reader::Vectors;
use super::report::Report;
use crate::support::naive::Reading;

#[test]
fn destinations_are_drawn_among_those_that_dubbo_draws_from() {
    run("doc-multidest", Reading::AsDubbo, 8);
}

#[test]
fn documents_with_destinations_are_refused_where_a_name_says_so() {
    run("doc-multidest, strict", Reading::Strict, 100);
}

/// Dubbo draws as if the first destination weighed one more and the last one less, and 2000 draws are no exact measure.
#[test]
fn shares_are_those_of_the_weights() {
    let Some(vectors) = Vectors::load("doc-multidest") else { return };
    for row in &vectors.rows {
        let case = Case::of_row(&vectors, row, Role::Condition, Reading::AsDubbo);
        let (conditions, lightest) = weights(&case);
        let distance = distance(&case, row.get("java33"));
        assert!(distance <= 0.06 + conditions / lightest.max(1.0), "{}: {distance}", row.id());
    }
}

fn run(name: &'static str, reading: Reading, most_percent: usize) {
    let Some(vectors) = Vectors::load("doc-multidest") else { return };
    let mut report = Report::new(name);
    for row in &vectors.rows {
        let case = Case::of_row(&vectors, row, Role::Condition, reading);
        report.add([case.judge(row.get("java33"), names(&case), row.id())]);
    }
    report.finish(most_percent);
}
