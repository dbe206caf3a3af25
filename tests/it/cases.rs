//! Case files, `pointsman test` and `pointsman route --record`.

use std::fs;
use std::path::Path;
use std::process::Command;

use pointsman::diagnostics::SourceText;
use pointsman::rpc::Value;
use pointsman::source::cases::CaseKind;
use pointsman::source::cases::MAX_CASES_BYTES;
use pointsman::source::cases::read_cases;
use pointsman::source::cases::write_case;
use proptest::proptest;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

const SHOP: &str = "examples/shop";
const ORDERS: &str = "com.shop.OrderService";
/// A case of the folder that [`greeter`] makes, without what it wants.
const HELLO: &str = "- note: hello\n  call: sayHello\n";

/// Two providers and two rules.
fn greeter() -> TestFolder {
    TestFolder::empty()
        .with("providers.txt", "dubbo://10.0.0.1:1/S?region=hangzhou\ndubbo://10.0.0.2:1/S?region=beijing\n")
        .with("rules/a.rules", "@name near\nmethod = say* => region = hangzhou\n@name never\nmethod = drop => false\n")
}

fn test(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    told(pointsman(&["test"]).arg(folder).args(args).output().unwrap())
}

/// The example shop, to be changed.
fn shop() -> TestFolder {
    fn copy(from: &Path, name: &str, mut folder: TestFolder) -> TestFolder {
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            let name = format!("{name}{}", entry.file_name().to_str().unwrap());
            folder = match entry.path().is_dir() {
                true => copy(&entry.path(), &format!("{name}/"), folder),
                false => folder.with(&name, fs::read(entry.path()).unwrap()),
            };
        }
        folder
    }
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(SHOP), "", TestFolder::empty())
}

/// Slug, place and help of a finding.
type Told = (&'static str, Option<(usize, usize)>, String);

/// What is told of a text.
fn findings(text: &str) -> Vec<Told> {
    let (_, findings) = read_cases(&SourceText::new("tests/a.yaml", text), CaseKind::Folder);
    let told = |finding: &pointsman::Finding| {
        (finding.slug(), finding.line_and_column(), finding.help_text().unwrap_or_default().to_owned())
    };
    findings.iter().map(told).collect()
}

#[test]
fn the_shop_is_green_and_its_cases_reach_every_rule() {
    let (code, out, log) = test(SHOP.as_ref(), &["--fail-under", "100"]);
    assert_eq!((code, log.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("18 cases, 18 passed, 0 failed\n12 of 12 rules reached (100 %)\n"), "{out}");
    assert!(out.contains("  never changes an answer: create-on-stable (rules/orders.rules:17)\n"), "{out}");
}

#[test]
fn a_broken_rule_turns_the_shop_red() {
    let rules =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/shop/rules/orders.rules")).unwrap();
    let broken = rules.replace("region = $region", "region = hangzhou");
    assert_ne!(rules, broken);
    let folder = shop().with("rules/orders.rules", broken);
    let (code, out, _) = test(folder.path(), &[]);
    assert_eq!(code, Some(1));
    insta::assert_snapshot!("shop_with_a_broken_rule", out);
}

#[test]
fn every_wish_can_be_missed() {
    for (want, came) in [
        ("{addresses: [10.0.0.2:1]}", Some("came   10.0.0.1:1")),
        ("{addresses: [10.0.0.1:1, 10.0.0.2:1]}", Some("came   10.0.0.1:1")),
        ("{count: 2}", Some("came   1 provider")),
        ("{keep-all: true}", Some("came   1 of 2 providers")),
        ("{nobody: true}", Some("came   10.0.0.1:1")),
        ("{decided-by: never}", Some("came   decided by near (rules/a.rules:2)")),
        ("{decided-by: naer}", Some("came   no rule of this name; did you mean `near`?")),
        ("{not-by: near}", Some("came   decided by near (rules/a.rules:2)")),
        ("{not-by: naer}", Some("came   no rule of this name; did you mean `near`?")),
        ("{not-by: \"rules/a.rules:2\"}", Some("came   decided by near (rules/a.rules:2)")),
        ("{not-by: rules/a.rules}", Some("came   decided by near (rules/a.rules:2)")),
        ("{error: anything}", Some("came   10.0.0.1:1")),
        ("{addresses: [10.0.0.1:1], decided-by: near, not-by: never}", None),
        ("{count: 1, decided-by: [\"rules/a.rules:2\", rules/a.rules]}", None),
    ] {
        let folder = greeter().with("tests/a.yaml", format!("{HELLO}  want: {want}\n"));
        let (code, out, log) = test(folder.path(), &[]);
        let expected = if came.is_some() { Some(1) } else { Some(0) };
        assert!(code == expected && log.is_empty() && came.is_none_or(|came| out.contains(came)), "{want}: {out}{log}");
    }
}

#[test]
fn an_error_that_is_wanted_is_no_failure() {
    for (error, expected) in
        [("call::unknown_service", 0), ("no provider offers `T`", 0), ("call::contradiction", 1), ("something", 1)]
    {
        let case = format!("- note: a\n  service: T\n  call: m\n  want: {{error: \"{error}\"}}\n");
        let (code, out, _) = test(greeter().with("tests/a.yaml", case).path(), &[]);
        assert!(code == Some(expected) && (expected == 0 || out.contains("call::unknown_service")), "{error}: {out}");
    }
    let case = "- note: a\n  service: T\n  call: m\n  want: {count: 1}\n";
    let (code, out, _) = test(greeter().with("tests/a.yaml", case).path(), &[]);
    assert!(code == Some(1) && out.contains("wanted an answer"), "{out}");
}

#[test]
fn the_exit_code_of_a_run_tells_what_happened() {
    let green = format!("{HELLO}  want: {{count: 1}}\n");
    let red = format!("{HELLO}  want: {{count: 2}}\n");
    for (file, text, args, code) in [
        ("tests/a.yaml", green.as_str(), vec![], 0),
        ("tests/a.yml", &red, vec![], 1),
        ("tests/a.yaml", &green, vec!["--fail-under", "50"], 0),
        ("tests/a.yaml", &green, vec!["--fail-under", "51"], 1),
        ("tests/a.yaml", &green, vec!["--fail-under", "101"], 2),
        ("tests/a.yaml", &green, vec!["--filter", "hell"], 0),
        ("tests/a.yaml", &green, vec!["--filter", "other"], 1),
        ("tests/a.yaml", &green, vec!["--filter", "hell", "--fail-under", "5"], 2),
        ("tests/README.md", "# No cases.", vec![], 1),
        ("tests/a.yaml", "", vec![], 1),
        ("tests/a.yaml", "- note: a\n", vec![], 4),
        ("rules/b.rules", "=x => a = b\n", vec![], 4),
    ] {
        let (found, out, log) = test(greeter().with(file, text).path(), &args);
        assert_eq!(found, Some(code), "{file} {args:?}: {out}{log}");
    }
    assert_eq!(test("no/such/folder".as_ref(), &[]).0, Some(2));
}

#[test]
fn route_does_not_mind_a_broken_case_and_check_does() {
    let folder = greeter().with("tests/a.yaml", "- note: a\n");
    let run = |args: &[&str]| told(pointsman(args).arg(folder.path()).output().unwrap());
    assert_eq!(run(&["route", "-m", "sayHello"]).0, Some(0));
    let (code, out, _) = run(&["check", "--format", "plain"]);
    assert!(code == Some(4) && out.contains("tests/a.yaml:1:3: error PM0802 cases::missing_key"), "{out}");
    let single = folder.path().join("tests/a.yaml");
    assert_eq!(told(pointsman(&["check"]).arg(single).output().unwrap()).0, Some(4));
}

#[test]
fn keep_going_runs_the_cases_that_can_be_read() {
    let folder = greeter().with("tests/a.yaml", format!("{HELLO}  want: {{count: 1}}\n")).with("tests/b.yaml", "- 1\n");
    let (code, out, log) = test(folder.path(), &["--keep-going"]);
    assert!(code == Some(0) && out.contains("1 case, 1 passed") && log.contains("cases::wrong_type"), "{out}{log}");
}

#[test]
fn results_as_json_have_differences_explanation_and_coverage() {
    let text = format!("{HELLO}  want: {{count: 2}}\n- note: b\n  call: other\n  want: {{keep-all: true}}\n");
    let (_, out, _) = test(greeter().with("tests/a.yaml", text).path(), &["--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["schema"], &report["passed"], &report["failed"]), (&1.into(), &1.into(), &1.into()));
    let result = &report["results"][0];
    assert_eq!((&result["line"], &result["outcome"]), (&1.into(), &"failed".into()));
    assert_eq!(result["differences"][0]["came"], "1 provider");
    assert_eq!(result["explanation"]["steps"][1]["name"], "near");
    assert_eq!(report["results"][1]["explanation"], serde_json::Value::Null);
    assert_eq!((&report["coverage"]["reached"], &report["coverage"]["percent"]), (&1.into(), &50.into()));
    assert_eq!(report["coverage"]["by_rule"][1]["reached"], 0);
}

#[test]
fn results_as_junit_are_well_formed_whatever_a_note_says() {
    let text = "- note: \"<&\\\"'\\e\\u0085]]>\"\n  call: sayHello\n  want: {count: 2}\n";
    let (code, out, _) = test(greeter().with("tests/a.yaml", text).path(), &["--format", "junit"]);
    assert_eq!(code, Some(1));
    assert!(out.starts_with(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pointsman\" tests=\"1\" failures=\"1\""
    ));
    assert!(out.contains("name=\"&lt;&amp;&quot;'\\u{1b}\\u{85}]]&gt;\""), "{out}");
    assert!(!out.chars().any(|c| c.is_control() && c != '\n'), "{out:?}");
    // Elements open and close in turn; `&` and `<` stand nowhere else.
    let mut open = Vec::new();
    for tag in out.split('<').skip(2).map(|part| part.split_once('>').unwrap().0) {
        match (tag.strip_prefix('/'), tag.ends_with('/')) {
            (Some(name), _) => assert_eq!(open.pop().as_deref(), Some(name), "{out}"),
            (None, false) => open.push(tag.split(' ').next().unwrap().to_owned()),
            (None, true) => {}
        }
    }
    let is_entity = |rest: &str| ["amp;", "lt;", "gt;", "quot;"].iter().any(|name| rest.starts_with(name));
    assert!(open.is_empty() && out.split('&').skip(1).all(is_entity), "{open:?} {out}");
}

#[test]
fn no_result_shows_a_secret() {
    let text = "- note: a\n  consumer: \"consumer://u:SECRET@h?password=SECRET\"\n  call: {method: sayHello, attachments: {token: SECRET}}\n  want: {count: 2}\n";
    let folder =
        greeter().with("rules/b.rules", "attachments[token] = x => region = beijing\n").with("tests/a.yaml", text);
    for format in ["human", "plain", "json", "junit"] {
        let (code, out, log) = test(folder.path(), &["--format", format]);
        assert!(code == Some(1) && !out.contains("SECRET") && !log.contains("SECRET"), "{format}: {out}{log}");
    }
}

#[test]
fn what_is_wrong_with_a_case_is_told_with_its_place() {
    for (text, slug, place, help) in [
        ("note: a\n", "cases::not_a_list", (1, 1), "each case begins with `- note: …`"),
        ("- a\n", "cases::wrong_type", (1, 3), "write `note: …`"),
        ("- note: a\n  cal: m\n  call: m\n  want: {count: 1}\n", "cases::unknown_key", (2, 3), "did you mean `call`?"),
        (
            "- note: a\n  call: m\n",
            "cases::missing_key",
            (1, 3),
            "a case that wants nothing proves nothing: `want: {count: 2}`",
        ),
        (
            "- note: a\n  call: m\n  want: {}\n",
            "cases::nothing_wanted",
            (3, 9),
            "write `addresses`, `count`, `nobody` or `decided-by`",
        ),
        ("- note: a\n  call: m\n  want: {count: few}\n", "cases::wrong_type", (3, 17), "write `count: 3`"),
        ("- note: a\n  call: m\n  want: {count: 0}\n", "cases::wrong_value", (3, 17), "write `nobody: true`"),
        (
            "- note: a\n  call: m\n  want: {nobody: false}\n",
            "cases::wrong_type",
            (3, 18),
            "write `nobody: true`, or leave it out",
        ),
        (
            "- note: a\n  call: m\n  want: {addresses: []}\n",
            "cases::wrong_value",
            (3, 21),
            "leave `addresses` out, or fill it",
        ),
        (
            "- note: a\n  call: m\n  want: {count: 1, nobody: true}\n",
            "cases::conflict",
            (3, 20),
            "keep the one that says more",
        ),
        (
            "- note: a\n  call: m\n  want: {keep: [0]}\n",
            "cases::not_for_folders",
            (3, 10),
            "a folder's case is about the folder's rules and providers; name addresses, not positions",
        ),
        (
            "- note: a\n  call: m\n  rule: x\n  want: {count: 1}\n",
            "cases::not_for_folders",
            (3, 3),
            "a folder's case is about the folder's rules and providers; name addresses, not positions",
        ),
        (
            "- note: a\n  call: m\n  want: {error: call::unknown_servise}\n",
            "cases::wrong_value",
            (3, 17),
            "did you mean `call::unknown_service`?",
        ),
        (
            "- note: a\n  call: m\n  clock: 2026-11-30T22:00:00\n  want: {count: 1}\n",
            "cases::wrong_value",
            (3, 10),
            "for example `2026-11-30T22:00:00+08:00`; the zone, or `Z`, is needed",
        ),
        (
            "- note: 杭\n  call: {methd: m, method: m}\n  want: {count: 1}\n",
            "cases::unknown_key",
            (2, 10),
            "did you mean `method`?",
        ),
        (
            "- {note: a, call: m, want: {count: 1}}\n- {note: a, call: m, want: {count: 1}}\n",
            "cases::duplicate_note",
            (2, 10),
            "say what is different about this one",
        ),
        (
            "- note: a\n  call: m\n  call: m\n  want: {count: 1}\n",
            "yaml::duplicate_key",
            (3, 3),
            "a map has a key once; remove one of them",
        ),
        ("- note: a\n  ? [a]\n  : b\n  call: m\n  want: {count: 1}\n", "yaml::wrong_key", (2, 5), "write `key: value`"),
        (
            "- note: !!str a\n  call: m\n  want: {count: 1}\n",
            "yaml::tag",
            (1, 9),
            "leave `!…` out; quotes make a text of anything",
        ),
        (
            "- note: a\n\tcall: m\n",
            "yaml::not_yaml",
            (1, 9),
            "line 2 is indented with a tab; YAML is indented with blanks",
        ),
        ("- note: &a [*a]\n  call: m\n  want: {count: 1}\n", "yaml::not_yaml", (1, 13), "write the value out"),
    ] {
        assert_eq!(findings(text), [(slug, Some(place), help.to_owned())], "{text}");
    }
}

#[test]
fn places_count_characters_and_see_through_crlf() {
    let found = findings("- note: 杭州\r\n  call: m\r\n  want: {count: 1, 错: 1}\r\n");
    assert_eq!(found[0].1, Some((3, 20)), "{found:?}");
}

#[test]
fn hostile_files_are_findings() {
    let laughs: String = (1..=9).fold("a0: &a0 [x, x]\n".to_owned(), |text, at| {
        let repeated = vec![format!("*a{}", at - 1); 9].join(", ");
        format!("{text}a{at}: &a{at} [{repeated}]\n")
    });
    let long = format!("a: &a \"{}\"\nb: [{}]\n", "x".repeat(200_000), vec!["*a"; 200_000].join(", "));
    // Each level is shallow, and an alias to the one before it.
    let ladder: String = (1..5_000)
        .fold("a0: &a0 [[[[x]]]]\n".to_owned(), |text, at| format!("{text}a{at}: &a{at} [[[[*a{}]]]]\n", at - 1));
    for (what, text, slug) in [
        ("dashes", "- ".repeat(200_000), "yaml::too_deep"),
        ("brackets", "[".repeat(200_000), "yaml::too_deep"),
        ("braces", "{a: ".repeat(200_000), "yaml::too_deep"),
        ("question marks", "? ".repeat(200_000), "yaml::too_deep"),
        ("a billion laughs", laughs, "yaml::too_many_aliases"),
        ("a long text repeated", long, "yaml::too_many_aliases"),
        ("a ladder of aliases", ladder, "yaml::too_deep"),
        ("an open quote", format!("- note: \"{}", "x".repeat(200_000)), "yaml::not_yaml"),
    ] {
        let found = findings(&text);
        // Where brackets nest, the scanner's own limit may be met before ours.
        let is_it = |found: &str| found == slug || (slug == "yaml::too_deep" && found == "yaml::not_yaml");
        assert!(found.iter().any(|(found, ..)| is_it(found)), "{what}: {:?}", found.first());
    }
}

#[test]
fn files_that_are_no_text_or_too_large_are_findings() {
    let large = format!("# {}\n", "x".repeat(10 << 20));
    assert!(large.len() as u64 > MAX_CASES_BYTES);
    for (text, slug) in
        [(large.into_bytes(), "folder::too_large"), (b"- note: \xff\xfe\n".to_vec(), "folder::not_utf8")]
    {
        let (code, _, log) = test(greeter().with("tests/a.yaml", text).path(), &["--format", "plain"]);
        assert!(code == Some(4) && log.contains(slug), "{log}");
    }
}

#[test]
fn several_documents_are_one_list() {
    let text = "# one\n---\n- {note: a, call: m, want: {count: 1}}\n---\n# nothing\n---\n- {note: b, call: m, want: {count: 1}}\n";
    let (cases, findings) = read_cases(&SourceText::new("a.yaml", text), CaseKind::Folder);
    let notes: Vec<&str> = cases.iter().map(|case| case.note.as_str()).collect();
    assert_eq!((notes, findings.len()), (vec!["a", "b"], 0), "{findings:?}");
}

#[test]
fn an_alias_repeats_a_value() {
    let text = "- {note: a, consumer: &c 10.0.0.9, call: m, want: &w {count: 1}}\n- {note: b, consumer: *c, call: m, want: *w}\n";
    let (cases, findings) = read_cases(&SourceText::new("a.yaml", text), CaseKind::Folder);
    assert_eq!((&cases[0].consumer, &cases[0].want), (&cases[1].consumer, &cases[1].want), "{findings:?}");
}

/// Runs `route --record` on the shop.
fn record(file: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    told(pointsman(&["route", SHOP]).args(args).arg("--record").arg(file).output().unwrap())
}

#[test]
fn a_recorded_call_replays_green() {
    let folder = shop();
    let file = folder.path().join("tests/recorded/../recorded.yaml");
    let before = "- {note: kept, service: com.shop.UserService, call: login, want: {keep-all: true}}  # as it stands";
    let calls: [&[&str]; 5] = [
        &["--service", ORDERS, "-m", "create", "--consumer", "10.2.0.9?region=shanghai", "-A", "order.amount=20000"],
        &["--service", ORDERS, "-m", "create", "--consumer", "10.2.0.9?region=shanghai", "-A", "x= a: #"],
        &[
            "--service",
            ORDERS,
            "-m",
            "find",
            "-a",
            "42",
            "-a",
            "{\"a\":[1.5,null,\"true\"]}",
            "-a",
            "9223372036854775808",
        ],
        &["--service", "com.shop.PaymentService:2.0.0", "-m", "refund", "--note=- nobody: \"refunds\" # 杭\u{85}"],
        &["--service", "com.shop.UserService", "-m", "null", "--clock", "2026-11-30T22:00:00+08:00", "--repeat", "3"],
    ];
    for start in [None, Some(before)] {
        let file = folder.path().join("tests/recorded.yaml");
        if let Some(text) = start {
            fs::write(&file, text).unwrap();
        }
        for args in calls {
            let (code, _, log) = record(&file, args);
            assert!(matches!(code, Some(0 | 3)) && log.starts_with("recorded in "), "{args:?}: {code:?} {log}");
        }
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with(start.unwrap_or("- note: com.shop.OrderService.create 1\n")), "{text}");
        let (code, out, log) = test(folder.path(), &["--filter", "recorded"]);
        let count = if start.is_some() { "6 cases, 6 passed" } else { "5 cases, 5 passed" };
        assert!(code == Some(0) && out.contains(count), "{out}{log}\n{text}");
    }
    assert!(!file.exists());
}

#[test]
fn a_call_is_recorded_behind_any_list() {
    for before in [
        "[{note: a, call: m, want: {count: 1}}]",
        "  - {note: a, call: m, want: {count: 1}}\n",
        "# nothing yet\n",
        "---\n...\n",
    ] {
        let folder = TestFolder::empty().with("a.yaml", before);
        let file = folder.path().join("a.yaml");
        let (code, _, log) = record(&file, &["--service", ORDERS, "-m", "create"]);
        let text = fs::read_to_string(&file).unwrap();
        let (cases, findings) = read_cases(&SourceText::new("a.yaml", text.as_str()), CaseKind::Folder);
        assert!(code == Some(0) && text.starts_with(before) && findings.is_empty(), "{log}{text}");
        assert_eq!(cases.len(), usize::from(before.contains("note")) + 1, "{text}");
    }
}

#[test]
fn what_cannot_be_recorded_is_refused_and_nothing_is_written() {
    for (file, before, args, slug) in [
        ("a.yaml", "note: a\n", vec![], "cases::not_a_list"),
        ("a.yaml", "- note: a\n", vec![], "cases::missing_key"),
        ("a.yaml", "{", vec![], "yaml::not_yaml"),
        ("a.rules", "", vec![], "cases::wrong_suffix"),
        ("a.yaml", "- {note: x, call: m, want: {count: 1}}\n", vec!["--note", "x"], "cases::duplicate_note"),
        ("a.yaml", "", vec!["-A", "token=SECRET"], "cases::secret"),
        ("a.yaml", "", vec!["-a", "{\"password\": \"SECRET\"}"], "cases::secret"),
        ("a.yaml", "", vec!["--consumer", "consumer://u:SECRET@h"], "cases::secret"),
        ("a.yaml", "", vec!["--consumer", "h?db.password=SECRET"], "cases::secret"),
        ("a.yaml", "", vec!["--note", "password=SECRET"], "cases::secret"),
    ] {
        let folder = TestFolder::empty().with(file, before);
        let path = folder.path().join(file);
        let (code, out, log) = record(&path, &[&["--service", ORDERS, "-m", "create"], args.as_slice()].concat());
        assert!(code == Some(2) && log.contains(slug) && !log.contains("SECRET"), "{slug}: {code:?} {out}{log}");
        assert_eq!(fs::read_to_string(&path).unwrap(), before, "{slug}");
    }
    let folder = TestFolder::empty().with("x", "");
    let (code, _, log) = record(&folder.path().join("x/a.yaml"), &["--service", ORDERS, "-m", "create"]);
    assert!(matches!(code, Some(1 | 2)) && !log.is_empty(), "{code:?} {log}");
}

#[test]
fn a_note_without_a_call_to_record_and_a_time_without_a_zone_are_refused() {
    for args in [["--note", "a"], ["--clock", "2026-11-30T22:00:00"], ["--clock", "2026-11-30"], ["--clock", "noon"]] {
        let mut command: Command = pointsman(&["route", SHOP, "--service", ORDERS, "-m", "create"]);
        assert_eq!(told(command.args(args).output().unwrap()).0, Some(2), "{args:?}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "[-\\[\\]{}:,?&*!|>'\"%@`# \n\ta-c0-9\u{e9}\u{6c49}\r\\\\.]{0,80}") {
        let _ = findings(&text);
    }

    #[test]
    fn what_is_written_is_read_again(note in "[^\u{0}]{1,20}", key in ".{1,8}", value in ".{1,12}", argument in ".{0,12}") {
        let source = SourceText::new("a.yaml", "- note: a\n  call: {method: m, arguments: [x], attachments: {a: b}}\n  want: {count: 1}\n");
        let (mut cases, _) = read_cases(&source, CaseKind::Folder);
        let mut case = cases.remove(0);
        case.note = note;
        case.call.arguments[0].value = Value::from(argument);
        case.call.attachments = vec![(key, value)];
        let (read, findings) = read_cases(&SourceText::new("a.yaml", write_case(&case)), CaseKind::Folder);
        assert_eq!((read, findings.len()), (vec![case.clone()], 0), "{}", write_case(&case));
    }
}
