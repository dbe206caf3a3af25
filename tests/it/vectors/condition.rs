//! `condition`: one rule, one call, the positions kept. Rules are read as Dubbo reads them.

use pointsman::condition::Dialect;
use pointsman::condition::parse;
use pointsman::condition::parse_as_dubbo;
use pointsman::diagnostics::Origin;
use pointsman::diagnostics::SourceText;
use pointsman::rpc::RpcInvocation;
use serde_json::Value as Json;

use super::condition_differences::DIFFERENCES;
use super::condition_differences::REFUSALS;
use super::reader::Row;
use super::reader::Vectors;
use super::reader::World;
use super::report::Report;
use super::report::Verdict;
use crate::support::compiled;
use crate::support::naive;
use crate::support::naive::BuildFailure;
use crate::support::naive::Question;
use crate::support::naive::Reading;

/// One question in one dialect.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) question: Question<'a>,
    pub(crate) world: &'a World,
    pub(crate) call: &'a RpcInvocation<'static>,
}

type Answer = Result<Vec<usize>, BuildFailure>;

const ANSWERS: [(Dialect, &str); 2] = [(Dialect::V2, "java27"), (Dialect::V3, "java33")];

#[test]
fn the_naive_evaluator_answers_as_dubbo_does() {
    check("condition, naive", &evaluate_naively);
}

#[test]
fn the_compiled_engine_answers_as_dubbo_does() {
    check("condition, compiled", &|Case { question, world, call }| {
        compiled::route(question, &world.consumer, &world.invokers, call)
    });
}

#[test]
fn what_is_refused_that_dubbo_accepts_has_a_name() {
    let Some(vectors) = Vectors::load("condition") else { return };
    let mut report = Report::new("condition, refused at load");
    for row in &vectors.rows {
        report.add(ANSWERS.map(|(dialect, _)| {
            let rule = row.text("rule");
            let origin = Origin::whole(SourceText::new("case.rules", rule));
            let (strict, as_dubbo) = (parse(rule, dialect, &origin), parse_as_dubbo(rule, dialect, &origin));
            let names: Vec<_> = REFUSALS.iter().filter(|it| (it.covers)(rule, dialect)).map(|it| it.name).collect();
            match (strict, as_dubbo) {
                (Ok(strict), Ok(as_dubbo)) if strict == as_dubbo => Verdict::Plain,
                (Err(strict), Err(as_dubbo)) if strict.slug() == as_dubbo.slug() || !names.is_empty() => Verdict::Plain,
                (Err(_), Ok(_)) if !names.is_empty() => Verdict::Covered(names),
                (strict, as_dubbo) => Verdict::Failed(format!("`{rule}` {dialect}: {strict:?}, as Dubbo {as_dubbo:?}")),
            }
        }));
    }
    report.finish(100);
}

/// Compares `evaluate` with every recorded answer.
pub(crate) fn check(name: &'static str, evaluate: &dyn Fn(Case<'_>) -> Answer) {
    let Some(vectors) = Vectors::load("condition") else { return };
    let mut report = Report::new(name);
    for row in &vectors.rows {
        let judge = |(dialect, column)| judge(case(&vectors, row, dialect), row, column, evaluate);
        report.add(ANSWERS.map(judge));
    }
    report.finish(4);
}

fn evaluate_naively(case: Case<'_>) -> Answer {
    naive::route(case.question, &case.world.consumer, &case.world.invokers, case.call)
}

fn case<'a>(vectors: &'a Vectors, row: &'a Row, dialect: Dialect) -> Case<'a> {
    let question = Question {
        rule: row.text("rule"),
        dialect,
        reading: Reading::AsDubbo,
        force: row.flag("force"),
        enabled: row.flag("enabled"),
    };
    Case { question, world: vectors.world(row), call: vectors.call(row) }
}

fn judge(case: Case<'_>, row: &Row, column: &str, evaluate: &dyn Fn(Case<'_>) -> Answer) -> Verdict {
    let (ours, theirs) = (evaluate(case), row.get(column));
    if to_json(&ours) == *theirs {
        return Verdict::Plain;
    }
    let covering: Vec<_> = DIFFERENCES.iter().filter(|it| (it.covers)(case)).map(|it| it.name).collect();
    let wanted = evaluate_naively(case);
    if !covering.is_empty() && ours == wanted {
        return Verdict::Covered(covering);
    }
    let Case { question: Question { rule, force, dialect, .. }, world, call } = case;
    Verdict::Failed(format!(
        "{} {dialect}: `{rule}` force={force} theirs {theirs}, ours {ours:?}, naive {wanted:?}\n    {call:?}\n    {world:?}",
        row.id(),
    ))
}

fn to_json(answer: &Answer) -> Json {
    match answer {
        Ok(kept) => Json::from(kept.clone()),
        Err(BuildFailure) => Json::from("error:build"),
    }
}
