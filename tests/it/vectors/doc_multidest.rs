//! `doc-multidest`: one condition document with destinations, one call, the positions kept or drawn.

use super::document_differences::DIFFERENCES;
use super::document_differences::of_texts;
use super::documents::Case;
use super::documents::covering;
use super::engine::Role;
use super::reader::Vectors;
use super::report::Report;
use crate::support::naive::Reading;

#[test]
fn destinations_are_drawn_among_those_that_dubbo_draws_from() {
    let Some(vectors) = Vectors::load("doc-multidest") else { return };
    let mut report = Report::new("doc-multidest");
    for row in &vectors.rows {
        let case = Case::of_row(&vectors, row, Role::Condition, Reading::AsDubbo);
        let names = [covering(&case, DIFFERENCES), of_texts(&case)].concat();
        report.add([case.judge(row.get("java33"), names, row.id())]);
    }
    report.finish(8);
}
