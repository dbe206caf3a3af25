//! Worker processes: what they answer, what ends them, and that the pool outlives it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pointsman::worker::Job;
use pointsman::worker::JobError;
use pointsman::worker::Limit;
use pointsman::worker::Part;
use pointsman::worker::Pool;
use pointsman::worker::PoolSettings;
use pointsman::worker::Reply;

/// The example program, which stands beside the tests.
pub(crate) fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().parent().unwrap().join("examples/echo_worker");
    assert!(program.exists(), "build it: cargo build --profile test --example echo_worker");
    program
}

pub(crate) fn settings(workers: usize) -> PoolSettings {
    let mut settings = PoolSettings::new(program());
    settings.workers = workers;
    settings.queue = Duration::from_secs(5);
    settings
}

pub(crate) fn pool(workers: usize) -> Pool {
    Pool::start(settings(workers)).unwrap()
}

/// A job under limits that only a hanging run hits.
pub(crate) fn job(request: &str) -> Job {
    let mut job = Job::new("test", request.into());
    job.limits.cpu = Duration::from_millis(500);
    job.limits.wall = Duration::from_secs(4);
    job
}

/// A job that needs `parts`.
pub(crate) fn job_with(request: &str, parts: &[Arc<Part>]) -> Job {
    let mut job = job(request);
    job.domain = parts[0].domain().into();
    job.parts = parts.iter().cloned().collect();
    job
}

pub(crate) fn text(reply: &Reply) -> &str {
    std::str::from_utf8(&reply.bytes).unwrap()
}

fn outcome(pool: &Pool, request: &str) -> Result<Reply, JobError> {
    pool.run(job(request)).wait()
}

/// The pool still answers.
fn assert_well(pool: &Pool) {
    assert_eq!(text(&outcome(pool, "echo well").unwrap()), "well");
}

#[test]
fn an_answer_comes_back_with_its_figures() {
    let pool = pool(1);
    let reply = outcome(&pool, "echo hello").unwrap();
    assert_eq!(text(&reply), "hello");
    assert!(reply.elapsed > Duration::ZERO && reply.cpu > Duration::ZERO, "{reply:?}");
    assert!((1..100_000).contains(&reply.memory_bytes), "{reply:?}");
}

#[test]
fn a_run_that_spins_is_a_deadline() {
    let pool = pool(1);
    let mut job = job("spin");
    job.limits.cpu = Duration::from_millis(20);
    let error = pool.run(job).wait().unwrap_err();
    let JobError::Limit(Limit::Deadline { used, allowed }) = error else { panic!("{error:?}") };
    assert!(allowed == Duration::from_millis(20) && used >= allowed, "{used:?}");
    assert_well(&pool);
}

#[test]
fn a_run_that_sleeps_is_at_its_wall() {
    let pool = pool(1);
    let mut job = job("sleep 60000");
    job.limits.wall = Duration::from_millis(30);
    let error = pool.run(job).wait().unwrap_err();
    let JobError::Limit(Limit::Wall { used, allowed }) = error else { panic!("{error:?}") };
    assert!(allowed == Duration::from_millis(30) && used >= allowed, "{used:?}");
    assert_well(&pool);
}

#[test]
fn a_run_that_allocates_is_at_its_memory_limit() {
    let pool = pool(1);
    for request in ["allocate 64", "hold 1024", "hold 33"] {
        let error = outcome(&pool, request).unwrap_err();
        let JobError::Limit(Limit::Memory { used, allowed }) = error else { panic!("{request}: {error:?}") };
        assert!(allowed == 32 << 20 && used > allowed, "{request}: {used}");
        assert_well(&pool);
    }
    let reply = outcome(&pool, "hold 16").unwrap();
    assert!(((16 << 20)..(17 << 20)).contains(&reply.memory_bytes), "{reply:?}");
}

#[test]
fn whatever_ends_a_worker_is_told_and_the_next_job_is_answered() {
    let pool = pool(1);
    for (request, words) in [
        ("abort", "aborted"),
        ("overflow", "aborted"),
        ("exit", "exited with code 0"),
        ("panic at the disco", "panicked: at the disco"),
        ("read /etc/passwd", "forbidden system call"),
        ("connect", "forbidden system call"),
        ("fork", "forbidden system call"),
        ("thread", "forbidden system call"),
    ] {
        let error = outcome(&pool, request).unwrap_err();
        let JobError::Crashed { how } = &error else { panic!("{request}: {error:?}") };
        assert!(how.contains(words), "{request}: {how}");
        assert_well(&pool);
    }
}

#[test]
fn a_worker_has_nothing_of_the_hosts_environment() {
    assert_eq!(text(&outcome(&pool(1), "environment").unwrap()), r#"[("TZ", "UTC0")]"#);
}
