//! Every hostile file and every shape at the limit of a rule's text, in workers of each engine.
//!
//! After each: the outcome is one that is allowed, a good rule answers right at once, nothing that it can see has
//! changed, and the host holds no more than before. `POINTSMAN_HOSTILE` names a further folder with `js`, `lua` and
//! `rhai` in it; `POINTSMAN_HOSTILE_PRINT` has every outcome printed.

use std::path::Path;
use std::time::Duration;
use std::time::Instant;

use pointsman::router::Language;
use pointsman::runtime::Engine;
use pointsman::script::EngineKind;
use pointsman::script::ScriptSettings;
use pointsman::worker::Pool;
use pointsman::worker::PoolSettings;

use crate::counting::live_bytes_of_all;
use crate::expected;
use crate::room;
use crate::room::within_the_guard;
use crate::shapes::shapes;
use crate::stage::Outcome;
use crate::stage::Stage;
use crate::stage::files;
use crate::stage::folder;
use crate::stage::kept;
use crate::stage::language;
use crate::stage::outcome_of;

/// What the host may hold more after a run was dropped.
const GROWTH: i64 = 8 << 20;

pub(crate) fn pool() -> Pool {
    Pool::start(PoolSettings::new(env!("CARGO_BIN_EXE_pointsman"))).unwrap()
}

/// A pool whose jobs wait longer than on a machine that does nothing else.
fn patient_pool() -> Pool {
    let mut settings = PoolSettings::new(env!("CARGO_BIN_EXE_pointsman"));
    settings.queue = Duration::from_secs(4);
    Pool::start(settings).unwrap()
}

/// A stage in workers, a good rule, and one that says what it can see.
struct Trial {
    stage: Stage,
    pool: Pool,
    good: Engine,
    probe: Engine,
    seen: String,
}

/// A rule that fails with a count of all that rules of its language have in common.
fn probe(language: Language) -> &'static str {
    match language {
        Language::JavaScript => {
            "var counts = ['Object', 'Array', 'String', 'Number', 'Map', 'Set', 'Promise', 'JSON', 'Math', 'Date', 'RegExp',
                 'Symbol', 'Error'].map(function (name) {
                     var o = globalThis[name], count = function (o) {
                         return o ? Object.getOwnPropertyNames(o).length + Object.getOwnPropertySymbols(o).length : 0; };
                     return count(o) + ':' + count(o && o.prototype); });
             throw new Error('seen ' + Object.getOwnPropertyNames(globalThis).length + ' ' + counts.join()
                 + typeof zz + typeof q + typeof x + typeof f)"
        }
        Language::Rhai => {
            "throw \"seen \" + is_def_var(\"a\") + is_def_var(\"x\") + is_def_var(\"s\") + is_def_fn(\"f\", 0)
                 + is_def_fn(\"f\", 1) + is_def_fn(\"zz\", 0) + is_def_fn(\"equals\", 2) + is_def_fn(\"id\", 1)"
        }
        Language::Lua => {
            "local counts = {}
             for _, t in {_G, string, table, math, os, coroutine, bit32, utf8} do
                 local n = 0
                 for _ in t do n += 1 end
                 table.insert(counts, tostring(n))
             end
             error('seen ' .. table.concat(counts, ',') .. tostring(x) .. tostring(SETGC) .. tostring(g1))"
        }
    }
}

/// What a probe fails with.
fn seen_by(probe: &Engine) -> String {
    match outcome_of(probe) {
        Outcome::Failed(message) if message.contains("seen ") => message,
        other => panic!("the probe came to {other:?}"),
    }
}

// === impl Trial ===

impl Trial {
    fn new(engine: EngineKind) -> Self {
        let pool = patient_pool();
        let stage = Stage::new(engine, ScriptSettings::workers(pool.clone()));
        let good = stage.good(6);
        let probe = stage.engine_of(probe(language(engine).0), 6).unwrap();
        let seen = seen_by(&probe);
        Self { stage, pool, good, probe, seen }
    }

    /// Runs one text; says what is wrong with what it came to.
    fn withstand(&self, name: &str, text: &str) -> Vec<String> {
        let engine = self.stage.engine;
        let what = format!("{engine} {name}");
        let (before, start) = (live_bytes_of_all(), Instant::now());
        let outcome = self.outcomes(&what, text);
        let (good, took) = (self.good.clone(), start.elapsed());
        let answer = within_the_guard(&format!("{what}: the good rule"), move || kept(&good));
        let probe = self.probe.clone();
        let seen = within_the_guard(&format!("{what}: the probe"), move || seen_by(&probe));
        let growth = live_bytes_of_all() - before;
        if std::env::var_os("POINTSMAN_HOSTILE_PRINT").is_some() {
            let good = start.elapsed() - took;
            println!("{what}: {outcome:?}, {growth} bytes, {} ms, then {} ms", took.as_millis(), good.as_millis());
        }
        let mut wrong: Vec<String> = outcome
            .iter()
            .filter(|outcome| !expected::is_allowed(engine, name, outcome))
            .map(|outcome| format!("{what}: {outcome:?}"))
            .collect();
        if answer != Ok(vec![0, 2, 4]) {
            wrong.push(format!("{what}: afterwards the good rule came to {answer:?}"));
        }
        if seen != self.seen {
            wrong.push(format!("{what}: left something behind: {seen} instead of {}", self.seen));
        }
        if growth >= GROWTH {
            wrong.push(format!("{what}: the host holds {growth} bytes more"));
        }
        wrong
    }

    /// What a text comes to; twice where its worker may live, so that a second run would see what the first left.
    fn outcomes(&self, what: &str, text: &str) -> Vec<Outcome> {
        let (stage, own) = (self.stage.clone(), text.to_owned());
        let compiled = within_the_guard(&format!("{what}: compiling"), move || stage.engine_of(&own, 6));
        let engine = match compiled {
            Ok(engine) => engine,
            Err(message) => return vec![Outcome::Refused(message)],
        };
        let run = |engine: Engine| within_the_guard(&format!("{what}: the run"), move || outcome_of(&engine));
        let first = run(engine.clone());
        if matches!(first, Outcome::Stopped(..) | Outcome::Died(_)) {
            return vec![first];
        }
        vec![first, run(engine)]
    }
}

/// All texts of one engine, one after the other. Each is made when its turn comes: whoever is counted beside this would
/// be blamed for all of them together.
fn withstand_all(engine: EngineKind, texts: impl IntoIterator<Item = (String, String)>) {
    let _room = room::shared();
    let trial = Trial::new(engine);
    let before = live_bytes_of_all();
    let mut wrong: Vec<String> = texts.into_iter().flat_map(|(name, text)| trial.withstand(&name, &text)).collect();
    let growth = live_bytes_of_all() - before;
    if growth >= GROWTH {
        wrong.push(format!("{engine}: the host holds {growth} bytes more after all"));
    }
    let confinement = trial.pool.status().confinement;
    assert!(confinement.is_some(), "{engine}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The files for an engine: ours, and those of a further folder.
fn all_files(engine: EngineKind) -> Vec<(String, String)> {
    let mut all = files(&folder(), engine);
    assert!(all.len() >= 100, "{engine}: {} files", all.len());
    if let Some(more) = std::env::var_os("POINTSMAN_HOSTILE") {
        all.extend(
            files(Path::new(&more), engine)
                .into_iter()
                .map(|(name, text)| (format!("{}{name}", expected::FURTHER), text)),
        );
    }
    all
}

#[cfg(feature = "boa")]
#[test]
fn boa_withstands_every_hostile_file() {
    withstand_all(EngineKind::Boa, all_files(EngineKind::Boa));
}

#[cfg(feature = "quickjs")]
#[test]
fn quickjs_withstands_every_hostile_file() {
    withstand_all(EngineKind::QuickJs, all_files(EngineKind::QuickJs));
}

#[cfg(feature = "rhai")]
#[test]
fn rhai_withstands_every_hostile_file() {
    withstand_all(EngineKind::Rhai, all_files(EngineKind::Rhai));
}

#[cfg(feature = "lua")]
#[test]
fn luau_withstands_every_hostile_file() {
    withstand_all(EngineKind::Luau, all_files(EngineKind::Luau));
}

#[cfg(feature = "boa")]
#[test]
fn boa_withstands_every_shape_at_the_source_limit() {
    withstand_all(EngineKind::Boa, shapes(Language::JavaScript));
}

#[cfg(feature = "quickjs")]
#[test]
fn quickjs_withstands_every_shape_at_the_source_limit() {
    withstand_all(EngineKind::QuickJs, shapes(Language::JavaScript));
}

#[cfg(feature = "rhai")]
#[test]
fn rhai_withstands_every_shape_at_the_source_limit() {
    withstand_all(EngineKind::Rhai, shapes(Language::Rhai));
}

#[cfg(feature = "lua")]
#[test]
fn luau_withstands_every_shape_at_the_source_limit() {
    withstand_all(EngineKind::Luau, shapes(Language::Lua));
}
