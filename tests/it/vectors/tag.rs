//! `tag`: a tag document or none, one call, the positions kept.

use super::document_differences::names;
use super::documents::Case;
use super::documents::application;
use super::engine::Placed;
use super::engine::Role;
use super::reader::Vectors;
use super::report::Report;
use crate::support::naive::Reading;

#[test]
fn tags_keep_whom_dubbo_keeps() {
    run("tag", Reading::AsDubbo, 8);
}

#[test]
fn tag_documents_are_refused_where_a_name_says_so() {
    run("tag, strict", Reading::Strict, 100);
}

fn run(name: &'static str, reading: Reading, most_percent: usize) {
    let Some(vectors) = Vectors::load("tag") else { return };
    let mut report = Report::new(name);
    for row in &vectors.rows {
        let world = vectors.world(row);
        let (before, text) = (vectors.document(row.get("before")), vectors.document(row.get("doc")));
        let placed = Placed { role: Role::Tag, scope: "application", key: application(world), before, text };
        let case = Case { world, call: vectors.call(row), documents: vec![placed], reading };
        report.add([case.judge(row.get("java33"), names(&case), row.id())]);
    }
    report.finish(most_percent);
}
