//! `doc-condition`: one condition document with texts, one call, the positions kept.

use super::document_differences::names;
use super::documents::Case;
use super::engine::Role;
use super::reader::Vectors;
use super::report::Report;
use crate::support::naive::Reading;

#[test]
fn condition_documents_keep_whom_dubbo_keeps() {
    run("doc-condition", Reading::AsDubbo, 8);
}

#[test]
fn condition_documents_are_refused_where_a_name_says_so() {
    run("doc-condition, strict", Reading::Strict, 100);
}

#[test]
fn condition_documents_of_v2_keep_whom_dubbo_2_7_keeps() {
    let Some(vectors) = Vectors::load("doc-condition") else { return };
    let mut report = Report::new("doc-condition, dialect v2");
    for row in &vectors.rows {
        let mut case = Case::of_row(&vectors, row, Role::Condition, Reading::AsDubbo);
        let (text, before) = (case.documents[0].text.map(in_v2), case.documents[0].before.map(in_v2));
        case.documents[0].text = text.as_deref();
        case.documents[0].before = before.as_deref();
        report.add([case.judge(row.get("java27"), names(&case), row.id())]);
    }
    report.finish(8);
}

fn run(name: &'static str, reading: Reading, most_percent: usize) {
    let Some(vectors) = Vectors::load("doc-condition") else { return };
    let mut report = Report::new(name);
    for row in &vectors.rows {
        let case = Case::of_row(&vectors, row, Role::Condition, reading);
        report.add([case.judge(row.get("java33"), names(&case), row.id())]);
    }
    report.finish(most_percent);
}

/// The document with `dialect: v2`, if it is a map that is written line by line.
fn in_v2(text: &str) -> String {
    let is_map = |line: &&str| line.split_once(':').is_some_and(|(key, _)| key.chars().all(char::is_alphanumeric));
    match text.lines().find(|line| !line.starts_with(['%', '-', '#'])).filter(is_map) {
        Some(line) => text.replacen(line, &format!("dialect: v2\n{line}"), 1),
        None => text.to_owned(),
    }
}
