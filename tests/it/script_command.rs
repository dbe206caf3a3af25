//! What an operator sees who drops a script into a folder: through the real command and real worker processes.

use std::fs;
use std::path::Path;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

const PROVIDERS: &str = "dubbo://10.1.0.1:20880/S?region=hangzhou\ndubbo://10.2.0.1:20880/S?region=shanghai\n";

fn shipped(rule: &str, suffix: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(rule).join(format!("route.{suffix}"));
    fs::read_to_string(path).unwrap()
}

fn folder(name: &str, text: &str) -> TestFolder {
    TestFolder::empty().with("providers.txt", PROVIDERS).with(&format!("rules/{name}"), text)
}

fn route(folder: &TestFolder, arguments: &[&str]) -> (Option<i32>, String, String) {
    let (code, out, log) =
        told(pointsman(&["route", "-m", "create"]).args(arguments).arg(folder.path()).output().unwrap());
    // Where lines are wrapped is no matter here.
    (code, out.split_whitespace().collect::<Vec<_>>().join(" "), log)
}

#[test]
fn a_dropped_script_routes_and_the_explanation_says_what_it_did() {
    for suffix in ["lua", "rhai", "js"] {
        let folder = folder(&format!("region.{suffix}"), &shipped("same-region-first", suffix));
        let (code, out, log) = route(&folder, &["-A", "region=shanghai", "--explain"]);
        assert_eq!(code, Some(0), "{suffix}: {out}{log}");
        for part in [
            format!("rules/region.{suffix}"),
            "worker".to_owned(),
            "attachment `region`".to_owned(),
            "of the providers `region`".to_owned(),
            "kept 1 of 2".to_owned(),
            " ms of 20.010 ms".to_owned(),
            "removed dubbo://10.1.0.1:20880".to_owned(),
        ] {
            assert!(out.contains(&part), "{suffix}: `{part}` is missing in\n{out}");
        }
    }
}

#[test]
fn what_is_logged_beside_the_output_stops_nothing() {
    let folder = folder("region.lua", &shipped("same-region-first", "lua"));
    for command in ["check", "route"] {
        let call: &[&str] = if command == "route" { &["-m", "create"] } else { &[] };
        let mut logging = pointsman(&[command]);
        logging.args(call).arg(folder.path()).env("POINTSMAN_LOG", "pointsman=debug");
        let (code, out, log) = told(logging.output().unwrap());
        assert_eq!(code, Some(0), "{command}: {out}{log}");
        assert!(log.contains("a worker is ready"), "{command}: {log}");
    }
}

#[test]
fn an_endless_loop_costs_its_deadline_and_the_call_is_answered_all_the_same() {
    for (name, text) in
        [("spin.js", "while(true){}"), ("spin.lua", "while true do end"), ("spin.rhai", "while true {}")]
    {
        let folder = folder(name, text);
        let (code, out, log) = route(&folder, &["--explain"]);
        assert_eq!(code, Some(0), "{name}: {out}{log}");
        assert!(out.contains("over its limit `deadline`") && out.contains("allowed 20.010 ms"), "{name}:\n{out}");
        assert!(out.contains("10.1.0.1:20880") && out.contains("10.2.0.1:20880"), "{name}:\n{out}");
    }
}

#[test]
fn ten_limit_hits_open_the_breaker() {
    let folder = folder("spin.lua", "-- @on-error empty\nwhile true do end");
    let (code, out, log) = route(&folder, &["--explain", "--repeat", "12"]);
    assert_eq!(code, Some(3), "{out}{log}");
    assert!(out.contains("breaker open after 10 limit hits"), "{out}");
    assert!(out.contains("12 x: 0 of 2 providers"), "{out}");
}

#[test]
fn on_error_decides_what_a_failing_script_means() {
    for (on_error, code, kept) in [("pass", 0, "2"), ("empty", 3, "nobody")] {
        let folder = folder("fails.js", &format!("// @on-error {on_error}\nthrow new Error('out of coal');"));
        let (found, out, log) = route(&folder, &["--explain"]);
        assert_eq!(found, Some(code), "{on_error}: {out}{log}");
        assert!(out.contains("out of coal") && out.contains("fails.js"), "{out}");
        assert!(out.contains(&format!("Result: {kept} of 2 providers")), "{out}");
    }
    let folder = folder("fails.js", "// @on-error fail\nthrow new Error('out of coal');");
    let (found, _, log) = route(&folder, &[]);
    assert_eq!(found, Some(1));
    assert!(log.contains("out of coal"), "{log}");
}

#[test]
fn check_compiles_every_script_and_points_at_the_place() {
    for (name, text, place, part) in [
        ("a.js", "// @service *\nvar kept = [;\ninvokers", ":2:", "script::compile"),
        ("a.lua", "-- @service *\nlocal kept = = 3\nreturn invokers", ":2", "script::compile"),
        ("a.rhai", "// @service *\nlet kept = = 3;\ninvokers", ":2:", "script::compile"),
        ("b.js", "// @service *\nfor each (x in invokers) {}\ninvokers", ":2:", "not ECMAScript"),
        ("c.js", "// @service *\nvar f = function(i) i;\ninvokers", ":2:", "not ECMAScript"),
        ("d.js", "// @service *\n（function() { return invokers; }())", ":2:1", "("),
        ("e.js", "// @servce *\ninvokers", ":1:", "service"),
    ] {
        let folder = folder(name, text);
        let (code, out, log) = told(pointsman(&["check", "--format", "plain"]).arg(folder.path()).output().unwrap());
        assert_eq!(code, Some(4), "{name}: {out}{log}");
        let is_it = |line: &str| line.contains(&format!("rules/{name}{place}"));
        assert!(out.lines().any(is_it) && out.contains(part), "{name}: {out}{log}");
    }
}

#[test]
fn inline_scripts_answer_the_same() {
    let folder = folder("region.js", &shipped("same-region-first", "js"));
    let (code, out, log) = route(&folder, &["-A", "region=shanghai", "--explain", "--isolation", "inline"]);
    assert_eq!(code, Some(0), "{out}{log}");
    assert!(out.contains("inline") && out.contains("kept 1 of 2"), "{out}");
}

#[test]
fn a_rule_may_lower_its_deadline_and_not_raise_it() {
    let low = folder("spin.lua", "-- @deadline 3ms\nwhile true do end");
    let (_, out, _) = route(&low, &["--explain"]);
    assert!(out.contains("allowed 3.000 ms"), "{out}");
    let high = folder("spin.lua", "-- @service *\n-- @deadline 3s\nwhile true do end");
    let (_, out, _) = route(&high, &["--explain"]);
    assert!(out.contains("allowed 20.010 ms"), "{out}");
    let (code, out, _) = told(pointsman(&["check"]).arg(high.path()).output().unwrap());
    assert!(code == Some(0) && out.contains("deadline_above_host"), "{out}");
}

#[test]
fn a_file_rule_runs_the_script_it_names() {
    let folder = folder("files.rules", "file://scripts/region.lua?router=script&priority=3\n")
        .with("scripts/region.lua", shipped("same-region-first", "lua"));
    let (code, out, log) = route(&folder, &["-A", "region=shanghai", "--explain"]);
    assert_eq!(code, Some(0), "{out}{log}");
    assert!(out.contains("kept 1 of 2"), "{out}");
}

#[test]
fn a_script_without_its_engine_or_in_another_language_is_refused_with_the_list() {
    let rule = "script://0.0.0.0/S?category=routers&type=groovy&rule=invokers\n";
    let (code, out, log) = told(pointsman(&["check"]).arg(folder("a.rules", rule).path()).output().unwrap());
    assert_eq!(code, Some(4));
    let told = out + log.as_str();
    assert!(told.contains("javascript") && told.contains("rhai") && told.contains("lua"), "{told}");
}
