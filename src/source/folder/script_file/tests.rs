//! What tags in the comments of a script become.

use super::*;
use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::router::Language;
use crate::rpc::Url;
use crate::rpc::keys;

fn read(language: Language, text: &str) -> (Option<Url>, Vec<Finding>) {
    let mut findings = Vec::new();
    let entries = read_script(&SourceText::new("rules/a.js", text), language, &mut findings);
    assert!(entries.len() <= 1);
    let url = entries.first().map(|entry| {
        assert_eq!((entry.text(), entry.line(), entry.origin().offset(7)), (text, 1, 7));
        entry.to_url()
    });
    (url, findings)
}

fn head_of(url: &Url) -> &str {
    url.as_str().split("&rule=").next().unwrap()
}

#[test]
fn each_language_has_its_comments() {
    let expected = "script://0.0.0.0/com.shop.A?category=routers&type=TYPE&group=g&version=1.0&priority=7&force=true";
    for (language, text) in [
        (Language::JavaScript, "// @service g/com.shop.A:1.0\n// @priority 7\n// @force\nroute()"),
        (Language::JavaScript, "\n/* @service g/com.shop.A:1.0 */\n\n/// @priority 7\n//@force true\nroute()"),
        (Language::JavaScript, "/**\n * Text.\n * @service g/com.shop.A:1.0\r\n * @priority 7\n * @force\n */ route()"),
        (Language::Rhai, "//! @service g/com.shop.A:1.0\n/* a /* @priority 7 */\n @priority 7\n@force */ x"),
        (Language::Lua, "--- @service g/com.shop.A:1.0\n--@priority 7\n-- @force\nreturn invokers"),
        (Language::Lua, "--[[\n@service g/com.shop.A:1.0\n]]\n--[==[ @priority 7\n ]] @force\n@force ]==] x"),
    ] {
        let (url, findings) = read(language, text);
        assert!(findings.iter().all(|finding| finding.severity() < Severity::Error), "{text}: {findings:?}");
        let url = url.unwrap();
        assert_eq!(head_of(&url), expected.replace("TYPE", language.as_str()), "{text}");
        assert_eq!(url.parameter_decoded(keys::RULE).unwrap().unwrap(), text);
    }
}

#[test]
fn every_tag_becomes_its_parameter() {
    let text = "// @service S\n// @application web\n// @on-error fail\n// @name night\n// @engine quickjs\n\
                // @deadline 5ms\n// @timezone Asia/Shanghai\n// @runtime\n// @enabled FALSE\nx";
    let (url, findings) = read(Language::JavaScript, text);
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(
        head_of(&url.unwrap()),
        "script://0.0.0.0/S?category=routers&type=javascript&application=web&on-error=fail&name=night&engine=quickjs\
         &deadline=5ms&timezone=Asia/Shanghai&runtime=true&enabled=false"
    );
}

#[test]
fn tags_below_the_first_line_of_code_do_not_count() {
    let (url, _) = read(Language::JavaScript, "// @service S\nvar a;\n// @force\n");
    assert_eq!(head_of(&url.unwrap()), "script://0.0.0.0/S?category=routers&type=javascript");
}

#[test]
fn a_script_without_service_is_for_all_and_says_so() {
    let (url, findings) = read(Language::Lua, "return invokers");
    assert_eq!(head_of(&url.unwrap()), "script://0.0.0.0/*?category=routers&type=lua");
    let [finding] = findings.as_slice() else { unreachable!("{findings:?}") };
    assert_eq!((finding.slug(), finding.severity()), ("rules::all_services", Severity::Info));
    assert!(read(Language::Lua, "-- @service *\nreturn invokers").1.is_empty());
}

#[test]
fn wrong_tags_are_errors_at_their_place() {
    for (text, slug, place, help) in [
        ("// @servcie S\nx", "rules::unknown_tag", (1, 4), "did you mean `@service`?"),
        ("/*\n * @priority high\n */", "rules::wrong_value", (2, 14), "for example `10`"),
        ("// 杭 \n// @timezone Asia/Shanghia", "rules::wrong_value", (2, 14), "did you mean `Asia/Shanghai`?"),
        ("// @engine quickj", "rules::wrong_value", (1, 12), "did you mean `quickjs`?"),
        ("// @deadline 20", "rules::wrong_value", (1, 14), "for example `5ms`"),
        ("// @service", "rules::missing_value", (1, 4), "for example `@service com.shop.OrderService:1.0.0`"),
        ("// @dialect v3", "rules::unknown_tag", (1, 4), "remove the line"),
    ] {
        let (url, findings) = read(Language::JavaScript, text);
        let [finding] = findings.as_slice() else { unreachable!("{text}: {findings:?}") };
        assert_eq!((finding.slug(), finding.line_and_column(), finding.help_text()), (slug, Some(place), Some(help)));
        assert_eq!((finding.severity(), url), (Severity::Error, None), "{text}");
    }
}

#[test]
fn a_tag_of_other_tools_is_a_warning() {
    let (url, findings) = read(Language::JavaScript, "// @service S\n/** @param invokers the candidates */\nx");
    let [finding] = findings.as_slice() else { unreachable!("{findings:?}") };
    assert_eq!((finding.slug(), finding.severity()), ("rules::unknown_tag", Severity::Warning));
    assert!(url.is_some());
}

#[test]
fn a_tag_that_stands_twice_is_a_warning_and_the_last_one_counts() {
    let (url, findings) = read(Language::JavaScript, "// @service S\n// @priority 1\n// @priority 2\nx");
    assert_eq!(findings.iter().map(Finding::slug).collect::<Vec<_>>(), ["rules::repeated_tag"]);
    assert!(head_of(&url.unwrap()).ends_with("&priority=2"));
}

#[test]
fn comments_without_an_end_reach_to_the_end() {
    for (language, text) in [
        (Language::JavaScript, "/* @service S"),
        (Language::Rhai, "/* /* */ @service S"),
        (Language::Lua, "--[[ @service S"),
    ] {
        let (url, findings) = read(language, text);
        assert_eq!(url.as_ref().map(|url| head_of(url).contains("/S?")), Some(true), "{text}");
        assert!(findings.is_empty(), "{text}: {findings:?}");
    }
}
