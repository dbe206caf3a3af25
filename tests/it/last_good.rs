//! What was last good of a file stays in force, and the status says so.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering;

use jiff::Timestamp;
use pointsman::router::Clock;
use pointsman::runtime::Engine;
use pointsman::runtime::RuleSet;
use pointsman::runtime::SourceStatus;
use pointsman::runtime::UpdateState;
use pointsman::runtime::default_registry;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::load;

use crate::support::folder::TestFolder;

/// A clock that a test turns.
#[derive(Debug, Default)]
struct Turned(AtomicI64);

impl Clock for Turned {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.0.load(Ordering::Relaxed)).unwrap()
    }
}

fn read(folder: &TestFolder, previous: Option<&RuleSet>) -> RuleSet {
    let mut contents = load(folder.path(), &FolderOptions::default());
    RuleSet::from_folder(&mut contents, &default_registry().unwrap(), previous)
}

fn write(folder: &TestFolder, name: &str, text: &str) {
    fs::write(folder.path().join(name), text).unwrap();
}

fn rules_of(set: &RuleSet) -> Vec<String> {
    set.routers().iter().map(|router| router.header().id.to_string()).collect()
}

#[test]
fn a_broken_file_keeps_all_its_rules_in_their_order() {
    let folder = TestFolder::new()
        .with("rules/a.rules", "=> region=a\n")
        .with("rules/b.rules", "=> region=b\n=> zone=b\n")
        .with("rules/c.rules", "=> region=c\n");
    let first = read(&folder, None);
    write(&folder, "rules/b.rules", "=> region=x\n= broken\n");
    write(&folder, "rules/c.rules", "=> region=d\n");
    let second = read(&folder, Some(&first));
    assert_eq!(rules_of(&second), ["rules/a.rules:1", "rules/b.rules:1", "rules/b.rules:2", "rules/c.rules:1"]);
    let is_taken_over: Vec<_> =
        first.routers().iter().zip(second.routers()).map(|(one, other)| Arc::ptr_eq(one, other)).collect();
    assert_eq!(is_taken_over, [true, true, true, false]);
    assert!(!second.is_incomplete());
    // Broken for long: what was good stays, and comes back as it was.
    write(&folder, "rules/b.rules", "= broken\n");
    let third = read(&folder, Some(&second));
    write(&folder, "rules/b.rules", "=> region=b\n=> zone=b\n");
    let last = read(&folder, Some(&third));
    assert!(Arc::ptr_eq(&first.routers()[2], &last.routers()[2]));
}

#[test]
fn a_deleted_file_loses_its_rules_unless_its_folder_cannot_be_read() {
    let folder = TestFolder::new()
        .with("rules/a.rules", "=> region=a\n")
        .with("rules/b.rules", "=> region=b\n")
        .with("rules/d/c.rules", "=> region=c\n");
    let first = read(&folder, None);
    fs::remove_file(folder.path().join("rules/b.rules")).unwrap();
    fs::remove_dir_all(folder.path().join("rules/d")).unwrap();
    std::os::unix::fs::symlink("d", folder.path().join("rules/d")).unwrap();
    let second = read(&folder, Some(&first));
    assert_eq!(rules_of(&second), ["rules/a.rules:1", "rules/d/c.rules:1"]);
    fs::rename(folder.path().join("rules"), folder.path().join("away")).unwrap();
    write(&folder, "rules", "no folder");
    assert_eq!(rules_of(&read(&folder, Some(&second))), ["rules/a.rules:1", "rules/d/c.rules:1"]);
    fs::remove_file(folder.path().join("rules")).unwrap();
    assert!(rules_of(&read(&folder, Some(&second))).is_empty());
}

#[test]
fn only_what_was_broken_from_the_start_is_missing() {
    let folder = TestFolder::new().with("rules/a.rules", "= broken\n").with("rules/b.rules", "=> region=b\n");
    let first = read(&folder, None);
    assert!(first.is_incomplete());
    write(&folder, "rules/b.rules", "= broken\n");
    write(&folder, "rules/c.rules", "= broken\n");
    let second = read(&folder, Some(&first));
    assert!(second.is_incomplete());
    write(&folder, "rules/a.rules", "=> region=a\n");
    let third = read(&folder, Some(&second));
    assert!(!third.is_incomplete());
    assert_eq!(rules_of(&third), ["rules/a.rules:1", "rules/b.rules:1"]);
}

#[test]
fn the_status_tells_what_is_wanted_what_is_in_force_and_since_when() {
    let folder = TestFolder::new().with("rules/a.rules", "=> region=a\n");
    let clock = Arc::new(Turned::default());
    let first = read(&folder, None);
    let engine = Engine::builder().rules(first.clone()).clock(Arc::clone(&clock) as Arc<dyn Clock>).build().unwrap();
    let status = || -> SourceStatus {
        engine.status().sources.into_iter().find(|source| &*source.source == "rules/a.rules").unwrap()
    };
    let at = |second: i64| Timestamp::from_second(second).unwrap();
    let good = status();
    assert_eq!((good.state, good.since, good.desired_hash), (UpdateState::Applied, at(0), good.applied_hash));
    clock.0.store(10, Ordering::Relaxed);
    write(&folder, "rules/a.rules", "= broken\n");
    let second = read(&folder, Some(&first));
    engine.replace_rules(second.clone()).unwrap();
    let broken = status();
    assert_eq!((broken.state.as_str(), broken.since, broken.applied_hash), ("REJECTED", at(10), good.applied_hash));
    assert_eq!(broken.error.unwrap().to_string(), "expected a key before `=`");
    clock.0.store(20, Ordering::Relaxed);
    engine.replace_rules(read(&folder, Some(&second))).unwrap();
    assert_eq!(status().since, at(10));
    fs::remove_file(folder.path().join("rules/a.rules")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("rules/a.rules")).unwrap();
    engine.replace_rules(read(&folder, Some(&second))).unwrap();
    let stale = status();
    assert_eq!((stale.state.as_str(), stale.since, stale.desired_hash), ("STALE", at(20), None));
    let rules = engine.status().rules;
    assert_eq!(rules.iter().map(|rule| rule.source.as_ref().unwrap().state).collect::<Vec<_>>(), [UpdateState::Stale]);
}
