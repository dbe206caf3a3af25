//! Many things at once: calls beside a rule that spins, workers that are killed, many rules, many providers, busy cores.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use pointsman::router::Language;
use pointsman::router::SystemClock;
use pointsman::runtime::Engine;
use pointsman::script::EngineKind;
use pointsman::script::ScriptSettings;
use pointsman::worker::Pool;
use rustix::process::Pid;
use rustix::process::Signal;

use crate::hostile::pool;
use crate::room;
use crate::room::Over;
use crate::room::within_the_guard;
use crate::stage::Outcome;
use crate::stage::Stage;
use crate::stage::call;
use crate::stage::consumer;
use crate::stage::good;
use crate::stage::kept;
use crate::stage::language;
use crate::stage::outcome_of;

/// What no call may take, whatever happens around it.
const GUARD: Duration = Duration::from_secs(5);

pub(crate) fn engines() -> impl Iterator<Item = EngineKind> {
    EngineKind::ALL.into_iter().filter(|engine| engine.is_built_in())
}

/// Spins for ever.
pub(crate) fn spinning(language: Language) -> &'static str {
    match language {
        Language::JavaScript => "while (true) {}",
        Language::Rhai => "loop {}",
        Language::Lua => "while true do end",
    }
}

/// Waits until it holds; hangs for at most the guard.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < GUARD, "{what}");
        thread::park_timeout(Duration::from_millis(1));
    }
}

pub(crate) fn kill_all(pool: &Pool) {
    for worker in pool.status().workers {
        let pid = Pid::from_raw(i32::try_from(worker.pid).unwrap()).unwrap();
        let _ = rustix::process::kill_process(pid, Signal::KILL);
    }
}

/// A stage in workers of a pool of its own.
fn stage(engine: EngineKind) -> (Stage, Pool) {
    let pool = pool();
    (Stage::new(engine, ScriptSettings::workers(pool.clone())), pool)
}

/// Calls `good` `times` times and counts right answers; anything but a right answer or a failure is an error.
fn right_answers(good: &Engine, times: usize, slowest: &mut Duration) -> usize {
    let mut right = 0;
    for _ in 0..times {
        let start = Instant::now();
        match kept(good) {
            Ok(positions) => {
                assert_eq!(positions, [0, 2, 4]);
                right += 1;
            }
            // A pool that is busy, or a worker that was killed, is a failure that `on-error` rules.
            Err(message) => assert!(!message.is_empty()),
        }
        *slowest = (*slowest).max(start.elapsed());
    }
    right
}

#[test]
fn calls_beside_a_rule_that_spins_are_answered_and_the_pool_comes_back() {
    let _room = room::alone();
    for engine in engines() {
        let (stage, pool) = stage(engine);
        let good = stage.good(6);
        let spins = stage.engine_of(spinning(language(engine).0), 6).unwrap();
        let is_over = AtomicBool::new(false);
        let (right, spun) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            let _over = Over(&is_over);
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let outcome = outcome_of(&spins);
                    assert!(!matches!(outcome, Outcome::Kept(_)), "{engine}: {outcome:?}");
                    spun.fetch_add(1, Ordering::Relaxed);
                }
            });
            let callers: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        let mut slowest = Duration::ZERO;
                        right.fetch_add(right_answers(&good, 40, &mut slowest), Ordering::Relaxed);
                        slowest
                    })
                })
                .collect();
            for caller in callers {
                let slowest = caller.join().unwrap();
                assert!(slowest < GUARD, "{engine}: {slowest:?}");
            }
        });
        let (right, spun) = (right.into_inner(), spun.into_inner());
        assert!(right >= 60 && spun > 0, "{engine}: {right} of 120 right beside {spun} that spun");
        eventually("the good rule", || kept(&good) == Ok(vec![0, 2, 4]));
        eventually("all workers", || {
            pool.status().workers.len() >= 3.min(thread::available_parallelism().unwrap().get() + 1)
        });
    }
}

#[test]
fn a_failed_rule_lets_candidates_pass_or_nobody_as_its_on_error_says() {
    let _room = room::shared();
    for engine in engines() {
        let (stage, _pool) = stage(engine);
        for (on_error, expected) in [("", 6), ("&on-error=pass", 6), ("&on-error=empty", 0)] {
            let rules = stage.rules(&[stage.definition(1, on_error, spinning(language(engine).0))]).unwrap();
            let engine_over = stage.over(rules, 6, Arc::new(SystemClock));
            assert_eq!(outcome_of(&engine_over), Outcome::Kept(expected), "{engine} {on_error}");
        }
    }
}

#[test]
fn all_workers_killed_while_calls_run_cost_answers_and_no_call() {
    let _room = room::alone();
    for engine in engines() {
        let (stage, pool) = stage(engine);
        let good = stage.good(6);
        let mut right = 0;
        thread::scope(|scope| {
            let callers: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        let mut slowest = Duration::ZERO;
                        (right_answers(&good, 60, &mut slowest), slowest)
                    })
                })
                .collect();
            for _ in 0..5 {
                kill_all(&pool);
                thread::park_timeout(Duration::from_millis(10));
            }
            for caller in callers {
                let (answers, slowest) = caller.join().unwrap();
                assert!(slowest < GUARD, "{engine}: {slowest:?}");
                right += answers;
            }
        });
        println!("{engine}: {right} of 180 right, {} workers lost", pool.status().restarts);
        assert!(pool.status().restarts > 0, "{engine}");
        let after = stage.good(6);
        eventually("the pool comes back", || kept(&after) == Ok(vec![0, 2, 4]));
    }
}

#[test]
fn a_thousand_rules_share_a_pool() {
    let _room = room::alone();
    let pool = pool();
    let mut checked = 0;
    for engine in engines() {
        let mut settings = ScriptSettings::workers(pool.clone());
        // All rules of an engine are asked in one call, one after the other.
        settings.limits.deadline = Duration::from_millis(200);
        let stage = Stage::new(engine, settings);
        let (language, _) = language(engine);
        let comment = if language == Language::Lua { "--" } else { "//" };
        let definitions: Vec<_> = (1..=250)
            .map(|line| stage.definition(line, "&on-error=fail", &format!("{comment} {line}\n{}", good(language))))
            .collect();
        let rules = stage.rules(&definitions).unwrap();
        let engine_over = stage.over(rules, 100, Arc::new(SystemClock));
        let expected: Vec<usize> = (0..100).step_by(2).collect();
        assert_eq!(kept(&engine_over), Ok(expected), "{engine}");
        checked += definitions.len();
    }
    assert_eq!(checked, 250 * engines().count());
}

#[test]
fn a_list_of_ten_thousand_providers_is_routed() {
    let _room = room::alone();
    for engine in engines() {
        let pool = pool();
        let mut settings = ScriptSettings::workers(pool);
        // Builds without optimization need more than a rule may use.
        settings.limits.deadline = Duration::from_secs(1);
        let good = Stage::new(engine, settings).good(10_000);
        let answer = within_the_guard(&format!("{engine}: the call"), move || kept(&good));
        assert_eq!(answer, Ok((0..10_000).step_by(2).collect()), "{engine}");
    }
}

#[test]
fn a_good_rule_is_not_killed_for_cores_that_are_busy_elsewhere() {
    let _room = room::alone();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let _over = Over(&is_over);
        for _ in 0..2 * thread::available_parallelism().unwrap().get() {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let answers: Vec<_> = engines()
            .map(|engine| {
                let (stage, pool) = stage(engine);
                let good = stage.good(6);
                let answers: Vec<_> = (0..20).map(|_| kept(&good)).collect();
                (engine, answers, pool.status().restarts)
            })
            .collect();
        for (engine, answers, restarts) in answers {
            assert!(answers.iter().all(|answer| *answer == Ok(vec![0, 2, 4])), "{engine}: {answers:?}");
            assert_eq!(restarts, 0, "{engine}");
        }
    });
}

#[test]
fn timers_of_one_thread_fire_while_a_script_spins() {
    let _room = room::alone();
    for engine in engines() {
        let mut settings = ScriptSettings::workers(pool());
        settings.limits.deadline = Duration::from_millis(100);
        let stage = Stage::new(engine, settings);
        let spins = stage.engine_of(spinning(language(engine).0), 6).unwrap();
        let (consumer, call) = (consumer(), call());
        let mut ticks = 0;
        let answer = async_io::block_on(async {
            let mut select = Box::pin(spins.select_async(&consumer, &call));
            let mut timer = async_io::Timer::interval(Duration::from_millis(5));
            std::future::poll_fn(|context| {
                while Pin::new(&mut timer).poll(context).is_ready() {
                    ticks += 1;
                }
                select.as_mut().poll(context)
            })
            .await
        });
        assert!(answer.is_err(), "{engine}");
        assert!(ticks > 3, "{engine}: {ticks} ticks");
    }
}
