//! Warm calls take no lock that another thread could hold: the calling thread may make no futex call.
//!
//! A child process forbids it to its calling thread, on pain of death, and calls while another thread publishes
//! generations. A thread that waits is a witness that the prohibition holds.
//!
//! The generations change another service: the first call after a change of its own service binds anew and asks the
//! system for memory, and glibc's allocator has locks that two threads do meet at.

use std::collections::BTreeMap;
use std::env;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;
use std::process::ExitStatus;
use std::thread;
use std::time::Duration;

use pointsman::Engine;
use pointsman::EngineBuilder;
use pointsman::RpcInvocation;
use pointsman::ServiceKey;
use pointsman::Url;
use seccompiler::BpfProgram;
use seccompiler::SeccompAction;
use seccompiler::SeccompFilter;

use crate::alone;
use crate::fixture;
use crate::workload;

const CHILD: &str = "POINTSMAN_TEST_WITHOUT_FUTEX";
const NAME: &str = "no_futex::warm_calls_make_no_futex_call_while_generations_are_published";
const GENERATIONS: u64 = 40;

/// From here on a futex call of this thread ends the process.
fn forbid_futex() {
    let rules = BTreeMap::from([(libc::SYS_futex, Vec::new())]);
    let architecture = env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::KillProcess, architecture).unwrap();
    seccompiler::apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
}

fn engine(memo_bytes: usize) -> Engine {
    let documents = [workload::TAG, workload::APPLICATION, workload::SERVICE].map(workload::document);
    let providers = workload::providers(1_000);
    let urls = providers.iter().map(|text| Url::parse(text).unwrap());
    Engine::builder().rules(fixture::documents(&documents)).providers(urls).memo_bytes(memo_bytes).build().unwrap()
}

/// Calls until enough generations were seen; ends the process well.
#[allow(clippy::exit, clippy::disallowed_methods, reason = "to end a thread in order takes a futex call")]
fn call(engines: &[Engine], does_wait: bool) {
    let consumer = Url::parse(workload::CONSUMER.trim()).unwrap();
    let mut sessions: Vec<_> = engines.iter().map(Engine::session).collect();
    let mut call = |session: &mut pointsman::Session| {
        let invocation = RpcInvocation::new(workload::INTERFACE, "sayHello");
        session.select(&consumer, &invocation).unwrap().generation()
    };
    assert!((0..100).all(|_| sessions.iter_mut().all(|session| call(session) > 0)));
    forbid_futex();
    if does_wait {
        thread::park_timeout(Duration::from_millis(1));
    }
    while sessions.iter_mut().map(&mut call).min().unwrap() < GENERATIONS {}
    std::process::exit(0);
}

/// In the child: one thread calls, this one publishes.
fn child(kind: &str) {
    let engines = [engine(EngineBuilder::DEFAULT_MEMO_BYTES), engine(0)];
    let (callers, does_wait) = (engines.clone(), kind == "waiting");
    let caller = thread::spawn(move || call(&callers, does_wait));
    let other = ServiceKey::parse("com.foo.Other");
    for round in 0..10_000 {
        thread::park_timeout(Duration::from_millis(5));
        for engine in &engines {
            let provider = Url::parse(&format!("dubbo://10.0.0.1:{}/com.foo.Other", 20_000 + round)).unwrap();
            engine.replace_service(&other, [provider]).unwrap();
        }
        if caller.is_finished() {
            break;
        }
    }
    caller.join().unwrap();
}

fn run(kind: &str) -> ExitStatus {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", NAME, "--test-threads=1", "--nocapture"]).env(CHILD, kind);
    command.output().unwrap().status
}

#[test]
fn warm_calls_make_no_futex_call_while_generations_are_published() {
    if let Ok(kind) = env::var(CHILD) {
        return child(&kind);
    }
    let _alone = alone();
    assert_eq!(run("waiting").signal(), Some(libc::SIGSYS));
    // A call may be the last that holds a snapshot, and gives its memory back: see above.
    let statuses: Vec<_> = (0..3).map(|_| run("calling")).take_while(|status| !status.success()).collect();
    assert!(statuses.len() < 3, "{statuses:?}");
}
