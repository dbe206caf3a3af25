//! `pointsman fmt`: rule texts in normal form, and not one other byte of what stands there.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use pointsman::diagnostics::Finding;
use pointsman::diagnostics::SourceText;
use pointsman::source::folder::FileKind;
use pointsman::source::format::format;
use proptest::prelude::*;
use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

const HEAD: &str = "scope: service\nkey: com.shop.OrderService\n";

/// The text formatted, and the slugs of what was left alone.
fn formatted(text: &str, kind: FileKind) -> Result<(String, Vec<Finding>), Vec<Finding>> {
    let formatted = format(&SourceText::new("case", text), kind).unwrap()?;
    Ok((formatted.text, formatted.findings))
}

/// The text formatted; nothing in it is left alone, and once is enough.
fn clean(text: &str, kind: FileKind) -> String {
    let (once, findings) = formatted(text, kind).unwrap();
    assert!(findings.is_empty(), "{text}: {findings:?}");
    assert_eq!(formatted(&once, kind).unwrap().0, once, "twice: {text}");
    once
}

#[test]
fn conditions_of_rules_files_are_in_normal_form() {
    for (text, expected) in [
        ("method = find* , get* =>   region = $region\n", "method=find*,get* => region=$region\n"),
        ("  host = a => b = c\n", "  host=a => b=c\n"),
        ("# a  comment = x \r\n\r\n@force  \r\na = b =>\r\n", "# a  comment = x\n\n@force\na=b =>\n"),
        ("consumer.host = a & host != b => ", "host=a & host!=b =>\n"),
        ("true => a = b", "=> a=b\n"),
        ("a = b => false", "a=b =>\n"),
        ("@dialect v3\nb = 007~9 => c = d\n", "@dialect v3\nb=7~9 => c=d\n"),
        (
            "condition://0.0.0.0/a?rule=h%20=%20a%20=%3E%20&runtime=true \n",
            "condition://0.0.0.0/a?rule=h%20=%20a%20=%3E%20&runtime=true\n",
        ),
        ("@name x y\na = b => c = d\n", "@name x y\na=b => c=d\n"),
        ("", ""),
    ] {
        assert_eq!(clean(text, FileKind::Rules), expected, "{text:?}");
    }
}

#[test]
fn documents_keep_all_but_their_rule_texts() {
    for (text, expected) in [
        (
            "# why \nconditions: # these\n\n  - \"method = x => a = b\" # first\n  - 'it''s = b => '\n  - c = d =>   e = f\n",
            "# why\nconditions: # these\n\n  - \"method=x => a=b\" # first\n  - 'it''s=b =>'\n  - c=d => e=f\n",
        ),
        (
            "conditions: [ a = b => c = d , \"e = f , g => h = i\" ]\n",
            "conditions: [ a=b => c=d , \"e=f,g => h=i\" ]\n",
        ),
        ("conditions:\r\n- &x a = b =>\r\n- *x", "conditions:\n- &x a=b =>\n- *x\n"),
        (
            "configVersion: v3.1\nconditions:\n  - from: {match: method = a}\n    to:\n      - match: region = b , c\n        weight:  30\n",
            "configVersion: v3.1\nconditions:\n  - from: {match: method=a}\n    to:\n      - match: region=b,c\n        weight:  30\n",
        ),
        ("name: a = b\nconditions: [a = b => c = d]\n", "name: a = b\nconditions: [a=b => c=d]\n"),
        ("dialect: v2\nconditions: [a = 1~2x => c = d]\n", "dialect: v2\nconditions: [a=1~2x => c=d]\n"),
    ] {
        assert_eq!(clean(&format!("{HEAD}{text}"), FileKind::Document), format!("{HEAD}{expected}"), "{text:?}");
    }
}

#[test]
fn texts_of_several_lines_and_scripts_stay() {
    for text in [
        "conditions:\n  - |\n    a = b =>  \n      c = d\n",
        "conditions:\n  - >-\n    a = b\n    => c = d\n",
        "conditions:\n  - a = b =>\n    c = d\n",
        "conditions: [\"\\u0061 = b => c = d\"]\n",
    ] {
        let text = format!("{HEAD}{text}");
        assert_eq!(clean(&text, FileKind::Document), text);
    }
    let script = "kind: script\nkey: shop\nscript: |\n  // a line with blanks  \n\n  return invokers;\t\n";
    assert_eq!(clean(script, FileKind::Document), script);
    assert_eq!(clean("kind: script\nkey: shop\nscript: |+\n  a\n\n", FileKind::Document).lines().count(), 5);
}

#[test]
fn an_end_of_the_file_that_is_a_part_of_a_value_stays() {
    let script = "kind: script\nkey: shop\nscript: |\n  return invokers;";
    let text = clean(script, FileKind::Document);
    assert!(text == script || text == format!("{script}\n"), "{text:?}");
}

#[test]
fn a_rule_with_something_wrong_stays_and_is_named() {
    for (text, kind, why) in [
        ("host=a host=b\n", FileKind::Rules, "expected `&`"),
        ("a = b & => c = d\n", FileKind::Rules, "joins nothing"),
        ("a = b\n", FileKind::Rules, "expected `=>`"),
        (&format!("{HEAD}conditions:\n  - a == b =>\n"), FileKind::Document, "`==`"),
        (&format!("{HEAD}conditions: [a = b & a = c => ]\n"), FileKind::Document, "needs quotes"),
    ] {
        let (same, findings) = formatted(text, kind).unwrap();
        assert_eq!(same, text);
        let [finding] = findings.as_slice() else { panic!("{text}: {findings:?}") };
        assert_eq!(finding.slug(), "fmt::left_alone");
        assert!(finding.message().contains(why), "{text}: {finding}");
        assert!(finding.line_and_column().is_some(), "{text}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_refused_whole() {
    for (text, kind, slug) in [
        ("@forec\na = b =>\n", FileKind::Rules, "rules::unknown_tag"),
        ("conditions: [a = b =>]\n", FileKind::Document, "rule::missing_key"),
        ("a: [\n", FileKind::Document, "yaml::not_yaml"),
    ] {
        let findings = formatted(text, kind).unwrap_err();
        assert!(findings.iter().any(|finding| finding.slug() == slug), "{text}: {findings:?}");
    }
    assert!(format(&SourceText::new("providers.txt", ""), FileKind::Providers).is_none());
}

/// Documents of the golden vectors, as a folder would have them.
pub(crate) fn vector_documents() -> Vec<String> {
    let heads = [
        ("doc-condition", HEAD),
        ("doc-multidest", HEAD),
        ("tag", "scope: application\nkey: app-p\n"),
        ("affinity", "kind: affinity\nscope: application\nkey: app-p\n"),
    ];
    let mut documents = Vec::new();
    for (kind, head) in heads {
        let path = format!("{}/tests/vectors/{kind}.jsonl", env!("CARGO_MANIFEST_DIR"));
        for line in fs::read_to_string(path).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            if let (Some(_), Some(text)) = (row["doc"].as_str(), row["text"].as_str()) {
                let added = head.lines().filter(|line| !text.contains(line.split(':').next().unwrap()));
                let added: String = added.map(|line| format!("{line}\n")).collect();
                documents.extend([text.to_owned(), format!("{added}{text}")]);
            }
        }
    }
    documents
}

#[test]
fn documents_of_the_vectors_read_alike_when_formatted() {
    let documents = vector_documents();
    let mut changed = 0;
    for text in &documents {
        if let Ok((once, findings)) = formatted(text, FileKind::Document) {
            let (twice, _) = formatted(&once, FileKind::Document).unwrap();
            assert_eq!(once, twice, "{text}");
            changed += usize::from(once != *text);
            let faults = findings.iter().filter(|finding| finding.message().contains("the file stays"));
            assert_eq!(faults.count(), 0, "{text}");
        }
    }
    assert!(changed > 50, "{changed} of {}", documents.len());
}

/// Texts that are likely to be rules, and to need quotes.
fn rule_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        5 => prop::sample::select(vec!["host", "method", "region", "consumer.a", "it's", "杭州", "$x", "1~10", "*", "a:b", "\"", "\\", "#"]),
        5 => prop::sample::select(vec!["=", "!=", ",", "&", "=>", " = ", " => "]),
        3 => Just(" "),
    ];
    prop::collection::vec(piece, 1..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn formatting_twice_is_formatting_once(texts in prop::collection::vec((rule_text(), 0..5), 1..4)) {
        let items = texts.iter().map(|(text, style)| match style {
            0 => format!("  - {text}  # why\n"),
            1 => format!("  - '{}' \n", text.replace('\'', "''")),
            2 => format!("  - {}\n\n", serde_json::to_string(text).unwrap()),
            3 => format!("  - |\n    {text} \n"),
            _ => format!("  - &a {text}\n  - *a\n"),
        });
        let document = format!("{HEAD}conditions:\n{}", items.collect::<String>());
        let lines = texts.iter().map(|(text, _)| format!("{text} \r\n")).collect::<String>();
        for (text, kind) in [(document, FileKind::Document), (lines, FileKind::Rules)] {
            if let Ok((once, findings)) = formatted(&text, kind) {
                prop_assert!(findings.iter().all(|finding| !finding.message().contains("the file stays")), "{}", text);
                prop_assert_eq!(&formatted(&once, kind).unwrap().0, &once);
            }
        }
    }
}

fn folder() -> TestFolder {
    TestFolder::new()
        .with("rules/a.rules", "a = b => c = d\n")
        .with("rules/b.yaml", format!("{HEAD}conditions: [a=b => c=d]\n"))
        .with("tests/a.yaml", "- note:   x\n")
}

fn run(folder: &TestFolder, args: &[&str]) -> (Option<i32>, String, String) {
    told(pointsman(&[&["fmt"], args].concat()).current_dir(folder.path()).output().unwrap())
}

#[test]
fn check_names_files_and_lines_and_changes_nothing() {
    let folder = folder();
    let (code, out, log) = run(&folder, &[".", "--check"]);
    let expected = "./rules/a.rules\n     1 - a = b => c = d\n       + a=b => c=d\n2 files, 1 would change\n";
    assert_eq!((code, out.as_str(), log.as_str()), (Some(1), expected, ""));
    assert_eq!(run(&folder, &[".", "--check", "--format", "plain"]).1, "./rules/a.rules\n");
    let json: Value = serde_json::from_str(&run(&folder, &[".", "--check", "--format", "json"]).1).unwrap();
    assert_eq!(
        (&json["files"], &json["changed"][0], &json["command"]),
        (&2.into(), &"./rules/a.rules".into(), &"fmt".into())
    );
    assert_eq!(fs::read_to_string(folder.path().join("rules/a.rules")).unwrap(), "a = b => c = d\n");
}

#[test]
fn files_are_replaced_and_keep_their_permissions() {
    let folder = folder().with("rules/c.rules", "\u{feff}a = b =>\n");
    let path = folder.path().join("rules/a.rules");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    }
    let (code, out, log) = run(&folder, &["."]);
    assert_eq!((code, log.as_str()), (Some(0), ""), "{out}");
    assert!(out.ends_with("3 files, 2 changed\n"), "{out}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "a=b => c=d\n");
    assert_eq!(fs::read_to_string(folder.path().join("rules/c.rules")).unwrap(), "\u{feff}a=b =>\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
    let left: Vec<_> = fs::read_dir(folder.path().join("rules")).unwrap().collect();
    assert_eq!(left.len(), 3);
    assert_eq!(run(&folder, &[".", "--check"]).0, Some(0));
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_replaced_and_the_link_stays() {
    let folder = folder();
    let link = folder.path().join("rules/link.rules");
    std::os::unix::fs::symlink("a.rules", &link).unwrap();
    assert_eq!(run(&folder, &["rules/link.rules"]).0, Some(0));
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&link).unwrap(), "a=b => c=d\n");
}

#[test]
fn the_exit_code_tells_what_happened() {
    let folder = folder().with("rules/broken.yaml", "a: [\n");
    for (args, expected) in [
        (vec!["rules/b.yaml", "--check"], 0),
        (vec!["rules/a.rules", "--check"], 1),
        (vec!["rules/broken.yaml"], 4),
        (vec!["."], 4),
        (vec!["providers.txt"], 2),
        (vec!["tests/a.yaml"], 2),
        (vec!["nowhere"], 2),
        (vec!["tests", "--check"], 2),
        (vec!["-", "rules/b.yaml"], 2),
        (vec![], 2),
    ] {
        let (code, out, log) = run(&folder, &args);
        assert_eq!(code, Some(expected), "{args:?}: {out}{log}");
    }
}

#[test]
fn what_is_no_file_and_no_folder_is_told_as_that() {
    let folder = folder();
    let pipe = folder.path().join("pipe.rules");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
    let (code, _, log) = run(&folder, &["pipe.rules"]);
    assert_eq!((code, log.contains("PM0302")), (Some(2), true), "{log}");
}

#[test]
fn a_document_from_standard_input_is_printed() {
    let text = format!("{HEAD}conditions: [\"a = b => c = d\"] # why\n");
    for (args, text, code, shown) in [
        (vec!["fmt", "-"], text.as_str(), 0, text.replace("a = b => c = d", "a=b => c=d")),
        (vec!["fmt", "-", "--check"], text.as_str(), 1, String::new()),
        (vec!["fmt", "-"], "a: [\n", 4, String::new()),
    ] {
        let mut child = pointsman(&args);
        let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let (found, out, log) = told(child.wait_with_output().unwrap());
        assert_eq!((found, out), (Some(code), shown), "{args:?} {log}");
    }
}
