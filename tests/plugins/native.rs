//! What the bridge does with code in its own process, without a worker: the part that the address sanitiser looks at
//! (`.ci/run sanitizer`).

use std::path::Path;
use std::process::Command;

use pointsman::plugin::Level;

use crate::libraries::c;
use crate::libraries::copy_of;
use crate::libraries::rust;
use crate::stage::FILE;
use crate::stage::Running;
use crate::stage::SERVICE;
use crate::stage::Stage;

fn alone(library: &Path, rule: &str) -> (Stage, Running) {
    let mut stage = Stage::with(library, Level::Native, rule);
    stage.settings.program = None;
    let running = stage.start();
    assert!(running.findings.is_empty(), "{:?}", running.findings);
    (stage, running)
}

#[test]
fn native_plugins_route_explain_and_go() {
    let libraries =
        [rust("pointsman-area-code", ""), c("../../examples/plugin-c/area_code.c", &["-fvisibility=hidden"])];
    for library in libraries {
        let (stage, running) = alone(&library, &format!("areaCode://0.0.0.0/{SERVICE}?key=zone"));
        for count in [1, 64, 65, 500] {
            stage.providers(count);
            let running = stage.start();
            assert_eq!(running.select("a").unwrap().len(), count.div_ceil(3));
        }
        assert!(running.reasons("b").iter().any(|reason| reason.contains("says: ")));
    }
}

#[test]
fn native_deeds_that_can_be_told_are_told() {
    for (deed, expected) in [
        ("beyond", Ok(vec![0, 1, 2])),
        ("badretain", Ok(vec![0, 1, 2])),
        ("use", Ok(vec![0])),
        ("logs", Ok(vec![0, 1, 2])),
        ("outside", Err("it wrote outside of its answer")),
        ("code", Err("unknown code 77")),
        ("negative", Err("unknown code -99")),
        ("fail", Err("told to fail")),
    ] {
        let rule = format!("misbehave://0.0.0.0/{SERVICE}?on-error=fail&in=route&do={deed}");
        let (_stage, running) = alone(&c("misbehave.c", &[]), &rule);
        match (running.select("x"), expected) {
            (Ok(kept), Ok(expected)) => assert_eq!(kept, expected, "{deed}"),
            (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{deed}: {error}"),
            (found, expected) => panic!("{deed}: {found:?} instead of {expected:?}"),
        }
    }
}

#[test]
fn native_panics_in_each_callback_are_caught() {
    let library = rust("pointsman-fixture-panic", "");
    for place in ["route", "drop_snapshot", "drop_router"] {
        for deed in ["str", "string", "any", "drop", "thread"] {
            let (_stage, running) = alone(&library, &format!("panics://0.0.0.0/{SERVICE}?in={place}&do={deed}"));
            assert_eq!(running.select("x").unwrap(), [0, 1, 2], "{deed} in {place}");
        }
    }
}

#[test]
fn native_images_are_replaced_while_rules_hold_the_old_ones() {
    let library = c("variants.c", &[]);
    let (mut stage, first) = alone(&library, &format!("variants://0.0.0.0/{SERVICE}"));
    let mut held = vec![first];
    for number in 0..20 {
        let bytes = copy_of(&library, number);
        stage.allow(&bytes, Level::Native);
        stage.write(FILE, &bytes);
        held.push(stage.start());
        held.iter().for_each(|running| assert_eq!(running.select("x").unwrap(), [0]));
    }
}

#[test]
fn a_plugin_that_starts_threads_is_native_or_refused() {
    if Command::new("go").arg("version").output().is_err() {
        println!("SKIPPED: no Go here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("go.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/plugin-go");
    let built = Command::new("go")
        .args(["build", "-buildmode=c-shared", "-o"])
        .arg(&library)
        .arg(".")
        .current_dir(source)
        .env("GOFLAGS", "-mod=mod")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let rule = format!("areaCode://0.0.0.0/{SERVICE}?key=zone");
    let refused = Stage::with(&library, Level::Process, &rule).refusal();
    assert_eq!(refused, "PM1124 areaCode 0.1.0 starts threads of its own, which a confined process may not");
    // With a program for workers, as a host has it: the plugin is not tried there.
    let running = Stage::with(&library, Level::Native, &rule).start();
    assert_eq!(running.select("b").unwrap(), [1]);
    assert_eq!(running.select("none").unwrap(), [0, 1, 2]);
    let reasons = running.reasons("b");
    assert!(reasons.iter().any(|reason| reason.contains("says: kept the providers of area `b`")), "{reasons:?}");
}
