//! What lines of a `*.rules` file become.

use super::*;
use crate::diagnostics::Finding;
use crate::diagnostics::SourceText;
use crate::source::folder::RuleEntry;
use crate::source::folder::route_url::is_route_url;

fn read(text: &str) -> (Vec<RuleEntry>, Vec<Finding>) {
    let mut findings = Vec::new();
    let entries = read_rules(&SourceText::new("rules/a.rules", text), &mut findings);
    (entries, findings)
}

fn urls(text: &str) -> Vec<String> {
    let (entries, findings) = read(text);
    assert!(findings.is_empty(), "{findings:?}");
    entries.iter().map(|entry| entry.to_url().to_string()).collect()
}

#[test]
fn a_bare_condition_is_for_all_services() {
    assert_eq!(urls("# head\n\na=b => c=d\n"), ["condition://0.0.0.0/*?category=routers&rule=a%3Db%20%3D%3E%20c%3Dd"]);
}

#[test]
fn a_tag_holds_until_the_next_of_its_kind() {
    let text = "@service g/com.shop.A:1.0\n@force\n@priority  7\nx=1\n@service *\n@force false\ny=2\r\n";
    assert_eq!(
        urls(text),
        [
            "condition://0.0.0.0/com.shop.A?category=routers&rule=x%3D1&group=g&version=1.0&force=true&priority=7",
            "condition://0.0.0.0/*?category=routers&rule=y%3D2&priority=7&force=false",
        ]
    );
}

#[test]
fn a_name_is_for_the_next_condition_only() {
    let (entries, findings) = read("@name one\na=1\nb=2\n");
    assert!(findings.is_empty());
    let names: Vec<_> = entries.iter().map(|entry| (entry.name(), entry.line())).collect();
    assert_eq!(names, [(Some("one"), 2), (None, 3)]);
}

#[test]
fn tags_do_not_reach_into_route_urls() {
    assert_eq!(urls("@force\ncondition://0.0.0.0/a?rule=x"), ["condition://0.0.0.0/a?rule=x"]);
}

#[test]
fn wrong_tags_are_errors_at_their_place() {
    for (text, slug, place, help) in [
        ("@forec true", "rules::unknown_tag", (1, 1), "did you mean `@force`?"),
        ("a=b\n@force maybe", "rules::wrong_value", (2, 8), "for example `true`"),
        ("@priority x", "rules::wrong_value", (1, 11), "for example `10`"),
        ("@dialect v9", "rules::wrong_value", (1, 10), "did you mean `v2`?"),
        ("@on-error what", "rules::wrong_value", (1, 11), "for example `pass`"),
        ("@service", "rules::missing_value", (1, 1), "for example `@service com.shop.OrderService:1.0.0`"),
        ("@service a b", "rules::wrong_value", (1, 11), "for example `com.shop.OrderService:1.0.0`"),
        ("@name a&b\nx=1", "rules::wrong_value", (1, 8), "for example `gray-first`"),
    ] {
        let (_, findings) = read(text);
        let [finding] = findings.as_slice() else { unreachable!("{text}: {findings:?}") };
        assert_eq!((finding.slug(), finding.line_and_column(), finding.help_text()), (slug, Some(place), Some(help)));
    }
}

#[test]
fn a_name_that_names_nothing_is_a_warning() {
    for text in ["@name a\n", "@name a\n@name b\nx=1"] {
        let (_, findings) = read(text);
        assert_eq!(findings.iter().map(Finding::slug).collect::<Vec<_>>(), ["rules::name_without_rule"], "{text}");
    }
}

#[test]
fn an_error_inside_a_rule_points_into_the_file() {
    let (entries, _) = read("@name x\n  a=b => c=d\n");
    let entry = entries.first().unwrap();
    assert_eq!(entry.origin().offset(0), 10);
    assert_eq!(entry.origin().source().line_and_column(entry.origin().offset(7)), (2, 10));
}

#[test]
fn a_rule_beyond_the_limit_is_a_finding() {
    let (entries, findings) = read(&format!("a={}\nb=1", "x".repeat(1 << 20)));
    assert_eq!(entries.len(), 1);
    assert_eq!(findings.iter().map(Finding::slug).collect::<Vec<_>>(), ["rules::rule_too_long"]);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(
        text in "(@(force|name|service|priority|x)[ a-z0-9*&;/:.]{0,12}\n|condition://[a-z0-9.:/?&=%+]{0,30}\n|[^\n]{0,20}\n){0,8}",
    ) {
        let (entries, findings) = read(&text);
        for entry in &entries {
            let span = entry.origin().span(0..entry.text().len());
            proptest::prop_assert!(span.offset() + span.len() <= text.len());
        }
        for finding in &findings {
            proptest::prop_assert!(finding.line_and_column().is_some());
        }
    }

    #[test]
    fn a_bare_condition_survives_its_url(rule in "[^\n@#\r][^\n\r]{0,40}") {
        let rule = rule.trim();
        proptest::prop_assume!(!rule.is_empty() && !rule.starts_with(['@', '#', '\u{feff}']) && !is_route_url(rule));
        let (entries, _) = read(rule);
        let decoded = entries.first().unwrap().to_url().parameter_decoded("rule").unwrap().unwrap();
        proptest::prop_assert_eq!(decoded, rule);
    }
}
