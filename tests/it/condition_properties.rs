//! What holds for every text: reading never panics, printing and reading are inverse.

use proptest::prelude::*;

use pointsman::condition::Dialect;
use pointsman::condition::Pattern;
use pointsman::condition::Side;
use pointsman::condition::parse;
use pointsman::condition::parse_as_dubbo;
use pointsman::diagnostics::Finding;
use pointsman::diagnostics::Origin;
use pointsman::diagnostics::SourceText;
use pointsman::rpc::Url;

use crate::support::naive::NaiveRule;
use crate::support::naive::Reading;

const DIALECTS: [Dialect; 2] = [Dialect::V2, Dialect::V3];

/// Texts that are likely to be rules: words, separators, blanks and arrows in any order.
fn rule_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec!["host", "method", "region", "arguments[0]", "attachments[x.y]", "consumer.", "a"]),
        4 => prop::sample::select(vec!["10.0.*", "*", "$host", "$", "1~10", "-5~", "~7", "~", "1~x", "**", "杭州", ">", "true", "false"]),
        5 => prop::sample::select(vec!["=", "!=", "=", ",", "&", "=>"]),
        1 => prop::sample::select(vec!["!", "==", "\u{3000}", "，", "\u{1}", "\n", "\u{b}"]),
        3 => Just(" "),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn url_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "dubbo", "://", ":/", "/", "@", ":", "20880", "10.0.0.1", "[::1]", "%en0", "?", "&", ";", "=", "#", "a",
        "default.", "杭",
    ]);
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

fn check_rule(text: &str) {
    let origin = Origin::whole(SourceText::new("case.rule", text));
    for dialect in DIALECTS {
        for read in [parse, parse_as_dubbo] {
            match read(text, dialect, &origin) {
                Err(error) => {
                    let finding = Finding::from(error);
                    assert_ne!(finding.number(), "PM0000", "`{text}`");
                    assert!(finding.line_and_column().is_some(), "`{text}`");
                }
                Ok(rule) => {
                    let printed = rule.to_string();
                    let again = read(&printed, dialect, &Origin::whole(SourceText::new("printed", printed.as_str())));
                    assert_eq!(again.ok().as_ref(), Some(&rule), "`{text}` prints as `{printed}`");
                    assert!(rule.warnings().iter().all(|warning| warning.number() != "PM0000"), "`{text}`");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_likely_rule_that_is_printed_reads_as_the_same_rule(text in rule_text()) {
        check_rule(&text);
    }

    #[test]
    fn the_naive_evaluator_loads_what_the_parser_loads(text in rule_text()) {
        let origin = Origin::whole(SourceText::new("case.rule", text.as_str()));
        for dialect in DIALECTS {
            let loads = |reading| NaiveRule::parse(&text, dialect, reading).is_ok();
            prop_assert_eq!(parse(&text, dialect, &origin).is_ok(), loads(Reading::Strict), "`{}` {}", text, dialect);
            prop_assert_eq!(parse_as_dubbo(&text, dialect, &origin).is_ok(), loads(Reading::AsDubbo), "`{}` {}", text, dialect);
        }
    }

    #[test]
    fn any_text_is_read_without_panic(text in any::<String>()) {
        check_rule(&text);
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_rule(&String::from_utf8_lossy(&bytes));
        let _ = Url::parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_url_prints_as_it_was_read(text in url_text()) {
        if let Ok(url) = Url::parse(&text) {
            prop_assert_eq!(url.to_string(), text.as_str());
            prop_assert_eq!(Url::parse(url.as_str()).ok(), Some(url.clone()));
            // Every look-up stays inside the text.
            for (key, _) in url.parameters() {
                prop_assert!(url.parameter(key).is_some());
            }
            let _ = (url.address(), url.port_text(), url.service_key(), url.raw("host"), format!("{url:?}"));
        }
    }

    #[test]
    fn a_pattern_that_is_printed_reads_as_the_same_pattern(text in "[a-b*$~0-9+-]{0,8}", value in "[a-b0-9-]{0,6}") {
        for (side, dialect) in [(Side::When, Dialect::V2), (Side::Then, Dialect::V2), (Side::When, Dialect::V3), (Side::Then, Dialect::V3)] {
            let Some(pattern) = Pattern::parse(&text, side, dialect) else { continue };
            prop_assert_eq!(Pattern::parse(&pattern.to_string(), side, dialect), Some(pattern.clone()));
            let _ = pattern.is_match(&value);
        }
        prop_assert_eq!(Pattern::glob(&text).is_match(&value), crate::support::naive::matches_glob(&text, &value));
    }
}
