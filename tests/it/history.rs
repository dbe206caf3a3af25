//! What was in force of a folder outlives the process, with its history; and the guard.

use std::fs;
use std::path::Path;
use std::sync::mpsc::channel;

use pointsman::chain::Guard;
use pointsman::rpc::RpcInvocation;
use pointsman::runtime::Engine;
use pointsman::runtime::ReloadEvent;
use pointsman::runtime::SourceStatus;
use pointsman::runtime::UpdateState;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::WatchOptions;
use pointsman::source::history::HistoryRecord;
use pointsman::source::history::RuleStore;

use crate::support::engine::url;
use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;
use crate::support::watched::HANG;

const PROVIDERS: &str = "dubbo://10.0.0.1:1/S?region=a\ndubbo://10.0.0.2:1/S?region=b\n";
const DOCUMENT: &str = "scope: service\nkey: S\nconditions: [\"=> region=a\"]\n";

fn shop() -> TestFolder {
    TestFolder::empty().with("providers.txt", PROVIDERS).with("rules/a.yaml", DOCUMENT)
}

/// An engine as a process begins: what it was told first, and what calls get.
fn begin(folder: &TestFolder, state: &Path) -> (Engine, ReloadEvent) {
    let engine = Engine::builder().build().unwrap();
    let store = Some(RuleStore::of(state, folder.path()));
    let (tell, told) = channel();
    let options = WatchOptions { store, ..WatchOptions::default() };
    let tell = move |event| tell.send(event).unwrap_or_default();
    let watched = engine.watch(folder.path(), FolderOptions::default(), options, tell).unwrap();
    let event = told.recv_timeout(HANG).unwrap();
    drop(watched);
    (engine, event)
}

fn hosts(engine: &Engine) -> Result<Vec<String>, String> {
    let decision = engine.select(&url("consumer://10.9.9.9/S"), &RpcInvocation::new("S", "m"));
    let decision = decision.map_err(|error| error.to_string())?;
    Ok(decision.providers().map(|(_, provider)| provider.url().host().unwrap().to_owned()).collect())
}

fn source(engine: &Engine, name: &str) -> SourceStatus {
    engine.status().sources.into_iter().find(|source| &*source.source == name).unwrap()
}

fn records(folder: &TestFolder, state: &Path) -> Vec<HistoryRecord> {
    RuleStore::of(state, folder.path()).records()
}

fn list(hosts: &[&str]) -> Result<Vec<String>, String> {
    Ok(hosts.iter().map(ToString::to_string).collect())
}

#[test]
fn a_file_that_is_broken_at_the_start_is_served_as_it_was_before_the_restart() {
    let (folder, state) = (shop(), tempfile::tempdir().unwrap());
    let (engine, _) = begin(&folder, state.path());
    assert_eq!(hosts(&engine), list(&["10.0.0.1"]));
    let applied = source(&engine, "rules/a.yaml").applied_hash;
    fs::write(folder.path().join("rules/a.yaml"), DOCUMENT.replace("=a", "==a")).unwrap();
    let (engine, event) = begin(&folder, state.path());
    assert_eq!((hosts(&engine), event.rejected.len()), (list(&["10.0.0.1"]), 1));
    let status = source(&engine, "rules/a.yaml");
    assert_eq!((status.state, status.applied_hash), (UpdateState::Rejected, applied));
    assert!(status.persisted_since.is_some(), "{status:?}");
    // Mended, it is no copy any more.
    fs::write(folder.path().join("rules/a.yaml"), DOCUMENT.replace("=a", "=b")).unwrap();
    let (engine, _) = begin(&folder, state.path());
    let status = source(&engine, "rules/a.yaml");
    assert_eq!(
        (hosts(&engine), status.state, status.persisted_since),
        (list(&["10.0.0.2"]), UpdateState::Applied, None)
    );
}

#[test]
fn providers_that_are_broken_at_the_start_are_served_as_they_were() {
    let (folder, state) = (shop(), tempfile::tempdir().unwrap());
    begin(&folder, state.path());
    fs::write(folder.path().join("providers.txt"), "dubbo://10.0.0.3:x/S\n").unwrap();
    let (engine, _) = begin(&folder, state.path());
    assert_eq!(hosts(&engine), list(&["10.0.0.1"]));
    assert!(source(&engine, "providers.txt").persisted_since.is_some());
    // Without what was kept, nobody is there.
    let (engine, _) = begin(&folder, tempfile::tempdir().unwrap().path());
    assert!(hosts(&engine).is_err());
}

#[test]
fn a_folder_that_is_gone_is_served_as_it_was_and_a_file_that_is_gone_is_not() {
    let (folder, state) = (shop(), tempfile::tempdir().unwrap());
    begin(&folder, state.path());
    let aside = folder.path().with_extension("aside");
    fs::rename(folder.path(), &aside).unwrap();
    let (engine, _) = begin(&folder, state.path());
    fs::rename(&aside, folder.path()).unwrap();
    assert_eq!(hosts(&engine), list(&["10.0.0.1"]));
    assert_eq!(source(&engine, "rules/a.yaml").state, UpdateState::Stale);
    fs::remove_file(folder.path().join("rules/a.yaml")).unwrap();
    let (engine, _) = begin(&folder, state.path());
    assert_eq!(hosts(&engine), list(&["10.0.0.1", "10.0.0.2"]));
}

#[test]
fn the_history_tells_what_came_from_where_and_why_it_was_not_taken() {
    let (folder, state) = (shop(), tempfile::tempdir().unwrap());
    begin(&folder, state.path());
    fs::write(folder.path().join("rules/a.yaml"), DOCUMENT.replace("=a", "=b")).unwrap();
    begin(&folder, state.path());
    fs::write(folder.path().join("rules/a.yaml"), "conditions: 5\n").unwrap();
    begin(&folder, state.path());
    // Nothing new, no record.
    begin(&folder, state.path());
    let told: Vec<(u64, String, &str)> =
        records(&folder, state.path()).iter().map(|it| (it.version, it.file.clone(), it.operation.as_str())).collect();
    let expected = [
        (1, "providers.txt", "added"),
        (2, "rules/a.yaml", "added"),
        (3, "rules/a.yaml", "changed"),
        (4, "rules/a.yaml", "rejected"),
    ];
    let first_four: Vec<(u64, &str, &str)> =
        told.iter().take(4).map(|(version, file, word)| (*version, file.as_str(), *word)).collect();
    assert_eq!(first_four, expected);
    let last = records(&folder, state.path()).swap_remove(3);
    assert!(last.reason.unwrap().starts_with("PM12"));
    assert!(last.source.ends_with("rules/a.yaml"));
}

#[test]
fn a_store_that_cannot_be_written_is_told_and_nothing_else_happens() {
    let folder = shop();
    // A file stands where the store's folder would be; then the records lie on a device that is full.
    let file = tempfile::NamedTempFile::new().unwrap();
    let full = tempfile::tempdir().unwrap();
    let store = RuleStore::of(full.path(), folder.path());
    fs::create_dir_all(store.folder()).unwrap();
    std::os::unix::fs::symlink("/dev/full", store.folder().join("history.jsonl")).unwrap();
    for state in [file.path(), full.path()] {
        let (engine, event) = begin(&folder, state);
        assert_eq!(hosts(&engine), list(&["10.0.0.1"]));
        let told: Vec<_> = event.findings.iter().map(|finding| finding.slug()).collect();
        assert_eq!(told, ["history::unwritable"], "{}", state.display());
    }
}

#[test]
fn status_history_and_rollback_work_on_what_is_kept() {
    let (folder, state) = (shop(), tempfile::tempdir().unwrap());
    let home = |args: &[&str]| {
        let mut command = pointsman(args);
        command.env("XDG_STATE_HOME", state.path());
        told(command.output().unwrap())
    };
    let path = folder.path().to_string_lossy().into_owned();
    begin(&folder, &state.path().join("pointsman"));
    fs::write(folder.path().join("rules/a.yaml"), "conditions: 5\n").unwrap();
    let (code, out, _) = home(&["status", &path]);
    assert_eq!(code, Some(4));
    assert!(out.contains("REJECTED  rules/a.yaml") && out.contains("serves a persisted copy, in force since"), "{out}");
    let (code, out, _) = home(&["status", &path, "--format", "json"]);
    let status: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &status["sources"][1]["state"]), (Some(4), &"REJECTED".into()));
    let (code, out, _) = home(&["rollback", &path, "rules/a.yaml"]);
    assert_eq!((code, out.contains("rolled-back rules/a.yaml")), (Some(0), true), "{out}");
    assert_eq!(fs::read_to_string(folder.path().join("rules/a.yaml")).unwrap(), DOCUMENT);
    assert_eq!(home(&["status", &path]).0, Some(0));
    let (_, out, _) = home(&["history", &path, "rules/a.yaml", "--diff"]);
    assert!(out.contains("rolled-back") && out.contains("+conditions: [\"=> region=a\"]"), "{out}");
    assert!(!out.contains("providers.txt"), "{out}");
    let (code, _, log) = home(&["rollback", &path, "rules/other.yaml"]);
    assert_eq!((code, log.contains("history::no_version")), (Some(1), true), "{log}");
}

#[test]
fn folders_files_and_limits_that_are_none_are_told() {
    let (folder, state) = (shop(), tempfile::tempdir().unwrap());
    let path = folder.path().to_string_lossy().into_owned();
    let nothere = folder.path().join("nothere").to_string_lossy().into_owned();
    for (args, code, told_of) in [
        (vec!["status", &nothere], 2, "PM0300"),
        (vec!["history", &nothere], 2, "PM0300"),
        (vec!["history", &path, "rules/nope"], 1, "PM1513"),
        (vec!["history", &path, "rules/a.yaml"], 0, "no change is recorded"),
        (vec!["history", &path, "--limit", "0"], 2, "--limit"),
        (vec!["watch", &nothere, "--count", "1"], 4, "PM0300"),
    ] {
        let (found, out, log) = told(pointsman(&args).env("XDG_STATE_HOME", state.path()).output().unwrap());
        assert_eq!((found, format!("{out}{log}").contains(told_of)), (Some(code), true), "{args:?}: {out}{log}");
    }
}

#[test]
fn the_guard_refuses_what_leaves_a_service_with_nobody() {
    let folder = shop();
    let engine = Engine::builder().guard(Guard::NotEmpty).build().unwrap();
    let (tell, told) = channel();
    let tell = move |event: ReloadEvent| tell.send(event).unwrap_or_default();
    let _watched = engine.watch(folder.path(), FolderOptions::default(), WatchOptions::default(), tell).unwrap();
    told.recv_timeout(HANG).unwrap();
    let empties = [
        ("rules/b.rules", "@force\n=> region=c\n"),
        ("rules/c.rules", "host != 1.1.1.1 => false\n"),
        ("providers.txt", "dubbo://10.0.0.1:1/T?region=a\n"),
    ];
    for (name, text) in empties {
        fs::write(folder.path().join(name), text).unwrap();
        let event = told.recv_timeout(HANG).unwrap();
        let slugs: Vec<_> = event.findings.iter().map(|finding| finding.slug()).collect();
        assert!(event.rejected.iter().any(|file| &**file == name), "{name}: {event:?}");
        assert!(slugs.contains(&"guard::nobody_left"), "{name}: {slugs:?}");
        assert_eq!(hosts(&engine), list(&["10.0.0.1"]), "{name}");
    }
    // What only some calls would miss is up to the rules.
    fs::write(folder.path().join("providers.txt"), PROVIDERS).unwrap();
    fs::write(
        folder.path().join("rules/b.rules"),
        "@force
method=x => region=c
",
    )
    .unwrap();
    let mut event = told.recv_timeout(HANG).unwrap();
    while !event.added.iter().any(|file| &**file == "rules/b.rules") {
        event = told.recv_timeout(HANG).unwrap();
    }
    assert_eq!(hosts(&engine), list(&["10.0.0.1"]));
}
