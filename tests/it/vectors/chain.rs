//! `chain`: documents of all kinds, one call, the positions kept.

use serde_json::Value as Json;

use super::document_differences::names;
use super::documents::Case;
use super::documents::application;
use super::documents::recorded;
use super::engine::Placed;
use super::engine::Role;
use super::reader::Row;
use super::reader::Vectors;
use super::report::Report;
use super::report::Verdict;
use crate::naive;
use crate::support::naive::Reading;

#[test]
fn documents_together_keep_whom_dubbo_keeps() {
    run("chain", Reading::AsDubbo, 8);
}

#[test]
fn documents_together_are_refused_where_a_name_says_so() {
    run("chain, strict", Reading::Strict, 100);
}

fn run(name: &'static str, reading: Reading, most_percent: usize) {
    let Some(vectors) = Vectors::load("chain") else { return };
    let mut report = Report::new(name);
    for row in &vectors.rows {
        let world = vectors.world(row);
        let (mut documents, affinity): (Vec<_>, Vec<_>) =
            placed(&vectors, row).into_iter().partition(|placed| placed.role != Role::Affinity);
        if documents.iter().all(|placed| placed.role != Role::Tag) {
            let key = application(world);
            documents.push(Placed { role: Role::Tag, scope: "application", key, before: None, text: None });
        }
        let case = |documents| Case { world, call: vectors.call(row), documents, reading };
        let without = case(documents.clone());
        let with = case([documents, affinity].concat());
        let theirs = row.get("java33");
        report.add([without.judge(theirs, names(&without), row.id()), judge_affinity(&with, theirs, row)]);
    }
    report.finish(most_percent);
}

/// Dubbo Java's chain has no affinity: what it keeps, and then affinity as in its own file, where we differ on purpose.
fn judge_affinity(case: &Case<'_>, theirs: &Json, row: &Row) -> Verdict {
    let affinity: Vec<Placed<'_>> = case.documents.iter().copied().filter(|it| it.role == Role::Affinity).collect();
    if affinity.is_empty() {
        return Verdict::Plain;
    }
    let kept: Vec<usize> = recorded(theirs).concat();
    let world = super::World {
        consumer: case.world.consumer.clone(),
        service: case.world.service.clone(),
        invokers: kept.iter().map(|at| case.world.invokers[*at].clone()).collect(),
    };
    let routed: Vec<usize> = naive::route(&world, case.call, &affinity, case.reading).swap_remove(0).0;
    let wanted: Vec<usize> = routed.into_iter().map(|at| kept[at]).collect();
    case.judge(&Json::from(wanted), names(case), row.id())
}

fn placed<'a>(vectors: &'a Vectors, row: &'a Row) -> Vec<Placed<'a>> {
    let documents = row.get("docs").as_array().unwrap().iter();
    let placed = documents.map(|it| {
        let role = it["role"].as_str().unwrap();
        let key = it["key"].as_str().unwrap();
        Placed {
            role: match role {
                "tag" => Role::Tag,
                _ if role.starts_with("affinity-") => Role::Affinity,
                _ => Role::Condition,
            },
            scope: if role.ends_with("service") { "service" } else { "application" },
            key: key.rsplit_once('.').unwrap().0,
            before: None,
            text: vectors.document(&it["doc"]),
        }
    });
    placed.collect()
}
