//! A folder that changes while an engine follows it: with the system's events, and by polling alone.

use std::fs;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use pointsman::rpc::RpcInvocation;
use pointsman::runtime::Engine;
use pointsman::runtime::ReloadEvent;
use pointsman::runtime::SelectError;
use pointsman::runtime::UpdateState;
use pointsman::source::folder::Events;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::WatchOptions;

use rustix::fs::CWD;
use rustix::fs::RenameFlags;
use rustix::fs::renameat_with;

use crate::support::engine::url;
use crate::support::folder::TestFolder;
use crate::support::watched::HANG;
use crate::support::watched::PROVIDERS;
use crate::support::watched::Watched;
use crate::support::watched::rule;
use crate::support::watched::shop;

/// Runs a test with events and without.
fn both(test: impl Fn(Events)) {
    test(Events::On);
    test(Events::Off);
}

/// A pause of somebody else, not of the test.
fn pause(duration: Duration) {
    thread::park_timeout(duration);
}

#[test]
fn a_folder_is_in_force_at_once_and_follows_changes() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        assert_eq!(watched.hosts(), ["1"]);
        watched.write("rules/a.rules", rule("b"));
        let event = watched.changed("rules/a.rules");
        assert_eq!((watched.hosts(), event.services.len()), (vec!["2".to_owned()], 1));
        watched.replace("rules/a.rules", rule("c"));
        watched.becomes(&["3"]);
        watched.write("rules/deep/er/b.rules", "method = other => region=a\n");
        let event = watched.changed("rules/deep/er/b.rules");
        assert_eq!(event.added.iter().map(|name| &**name).collect::<Vec<_>>(), ["rules/deep/er/b.rules"]);
        fs::remove_dir_all(watched.path("rules")).unwrap();
        watched.becomes(&["1", "2", "3"]);
    });
}

#[test]
fn providers_and_rules_change_in_one_swap() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        watched.replace("providers.txt", "dubbo://10.0.0.7:1/S?region=a\n");
        watched.becomes(&["7"]);
        watched.replace("providers.txt", "dubbo://10.0.0.8:x/S?region=a\n");
        let event = watched.rejected("providers.txt");
        assert_eq!(event.findings[0].slug(), "providers::wrong_url");
        assert_eq!(
            (watched.hosts(), watched.source("providers.txt").state),
            (vec!["7".to_owned()], UpdateState::Rejected)
        );
        fs::remove_file(watched.path("providers.txt")).unwrap();
        watched.rejected("providers.txt");
        assert_eq!(
            (watched.hosts(), watched.source("providers.txt").state),
            (vec!["7".to_owned()], UpdateState::Stale)
        );
        watched.write("providers.txt", PROVIDERS);
        watched.becomes(&["1"]);
        assert_eq!(watched.source("providers.txt").state, UpdateState::Applied);
    });
}

#[test]
fn a_broken_version_keeps_the_last_good_one_and_recovers() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        let good = watched.source("rules/a.rules");
        watched.write("rules/a.rules", "=> region=b\n= broken\n");
        let event = watched.rejected("rules/a.rules");
        assert!(event.changed.is_empty() && event.removed.is_empty(), "{event:?}");
        assert_eq!(watched.hosts(), ["1"]);
        let status = watched.source("rules/a.rules");
        assert_eq!((status.state, status.applied_hash), (UpdateState::Rejected, good.applied_hash));
        assert_ne!(status.desired_hash, status.applied_hash);
        assert_eq!(status.error.unwrap().line_and_column(), Some((2, 1)));
        let rules = watched.engine.status().rules;
        assert_eq!(rules[0].source.as_ref().map(|source| source.state), Some(UpdateState::Rejected));
        watched.write("rules/a.rules", rule("b"));
        watched.becomes(&["2"]);
        assert_eq!(watched.source("rules/a.rules").state, UpdateState::Applied);
    });
}

#[test]
fn a_new_file_that_is_broken_changes_nothing() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        watched.write("rules/b.rules", "= broken\n");
        watched.rejected("rules/b.rules");
        assert_eq!((watched.hosts(), watched.source("rules/b.rules").applied_hash), (vec!["1".to_owned()], None));
    });
}

#[test]
fn a_folder_that_was_never_good_follows_on_empty_until_it_is() {
    both(|events| {
        let watched = Watched::start(shop().with("rules/b.rules", "= broken\n"), events);
        let call = || watched.engine.select(&url("consumer://10.9.9.9/S"), &RpcInvocation::new("S", "find"));
        assert!(matches!(call(), Err(SelectError::RulesMissing)));
        watched.write("rules/c.rules", "= broken\n");
        watched.rejected("rules/c.rules");
        watched.write("rules/b.rules", "");
        watched.changed("rules/b.rules");
        assert_eq!(watched.hosts(), ["1"]);
    });
}

#[test]
fn a_folder_that_comes_later_is_followed_as_soon_as_it_is_there() {
    both(|events| {
        let outer = TestFolder::empty();
        let inner = outer.path().join("shop");
        let engine = Engine::builder().build().unwrap();
        let (sender, told) = channel();
        let options = WatchOptions {
            events,
            poll: Duration::from_millis(20),
            debounce: Duration::from_millis(10),
            ..WatchOptions::default()
        };
        let tell = move |event: ReloadEvent| {
            let is_missing = event.findings.iter().any(|finding| finding.slug() == "folder::not_a_folder");
            sender.send(is_missing).unwrap_or_default();
        };
        let watched = engine.watch(&inner, FolderOptions::default(), options, tell);
        assert!(told.recv().unwrap());
        let ready = outer.path().join("ready");
        fs::create_dir_all(ready.join("rules")).unwrap();
        fs::write(ready.join("providers.txt"), PROVIDERS).unwrap();
        fs::rename(&ready, &inner).unwrap();
        assert!(!told.recv_timeout(HANG).unwrap());
        assert_eq!(engine.services().len(), 1);
        drop(watched);
    });
}

#[test]
fn half_a_file_is_no_rule_while_its_writer_has_it_open() {
    let watched = Watched::start(shop(), Events::On);
    // Both halves are valid rules, and the file is new once and known once.
    for name in ["rules/a.rules", "rules/new.rules"] {
        let mut writer = File::create(watched.path(name)).unwrap();
        writer.write_all(b"method = find => region=c\n").unwrap();
        for round in 0..3 {
            // Whoever looks at the folder again and again sees the half.
            watched.write("rules/other.rules", format!("method = m{round} => region=a\n"));
            watched.changed("rules/other.rules");
            assert_eq!(watched.hosts(), if name == "rules/a.rules" { ["1"] } else { ["2"] }, "{name}");
        }
        writer.write_all(b"=> region=b\n").unwrap();
        drop(writer);
        watched.changed(name);
        if name == "rules/a.rules" {
            watched.write(name, rule("b"));
            watched.becomes(&["2"]);
        }
    }
    assert_eq!(watched.engine.status().rules.len(), 4);
}

#[test]
fn a_file_that_grows_between_looks_is_left_as_it_was() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        let is_done = Arc::new(AtomicBool::new(false));
        let (stop, path) = (Arc::clone(&is_done), watched.path("rules/a.rules"));
        let writer = thread::spawn(move || {
            let mut file = File::create(path).unwrap();
            file.write_all(b"=> region=c\n").unwrap();
            while !stop.load(Ordering::Acquire) {
                file.write_all(b"#\n").unwrap();
                pause(Duration::from_millis(2));
            }
            file.write_all(b"method = other => region=b\n").unwrap();
        });
        for round in 0..3 {
            watched.write("rules/other.rules", format!("method = m{round} => region=a\n"));
            watched.changed("rules/other.rules");
            assert_eq!(watched.hosts(), ["1"]);
        }
        is_done.store(true, Ordering::Release);
        writer.join().unwrap();
        watched.becomes(&["3"]);
    });
}

#[test]
fn of_500_changes_the_last_one_wins_and_no_thread_is_left() {
    const ALONE: &str = "POINTSMAN_TEST_ALONE";
    let name = "watch::of_500_changes_the_last_one_wins_and_no_thread_is_left";
    if std::env::var_os(ALONE).is_none() {
        // Threads are counted by process, and other tests have some.
        let mut alone = Command::new(std::env::current_exe().unwrap());
        let output = alone.args(["--exact", name, "--test-threads=1"]).env(ALONE, "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let threads = || fs::read_dir("/proc/self/task").unwrap().count();
    let without = threads();
    both(|events| {
        let watched = Watched::start(shop(), events);
        // One that looks, and one of the system's events.
        let with = without + if events == Events::On { 2 } else { 1 };
        for round in 0..500 {
            let region = ["a", "b", "c"][round % 3];
            match round % 4 {
                0 => watched.write("rules/a.rules", rule(region)),
                1 => watched.replace("rules/a.rules", rule(region)),
                2 => fs::remove_file(watched.path("rules/a.rules")).unwrap(),
                _ => watched.write("rules/a.rules", format!("= broken {round}\n")),
            }
            pause(Duration::from_millis(4));
        }
        watched.write("rules/a.rules", rule("c"));
        watched.becomes(&["3"]);
        watched.replace("rules/a.rules", rule("b"));
        watched.becomes(&["2"]);
        assert!(threads() <= with, "{} threads instead of {with}", threads());
    });
}

#[test]
fn a_swap_of_all_files_is_never_seen_by_half() {
    both(|events| {
        let version = |folder: &Path, name: &str, region: &str| {
            let data = folder.join("rules").join(name);
            fs::create_dir_all(&data).unwrap();
            for (file, method) in [("a.rules", "find"), ("z.rules", "save")] {
                fs::write(data.join(file), format!("method = {method} => region={region}\n")).unwrap();
            }
        };
        let folder = TestFolder::empty().with("providers.txt", PROVIDERS);
        version(folder.path(), "..v0", "a");
        let rules = folder.path().join("rules");
        symlink("..v0", rules.join("..data")).unwrap();
        for file in ["a.rules", "z.rules"] {
            symlink(format!("..data/{file}"), rules.join(file)).unwrap();
        }
        let watched = Watched::start(folder, events);
        let is_done = Arc::new(AtomicBool::new(false));
        let (engine, stop) = (watched.engine.clone(), Arc::clone(&is_done));
        // Reads one snapshot at a time: its rules are all of one version.
        let reader = thread::spawn(move || {
            while !stop.load(Ordering::Acquire) {
                let status = engine.status();
                let hashes: Vec<_> = status.sources.iter().filter(|file| file.source.ends_with(".rules")).collect();
                assert_eq!(hashes.len(), 2, "{hashes:?}");
                let find =
                    engine.explain(&url("consumer://10.9.9.9/S"), &RpcInvocation::new("S", "find"), None).unwrap();
                let rules: Vec<_> = find.steps.iter().filter_map(|step| step.header.url.parameter("rule")).collect();
                let ends: Vec<_> = rules.iter().map(|rule| &rule[rule.len() - 1..]).collect();
                assert!(ends.len() == 2 && ends[0] == ends[1], "{rules:?}");
            }
        });
        for round in 1..=30 {
            let (name, old) = (format!("..v{round}"), format!("..v{}", round - 1));
            version(watched.folder.path(), &name, ["a", "b", "c"][round % 3]);
            symlink(&name, rules.join("..data_tmp")).unwrap();
            fs::rename(rules.join("..data_tmp"), rules.join("..data")).unwrap();
            fs::remove_dir_all(rules.join(old)).unwrap();
            pause(Duration::from_millis(if round % 3 == 0 { 40 } else { 1 }));
        }
        watched.becomes(&["1"]);
        is_done.store(true, Ordering::Release);
        reader.join().unwrap();
        assert!(watched.engine.status().sources.iter().all(|source| source.state == UpdateState::Applied));
    });
}

/// Makes something at a path.
type Make = fn(&Path);

#[test]
fn what_is_no_file_any_more_keeps_its_last_good_rules() {
    let stand_ins: [(Make, &str); 4] = [
        (|path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success()), "folder::not_a_regular_file"),
        (|path| fs::create_dir(path).unwrap(), "folder::not_a_regular_file"),
        (|path| symlink("/etc/hostname", path).unwrap(), "folder::link_outside"),
        (|path| symlink("nowhere", path).unwrap(), "folder::unreadable"),
    ];
    both(|events| {
        let watched = Watched::start(shop(), events);
        let (path, aside) = (watched.path("rules/a.rules"), watched.path("rules/aside.tmp"));
        let exchange = || renameat_with(CWD, &path, CWD, &aside, RenameFlags::EXCHANGE).unwrap();
        for (make, slug) in stand_ins {
            make(&aside);
            exchange();
            watched.event(slug, |event| event.findings.iter().any(|finding| finding.slug() == slug));
            assert_eq!(
                (watched.source("rules/a.rules").state, watched.hosts()),
                (UpdateState::Stale, vec!["1".to_owned()])
            );
            exchange();
            watched.event("back", |event| event.findings.is_empty());
            assert_eq!(
                (watched.source("rules/a.rules").state, watched.hosts()),
                (UpdateState::Applied, vec!["1".to_owned()])
            );
            if aside.is_dir() { fs::remove_dir(&aside).unwrap() } else { fs::remove_file(&aside).unwrap() }
        }
    });
}

#[test]
fn a_file_that_is_deleted_and_made_anew_counts() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        for region in ["b", "c", "a"] {
            fs::remove_file(watched.path("rules/a.rules")).unwrap();
            watched.write("rules/a.rules", rule(region));
            watched.becomes(&[match region {
                "a" => "1",
                "b" => "2",
                _ => "3",
            }]);
        }
        fs::remove_file(watched.path("rules/a.rules")).unwrap();
        let event = watched.event("removed", |event| !event.removed.is_empty());
        assert_eq!((watched.hosts().len(), event.removed.len()), (3, 1));
    });
}

#[test]
fn scripts_come_and_go_as_rules_do() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        fs::remove_file(watched.path("rules/a.rules")).unwrap();
        watched.write("rules/night.js", "// @service S\nkeep b\n");
        watched.becomes(&["2"]);
        watched.write("rules/night.js", "// @service S\nbroken\n");
        let event = watched.rejected("rules/night.js");
        let finding = event.findings.iter().find(|finding| finding.slug() == "script::stand_in").unwrap();
        assert_eq!((finding.file(), finding.line_and_column()), (Some("rules/night.js"), Some((2, 1))));
        assert_eq!(watched.hosts(), ["2"]);
    });
}

#[test]
fn a_file_that_is_only_touched_changes_nothing() {
    let watched = Watched::start(shop(), Events::On);
    let generation = watched.engine.generation();
    watched.write("rules/a.rules", rule("a"));
    watched.write("rules/b.rules", "method = other => region=b\n");
    let event = watched.changed("rules/b.rules");
    assert_eq!((event.generation, event.changed.len()), (generation + 1, 0));
}

#[test]
fn a_file_of_the_same_size_and_time_is_seen_by_what_it_holds() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        for (region, host) in [("b", "2"), ("c", "3"), ("a", "1"), ("b", "2")] {
            watched.write("rules/a.rules", rule(region));
            File::options()
                .write(true)
                .open(watched.path("rules/a.rules"))
                .unwrap()
                .set_modified(std::time::UNIX_EPOCH)
                .unwrap();
            watched.becomes(&[host]);
        }
    });
}
