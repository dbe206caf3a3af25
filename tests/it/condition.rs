//! Condition rules as a language: reports, normal form, limits.

use pointsman::condition::Dialect;
use pointsman::condition::MAX_RULE_BYTES;
use pointsman::condition::Pattern;
use pointsman::condition::Rule;
use pointsman::condition::Side;
use pointsman::condition::Subject;
use pointsman::condition::Then;
use pointsman::condition::When;
use pointsman::condition::parse;
use pointsman::condition::parse_as_dubbo;
use pointsman::diagnostics::Finding;
use pointsman::diagnostics::Mask;
use pointsman::diagnostics::Origin;
use pointsman::diagnostics::SourceText;
use pointsman::diagnostics::render;

fn origin(text: &str) -> Origin {
    Origin::whole(SourceText::new("case.rule", text))
}

fn read(text: &str, dialect: Dialect) -> Rule {
    parse(text, dialect, &origin(text)).unwrap_or_else(|error| panic!("`{text}`: {error}"))
}

fn refusal(text: &str, dialect: Dialect) -> &'static str {
    parse(text, dialect, &origin(text)).map_or_else(|error| error.slug(), |rule| panic!("`{text}` loads as `{rule}`"))
}

/// Number and slug, place, label and help, without drawing.
fn report(findings: impl IntoIterator<Item = Finding>) -> String {
    findings.into_iter().map(|finding| render::plain(&finding, &Mask::default())).collect()
}

#[test]
fn reports_match_their_snapshots() {
    insta::glob!("../golden/condition_errors", "*.rule", |path| {
        let text = std::fs::read_to_string(path).unwrap();
        let error = parse(&text, Dialect::V3, &origin(&text)).unwrap_err();
        insta::assert_snapshot!(report([error.into()]));
    });
}

#[test]
fn warnings_match_their_snapshots() {
    insta::glob!("../golden/condition_warnings", "*.rule", |path| {
        let text = std::fs::read_to_string(path).unwrap();
        insta::assert_snapshot!(report(read(&text, Dialect::V3).warnings().to_vec()));
    });
}

#[test]
fn a_rule_prints_in_its_normal_form() {
    for (text, normal) in [
        ("method=find*,get*=>region=$region", "method=find*,get* => region=$region"),
        ("  host = 10.0.0.1 , 10.0.0.2&host!=10.0.0.3 =>", "host=10.0.0.1,10.0.0.2 & host!=10.0.0.3 =>"),
        ("host!=a & method=b & host=c,c => x=y", "host=c & host!=a & method=b => x=y"),
        ("true => consumer.host=a", "=> host=a"),
        ("=> false", "=>"),
        ("region=hangzhou", "=> region=hangzhou"),
        ("=> & false", "=> & false"),
        ("=> &", "=> &"),
        ("region => zone", "region => zone"),
        ("=> level=007~+10", "=> level=7~10"),
        ("a= >b => c", "a= >b => c"),
    ] {
        assert_eq!(read(text, Dialect::V3).to_string(), normal, "`{text}`");
    }
}

#[test]
fn an_error_points_into_the_file_that_holds_the_rule() {
    let file = "@dialect v3\n=> region=hangzhou\n=> a==b\n";
    let start = file.find("=> a").unwrap();
    let error = parse("=> a==b", Dialect::V3, &Origin::at(SourceText::new("a.rules", file), start)).unwrap_err();
    assert_eq!(Finding::from(error).line_and_column(), Some((3, 5)));
}

#[test]
fn a_rule_beyond_the_limit_is_refused() {
    let longest = format!("=> a={}", "x".repeat(MAX_RULE_BYTES - 5));
    read(&longest, Dialect::V2);
    assert_eq!(refusal(&format!("{longest}x"), Dialect::V2), "condition::rule_too_long");
}

#[test]
fn the_report_of_a_rule_beyond_the_limit_does_not_show_it() {
    let text = "x".repeat(MAX_RULE_BYTES + 1);
    let error = parse(&text, Dialect::V2, &origin(&text)).unwrap_err();
    insta::assert_snapshot!(report([error.into()]));
}

#[test]
fn a_tilde_is_an_ordinary_character_under_v2() {
    let rule = read("=> level=1~x,1~10", Dialect::V2);
    let values = rule.then().pairs().first().unwrap().matches();
    assert_eq!(values, [Pattern::Literal("1~x".into()), Pattern::Literal("1~10".into())]);
    assert_eq!(report(rule.warnings().to_vec()).matches("literal_range").count(), 1);
}

#[test]
fn keys_name_what_their_side_and_dialect_say() {
    let attachment = |name: &str| Subject::Attachment(name.into());
    for (text, dialect, when, then) in [
        ("method", Dialect::V2, Subject::Method, Subject::Parameter),
        ("methods", Dialect::V3, Subject::Method, Subject::Parameter),
        ("Method", Dialect::V3, Subject::Parameter, Subject::Parameter),
        ("arguments[12]", Dialect::V2, Subject::Argument(12), Subject::Nothing),
        ("arguments[01]", Dialect::V3, Subject::Argument(1), Subject::Nothing),
        ("arguments[0].inner", Dialect::V3, Subject::Argument(0), Subject::Nothing),
        ("arguments[x]", Dialect::V2, Subject::Nothing, Subject::Nothing),
        ("arguments[99999999999999999999]", Dialect::V2, Subject::Nothing, Subject::Nothing),
        ("arguments", Dialect::V3, Subject::Nothing, Subject::Nothing),
        ("argument[0]", Dialect::V3, Subject::Parameter, Subject::Parameter),
        ("attachments[k]", Dialect::V2, Subject::Parameter, Subject::Parameter),
        ("attachments[k]", Dialect::V3, attachment("k"), Subject::Nothing),
        ("attachments[user.id]", Dialect::V3, attachment("user.id"), Subject::Nothing),
        ("attachments[user-id]", Dialect::V3, attachment("user-id"), Subject::Nothing),
        ("attachments[]", Dialect::V3, Subject::Nothing, Subject::Nothing),
    ] {
        for (rule, wanted) in [(format!("{text}=1 => a=b"), when), (format!("a=b => {text}=1"), then)] {
            let rule = read(&rule, dialect);
            let pairs = rule.when().pairs().iter().chain(rule.then().pairs());
            let key = pairs.map(|pair| pair.key()).find(|key| key.as_str() == text).unwrap();
            assert_eq!(*key.subject(), wanted, "`{rule}` {dialect}");
        }
    }
}

#[test]
fn prefixes_are_dropped_in_front_of_keys_only() {
    let rule = read("consumer.host=consumer.a => provider.consumer.host=provider.b", Dialect::V2);
    assert_eq!(rule.to_string(), "host=consumer.a => host=provider.b");
}

#[test]
fn a_side_of_one_special_word_is_no_pair() {
    for text in ["=>", "true =>", "true => false", "  => false ", "=> provider.false"] {
        let rule = read(text, Dialect::V3);
        assert_eq!((rule.when(), rule.then()), (&When::Always, &Then::Blocked), "`{text}`");
    }
}

#[test]
fn what_dubbo_loads_and_nobody_means_is_refused_or_a_warning() {
    for (text, dialect, slug, as_dubbo) in [
        ("=> a=b => c=d", Dialect::V2, "condition::second_arrow", None),
        ("=> host=a host=b", Dialect::V2, "condition::missing_ampersand", Some("=> host=b")),
        ("=> host=a b", Dialect::V3, "condition::unexpected_blank", Some("=> host=a & b")),
        ("=> a=b & =c", Dialect::V2, "condition::missing_key", Some("=> a=b,c")),
        ("=> a=b & & c=d", Dialect::V2, "condition::unexpected_separator", Some("=> a=b & c=d")),
        ("=> a=b & c,d", Dialect::V3, "condition::missing_values", Some("=> a=b,d & c")),
        ("=> a=1~x", Dialect::V3, "condition::invalid_bound", Some("=> a=1~x")),
        ("=> a=~", Dialect::V3, "condition::empty_range", Some("=> a=~")),
    ] {
        assert_eq!(refusal(text, dialect), slug, "`{text}`");
        let lenient = parse_as_dubbo(text, dialect, &origin(text));
        let Some(as_dubbo) = as_dubbo else {
            // The second arrow's `>` stands after `=` and before a word, so the word has no separator left.
            assert!(lenient.is_ok(), "`{text}`");
            continue;
        };
        let rule = lenient.unwrap();
        assert_eq!(rule.to_string(), as_dubbo, "`{text}`");
        assert!(report(rule.warnings().to_vec()).contains(slug), "`{text}`");
    }
}

#[test]
fn an_unresolved_placeholder_matches_nothing() {
    let pattern = Pattern::parse("$host", Side::Then, Dialect::V3).unwrap();
    assert!(!pattern.is_match("") && !pattern.is_match("$host"));
    assert!(Pattern::parse("$host", Side::When, Dialect::V3).unwrap().is_match("$host"));
}
