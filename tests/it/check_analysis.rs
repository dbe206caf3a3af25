//! `check` warns of rules that cannot do what they say, and of no others.

use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

/// Two services of two applications, with all that the rules of the field ask for.
const PROVIDERS: &str = "\
dubbo://10.0.1.1:20880/com.ex.S?application=A&region=hangzhou&status=prod&orderVersion=v2&env=gray&tag=tag1&detail=v1
dubbo://10.0.1.2:20880/com.ex.S?application=A&region=beijing&status=prod&orderVersion=v1&detail=v2
dubbo://10.0.1.11:20880/com.ex.S?application=A&region=hangzhou&status=staging&orderVersion=v1&detail=v2
dubbo://10.0.1.3:20881/com.ex.S?application=A&region=beijing&status=prod&orderVersion=v2
tri://10.0.1.4:20000/com.ex.Greet?application=B&region=hangzhou&status=prod&env=gray
tri://10.0.1.5:20001/com.ex.Greet?application=B&region=beijing&status=staging
";

/// R1–R22 of the field cases, as texts; each is a rule of its own.
const TEXTS: [&str; 27] = [
    "host = 10.9.0.1 => host = 10.0.1.1",
    "=> host != 10.0.1.1",
    "host != 10.9.0.1,10.9.0.2 =>",
    "host = 10.9.0.1,10.9.0.2 =>",
    "=> host = 10.0.1.1*,10.0.1.2*",
    "application != A => host != 10.0.1.1,10.0.1.2",
    "method = find*,list*,get*,is* => host = 10.0.1.1,10.0.1.2,10.0.1.11",
    "method != find*,list*,get*,is* => host = 10.0.1.3,10.0.1.2",
    "application = A => host = 10.0.1.1,10.0.1.2",
    "host != 10.0.* => host != 10.1.*",
    "=> host = $host",
    "application=A => address=*:20880",
    "interface=com.ex.S&method=sayHello=>address=*:20880",
    "=> region=$region",
    "arguments[1]=dubbo => orderVersion=v2",
    "attachments[user_id] = 1~100 => region=hangzhou",
    "attachments[user_id] = ~100 => region=hangzhou",
    "host = 10.9.0.1 => port != 20880",
    "true => host = 10.0.1.1",
    "host = 10.9.0.1 => false",
    "application=A&arguments[0]=a => host = 10.0.1.1",
    "user.vip = true => host = 10.0.1.1",
    "=> status != staging",
    "application = product =>",
    "method = Greet => port = 20880",
    "host = 10.9.0.1, 10.9.0.2 => region = hangzhou",
    "method=getComment => detail=v2",
];

/// R23–R28: documents of the later kinds.
const DOCUMENTS: [&str; 8] = [
    "configVersion: v3.1\nscope: service\nkey: com.ex.Greet\nconditions:\n  - from: {match: \"application = A\"}\n    to: [{match: \"port = 20001\"}]\n",
    "configVersion: v3.1\nscope: service\nforce: true\nruntime: true\nenabled: true\nkey: com.ex.S\nconditions:\n  - from: {match: tag=tag1}\n  - from: {match: \"method=sayHello\"}\n    to:\n      - {match: \"env=gray\", weight: 100}\n      - {match: \"region=beijing\", weight: 900}\n",
    "configVersion: v3.1\nscope: service\nkey: com.ex.S\nconditions:\n  - from: {match: \"env=gray\"}\n    to:\n      - {match: \"env!=gray\", weight: 100}\n      - {match: \"env=gray----error\", weight: 100}\n      - {match: \"env=gray\", weight: 100}\n  - from: {match: \"region=beijing\"}\n    to: [{match: \"env=ErrTag\", weight: 500}, {match: \"\"}]\n",
    "---\nforce: true\nenabled: true\nruntime: false\nkey: A\ntags:\n  - name: tag1\n    addresses: [\"*.*.*.*:20881\"]\n  - name: tag2\n    addresses: [\"0.0.0.0:20880\"]\n...\n",
    "configVersion: v3.0\nforce: true\nenabled: true\nkey: A\ntags:\n  - name: gray\n    match:\n      - key: env\n        value: {exact: gray}\n---\nconfigVersion: v3.0\nenabled: true\nkey: B\ntags:\n  - {name: gray, match: [{key: env, value: {exact: gray}}]}\n",
    "configVersion: v3.1\nscope: service\nkey: \"com.ex.S::\"\nruntime: true\naffinityAware: {key: region, ratio: 20}\n",
    "configVersion: v3.1\nscope: application\nkey: B\naffinityAware:\n  key: region\n  ratio: 80\n",
    "scope: application\nkey: shop-frontend\npriority: 1\ndynamic: false\nconditions:\n  - '=> region=$region' # own region first\n  - 'method=find* => host=10.0.1.1'\n",
];

/// Severity and slug of each finding.
fn found(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let folder = TestFolder::empty().with("providers.txt", PROVIDERS);
    let folder = files.iter().fold(folder, |folder, (path, text)| folder.with(path, text));
    let (_, out, log) = told(pointsman(&["check", "--format", "json"]).arg(folder.path()).output().unwrap());
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{log}"));
    let text = |finding: &Value, field: &str| finding[field].as_str().unwrap().to_owned();
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|finding| (text(finding, "severity"), text(finding, "slug"))).collect()
}

fn warnings(files: &[(&str, &str)]) -> Vec<String> {
    found(files).into_iter().filter(|(severity, _)| severity != "info").map(|(_, slug)| slug).collect()
}

#[test]
fn rules_of_the_field_give_no_warning() {
    for text in TEXTS {
        let document = format!(
            "configVersion: v3.0\nscope: service\nforce: false\nenabled: true\nruntime: true\npriority: 1\nkey: com.ex.S\nconditions:\n  - '{text}'\n"
        );
        assert_eq!(warnings(&[("rules/a.yaml", &document)]), [""; 0], "{text}");
    }
    for document in DOCUMENTS {
        assert_eq!(warnings(&[("rules/a.yaml", document)]), [""; 0], "{document}");
    }
}

#[test]
fn rules_of_the_field_together_give_no_warning() {
    let rules: Vec<String> = TEXTS.iter().map(|text| format!("  - '{text}'\n")).collect();
    let document = format!("scope: service\nkey: com.ex.S\nconditions:\n{}", rules.concat());
    let found = warnings(&[("rules/a.yaml", &document)]);
    // `host = A, B =>` stands before `host = A => false`, and before a rule for the same two hosts.
    assert!(found.iter().all(|slug| slug == "check::shadowed"), "{found:?}");
}

#[test]
fn a_rule_is_shadowed_only_where_nothing_is_left_to_it() {
    for (first, second, is_shadowed) in [
        ("host=a => region=hangzhou", "host=a => region=hangzhou", true),
        ("host=a,b => region=hangzhou", "host=b => region=hangzhou", true),
        ("host=b => region=hangzhou", "host=a,b => region=hangzhou", false),
        ("host=a => region=hangzhou", "host=a => region=beijing", false),
        ("host=a* => false", "host=ab & method=m => region=hangzhou", true),
        ("=> region=hangzhou", "host=a => region=hangzhou", true),
        ("host=a => region=hangzhou", "=> region=hangzhou", false),
        ("host!=a => region=hangzhou", "host!=a,b => region=hangzhou", true),
        ("host=$host => region=hangzhou", "host=a => region=hangzhou", false),
        ("host=a => region=$region", "host=a & method=m => region=$region", true),
        ("@priority 1\nhost=a => false\n@priority 2", "host=a => region=hangzhou", false),
        ("host=a => region=hangzhou\n@force", "host=a => region=hangzhou", false),
        ("@force\nhost=a => region=hangzhou\n@force false", "host=a => region=hangzhou,beijing", true),
        ("host=a => region=hangzhou", "host=a => region=hangzhou,beijing", false),
        ("host=a => region=hangzhou\n@service com.ex.Greet", "host=a => region=hangzhou", false),
        ("host=a => region=hangzhou\n@application A", "host=a => region=hangzhou", false),
    ] {
        let text = format!("@service com.ex.S\n{first}\n{second}\n");
        let found = warnings(&[("rules/a.rules", &text)]);
        let expected = if is_shadowed { vec!["check::shadowed".to_owned()] } else { Vec::new() };
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn only_a_rule_for_every_call_leaves_nobody() {
    for (rule, expected) in [
        ("@force\n=> region=tokyo", Some("check::nobody_left")),
        ("true => false", Some("check::nobody_left")),
        ("@force\nmethod=m => region=tokyo", None),
        ("@force\n@application A\n=> region=tokyo", None),
        ("=> region=tokyo", Some("check::matches_nobody")),
        ("@force\n=> region=$region", None),
        ("host=a => false", None),
        ("@force\n=> application=B", None),
    ] {
        let service = if rule.contains("application=B") { "com.ex.Greet" } else { "com.ex.S" };
        let found = warnings(&[("rules/a.rules", &format!("@service {service}\n{rule}\n"))]);
        assert_eq!(found.first().map(String::as_str), expected, "{rule}");
    }
    let of_all = warnings(&[("rules/a.rules", "@force\n=> application=B\n")]);
    assert_eq!(of_all, ["check::nobody_left"], "com.ex.S has nobody of B");
}

#[test]
fn a_rule_of_an_application_is_also_for_its_consumers() {
    let head = "scope: application\nkey: B\nconditions:\n";
    assert_eq!(warnings(&[("rules/a.yaml", &format!("{head}  - '=> host=10.0.1.1'\n"))]), [""; 0]);
    assert_eq!(warnings(&[("rules/a.yaml", &format!("{head}  - '=> host=10.0.9.9'\n"))]), ["check::matches_nobody"]);
}

#[test]
fn a_rule_that_is_switched_off_is_not_looked_at() {
    let document =
        "enabled: false\nscope: service\nkey: com.ex.S\nconditions: ['=> region=tokyo', 'host=a&host!=a => x=y']\n";
    assert_eq!(warnings(&[("rules/a.yaml", document)]), [""; 0]);
}

#[test]
fn keys_under_which_nobody_looks_are_told() {
    for (head, expected) in [
        ("scope: application\nkey: A", None),
        ("scope: application\nkey: A.condition-router", Some("check::unread_key")),
        ("scope: application\nkey: com.ex.S", Some("check::unread_key")),
        ("scope: service\nkey: A", Some("check::unread_key")),
        ("scope: service\nkey: com.ex.S:*", Some("check::unread_key")),
        ("scope: service\nkey: com.ex.S:1.0.0", Some("check::service_without_providers")),
        ("scope: service\nkey: com.ex.Other", None),
        ("scope: application\nkey: consumer-only", None),
    ] {
        let found = warnings(&[("rules/a.yaml", &format!("{head}\nconditions: ['=> region=$region']\n"))]);
        assert_eq!(found.first().map(String::as_str), expected, "{head}");
    }
}

#[test]
fn the_example_shop_has_no_warning() {
    let (code, out, _) = told(pointsman(&["check", "examples/shop", "--deny", "warnings"]).output().unwrap());
    assert!(code == Some(0) && out.ends_with("0 errors, 0 warnings\n"), "{out}");
}
