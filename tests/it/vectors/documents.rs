//! What the files with documents have in common: a case, and how its answer is judged.

use pointsman::rpc::RpcInvocation;
use serde_json::Value as Json;

use super::engine;
use super::engine::Answer;
use super::engine::Placed;
use super::engine::Role;
use super::reader::Row;
use super::reader::Vectors;
use super::reader::World;
use super::report::Verdict;
use crate::naive;
use crate::support::naive::Reading;

/// One call and the documents that are there.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) world: &'a World,
    pub(crate) call: &'a RpcInvocation<'static>,
    pub(crate) documents: Vec<Placed<'a>>,
    pub(crate) reading: Reading,
}

/// A deliberate difference; its name is an anchor of `docs/differences.md`.
pub(crate) struct Difference {
    pub(crate) name: &'static str,
    /// Whether the documents, URLs and call show it.
    pub(crate) covers: fn(&Case<'_>) -> bool,
}

impl<'a> Case<'a> {
    /// A row with one document. Its key may lack the version, or the group, and is for the consumer's service all the same.
    pub(crate) fn of_row(vectors: &'a Vectors, row: &'a Row, role: Role, reading: Reading) -> Self {
        let world = vectors.world(row);
        let placed = Placed {
            role,
            scope: row.text("scope"),
            key: if row.text("scope") == "service" { &world.service } else { row.text("key") },
            before: vectors.document(row.get("before")),
            text: vectors.document(row.get("doc")),
        };
        Self { world, call: vectors.call(row), documents: vec![placed], reading }
    }

    /// Judges our answer by the recorded one; the naive evaluator has the last word on how often a list is the answer,
    /// and on what a covered row has to give.
    pub(crate) fn judge(&self, theirs: &Json, covering: Vec<&'static str>, id: &str) -> Verdict {
        let ours = engine::answer(self.world, self.call, &self.documents, self.reading);
        let naive =
            Answer { alternatives: naive::route(self.world, self.call, &self.documents, self.reading), draws: 0 };
        let is_as_wanted = is_same(&ours, &naive);
        if is_as_wanted && lists(&ours) == recorded(theirs) {
            return Verdict::Plain;
        }
        if is_as_wanted && !covering.is_empty() {
            return Verdict::Covered(covering);
        }
        let (ours, naive) = (ours.alternatives, naive.alternatives);
        let Self { world, call, documents, .. } = self;
        Verdict::Failed(format!(
            "{id}: theirs {theirs}, ours {ours:?}, naive {naive:?}\n    {documents:?}\n    {call:?}\n    {world:?}"
        ))
    }
}

/// The application of a world's providers; empty without one.
pub(crate) fn application(world: &World) -> &str {
    let provider = world.invokers.first();
    let remote = provider.and_then(|url| url.parameter("remote.application"));
    remote.or_else(|| provider.and_then(|url| url.parameter("application"))).unwrap_or_default()
}

/// The names of the differences that a case shows.
pub(crate) fn covering(case: &Case<'_>, differences: &[Difference]) -> Vec<&'static str> {
    differences.iter().filter(|it| (it.covers)(case)).map(|it| it.name).collect()
}

/// The lists of a recorded answer, sorted.
pub(crate) fn recorded(theirs: &Json) -> Vec<Vec<usize>> {
    let list = |positions: &Json| -> Vec<usize> {
        let positions = positions.as_array().unwrap_or_else(|| panic!("no list: {theirs}"));
        positions.iter().map(|it| usize::try_from(it.as_u64().unwrap()).unwrap()).collect()
    };
    let mut lists = match theirs.get("alts") {
        Some(alternatives) => alternatives.as_array().unwrap().iter().map(|pair| list(&pair[0])).collect(),
        None => vec![list(theirs)],
    };
    lists.sort();
    lists
}

/// How far the recorded shares of an answer are from ours at most; 0 where ours is another answer, or a certain one.
pub(crate) fn distance(case: &Case<'_>, theirs: &Json) -> f64 {
    let ours = engine::answer(case.world, case.call, &case.documents, case.reading);
    let pairs = theirs.get("alts").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    if lists(&ours) != recorded(theirs) || pairs.is_empty() {
        return 0.0;
    }
    let share = |pair: &Json| pair[1].as_f64().unwrap();
    let of = |list: &[usize]| pairs.iter().find(|pair| pair[0] == Json::from(list)).map_or(0.0, share);
    ours.alternatives.iter().map(|(list, share)| (share - of(list)).abs()).fold(0.0, f64::max)
}

fn lists(answer: &Answer) -> Vec<Vec<usize>> {
    let mut lists: Vec<Vec<usize>> = answer.alternatives.iter().map(|(list, _)| list.clone()).collect();
    lists.sort();
    lists
}

/// Whether both have the same lists with the same shares; those of a run of draws are counted, so that they may be off by
/// what chance does in all but one of a thousand runs.
fn is_same(ours: &Answer, naive: &Answer) -> bool {
    let share = |list: &[usize]| naive.alternatives.iter().find(|(known, _)| known == list).map(|(_, share)| *share);
    let allowed = |share: f64| match ours.draws {
        0 => 1e-9,
        draws => 3.29 * (share * (1.0 - share) / f64::from(draws)).sqrt() + 1.0 / f64::from(draws),
    };
    let is_near =
        |(list, ours): &(Vec<usize>, f64)| share(list).is_some_and(|naive| (ours - naive).abs() <= allowed(naive));
    ours.alternatives.len() == naive.alternatives.len() && ours.alternatives.iter().all(is_near)
}
