//! `check --deny` and `check --format sarif`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;
use crate::support::json_schema;

/// A warning (a bare key), a remark (an open range) and nothing else.
const RULES: &str =
    "@dialect v3\nhost = 10.9.0.1 & zone => region = hangzhou\nattachments[n] = 1~ => region = hangzhou\n";

fn folder() -> TestFolder {
    TestFolder::new().with("rules/杭 a.rules", RULES)
}

fn check(folder: &Path, options: &[&str]) -> (Option<i32>, String, String) {
    told(pointsman(&["check"]).args(options).arg(folder).output().unwrap())
}

#[test]
fn what_is_denied_counts_as_an_error() {
    let folder = folder();
    for (options, code, counts) in [
        (&[][..], 0, "0 errors, 1 warning\n"),
        (&["--deny", "PM0121"], 4, "1 error, 0 warnings\n"),
        (&["--deny", "condition::bare_key"], 4, "1 error, 0 warnings\n"),
        (&["--deny", "warnings"], 4, "1 error, 0 warnings\n"),
        (&["--deny", "PM1312", "--deny", "pm0121"], 4, "2 errors, 0 warnings\n"),
        (&["--deny", "PM0101"], 0, "0 errors, 1 warning\n"),
    ] {
        let (found, out, _) = check(folder.path(), options);
        assert!(found == Some(code) && out.ends_with(counts), "{options:?}: {found:?} {out}");
    }
}

#[test]
fn a_number_that_is_none_is_refused_with_the_nearest() {
    for (wrong, near) in [("PM0110", "PM0109"), ("check::shadow", "check::shadowed"), ("warning", "warnings")] {
        let (code, out, log) = check(folder().path(), &["--deny", wrong]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{wrong}");
        assert!(log.contains(&format!("did you mean `{near}`?")), "{log}");
    }
}

/// What SARIF 2.1.0 asks beside its schema of the parts that are written here.
fn faults(document: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let mut require = |holds: bool, what: &str| {
        if !holds {
            faults.push(what.to_owned());
        }
    };
    require(document["$schema"].as_str().is_some_and(|uri| uri.starts_with("https://")), "3.13.3: $schema");
    let run = &document["runs"][0];
    require(run["columnKind"] == "unicodeCodePoints", "3.14.17: columnKind");
    let rules = run["tool"]["driver"]["rules"].as_array().cloned().unwrap_or_default();
    let mut ids: Vec<_> = rules.iter().map(|rule| rule["id"].as_str().unwrap_or_default()).collect();
    require(ids.is_sorted(), "rules go by number");
    ids.dedup();
    require(ids.len() == rules.len(), "3.19.23: rules are unique");
    for rule in &rules {
        let page = rule["help"]["text"].as_str().and_then(|help| help.lines().last()).unwrap_or_default();
        require(Path::new(env!("CARGO_MANIFEST_DIR")).join(page).is_file(), "the help is there");
    }
    for result in run["results"].as_array().expect("3.14.23: results") {
        let at = result["ruleIndex"].as_u64().unwrap_or(u64::MAX) as usize;
        require(rules.get(at).is_some_and(|rule| rule["id"] == result["ruleId"]), "3.27.6: ruleIndex");
        for location in result["locations"].as_array().unwrap_or(&Vec::new()) {
            let place = &location["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().unwrap_or_default();
            require(!uri.is_empty() && uri.is_ascii() && !uri.contains([' ', '\\']), "3.4.3: uri");
            let number = |key: &str| place["region"][key].as_u64().unwrap_or_default();
            let start = (number("startLine"), number("startColumn"));
            let end = (number("endLine"), number("endColumn"));
            require(place["region"].is_null() || (start.0 >= 1 && start.1 >= 1 && start <= end), "3.30: region");
        }
    }
    faults
}

/// The schema of SARIF 2.1.0, as a package that we build with carries it.
fn sarif_schema() -> Value {
    let told = ["metadata", "--format-version", "1", "--offline", "--filter-platform", "host-tuple"];
    let packages = Command::new(env!("CARGO")).args(told).output().unwrap();
    assert!(packages.status.success(), "{}", String::from_utf8_lossy(&packages.stderr));
    let packages: Value = serde_json::from_slice(&packages.stdout).unwrap();
    let packages = packages["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    let text = fs::read_to_string(manifest.with_file_name("src").join("schema.json")).unwrap();
    // The pattern of `language` has a bracket too many, and is no regular expression.
    serde_json::from_str(&text.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$")).unwrap()
}

#[test]
fn sarif_has_the_form_that_its_specification_asks_for() {
    let schema = sarif_schema();
    assert_ne!(json_schema::faults(&schema, &serde_json::json!({"version": "2.1.0", "runs": [{}]})), [""; 0]);
    let broken = TestFolder::empty().with("rules/a.rules", "@forec\n=x => a=b\n").with("rules/a.txt", "");
    for folder in [folder(), broken, TestFolder::empty().with("providers.txt", "dubbo://h:1/S\n")] {
        let (_, out, log) = check(folder.path(), &["--format", "sarif"]);
        let document: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{log}"));
        assert_eq!(faults(&document), [""; 0], "{out}");
        assert_eq!(json_schema::faults(&schema, &document), [""; 0], "{out}");
        assert_eq!(check(folder.path(), &["--format", "sarif"]).1, out, "twice the same");
    }
}

#[test]
fn sarif_tells_number_level_and_region_of_each_finding() {
    let folder = folder();
    let (code, out, _) = check(folder.path(), &["--format", "sarif", "--deny", "PM1312"]);
    let document: Value = serde_json::from_str(&out).unwrap();
    let results = document["runs"][0]["results"].as_array().unwrap();
    let told: Vec<_> = results.iter().map(|result| (&result["ruleId"], &result["level"])).collect();
    assert_eq!((code, told.len()), (Some(4), 2), "{out}");
    assert_eq!(told[0], (&"PM0121".into(), &"warning".into()));
    assert_eq!(told[1], (&"PM1312".into(), &"error".into()));
    let message = results[0]["message"]["text"].as_str().unwrap();
    assert!(message.contains("\nhelp: ") && !message.contains("\\u{"), "{message}");
    let place = &results[0]["locations"][0]["physicalLocation"];
    let region = &place["region"];
    let numbers = ["startLine", "startColumn", "endLine", "endColumn"].map(|key| region[key].as_u64().unwrap());
    assert_eq!(numbers, [2, 19, 2, 23], "{out}");
    let uri = place["artifactLocation"]["uri"].as_str().unwrap();
    assert!(uri.starts_with("file:///") && uri.ends_with("/rules/%E6%9D%AD%20a.rules"), "{uri}");
}

#[test]
fn sarif_names_files_from_where_the_command_runs_and_hides_secrets() {
    let folder = TestFolder::new().with("gray/providers.txt", "dubbo://h:1/S?token=hunter2\n");
    let folder = folder.with("gray/rules/a.rules", "token = hunter2 => zone\nmethod=m => token = hunter3\n");
    let mut command = pointsman(&["check", "gray", "--format", "sarif"]);
    let (_, out, _) = told(command.current_dir(folder.path()).output().unwrap());
    assert!(out.contains("\"gray/rules/a.rules\"") && !out.contains("hunter"), "{out}");
}
