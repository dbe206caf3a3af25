//! Runs in worker processes.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use pointsman::router::Limit;
use pointsman::runtime::Engine;
use pointsman::script::EngineKind;
use pointsman::script::ScriptSettings;
use pointsman::worker::Activity;
use pointsman::worker::Pool;
use pointsman::worker::PoolSettings;

use crate::figures::Figures;
use crate::figures::status_kib;
use crate::figures::words;
use crate::stage::Outcome;
use crate::stage::Stage;
use crate::stage::kept;

/// A pool of this program's own, and one engine in it.
pub(crate) struct InWorkers {
    pool: Pool,
    stage: Stage,
    good: Engine,
}

// === impl InWorkers ===

impl InWorkers {
    pub(crate) fn new(engine: EngineKind) -> Self {
        let pool = Pool::start(PoolSettings::new("/proc/self/exe")).unwrap();
        let stage = Stage::new(engine, ScriptSettings::workers(pool.clone()));
        let good = stage.good(6);
        // The first run in a process is slow, on a busy machine too slow.
        assert!((0..10).any(|_| kept(&good).is_ok()));
        Self { pool, stage, good }
    }

    /// What becomes of a script in a worker. Memory is what the worker holds more at its peak, looked at every
    /// millisecond; of a run that hit its limit, what it wanted.
    pub(crate) fn figures(&self, text: &str) -> Figures {
        self.wait_until_idle();
        let before: Vec<(u32, u64)> = self.resident().collect();
        let is_over = AtomicBool::new(false);
        let (outcome, took, peak) = thread::scope(|scope| {
            let sampler = scope.spawn(|| {
                let mut peak = 0;
                while !is_over.load(Ordering::Relaxed) {
                    for (pid, start) in &before {
                        let now = status_kib(&pid.to_string(), "VmRSS").unwrap_or(0);
                        peak = peak.max(now.saturating_sub(*start));
                    }
                    thread::park_timeout(Duration::from_millis(1));
                }
                peak
            });
            let start = Instant::now();
            let outcome = self.stage.outcome(text);
            let took = start.elapsed();
            is_over.store(true, Ordering::Relaxed);
            (outcome, took, sampler.join().unwrap())
        });
        let kib = match &outcome {
            Outcome::Stopped(Limit::Memory, used, _) => used / 1024,
            _ => peak,
        };
        let is_well = kept(&self.good) == Ok(vec![0, 2, 4]);
        let outcome = if is_well { words(&outcome) } else { "**spoils the next rule**".to_owned() };
        Figures { outcome, took: Some(took), kib: Some(kib) }
    }

    fn resident(&self) -> impl Iterator<Item = (u32, u64)> {
        let workers = self.pool.status().workers;
        workers.into_iter().map(|worker| (worker.pid, status_kib(&worker.pid.to_string(), "VmRSS").unwrap_or(0)))
    }

    /// A worker that was lost is replaced off the path of calls; the figures shall not speak of that.
    fn wait_until_idle(&self) {
        let start = Instant::now();
        let is_idle = |activity| matches!(activity, Activity::Idle | Activity::Spare);
        let count = PoolSettings::new("").workers + 1;
        loop {
            let workers = self.pool.status().workers;
            if workers.len() == count && workers.iter().all(|worker| is_idle(worker.activity)) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(10), "the pool does not come back");
            thread::park_timeout(Duration::from_millis(1));
        }
    }
}
