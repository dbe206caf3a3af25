//! Plugins that misbehave in each of their functions, at each level.

use std::path::PathBuf;
use std::time::Duration;

use pointsman::plugin::Level;
use pointsman::router::RouteError;
use pointsman::runtime::SelectError;

use crate::libraries::c;
use crate::libraries::rust;
use crate::stage::Running;
use crate::stage::SERVICE;
use crate::stage::Stage;

fn misbehave() -> PathBuf {
    c("misbehave.c", &[])
}

fn rule(plugin: &str, place: &str, deed: &str) -> String {
    format!("{plugin}://0.0.0.0/{SERVICE}?on-error=fail&in={place}&do={deed}")
}

/// What became of a call: who is left, or why it failed.
fn outcome(running: &Running) -> Result<Vec<usize>, String> {
    running.select("b").map_err(|error| match error {
        SelectError::Route(RouteError::Limit { which, .. }) => format!("limit {}", which.as_str()),
        other => other.to_string(),
    })
}

/// A plugin at a level, with a rule that has it do something somewhere.
fn play(library: &std::path::Path, level: Level, rule: &str) -> (Stage, Running) {
    let mut stage = Stage::with(library, level, rule);
    let is_endless = rule.ends_with("do=loop");
    stage.settings.limits.deadline = if is_endless { Duration::from_millis(50) } else { Duration::from_secs(5) };
    let running = stage.start();
    (stage, running)
}

#[test]
fn whatever_a_route_does_in_a_process_of_its_own_hurts_its_own_call_only() {
    for (deed, expected) in [
        ("segv", "it touched memory that is not there"),
        ("abort", "aborted"),
        ("exit", "exited with code 7"),
        ("stack", "aborted: no memory, a stack that overflowed"),
        ("loop", "limit deadline"),
        ("code", "broke the contract: it returned the unknown code 77"),
        ("negative", "failed with the unknown code -99"),
        ("fail", "misbehave 0.1.0 failed: told to fail"),
        ("outside", "broke the contract: it wrote outside of its answer"),
    ] {
        let (_stage, running) = play(&misbehave(), Level::Process, &rule("misbehave", "route", deed));
        assert!(running.findings.is_empty(), "{deed}: {:?}", running.findings);
        let error = outcome(&running).unwrap_err();
        assert!(error.contains(expected), "{deed}: {error}");
        // The next one is answered by a new process, and does the same.
        let again = outcome(&running).unwrap_err();
        assert!(again.contains(expected) || again.contains("quarantined"), "{deed}: {again}");
    }
}

#[test]
fn what_a_confined_process_may_not_ends_it() {
    for deed in ["timer", "shared", "code-memory", "file", "socket", "fork", "outlive", "threadlog"] {
        let (_stage, running) = play(&misbehave(), Level::Process, &rule("misbehave", "route", deed));
        let error = outcome(&running).unwrap_err();
        assert!(error.contains("it tried a forbidden system call"), "{deed}: {error}");
    }
}

#[test]
fn what_goes_on_in_a_route_changes_no_answer() {
    for (deed, expected) in [
        ("nothing", &[0, 1, 2][..]),
        ("use", &[0]),
        ("beyond", &[0, 1, 2]),
        ("logs", &[0, 1, 2]),
        ("leak100", &[0, 1, 2]),
    ] {
        for level in [Level::Process, Level::Native] {
            // A million lines and a hundred mebibytes take their time.
            let mut stage = Stage::with(&misbehave(), level, &rule("misbehave", "route", deed));
            stage.settings.limits.deadline = Duration::from_secs(5);
            let running = stage.start();
            assert_eq!(outcome(&running).unwrap(), expected, "{deed} at {level:?}");
        }
    }
}

#[test]
fn bits_beyond_the_candidates_are_masked_and_counted() {
    for level in [Level::Process, Level::Native] {
        let (_stage, running) = play(&misbehave(), level, &rule("misbehave", "route", "beyond"));
        assert_eq!(outcome(&running).unwrap(), [0, 1, 2], "{level:?}");
        let status = running.host.status();
        let loaded = status[0].loaded.as_ref().unwrap();
        assert_eq!(loaded.stray_bits, 61, "{level:?}");
        assert!(running.reasons("b").iter().any(|reason| reason.contains("61 bits for providers")), "{level:?}");
    }
}

#[test]
fn writing_outside_of_the_answer_is_quarantine_at_once() {
    for level in [Level::Process, Level::Native] {
        let (_stage, running) = play(&misbehave(), level, &rule("misbehave", "route", "outside"));
        let first = outcome(&running).unwrap_err();
        assert!(first.ends_with("misbehave 0.1.0 broke the contract: it wrote outside of its answer"), "{first}");
        let then = outcome(&running).unwrap_err();
        assert!(then.contains("misbehave 0.1.0 is quarantined: broke the contract"), "{level:?}: {then}");
        let status = running.host.status();
        assert!(status[0].loaded.as_ref().unwrap().quarantine.is_some());
    }
}

#[test]
fn a_rule_whose_plugin_fails_passes_unless_it_says_otherwise() {
    let text = format!("misbehave://0.0.0.0/{SERVICE}?in=route&do=fail");
    let (_stage, running) = play(&misbehave(), Level::Process, &text);
    assert_eq!(outcome(&running).unwrap(), [0, 1, 2]);
    assert!(running.reasons("b").iter().any(|reason| reason.contains("misbehave 0.1.0 failed: told to fail")));
}

#[test]
fn what_a_control_function_does_refuses_the_rule_and_nothing_else() {
    for place in ["router_new", "snapshot_new"] {
        for (deed, expected) in [
            ("segv", "it touched memory that is not there"),
            ("abort", "aborted"),
            ("exit", "exited with code 7"),
            ("stack", "aborted: no memory, a stack that overflowed"),
            ("loop", "deadline of"),
            ("fail", "failed: told to fail"),
            ("code", "it returned the unknown code 77"),
        ] {
            let stage = Stage::with(&misbehave(), Level::Process, &rule("misbehave", place, deed));
            let (_host, registry) = stage.host();
            let mut contents =
                pointsman::source::folder::load(stage.path(), &pointsman::source::folder::FolderOptions::default());
            let rules = pointsman::runtime::RuleSet::from_folder(&mut contents, &registry, None);
            let built = pointsman::Engine::builder()
                .registry(registry)
                .rules(rules)
                .providers(contents.providers().cloned())
                .build();
            let mut told: Vec<String> = contents.findings().iter().map(ToString::to_string).collect();
            told.extend(built.err().into_iter().flat_map(|error| error.findings).map(|finding| finding.to_string()));
            assert!(told.iter().any(|text| text.contains(expected)), "{deed} in {place}: {told:?}");
        }
    }
}

#[test]
fn what_a_freeing_function_does_ends_its_process_and_nothing_else() {
    for place in ["snapshot_free", "router_free"] {
        for deed in ["segv", "abort", "exit", "stack"] {
            let (stage, running) = play(&misbehave(), Level::Process, &rule("misbehave", place, deed));
            assert_eq!(outcome(&running).unwrap(), [0, 1, 2], "{deed} in {place}");
            drop(running);
            stage.rule(&rule("misbehave", "nowhere", "nothing"));
            assert_eq!(outcome(&stage.start()).unwrap(), [0, 1, 2], "{deed} in {place}");
        }
    }
}

#[test]
fn a_panic_is_an_error_with_its_place_at_both_levels() {
    let library = rust("pointsman-fixture-panic", "");
    for level in [Level::Process, Level::Native] {
        for (deed, expected) in [
            ("str", "panics 0.1.0 panicked: a panic with a str (at "),
            ("string", "panics 0.1.0 panicked: a panic with a string, in route (at "),
            ("any", "panics 0.1.0 panicked"),
            ("drop", "panics 0.1.0 panicked"),
        ] {
            let (_stage, running) = play(&library, level, &rule("panics", "route", deed));
            let error = outcome(&running).unwrap_err();
            assert!(error.contains(expected), "{deed} at {level:?}: {error}");
        }
        for place in ["new", "snapshot", "drop_snapshot", "drop_router"] {
            for deed in ["str", "any", "drop"] {
                let stage = Stage::with(&library, level, &rule("panics", place, deed));
                let (_host, registry) = stage.host();
                let mut contents =
                    pointsman::source::folder::load(stage.path(), &pointsman::source::folder::FolderOptions::default());
                let rules = pointsman::runtime::RuleSet::from_folder(&mut contents, &registry, None);
                let providers: Vec<_> = contents.providers().cloned().collect();
                let built = pointsman::Engine::builder().registry(registry).rules(rules).providers(providers).build();
                let has_failed = built.is_err() || contents.has_errors();
                assert_eq!(has_failed, !place.starts_with("drop"), "{deed} in {place} at {level:?}");
            }
        }
    }
}

#[test]
fn ten_panics_in_a_minute_open_the_plugins_breaker() {
    let (_stage, running) = play(&rust("pointsman-fixture-panic", ""), Level::Native, &rule("panics", "route", "str"));
    for _ in 0..10 {
        assert!(outcome(&running).unwrap_err().contains("panicked"));
    }
    let error = outcome(&running).unwrap_err();
    assert!(error.contains("breaker is open after 10"), "{error}");
    let status = running.host.status();
    assert_eq!(status[0].loaded.as_ref().unwrap().panics, 10);
}

#[test]
fn a_plugin_that_reads_a_list_after_its_end_is_contained() {
    let stage = Stage::with(&misbehave(), Level::Process, &rule("misbehave", "nowhere", "keep"));
    let running = stage.start();
    assert_eq!(outcome(&running).unwrap(), [0, 1, 2]);
    // Large enough to be memory of its own, which is gone with its list.
    for count in [5_000, 5_001, 5_002] {
        let url = |at: usize| pointsman::rpc::Url::parse(&format!("dubbo://10.0.0.{at}:1/{SERVICE}?zone=a")).unwrap();
        running.engine.replace_providers((0..count).map(|at| url(at % 250))).unwrap();
        match running.select("b") {
            Ok(kept) => assert_eq!(kept.len(), count),
            Err(error) => assert!(error.to_string().contains("touched memory"), "{error}"),
        }
    }
}

#[test]
fn a_thread_of_a_plugin_that_is_gone_may_go_on_logging() {
    let stage = Stage::with(&misbehave(), Level::Native, &rule("misbehave", "route", "threadlog"));
    let running = stage.start();
    assert_eq!(outcome(&running).unwrap(), [0, 1, 2]);
    drop((running, stage));
    // The host of the image is no more; its ear is.
    let until = std::time::Instant::now() + Duration::from_millis(200);
    while std::time::Instant::now() < until {
        std::thread::park_timeout(Duration::from_millis(50));
    }
}
