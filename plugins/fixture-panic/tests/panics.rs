//! However a plugin panics, the host gets a code and a text, and goes on.
#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]

use pointsman_fixture_panic::Panics;
use pointsman_plugin::testing;

fn plan(place: &str, deed: &str) -> testing::Harness<Panics> {
    testing::plugin::<Panics>().config("in", place).config("do", deed).providers(["dubbo://10.0.0.1:20880/S"])
}

#[test]
fn a_panic_anywhere_is_a_code_and_a_text() {
    for (place, step) in [("new", "router_new"), ("snapshot", "snapshot_new"), ("route", "route")] {
        for (deed, text) in [
            ("str", "a panic with a str"),
            ("string", "a panic with a string, in "),
            ("any", "a panic whose payload is no text"),
            ("drop", "a panic whose payload is no text"),
            ("thread", "the thread did not come back"),
        ] {
            let failure = plan(place, deed).route().unwrap_err();
            assert_eq!((failure.step, failure.code), (step, -2), "{place} {deed}");
            assert!(failure.text.starts_with(text), "{place} {deed}: {}", failure.text);
            assert!(failure.text.contains("(at plugins/fixture-panic/src/lib.rs:"), "{place} {deed}: {}", failure.text);
            assert_eq!(failure.logs, [format!("error: panicked: {}", failure.text)], "{place} {deed}");
        }
    }
}

#[test]
fn a_panic_while_something_is_freed_is_logged_and_ends_there() {
    for place in ["drop_snapshot", "drop_router"] {
        for deed in ["str", "drop"] {
            assert_eq!(plan(place, deed).route().unwrap().positions(), [0]);
            let next = plan("", "").route().unwrap();
            assert!(next.logs().iter().any(|line| line.starts_with("error: panicked: a panic")), "{:?}", next.logs());
        }
    }
}

#[test]
fn without_a_plan_it_passes() {
    assert_eq!(plan("nowhere", "str").route().unwrap().positions(), [0]);
}
