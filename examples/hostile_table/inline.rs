//! Runs on the calling thread, each in a child of its own.

use std::io::Read as _;
use std::path::Path;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use pointsman::script::EngineKind;
use pointsman::script::ScriptSettings;
use rustix::process::Resource;
use rustix::process::Rlimit;

use crate::figures::Figures;
use crate::figures::status_kib;
use crate::figures::words;
use crate::stage::Stage;
use crate::stage::files;
use crate::stage::kept;

/// The first argument of a child.
pub(crate) const ARGUMENT: &str = "--inline";

/// When a child is killed.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a child may map, so that a script without a bound does not take the machine.
const ADDRESS_SPACE: u64 = 4 << 30;

/// The child's part.
pub(crate) fn run(engine: &str, name: &str, folder: &Path) {
    let limit = Rlimit { current: Some(ADDRESS_SPACE), maximum: Some(ADDRESS_SPACE) };
    rustix::process::setrlimit(Resource::As, limit).unwrap();
    let engine = EngineKind::parse(engine).unwrap();
    let (_, text) = files(folder, engine).into_iter().find(|(file, _)| file == name).unwrap();
    let stage = Stage::new(engine, ScriptSettings::inline_trusted());
    let good = stage.good(6);
    // The first run in a process is slow, on a busy machine too slow.
    assert!((0..10).any(|_| kept(&good).is_ok()));
    let before = status_kib("self", "VmHWM").unwrap();
    let start = Instant::now();
    let outcome = stage.outcome(&text);
    let took = start.elapsed();
    // The kernel counts in batches, so a peak may seem lower later.
    let kib = status_kib("self", "VmHWM").unwrap().saturating_sub(before);
    if !(0..3).any(|_| kept(&good) == Ok(vec![0, 2, 4])) {
        return println!("{} {kib} **spoils the next rule**", took.as_micros());
    }
    println!("{} {kib} {}", took.as_micros(), words(&outcome));
    // What is left of the run is dropped: a death then is a death too.
    drop((outcome, good, stage));
}

/// What becomes of a script inline.
pub(crate) fn figures(engine: EngineKind, name: &str, folder: &Path) -> Figures {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([ARGUMENT, engine.as_str(), name])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let ended = wait(&mut child);
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    let words: Vec<&str> = said.trim_end().splitn(3, ' ').collect();
    match (ended, &words[..]) {
        (Some(true), [micros, kib, outcome]) => Figures {
            outcome: (*outcome).to_owned(),
            took: micros.parse().ok().map(Duration::from_micros),
            kib: kib.parse().ok(),
        },
        (None, _) => Figures { outcome: "**not bounded: killed after 2 s**".to_owned(), took: None, kib: None },
        (Some(_), _) => Figures { outcome: "**not bounded: the process died**".to_owned(), took: None, kib: None },
    }
}

/// Whether it ended well; nothing if it had to be killed.
fn wait(child: &mut Child) -> Option<bool> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status.success());
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        thread::park_timeout(Duration::from_millis(1));
    }
}
