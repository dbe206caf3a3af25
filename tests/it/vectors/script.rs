//! `script`: one text, one call, the positions kept. Which implementation a text was written for decides whom we follow.

use pointsman::router::Language;
use pointsman::script::CompileError;
use pointsman::script::EngineKind;
use pointsman::script::Executor;
use serde_json::Value as Json;

use super::reader::Row;
use super::reader::Vectors;
use super::report::Report;
use super::report::Verdict;
use super::script_differences::DIFFERENCES;
use crate::support::script::Outcome;
use crate::support::script::Scene;
use crate::support::script::javascript_engines;

/// One text over one scene.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) script: &'a str,
    pub(crate) language: &'a str,
    pub(crate) scene: Scene,
}

#[test]
fn scripts_keep_whom_the_originals_keep() {
    let Some(vectors) = Vectors::load("script") else { return };
    for engine in javascript_engines() {
        let mut report = Report::new(if engine == EngineKind::Boa { "script, boa" } else { "script, quickjs" });
        let mut executor = Executor::default();
        for row in &vectors.rows {
            let world = vectors.world(row);
            let scene = Scene::of(&world.invokers, &world.consumer, vectors.call(row));
            let case = Case { script: row.text("script"), language: row.text("type"), scene };
            let ours = evaluate(&case, &mut executor, engine);
            report.add([judge(&case, ours, row, engine)]);
        }
        report.finish(7);
    }
}

fn judge(case: &Case<'_>, ours: Outcome, row: &Row, engine: EngineKind) -> Verdict {
    let is_followed = |name: &str| row.get("for").as_array().unwrap().iter().any(|it| it == name);
    let theirs = row.get(if is_followed("java33") { "java33" } else { "go" });
    if is_same(&ours, theirs, case.scene.table.len()) {
        return Verdict::Plain;
    }
    let names: Vec<_> = DIFFERENCES
        .iter()
        .filter(|it| (it.covers)(case) && (it.is_wanted)(case, &ours, engine))
        .map(|it| it.name)
        .collect();
    if names.is_empty() {
        Verdict::Failed(format!("{} `{}`: theirs {theirs}, ours {ours:?}\n    {:?}", row.id(), case.script, case.scene))
    } else {
        Verdict::Covered(names)
    }
}

fn evaluate(case: &Case<'_>, executor: &mut Executor, engine: EngineKind) -> Outcome {
    match Language::parse(case.language) {
        Some(Language::JavaScript) => case.scene.run_on(executor, engine, case.script),
        _ => Outcome::Refused(CompileError {
            message: "no such language".to_owned(),
            line: None,
            column: None,
            help: None,
        }),
    }
}

/// Whether the outcome has the recorded effect. A rule that fails leaves the candidates as they are (`on-error=pass`);
/// what the original answers with an exception is a failure of the rule here. The order is the list's, and strangers
/// (-1) are nobody.
fn is_same(ours: &Outcome, theirs: &Json, count: usize) -> bool {
    match (ours, theirs) {
        (Outcome::Refused(_), Json::String(theirs)) => theirs == "error:build",
        (Outcome::Failed(_), Json::String(theirs)) => theirs == "error:route",
        (Outcome::Kept(_), Json::String(_)) => false,
        (Outcome::Kept(ours), theirs) => positions(theirs) == *ours,
        (_, theirs) => positions(theirs) == (0..count).collect::<Vec<_>>(),
    }
}

fn positions(theirs: &Json) -> Vec<usize> {
    let listed = theirs.as_array().unwrap_or_else(|| panic!("no list: {theirs}"));
    let mut positions: Vec<usize> = listed.iter().filter_map(|it| usize::try_from(it.as_i64()?).ok()).collect();
    positions.sort_unstable();
    positions.dedup();
    positions
}
