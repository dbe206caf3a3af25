//! Things go wrong at every step between host and worker: the job has an answer or a reason, the pool comes back.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use pointsman::worker::Fault;
use pointsman::worker::FaultHook;
use pointsman::worker::JobError;
use pointsman::worker::Pool;
use pointsman::worker::PoolError;
use pointsman::worker::Step;

use crate::worker::job;
use crate::worker::job_with;
use crate::worker::settings;
use crate::worker::text;
use crate::worker_pool::eventually_well;
use crate::worker_pool::kill;
use crate::worker_pool::pids;

const STEPS: [Step; 9] = [
    Step::Spawn,
    Step::Spawned,
    Step::Handshake,
    Step::Install,
    Step::Request,
    Step::RequestWritten,
    Step::ReplyHeader,
    Step::ReplyBody,
    Step::Reap,
];

const FAULTS: [Fault; 4] = [Fault::Kill, Fault::Truncate, Fault::Garbage, Fault::Overlong];

/// One fault at the next moment of its kind.
#[derive(Debug)]
struct Once {
    step: Step,
    fault: Fault,
    left: AtomicUsize,
}

impl FaultHook for Once {
    fn at(&self, step: Step, _: u32) -> Fault {
        let is_mine = step == self.step
            && self.left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        if is_mine { self.fault } else { Fault::Nothing }
    }
}

/// Faults at moments that a seed chooses.
#[derive(Debug)]
struct Seeded {
    state: AtomicU64,
    is_on: AtomicBool,
}

impl FaultHook for Seeded {
    fn at(&self, step: Step, _: u32) -> Fault {
        let next = |state: u64| state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let state = self.state.update(Ordering::Relaxed, Ordering::Relaxed, next) >> 33;
        let fault = FAULTS[usize::try_from(state / 8).unwrap() % FAULTS.len()];
        // Other bytes in a whole answer are the service's to notice.
        let is_unnoticed = step == Step::ReplyBody && fault == Fault::Garbage;
        if !self.is_on.load(Ordering::Relaxed) || !state.is_multiple_of(8) || is_unnoticed {
            Fault::Nothing
        } else {
            fault
        }
    }
}

fn pool_with(hook: Arc<dyn FaultHook>, workers: usize) -> Pool {
    let mut settings = settings(workers);
    settings.fault = Some(hook);
    Pool::start(settings).unwrap()
}

#[test]
fn every_fault_at_every_step_leaves_a_pool_that_answers() {
    for step in STEPS {
        for fault in FAULTS {
            let hook = Arc::new(Once { step, fault, left: AtomicUsize::new(0) });
            let pool = pool_with(Arc::<Once>::clone(&hook), 1);
            let part = pool.part("test", b"one".to_vec());
            hook.left.store(1, Ordering::Relaxed);
            if matches!(step, Step::Spawn | Step::Spawned | Step::Handshake | Step::Reap) {
                pids(&pool).into_iter().for_each(kill);
            }
            let mut broken = job_with("parts", &[part]);
            broken.limits.wall = Duration::from_millis(50);
            // Whatever it is, it is there.
            let _ = pool.run(broken.clone()).wait();
            let _ = pollster::block_on(pool.run(broken));
            eventually_well(&pool);
        }
    }
}

#[test]
fn a_spoilt_answer_is_told_as_such() {
    for (step, fault) in [
        (Step::ReplyHeader, Fault::Overlong),
        (Step::ReplyHeader, Fault::Garbage),
        (Step::ReplyHeader, Fault::Truncate),
        (Step::Request, Fault::Garbage),
        (Step::Request, Fault::Overlong),
    ] {
        let hook = Arc::new(Once { step, fault, left: AtomicUsize::new(0) });
        let pool = pool_with(Arc::<Once>::clone(&hook), 1);
        eventually_well(&pool);
        // The spare says hello at any time; what it says must not be what is spoilt.
        crate::worker_pool::eventually("the spare", || pids(&pool).len() == 2);
        hook.left.store(1, Ordering::Relaxed);
        let error = pool.run(job("echo")).wait().unwrap_err();
        assert!(matches!(error, JobError::Protocol { .. }), "{step:?} {fault:?}: {error:?}");
        eventually_well(&pool);
    }
}

#[test]
fn a_thousand_seeded_faults_leave_nothing_hanging_and_no_wrong_answer() {
    let hook = Arc::new(Seeded { state: AtomicU64::new(7), is_on: AtomicBool::new(false) });
    let pool = pool_with(Arc::<Seeded>::clone(&hook), 2);
    hook.is_on.store(true, Ordering::Relaxed);
    thread::scope(|scope| {
        for thread in 0..4_u64 {
            let pool = &pool;
            scope.spawn(move || {
                let part = pool.part("test", b"part".to_vec());
                for round in 0..250 {
                    let request = format!("echo {thread} {round}");
                    let mut job = job_with(&request, &[Arc::clone(&part)]);
                    job.owner = thread;
                    job.limits.wall = Duration::from_millis(20);
                    let answer = if round % 2 == 0 { pool.run(job).wait() } else { pollster::block_on(pool.run(job)) };
                    if let Ok(reply) = answer {
                        assert_eq!(text(&reply), &request[5..]);
                    }
                }
            });
        }
    });
    hook.is_on.store(false, Ordering::Relaxed);
    eventually_well(&pool);
}

#[test]
fn no_process_to_be_had_is_an_error_at_the_start_and_unavailable_later() {
    let hook = Arc::new(Once { step: Step::Spawn, fault: Fault::Kill, left: AtomicUsize::new(usize::MAX) });
    let mut settings = settings(1);
    settings.fault = Some(Arc::<Once>::clone(&hook));
    assert!(matches!(Pool::start(settings.clone()), Err(PoolError::Spawn { .. })));
    hook.left.store(0, Ordering::Relaxed);
    let pool = Pool::start(settings).unwrap();
    hook.left.store(usize::MAX, Ordering::Relaxed);
    crate::worker_pool::eventually("no workers", || {
        pids(&pool).into_iter().for_each(kill);
        matches!(pool.run(job("echo")).wait(), Err(JobError::Unavailable { .. }))
    });
    hook.left.store(0, Ordering::Relaxed);
    eventually_well(&pool);
}
