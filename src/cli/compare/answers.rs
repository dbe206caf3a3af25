//! What recorded calls came to, before and after a change.

use std::io;
use std::io::Write;

use hashbrown::HashSet;
use serde::Serialize;

use crate::cli::compare::calls::recorded_call;
use crate::diagnostics::Mask;
use crate::rpc::Provider;
use crate::rpc::ServiceKey;
use crate::runtime::Engine;
use crate::source::cases::Case;

/// The seed of calls that name none.
const SEED: u64 = 1;

/// The answers of recorded calls.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    calls: Vec<Answer>,
}

#[derive(Debug, Clone)]
struct Answer {
    note: String,
    call: String,
    /// The addresses that are left, or why there is no answer.
    kept: Result<Vec<String>, String>,
}

/// A recorded call that goes elsewhere.
#[derive(Debug, Serialize)]
pub(crate) struct ChangedCall {
    case: String,
    call: String,
    before: usize,
    after: usize,
    lost: Vec<String>,
    gained: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

// === impl Answers ===

impl Answers {
    /// Asks the engine now. A call is of the first of the lists of services that has its own.
    pub(crate) fn of(engine: &Engine, cases: &[Case], services: [&[ServiceKey]; 2]) -> Self {
        let read = |case: &Case| services.iter().find_map(|services| recorded_call(case, services));
        let calls = cases.iter().filter_map(read).map(|trial| {
            let explained =
                engine.explain(&trial.call.consumer, &trial.call.invocation, Some(trial.seed.unwrap_or(SEED)));
            let kept = explained.map_err(|error| error.to_string()).map(|explained| {
                let positions = explained.selection.positions();
                let urls = positions.filter_map(|at| explained.list.provider(at)).map(Provider::url);
                urls.map(|url| url.address().unwrap_or_default().to_owned()).collect()
            });
            Answer { call: trial.in_words(), note: trial.note.unwrap_or_default(), kept }
        });
        Self { calls: calls.collect() }
    }

    /// Takes in the answers of `before` to calls that were not asked this time.
    pub(crate) fn keep(&mut self, before: &Self) {
        let known: HashSet<String> = self.calls.iter().map(|answer| answer.note.clone()).collect();
        self.calls.extend(before.calls.iter().filter(|answer| !known.contains(&answer.note)).cloned());
    }

    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    /// The calls whose answers are others in `now`; calls that are new there are none of them.
    pub(crate) fn changes(&self, now: &Self, mask: &Mask) -> Vec<ChangedCall> {
        let before = |note: &str| self.calls.iter().find(|answer| answer.note == note);
        let changed = now.calls.iter().filter_map(|answer| {
            let old = before(&answer.note).filter(|old| old.kept != answer.kept)?;
            let (was, is) = (kept(old), kept(answer));
            let only = |one: &[String], other: &[String]| -> Vec<String> {
                let only = one.iter().filter(|address| !other.contains(address));
                only.map(|address| mask.text(address).into_owned()).collect()
            };
            Some(ChangedCall {
                case: mask.text(&answer.note).into_owned(),
                call: mask.text(&answer.call).into_owned(),
                before: was.len(),
                after: is.len(),
                lost: only(was, is),
                gained: only(is, was),
                error: answer.kept.as_ref().err().map(|error| mask.message(error).into_owned()),
            })
        });
        changed.collect()
    }
}

fn kept(answer: &Answer) -> &[String] {
    answer.kept.as_deref().unwrap_or_default()
}

// === impl ChangedCall ===

impl ChangedCall {
    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { case, call, before, after, .. } = self;
        writeln!(out, "    {before} -> {after}  {call}: {case}")?;
        for (word, addresses) in [("loses", &self.lost), ("gains", &self.gained)] {
            if !addresses.is_empty() {
                writeln!(out, "      {word} {}", addresses.join(", "))?;
            }
        }
        self.error.iter().try_for_each(|error| writeln!(out, "      {error}"))
    }
}
