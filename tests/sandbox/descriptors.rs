//! A host without descriptors: in a child, so that nobody else goes without.

use std::fs::File;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;

use pointsman::script::ScriptSettings;
use rustix::process::Resource;
use rustix::process::Rlimit;

use crate::hostile::pool;
use crate::room;
use crate::stage::Stage;
use crate::stage::kept;
use crate::storms::engines;
use crate::storms::eventually;
use crate::storms::kill_all;

/// Set in the child.
const CHILD: &str = "POINTSMAN_WITHOUT_DESCRIPTORS";

/// The child's part: does nothing unless it is asked to.
#[test]
fn a_child_uses_all_descriptors_up() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    rustix::process::setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum: Some(64) }).unwrap();
    for engine in engines() {
        let pool = pool();
        let mut settings = ScriptSettings::workers(pool.clone());
        // Builds without optimization need more than a rule may use.
        settings.limits.deadline = Duration::from_secs(1);
        let stage = Stage::new(engine, settings);
        let good = stage.good(6);
        eventually("a first answer", || kept(&good) == Ok(vec![0, 2, 4]));
        let mut held = Vec::new();
        while let Ok(file) = File::open("/dev/null") {
            held.push(file);
        }
        assert!(held.len() > 10, "{engine}: {} files", held.len());
        assert_eq!(kept(&good), Ok(vec![0, 2, 4]), "{engine}: workers that are there need no descriptor");
        let many = stage.good(2_000);
        assert_eq!(kept(&many).map(|kept| kept.len()), Ok(1_000), "{engine}: a new list is sent instead of shared");
        kill_all(&pool);
        eventually("no worker can be started", || {
            // What a dead worker gives back would do for a new one.
            while let Ok(file) = File::open("/dev/null") {
                held.push(file);
            }
            kill_all(&pool);
            kept(&good).is_err_and(|error| error.contains("no workers"))
        });
        assert!(pool.status().last_failure.is_some(), "{engine}");
        drop(held);
        eventually("the pool comes back", || kept(&good) == Ok(vec![0, 2, 4]));
    }
    println!("CAME BACK");
}

#[test]
fn a_host_without_descriptors_answers_and_its_pool_comes_back_with_them() {
    let _room = room::shared();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "descriptors::a_child_uses_all_descriptors_up", "--nocapture", "--test-threads=1"])
        .env(CHILD, "yes")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("CAME BACK"), "{}{text}{}", output.status, String::from_utf8_lossy(&output.stderr));
}
