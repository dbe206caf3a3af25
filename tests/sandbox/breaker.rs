//! The breaker of a rule, by way of the engine and a clock that the test moves.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use pointsman::router::Clock;
use pointsman::router::Limit;
use pointsman::router::RouteError;
use pointsman::rpc::RpcInvocation;
use pointsman::runtime::Engine;
use pointsman::runtime::SelectError;
use pointsman::script::EngineKind;
use pointsman::script::ScriptSettings;
use pointsman::worker::Activity;
use pointsman::worker::Pool;
use pointsman::worker::PoolSettings;

use crate::hostile::pool;
use crate::room;
use crate::stage::SERVICE;
use crate::stage::Stage;
use crate::stage::consumer;
use crate::storms::engines;
use crate::storms::eventually;

/// Spins if the call asks for it.
fn rule(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Boa | EngineKind::QuickJs => {
            "if (invocation.attachment('spin') == 'yes') { while (true) {} } invokers"
        }
        EngineKind::Rhai => "if invocation.attachment(\"spin\") == \"yes\" { loop {} } invokers",
        EngineKind::Luau => "if invocation:attachment('spin') == 'yes' then while true do end end return invokers",
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug, Default)]
struct Moved(AtomicI64);

impl Clock for Moved {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(1_764_541_800_000 + self.0.load(Ordering::Relaxed)).unwrap()
    }
}

fn answer(engine: &Engine, spin: &str) -> Result<usize, RouteError> {
    let call = RpcInvocation::new(SERVICE, "create").with_attachment("spin", spin);
    match engine.select(&consumer(), &call) {
        Ok(decision) => Ok(decision.selection().count()),
        Err(SelectError::Route(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

fn assert_stopped(engine: &Engine) {
    let error = answer(engine, "yes").unwrap_err();
    let is_time = matches!(error, RouteError::Limit { which: Limit::Deadline | Limit::Wall | Limit::Operations, .. });
    assert!(is_time, "{error}");
}

#[test]
fn ten_limit_hits_open_the_breaker_and_a_good_trial_closes_it() {
    let _room = room::shared();
    for kind in engines() {
        let stage = Stage::new(kind, ScriptSettings::workers(pool()));
        let clock = Arc::new(Moved::default());
        let rules = stage.rules(&[stage.definition(1, "&on-error=fail", rule(kind))]).unwrap();
        let engine = stage.over(rules, 6, Arc::<Moved>::clone(&clock));
        assert_eq!(answer(&engine, "no").unwrap(), 6, "{kind}");
        for _ in 0..10 {
            assert_stopped(&engine);
        }
        for spin in ["yes", "no"] {
            let error = answer(&engine, spin).unwrap_err();
            assert!(matches!(error, RouteError::Breaker { hits: 10, trial_in_ms: 10_000 }), "{kind}: {error}");
        }
        clock.0.store(9_999, Ordering::Relaxed);
        assert!(matches!(answer(&engine, "no"), Err(RouteError::Breaker { trial_in_ms: 1, .. })), "{kind}");
        clock.0.store(10_000, Ordering::Relaxed);
        // A bad trial keeps it open for another while.
        assert_stopped(&engine);
        assert!(matches!(answer(&engine, "no"), Err(RouteError::Breaker { .. })), "{kind}");
        clock.0.store(20_000, Ordering::Relaxed);
        assert_eq!(answer(&engine, "no").unwrap(), 6, "{kind}");
        assert_eq!(answer(&engine, "no").unwrap(), 6, "{kind}");
        assert_stopped(&engine);
        assert_eq!(answer(&engine, "no").unwrap(), 6, "{kind}");
    }
}

#[test]
fn busy_workers_open_no_breaker() {
    let _room = room::alone();
    for kind in engines() {
        let mut settings = PoolSettings::new(env!("CARGO_BIN_EXE_pointsman"));
        settings.workers = 1;
        settings.queue = Duration::from_millis(1);
        let pool = Pool::start(settings).unwrap();
        let mut settings = ScriptSettings::workers(pool.clone());
        settings.limits.deadline = Duration::from_secs(3);
        settings.limits.operations = u64::MAX;
        let stage = Stage::new(kind, settings);
        let engine_of = || stage.engine_of(rule(kind), 6).unwrap();
        let (spins, waits) = (engine_of(), engine_of());
        eventually("a first answer", || answer(&waits, "no").is_ok());
        thread::scope(|scope| {
            scope.spawn(|| answer(&spins, "yes"));
            let is_busy = || pool.status().workers.iter().any(|worker| worker.activity == Activity::Busy);
            eventually("the worker is busy", is_busy);
            for _ in 0..15 {
                let error = answer(&waits, "no").unwrap_err();
                assert!(matches!(error, RouteError::Busy { .. }), "{kind}: {error}");
            }
            // No need to wait for the end of the spin.
            crate::storms::kill_all(&pool);
        });
        eventually("the pool comes back", || match answer(&waits, "no") {
            Err(error) => {
                assert!(!matches!(error, RouteError::Breaker { .. }), "{kind}: {error}");
                false
            }
            Ok(count) => count == 6,
        });
    }
}
