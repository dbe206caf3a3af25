//! The pool: parts, domains, owners, futures, starting and stopping.

use std::future::Future as _;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;
use std::task::Poll;
use std::task::Waker;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use pointsman::worker::Activity;
use pointsman::worker::Enforced;
use pointsman::worker::JobError;
use pointsman::worker::Limit;
use pointsman::worker::Part;
use pointsman::worker::Payload;
use pointsman::worker::Pending;
use pointsman::worker::Pool;
use pointsman::worker::PoolError;
use rustix::process::Pid;
use rustix::process::Signal;

use crate::worker::job;
use crate::worker::job_with;
use crate::worker::pool;
use crate::worker::settings;
use crate::worker::text;

/// Waits until it holds; hangs for at most 5 s.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(5), "{what}");
        thread::park_timeout(Duration::from_millis(1));
    }
}

pub(crate) fn pids(pool: &Pool) -> Vec<u32> {
    pool.status().workers.iter().map(|worker| worker.pid).collect()
}

pub(crate) fn kill(pid: u32) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let _ = rustix::process::kill_process(pid, Signal::KILL);
}

pub(crate) fn eventually_well(pool: &Pool) {
    eventually("an answer", || pool.run(job("echo well")).wait().is_ok_and(|reply| text(&reply) == "well"));
}

fn eventually_complete(pool: &Pool, workers: usize) {
    eventually("all workers", || pids(pool).len() == workers + 1);
}

fn poll_once(pending: &mut Pending) -> Poll<Result<pointsman::worker::Reply, JobError>> {
    Pin::new(pending).poll(&mut Context::from_waker(Waker::noop()))
}

/// What the example says of parts: each, how many there are, its process.
fn parts(pool: &Pool, parts: &[Arc<Part>]) -> Vec<String> {
    let reply = pool.run(job_with("parts", parts)).wait().unwrap();
    text(&reply).split(' ').map(str::to_owned).collect()
}

#[test]
fn a_job_finds_its_parts_installed_in_its_order() {
    let pool = pool(1);
    let (one, two) = (pool.part("a", b"one".to_vec()), pool.part("a", Payload::shared(b"two").unwrap()));
    assert_eq!(parts(&pool, &[Arc::clone(&two), Arc::clone(&one)])[..3], ["two", "one", "2"]);
}

#[test]
fn parts_that_are_dropped_are_forgotten() {
    let pool = pool(1);
    let (one, two) = (pool.part("a", b"one".to_vec()), pool.part("a", b"two".to_vec()));
    let before = parts(&pool, &[Arc::clone(&one), Arc::clone(&two)]);
    drop(two);
    let after = parts(&pool, &[one]);
    assert_eq!((&before[2], &after[1]), (&"2".to_owned(), &"1".to_owned()));
    assert_eq!(before[3], after[2], "the same process");
}

#[test]
fn a_part_that_the_service_rejects_is_told_and_costs_no_worker() {
    let pool = pool(1);
    let part = pool.part("a", b"reject".to_vec());
    for _ in 0..2 {
        let error = pool.run(job_with("echo", &[Arc::clone(&part)])).wait().unwrap_err();
        assert_eq!(error, JobError::Rejected(b"rejected".to_vec()));
    }
    assert_eq!(pool.status().restarts, 0);
}

#[test]
fn a_part_that_breaks_workers_is_not_preloaded_again() {
    let pool = pool(2);
    let (bad, good) = (pool.part("a", b"abort".to_vec()), pool.part("a", b"good".to_vec()));
    pool.preload(&[Arc::clone(&bad), Arc::clone(&good)]);
    eventually("a worker lost", || pool.status().restarts > 0);
    assert_eq!(parts(&pool, &[good])[0], "good");
    let error = pool.run(job_with("echo", &[bad])).wait().unwrap_err();
    assert!(matches!(&error, JobError::Crashed { how } if how.contains("aborted")), "{error:?}");
    eventually_complete(&pool, 2);
    let restarts = pool.status().restarts;
    eventually_well(&pool);
    assert!(restarts <= 4 && pool.status().restarts == restarts, "{restarts}");
}

#[test]
fn preloaded_parts_are_in_every_worker_and_in_the_spare() {
    let pool = pool(2);
    eventually_complete(&pool, 2);
    let all: Vec<Arc<Part>> = (0..20).map(|number| pool.part("a", format!("{number}").into_bytes())).collect();
    pool.preload(&all);
    eventually("all loaded", || {
        pool.status().workers.iter().all(|worker| worker.domain.is_some() && worker.activity != Activity::Loading)
    });
    let seen = parts(&pool, &all[..1]);
    assert_eq!(seen[..1], ["0"]);
    eventually("all twenty", || parts(&pool, &all[..1])[1] == "20");
}

#[test]
fn the_spare_takes_over_with_what_the_domain_needs() {
    let pool = pool(1);
    let part = pool.part("a", b"one".to_vec());
    pool.preload(&[Arc::clone(&part)]);
    let is_spare = |activity| activity == Activity::Spare;
    eventually("a loaded spare", || {
        pool.status().workers.iter().any(|worker| is_spare(worker.activity) && worker.domain.as_deref() == Some("a"))
    });
    let spare = pool.status().workers.iter().find(|worker| is_spare(worker.activity)).unwrap().pid;
    let error = pool.run(job_with("abort", &[Arc::clone(&part)])).wait();
    assert!(error.is_err());
    assert_eq!(parts(&pool, &[part])[2], spare.to_string());
}

#[test]
fn two_domains_never_share_a_process() {
    for workers in [1, 2, 3] {
        let pool = pool(workers);
        let (one, two) = (pool.part("a", b"one".to_vec()), pool.part("b", b"two".to_vec()));
        let mut seen = [Vec::new(), Vec::new()];
        for _ in 0..4 {
            seen[0].push(parts(&pool, &[Arc::clone(&one)]).remove(2));
            seen[1].push(parts(&pool, &[Arc::clone(&two)]).remove(2));
        }
        assert!(seen[0].iter().all(|pid| !seen[1].contains(pid)), "{workers}: {seen:?}");
    }
}

#[test]
fn a_part_of_another_domain_or_pool_is_refused() {
    let (pool, other) = (pool(1), pool(1));
    let mut foreign = job_with("parts", &[pool.part("a", b"one".to_vec())]);
    foreign.domain = "b".into();
    let stray = job_with("parts", &[other.part("a", b"one".to_vec())]);
    for job in [foreign, stray] {
        assert!(matches!(pool.run(job).wait(), Err(JobError::Protocol { .. })));
    }
}

#[test]
fn what_is_too_large_is_refused_before_it_is_sent_and_shared_parts_may_be_larger() {
    let pool = pool(1);
    let large = vec![b'x'; 17 << 20];
    let shared = pool.part("a", Payload::shared(&large).unwrap());
    assert_eq!(text(&pool.run(job_with("echo taken", &[shared])).wait().unwrap()), "taken");
    let mut request = job("echo");
    request.request = large.clone();
    let part = job_with("echo", &[pool.part("a", large)]);
    pool.preload(&part.parts);
    for job in [request, part] {
        assert!(matches!(pool.run(job).wait(), Err(JobError::TooLarge { .. })));
    }
    assert_eq!(pool.run(job("large 4000000")).wait().unwrap().bytes.len(), 4_000_000);
    assert!(matches!(pool.run(job("large 6000000")).wait(), Err(JobError::Protocol { .. })));
}

#[test]
fn one_owner_holds_half_of_the_workers_only() {
    let pool = pool(4);
    eventually_complete(&pool, 4);
    let mut slow: Vec<Pending> = (0..4).map(|_| pool.run(job("sleep 50"))).collect();
    slow.iter_mut().for_each(|pending| assert!(poll_once(pending).is_pending()));
    let busy = pool.status().workers.iter().filter(|worker| worker.activity == Activity::Busy).count();
    assert_eq!((busy, pool.status().waiting), (2, 2));
    let mut other = job("echo other");
    other.owner = 1;
    assert_eq!(text(&pool.run(other).wait().unwrap()), "other");
    for pending in slow {
        assert_eq!(text(&pending.wait().unwrap()), "done");
    }
}

#[test]
fn a_job_that_gets_no_worker_in_time_is_told_that_all_are_busy() {
    let mut settings = settings(1);
    settings.queue = Duration::from_millis(20);
    let pool = Pool::start(settings).unwrap();
    let mut slow = pool.run(job("sleep 400"));
    assert!(poll_once(&mut slow).is_pending());
    assert_eq!(pool.run(job("echo")).wait(), Err(JobError::Busy { waited: Duration::from_millis(20) }));
    assert_eq!(pollster::block_on(pool.run(job("echo"))), Err(JobError::Busy { waited: Duration::from_millis(20) }));
    assert_eq!(text(&slow.wait().unwrap()), "done");
}

#[test]
fn a_run_that_is_starved_is_given_more_time() {
    let pool = pool(1);
    let is_over = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let mut job = job("work 150");
        job.limits.wall = Duration::from_millis(100);
        let reply = pool.run(job).wait();
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(text(&reply.unwrap()), "done");
    });
}

#[test]
fn an_executor_of_one_thread_keeps_ticking_while_a_run_spins() {
    let pool = pool(1);
    let mut job = job("spin");
    job.limits.cpu = Duration::from_millis(100);
    let (mut run, mut ticks) = (pool.run(job), 0);
    let answer = async_io::block_on(async {
        let mut timer = async_io::Timer::interval(Duration::from_millis(5));
        std::future::poll_fn(|context| {
            while futures_tick(&mut timer, context) {
                ticks += 1;
            }
            Pin::new(&mut run).poll(context)
        })
        .await
    });
    assert!(matches!(answer, Err(JobError::Limit(Limit::Deadline { .. }))), "{answer:?}");
    assert!(ticks > 3, "{ticks} ticks");
}

fn futures_tick(timer: &mut async_io::Timer, context: &mut Context<'_>) -> bool {
    Pin::new(timer).poll(context).is_ready()
}

#[test]
fn futures_answer_as_waiting_threads_do() {
    let pool = pool(2);
    for request in ["echo one", "panic two", "hold 40", "large 100000"] {
        let (future, thread) = (pollster::block_on(pool.run(job(request))), pool.run(job(request)).wait());
        let bytes = |answer: Result<pointsman::worker::Reply, JobError>| answer.map(|reply| reply.bytes);
        assert_eq!(bytes(future), bytes(thread), "{request}");
    }
}

#[test]
fn a_pending_that_is_dropped_gives_its_worker_back() {
    let pool = pool(1);
    eventually_complete(&pool, 1);
    let before = pids(&pool);
    let mut pending = pool.run(job("sleep 50"));
    assert!(poll_once(&mut pending).is_pending());
    let mut queued = pool.run(job("echo"));
    assert!(poll_once(&mut queued).is_pending());
    drop(queued);
    drop(pending);
    eventually_well(&pool);
    assert_eq!((pids(&pool), pool.status().restarts), (before, 0));
}

#[test]
fn a_pending_that_is_dropped_and_never_ends_costs_its_worker() {
    let pool = pool(1);
    let mut job = job("sleep 60000");
    job.limits.wall = Duration::from_millis(30);
    let mut pending = pool.run(job);
    assert!(poll_once(&mut pending).is_pending());
    drop(pending);
    eventually("a worker lost", || pool.status().restarts == 1);
    eventually_well(&pool);
}

#[test]
fn no_process_is_left_when_the_pool_is_dropped() {
    let pool = pool(3);
    eventually_complete(&pool, 3);
    let mut flying = pool.run(job("spin"));
    assert!(poll_once(&mut flying).is_pending());
    let pids = pids(&pool);
    drop(pool);
    assert!(pids.iter().all(|pid| !Path::new(&format!("/proc/{pid}")).exists()), "{pids:?}");
    assert!(matches!(flying.wait(), Err(JobError::Unavailable { .. })));
}

#[test]
fn all_workers_killed_at_once_come_back() {
    let pool = pool(2);
    eventually_complete(&pool, 2);
    for _ in 0..3 {
        pids(&pool).into_iter().for_each(kill);
        eventually_well(&pool);
        eventually_complete(&pool, 2);
    }
}

#[test]
fn a_worker_of_another_build_is_refused_with_both_builds_named() {
    let mut settings = settings(1);
    settings.build = Some("0.0.0 of yesterday".to_owned());
    let error = Pool::start(settings).unwrap_err();
    let PoolError::Mismatch { ours, theirs, .. } = &error else { panic!("{error}") };
    assert!(ours == "0.0.0 of yesterday" && theirs.starts_with(env!("CARGO_PKG_VERSION")), "{error}");
    assert!(error.to_string().contains(ours.as_str()) && error.to_string().contains(theirs.as_str()), "{error}");
}

#[test]
fn a_program_that_is_missing_or_no_worker_is_an_error_at_the_start() {
    for (program, is_expected) in [
        ("/nowhere/worker", (|error| matches!(error, PoolError::Spawn { .. })) as fn(&PoolError) -> bool),
        ("/bin/true", |error| matches!(error, PoolError::Handshake { how, .. } if how.contains("code 0"))),
        ("/bin/echo", |error| matches!(error, PoolError::Handshake { .. })),
    ] {
        let mut settings = settings(1);
        settings.program = program.into();
        let error = Pool::start(settings).unwrap_err();
        assert!(is_expected(&error), "{program}: {error}");
    }
}

#[test]
fn a_pool_whose_program_vanishes_says_so_and_comes_back_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("worker");
    std::os::unix::fs::symlink(crate::worker::program(), &link).unwrap();
    let mut settings = settings(1);
    settings.program.clone_from(&link);
    let pool = Pool::start(settings).unwrap();
    eventually_complete(&pool, 1);
    std::fs::remove_file(&link).unwrap();
    eventually("no workers", || {
        pids(&pool).into_iter().for_each(kill);
        matches!(pool.run(job("echo")).wait(), Err(JobError::Unavailable { .. }))
    });
    assert!(pool.status().last_failure.unwrap().contains("cannot start"));
    std::os::unix::fs::symlink(crate::worker::program(), &link).unwrap();
    eventually_well(&pool);
}

#[test]
fn the_status_tells_what_keeps_workers_in() {
    let confinement = pool(1).status().confinement.unwrap();
    assert_eq!(confinement.seccomp, Enforced::Fully);
}
