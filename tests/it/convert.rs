//! `pointsman convert`: the new form routes as the old one did, and what it cannot say is told.

use pointsman::diagnostics::Finding;
use pointsman::diagnostics::Severity;
use pointsman::diagnostics::SourceText;
use pointsman::source::convert::Target;
use pointsman::source::convert::convert;
use pointsman::source::folder::FileKind;
use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

const HEAD: &str = "scope: service\nkey: com.shop.OrderService\n";

/// Calls that the rules below treat differently: service, method, application and region, attachment.
const CALLS: [(&str, &str, &str, &str); 8] = [
    ("com.shop.OrderService", "create", "application=shop-web&region=hangzhou", "level=5"),
    ("com.shop.OrderService", "create", "application=shop-gray&region=beijing", "level=50"),
    ("com.shop.OrderService", "findById", "application=shop-web&region=shanghai", "level=5"),
    ("com.shop.OrderService", "drop", "application=shop-web", "level=x"),
    ("com.shop.OrderService", "other", "region=nowhere", "none=1"),
    ("com.shop.CatalogService", "search", "application=shop-web&region=beijing", "level=9"),
    ("com.shop.CatalogService", "purge", "application=shop-web&region=shanghai", "level=9"),
    ("com.shop.PaymentService:2.0.0", "refund", "application=shop-web&region=hangzhou", "level=9"),
];

/// Rules for a `*.rules` file and two forms of documents that can be said in each of them.
const RULES: &str = "\
@dialect v3
@service com.shop.OrderService
@priority 5
method=create & application!=shop-gray => env=stable
method=find* => role=replica
attachments[level]=1~9 => region=$region
method=drop =>
method=other => region=$region
@service com.shop.CatalogService
@force
@priority 0
@name search-[0]
method=search => tier=large,huge & tier!=huge
@service com.shop.PaymentService:2.0.0
@name refunds
method=refund => audit=on
";

fn converted(text: &str, target: Target) -> (String, Vec<Finding>) {
    let kind = kind_of(text);
    let converted = convert(&SourceText::new("case", text), kind, target).unwrap().unwrap();
    (converted.text, converted.findings)
}

fn kind_of(text: &str) -> FileKind {
    if text.starts_with("scope:") || text.starts_with("configVersion:") || text.starts_with("key:") {
        FileKind::Document
    } else {
        FileKind::Rules
    }
}

/// What is lost; remarks are none.
fn losses(findings: &[Finding]) -> Vec<&Finding> {
    findings.iter().filter(|finding| finding.severity() != Severity::Info).collect()
}

/// Who may serve each of the calls, with the rules of `text` alone over the shop's providers.
fn answers(text: &str) -> Vec<Value> {
    let file = if kind_of(text) == FileKind::Document { "rules/a.yaml" } else { "rules/a.rules" };
    let providers =
        std::fs::read_to_string(format!("{}/examples/shop/providers.txt", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let folder = TestFolder::empty().with("providers.txt", providers).with(file, text);
    let (code, out, _) = told(pointsman(&["check", "."]).current_dir(folder.path()).output().unwrap());
    assert!(code == Some(0) && out.contains("0 errors, 0 warnings"), "{out}\n{text}");
    let answer = |(service, method, consumer, attachment): &(&str, &str, &str, &str)| {
        let consumer = format!("consumer://10.9.9.9?{consumer}");
        let args = [
            "route",
            ".",
            "--service",
            service,
            "-m",
            method,
            "--consumer",
            &consumer,
            "-A",
            attachment,
            "--format",
            "json",
        ];
        let (_, out, log) = told(pointsman(&args).current_dir(folder.path()).output().unwrap());
        let answer: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error} {out}{log}"));
        answer["kept"].clone()
    };
    CALLS.iter().map(answer).collect()
}

#[test]
fn every_form_routes_as_every_other() {
    let expected = answers(RULES);
    assert!(expected.iter().any(|kept| *kept != expected[0]), "the rules do something");
    let mut forms = vec![RULES.to_owned()];
    for target in [Target::V3_0, Target::V3_1, Target::V3_0, Target::RouteUrl, Target::V3_1, Target::RouteUrl] {
        let (text, findings) = converted(forms.last().unwrap(), target);
        // A name of a rule among several without one cannot be kept; this file has none of these.
        assert!(losses(&findings).is_empty(), "{target:?}: {findings:?}\n{}", forms.last().unwrap());
        assert_eq!(answers(&text), expected, "{target:?}\n{text}");
        forms.push(text);
    }
    let (again, _) = converted(&forms[2], Target::V3_0);
    assert_eq!(again, forms[1], "there and back");
    let (same, findings) = converted(&forms[4], Target::RouteUrl);
    assert!(findings.is_empty() && same == forms[4], "{same}");
}

#[test]
fn documents_are_written_as_people_write_them() {
    for (text, target, expected) in [
        (
            "@service gray/com.shop.OrderService:1.0.0\n@name a\nconsumer.host = 10.* => \n",
            Target::V3_0,
            "configVersion: v3.0\nscope: service\nkey: gray/com.shop.OrderService:1.0.0\nruntime: false\ndialect: v2\nname: a\nconditions:\n  - \"host=10.* =>\"\n",
        ),
        (
            "scope: application\nkey: shop-order\non-error: fail\nforce: true\nenabled: false\nconditions: ['=> a=b', 'c=d => false', '=> false']\n",
            Target::V3_1,
            "configVersion: v3.1\nscope: application\nkey: shop-order\nforce: true\nenabled: false\non-error: fail\nconditions:\n  - to:\n      - match: \"a=b\"\n  - from: {match: \"c=d\"}\n  - from: {match: \"true\"}\n",
        ),
        (
            "configVersion: v3.1\nscope: service\nkey: a.B\nconditions:\n- from: {match: c=d}\n  to: [{match: ''}]\n- to: [{match: e=f, weight: 7}, {match: g=h}]\n",
            Target::V3_1,
            "configVersion: v3.1\nscope: service\nkey: a.B\nconditions:\n  - from: {match: \"c=d\"}\n    to:\n      - match: \"\"\n  - to:\n      - match: \"e=f\"\n        weight: 7\n      - match: \"g=h\"\n",
        ),
        (
            "scope: service\nkey: a.B\nconditions: []\n",
            Target::V3_1,
            "configVersion: v3.1\nscope: service\nkey: a.B\nconditions: []\n",
        ),
    ] {
        let (written, findings) = converted(text, target);
        assert!(losses(&findings).is_empty(), "{findings:?}");
        assert_eq!(written, expected);
    }
}

#[test]
fn route_urls_are_written_with_what_differs_from_their_defaults() {
    let document = format!("{HEAD}priority: 3\nname: n\nconditions: ['a=b => c=d', 'e=f =>']\n");
    let (written, findings) = converted(&document, Target::RouteUrl);
    assert!(losses(&findings).is_empty(), "{findings:?}");
    let head = "condition://0.0.0.0/com.shop.OrderService?category=routers&priority=3&runtime=true&dialect=v3";
    let expected = format!("{head}&name=n[0]&rule=a%3Db%20%3D%3E%20c%3Dd\n{head}&name=n[1]&rule=e%3Df%20%3D%3E\n");
    assert_eq!(written, expected);
}

#[test]
fn route_urls_have_their_rules_in_normal_form() {
    let url = "condition://0.0.0.0/S?force=true&rule=method+%3D+a,b+%3D%3E+region%3Dx+&priority=3\n";
    let (text, _) = converted(url, Target::RouteUrl);
    let expected = "condition://0.0.0.0/S?force=true&rule=method%3Da%2Cb%20%3D%3E%20region%3Dx&priority=3\n";
    assert_eq!(text, expected);
}

#[test]
fn what_a_document_cannot_say_is_told_for_each_rule() {
    let url = |head: &str, rest: &str| format!("condition://{head}?rule=a%3Db%20%3D%3E%20c%3Dd&{rest}\n");
    let service = "0.0.0.0/a.B";
    for (text, slug, what) in [
        (url("10.0.0.5/a.B", ""), "convert::lost", "`host=10.0.0.5`"),
        (url(service, "application=shop-web"), "convert::lost", "`application=shop-web`"),
        (url(service, "colour=red"), "convert::lost", "`colour=red`"),
        (url(service, "deadline=5ms"), "convert::lost", "`deadline=5ms`"),
        (
            [url(service, "priority=2"), url(service, "priority=1")].concat(),
            "convert::lost",
            "`priority=1` of one rule",
        ),
        ([url(service, "force=true"), url(service, "")].concat(), "convert::lost", "`force=false` of one rule"),
        ([url(service, "on-error=fail"), url(service, "")].concat(), "convert::lost", "`on-error=pass` of one rule"),
        ([url(service, "dialect=v3"), url(service, "")].concat(), "convert::lost", "`dialect=v2` of one rule"),
        ([url(service, "runtime=true"), url(service, "")].concat(), "convert::lost", "`runtime=false` of one rule"),
        ([url(service, "name=x"), url(service, "")].concat(), "convert::lost", "the name `x`"),
        ([url(service, "enabled=false"), url(service, "")].concat(), "convert::not_converted", "switched off"),
        (url("0.0.0.0/*", ""), "convert::not_converted", "every service"),
        (url(service, "version=1.0,2.0"), "convert::not_converted", "several groups or versions"),
        ("script://0.0.0.0/a.B?rule=invokers\n".to_owned(), "convert::not_converted", "no condition"),
        ("a=b => c=d\n".to_owned(), "convert::not_converted", "every service"),
    ] {
        let (_, findings) = converted(&text, Target::V3_0);
        let [loss] = losses(&findings)[..] else { panic!("{text}: {findings:?}") };
        assert!(loss.slug() == slug && loss.message().contains(what), "{text}: {loss:?}");
        assert!(loss.line_and_column().is_some(), "{text}");
    }
}

#[test]
fn what_texts_and_urls_cannot_say_is_told_for_each_rule() {
    let v31 = format!("configVersion: v3.1\n{HEAD}conditions:\n");
    for (text, target, slug, what) in [
        (
            format!("{v31}- to: [{{match: a=b, weight: 3}}, {{match: c=d}}]\n"),
            Target::V3_0,
            "convert::lost",
            "2 destinations",
        ),
        (
            format!("{v31}- to: [{{match: a=b, weight: 3}}, {{match: c=d}}]\n"),
            Target::RouteUrl,
            "convert::lost",
            "2 destinations",
        ),
        (format!("{v31}- from: {{match: consumer.a=b}}\n"), Target::V3_0, "convert::not_converted", "`consumer.a`"),
        (
            "scope: application\nkey: shop\nconditions: [a=b =>]\n".to_owned(),
            Target::RouteUrl,
            "convert::not_converted",
            "application",
        ),
        ("key: shop\ntags: [{name: gray}]\n".to_owned(), Target::V3_1, "convert::not_converted", "tag document"),
        (format!("{HEAD}conditions: ['a=b => &']\n"), Target::V3_1, "convert::not_converted", "cannot be written"),
        (format!("{HEAD}name: a b\nconditions: [a=b =>]\n"), Target::RouteUrl, "convert::lost", "the name `a b`"),
    ] {
        let (_, findings) = converted(&text, target);
        let [loss] = losses(&findings)[..] else { panic!("{text}: {findings:?}") };
        assert!(loss.slug() == slug && loss.message().contains(what), "{text}: {loss:?}");
    }
}

#[test]
fn of_several_destinations_the_greatest_is_kept() {
    let text = format!(
        "configVersion: v3.1\n{HEAD}conditions:\n- from: {{match: x=y}}\n  to: [{{match: a=b, weight: 3}}, {{match: c=d, weight: 9}}, {{match: e=f, weight: 9}}]\n"
    );
    assert!(converted(&text, Target::V3_0).0.ends_with("  - \"x=y => c=d\"\n"));
}

#[test]
fn what_changes_a_little_is_a_remark() {
    for (text, target, what) in [
        ("@service a.B\na=b =>\n".to_owned(), Target::V3_0, "every group and version"),
        ("@service g/a.B:1\na=b =>\n".to_owned(), Target::V3_0, "`dialect: v2`"),
        ("@service g/a.B:1\n@on-error fail\na=b =>\n".to_owned(), Target::V3_0, "`on-error`"),
        (format!("{HEAD}conditions: [a=b =>]\n"), Target::RouteUrl, "every group and version"),
        (format!("{HEAD}conditions: [a=b =>]\n"), Target::RouteUrl, "whatever the priority"),
    ] {
        let (_, findings) = converted(&text, target);
        assert!(losses(&findings).is_empty(), "{findings:?}");
        let told =
            findings.iter().any(|finding| finding.slug() == "convert::changed" && finding.message().contains(what));
        assert!(told, "{text}: {findings:?}");
    }
}

fn run(folder: &TestFolder, args: &[&str]) -> (Option<i32>, String, String) {
    told(pointsman(&[&["convert"], args].concat()).current_dir(folder.path()).output().unwrap())
}

#[test]
fn the_exit_code_tells_what_happened() {
    let folder = TestFolder::new()
        .with("good.rules", "@service g/a.B:1\na=b => c=d\n")
        .with("lost.rules", "a=b => c=d\n")
        .with("bad.rules", "@service g/a.B:1\na==b => c=d\n")
        .with("bad.yaml", "conditions: []\n");
    for (args, expected, is_printed) in [
        (vec!["good.rules", "--to", "v3.0"], 0, true),
        (vec!["condition://0.0.0.0/a.B?rule=a%3Db+%3D%3E&group=g&version=1", "--to", "v3.1"], 0, true),
        (vec!["lost.rules", "--to", "v3.0"], 1, false),
        (vec!["lost.rules", "--to", "v3.0", "--lossy"], 0, false),
        (vec!["nowhere.rules", "--to", "v3.0"], 1, false),
        (vec!["providers.txt", "--to", "v3.0"], 2, false),
        (vec!["good.rules"], 2, false),
        (vec!["good.rules", "--to", "v2.7"], 2, false),
        (vec!["bad.rules", "--to", "v3.0"], 4, false),
        (vec!["bad.yaml", "--to", "v3.1"], 4, false),
    ] {
        let (code, out, log) = run(&folder, &args);
        assert_eq!((code, !out.is_empty()), (Some(expected), is_printed), "{args:?}: {out}{log}");
        assert!(is_printed || !log.is_empty(), "{args:?}");
    }
}
