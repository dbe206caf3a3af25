//! Slips in rule documents that a person makes: each is told, at its place, and nothing is switched off in silence.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

const PROVIDERS: &str = "\
dubbo://10.0.0.1:20880/S?application=shop&region=a
dubbo://10.0.0.2:20880/S?application=shop&region=b&dubbo.tag=gray
";
const SERVICE: &str = "scope: service\nkey: S\n";
const TAGS: &str = "configVersion: v3.0\nkey: shop\n";

/// `4:6 error PM0100 …` of each finding that is more than a remark.
fn check(document: &str) -> Vec<String> {
    let folder = TestFolder::empty().with("providers.txt", PROVIDERS).with("rules/a.yaml", document);
    let (_, out, log) = told(pointsman(&["check", "--format", "json"]).arg(folder.path()).output().unwrap());
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{log}"));
    let line = |finding: &Value| {
        let [severity, number, message, help] =
            ["severity", "number", "message", "help"].map(|field| finding[field].as_str().unwrap_or_default());
        format!("{}:{} {severity} {number} {message}; {help}", finding["line"], finding["column"])
    };
    let findings = report["findings"].as_array().unwrap().iter();
    findings.filter(|finding| finding["severity"] != "info").map(line).collect()
}

#[test]
fn each_slip_is_told_at_its_place() {
    let v31 = format!("configVersion: v3.1\n{SERVICE}conditions:\n");
    let texts = format!("{SERVICE}conditions:\n");
    let mut missed = Vec::new();
    for (document, expected) in [
        ("scope:\nkey: S\nconditions: [\"=> region=a\"]\n".to_owned(), "1:1 error PM1205 expected `scope`"),
        ("scope: ~\nkey: S\nconditions: [\"=> region=a\"]\n".to_owned(), "1:1 error PM1205 expected `scope`"),
        ("scope:\nkey: S\nconfigVersion: v3.1\naffinityAware: {key: region}\n".to_owned(), "1:1 error PM1205"),
        ("scope:\nkey: S\nplugin: areaCode\n".to_owned(), "1:1 error PM1205 expected `scope`"),
        (
            format!("configVersion: v3.1\n{SERVICE}affinityAware: {{key: region, ratio: }}\n"),
            "for `ratio`; leave `ratio` out for 0",
        ),
        (texts.clone(), "3:11 warning PM1213 nothing stands after `conditions:`"),
        (format!("{TAGS}tags: ~\n"), "3:7 warning PM1213 nothing stands after `tags:`"),
        (format!("{v31}  - {{from: {{match: \"method=x\"}}, to: }}\n"), "warning PM1213 nothing stands after `to:`"),
        (format!("{v31}  - {{from: , to: ~}}\n"), "5:5 error PM1220"),
        (format!("{TAGS}tags:\n  - {{name: blue, addresses: }}\n"), "warning PM1213 nothing stands after `addresses:`"),
        (format!("{texts}  - \"\"\n"), "4:6 error PM0100"),
        ("key: shop\ntype: javascript\nscript: \"\"\n".to_owned(), "3:9 error PM0902"),
        (format!("{texts}  - \"a\u{0}=b => region=a\"\n"), "4:7 error PM0850 expected YAML, found U+0000"),
        (format!("{texts}  - \"method\u{a0}=x => region=a\"\n"), "4:12 warning PM0128 expected a blank, found U+00A0"),
        (
            format!("{texts}  - \"arguments[0].x=1 => region=a\"\n"),
            "4:6 warning PM0124 the key `arguments[0].x` is the",
        ),
        (
            format!("{texts}  - \"argument[0]=1 => region=a\"\n"),
            "4:6 warning PM0124 the key `argument[0]` is a parameter",
        ),
        (format!("{v31}  - {{to: [{{match: \"false\"}}]}}\n"), "5:20 warning PM0122 `false` is every provider here"),
        (format!("{v31}  - {{to: [{{match: \"\", weight: 4294967296}}]}}\n"), "from 0 to 4294967295 for `weight`"),
        (format!("priority: 2147483648\n{texts}  - \"=> region=a\"\n"), "from -2147483648 to 2147483647"),
        (format!("{TAGS}tags: [{{name: \"\", addresses: [\"10.0.0.1\"]}}]\n"), "3:15 warning PM1230"),
        (format!("{TAGS}tags: [{{name: blue, match: []}}]\n"), "3:28 warning PM1236"),
        (
            format!(
                "{TAGS}tags:\n  - {{name: b, addresses: [\"10.0.0.1\"]}}\n  - {{name: b, addresses: [\"10.0.0.2\"]}}\n"
            ),
            "5:5 warning PM1237 two tags are called `b`: only the later one counts",
        ),
        (
            format!("{TAGS}tags: [{{name: b, addresses: [\"10.0.0.9-1\"]}}]\n"),
            "3:30 warning PM1232 a range in `10.0.0.9-1` ends before it begins",
        ),
        (
            format!("{TAGS}tags: [{{name: b, match: [{{key: region, value: {{exact: c}}}}]}}]\nforce: true\n"),
            "routed as if it were not listed",
        ),
        (
            "scope: application\nkey: \" shop\"\nconditions: [\"=> region=a\"]\n".to_owned(),
            "2:6 warning PM1207 the key",
        ),
        (
            "key: shop\ntags: [{name: b, match: [{key: region, value: {exact: a}}]}]\n".to_owned(),
            "write `configVersion: v3.0`",
        ),
    ] {
        let found = check(&document);
        if !found.iter().any(|line| line.contains(expected)) {
            missed.push(format!("{document}\n{expected}\n{found:#?}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n\n"));
}

#[test]
fn what_is_no_version_is_told_and_what_is_one_is_not() {
    for (version, is_told) in [
        ("abc", true),
        ("V3.0", true),
        ("V3", true),
        ("true", true),
        ("1e99", true),
        ("v3", false),
        ("v3.0", false),
        ("v2.7", false),
        ("V3.1", false),
        ("v3.0.1", false),
    ] {
        let body = if version == "V3.1" { "[{to: [{match: \"region=a\"}]}]" } else { "[\"=> region=a\"]" };
        let found = check(&format!("configVersion: {version}\n{SERVICE}conditions: {body}\n"));
        let told = found.iter().any(|line| line.contains("1:16 warning PM1207 expected `v2.7`, `v3.0` or `v3.1`"));
        assert_eq!(told, is_told, "{version}: {found:#?}");
    }
}

#[test]
fn what_is_wrong_with_a_text_is_told_once_however_often_it_is_repeated() {
    for document in [
        format!("{SERVICE}conditions:\n  - &a \"x==y => region=a\"\n  - *a\n"),
        format!("{SERVICE}conditions: &a [\"x==y => region=a\"]\n---\nscope: application\nkey: shop\nconditions: *a\n"),
    ] {
        let found = check(&document);
        assert_eq!(found.iter().filter(|line| line.contains("PM0102")).count(), 1, "{found:#?}");
    }
}

#[test]
fn no_help_inside_of_a_document_speaks_of_urls_or_of_tags_of_files() {
    let found = [
        format!("{SERVICE}conditions: [\"=> false\"]\n"),
        format!("{SERVICE}conditions: [\"false => region=a\"]\n"),
        format!("{SERVICE}conditions: [\"arguments[0]=a~b => region=a\"]\n"),
        format!("configVersion: v3.1\n{SERVICE}conditions: [{{to: [{{match: \"arguments[0]=1\"}}]}}]\n"),
    ];
    for line in found.iter().flat_map(|document| check(document)) {
        assert!(!line.contains("enabled=false") && !line.contains("@dialect"), "{line}");
    }
}

#[test]
fn a_remark_on_an_address_names_it_and_stands_at_it() {
    let document =
        format!("{TAGS}tags:\n  - name: b\n    addresses: [\"10.0.0.1:20880\", \"10.0.0.300:*\", \"10.0.0.2:*\"]\n");
    let folder = TestFolder::empty().with("providers.txt", PROVIDERS).with("rules/a.yaml", document);
    let (_, out, _) = told(pointsman(&["check", "--format", "plain"]).arg(folder.path()).output().unwrap());
    assert!(out.contains("rules/a.yaml:5:52: info PM1312 check::differs_from_dubbo: at `10.0.0.2:*` Dubbo"), "{out}");
    assert_eq!((out.matches("PM1312").count(), out.matches("PM1232").count()), (1, 1), "{out}");
}

#[test]
fn the_built_in_step_speaks_of_providers_without_a_document() {
    let document = format!("{TAGS}tags: [{{name: blue, addresses: [\"10.0.0.1:20880\"]}}]\n");
    let providers = format!("{PROVIDERS}dubbo://10.0.0.3:20880/S?application=other&dubbo.tag=red\n");
    let folder = TestFolder::empty().with("providers.txt", providers).with("rules/a.yaml", document);
    let mut command = pointsman(&["route", "-m", "x", "-A", "dubbo.tag=blue", "--explain", "--format", "plain"]);
    let (_, out, log) = told(command.arg(folder.path()).output().unwrap());
    assert!(out.contains("`blue`, which no provider without a tag document carries"), "{out}{log}");
    assert!(out.contains("`blue`, which the rule lists"), "{out}{log}");
}

#[test]
fn large_expressions_are_refused_before_they_take_memory_or_time() {
    let mut bombs = format!("{TAGS}tags:\n");
    for number in 0..3_000 {
        let regex = format!("((r|[0-9a-z]{{1,50}}){{1,50}}){{1,3}}{number}");
        writeln!(bombs, "  - {{name: t{number}, match: [{{key: region, value: {{regex: \"{regex}\"}}}}]}}").unwrap();
    }
    let words = "      - {key: region, value: {regex: '\\w{20}'}}\n".repeat(20_000);
    for document in [bombs, format!("{TAGS}tags:\n  - name: t\n    match:\n{words}")] {
        let found = check(&document);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].contains("error PM1235 expected expressions of at most 16 MiB in a file"), "{found:#?}");
    }
}

#[test]
fn many_tags_with_many_addresses_over_many_providers_are_looked_up_not_searched() {
    let mut providers = String::new();
    for number in 0..20_000 {
        let (high, low) = (number / 250, number % 250);
        writeln!(providers, "dubbo://10.{high}.{low}.1:20880/S?application=shop").unwrap();
    }
    let mut document = format!("{TAGS}tags:\n");
    for number in 0..30_000 {
        let (high, low) = (number / 250, number % 250);
        let net = format!("10.{high}.{low}");
        let addresses = format!("{net}.1, \"{net}.2:20880\", {net}.0/28, {net}.2-9");
        writeln!(document, "  - {{name: t{number}, addresses: [{addresses}]}}").unwrap();
    }
    let folder = TestFolder::empty().with("providers.txt", providers).with("rules/a.yaml", document);
    let started = std::time::Instant::now();
    let (code, out, log) = told(pointsman(&["check", "--format", "plain"]).arg(folder.path()).output().unwrap());
    assert_eq!(code, Some(0), "{out}{log}");
    assert!(out.contains("PM1305"), "{out}");
    // Searching takes minutes; the bound is wide, since tests run beside one another.
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}
