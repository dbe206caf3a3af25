//! `chain`: documents of all kinds, one call, the positions kept.

use serde_json::Value as Json;

use super::affinity_differences;
use super::document_differences;
use super::document_differences::of_texts;
use super::documents::Case;
use super::documents::covering;
use super::documents::recorded;
use super::engine::Placed;
use super::engine::Role;
use super::reader::Row;
use super::reader::Vectors;
use super::report::Report;
use super::report::Verdict;
use super::tag_differences;
use crate::naive;
use crate::support::naive::Reading;

#[test]
fn documents_together_keep_whom_dubbo_keeps() {
    let Some(vectors) = Vectors::load("chain") else { return };
    let mut report = Report::new("chain");
    for row in &vectors.rows {
        let (mut documents, affinity): (Vec<_>, Vec<_>) =
            placed(&vectors, row).into_iter().partition(|placed| placed.role != Role::Affinity);
        if documents.iter().all(|placed| placed.role != Role::Tag) {
            let provider = vectors.world(row).invokers.first();
            let key = provider.and_then(|url| url.parameter("remote.application")).unwrap_or_default();
            documents.push(Placed { role: Role::Tag, scope: "application", key, before: None, text: None });
        }
        let case = |documents| Case { world: vectors.world(row), call: vectors.call(row), documents, reading: Reading::AsDubbo };
        let without = case(documents.clone());
        let with = case([documents, affinity].concat());
        let theirs = row.get("java33");
        report.add([
            without.judge(theirs, names(&without), row.id()),
            judge_affinity(&with, theirs, row),
        ]);
    }
    report.finish(8);
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

fn names(case: &Case<'_>) -> Vec<&'static str> {
    let documents = covering(case, document_differences::DIFFERENCES);
    let tags = covering(case, tag_differences::DIFFERENCES);
    [documents, of_texts(case), tags, covering(case, affinity_differences::DIFFERENCES)].concat()
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
