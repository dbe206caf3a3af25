//! A route URL that stands on a line: its parameters checked, its rule decoded with the way back to the file.

use std::borrow::Cow;
use std::ops::Range;

use hashbrown::HashSet;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::Severity;
use crate::diagnostics::nearest;
use crate::router::PARAMETERS;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::source::folder::parameter::check_value;
use crate::source::folder::parameter::excerpt;

/// Protocols whose parameters are all ours; another one may bring its own.
const OWN_PROTOCOLS: [&str; 6] = ["condition", "file", "mock", "route", "script", "tag"];

const FILE: &str = "file";
const FILE_COLON: &str = "file:";

/// A route URL and its rule.
#[derive(Debug)]
pub(crate) struct RouteUrl {
    pub(crate) url: Url,
    /// The decoded rule; empty without one.
    pub(crate) rule: String,
    /// Where each byte of `rule` stands; of the whole line without a rule.
    pub(crate) origin: Origin,
}

/// Whether a line is a route URL: it begins with `scheme:/`, or with `file:`.
pub(crate) fn is_route_url(line: &str) -> bool {
    if line.starts_with(FILE_COLON) {
        return true;
    }
    let Some((scheme, _)) = line.split_once(":/") else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
}

/// Reads the route URL `text`, which stands at `origin`; none if an error is found in it.
pub(crate) fn read_route_url(text: &str, origin: &Origin, findings: &mut Vec<Finding>) -> Option<RouteUrl> {
    let (text, origin) = &with_slashes(text, origin);
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => {
            let from = error.offset().min(text.len());
            findings.push(
                Finding::error("route::not_a_url", error.to_string())
                    .with_help("write `condition://0.0.0.0/SERVICE?rule=URL_ENCODED`")
                    .at(origin, from..text.len(), "here"),
            );
            return None;
        }
    };
    let before = findings.len();
    // In front of a file's path no host is the usual thing.
    if url.host().is_none() && url.protocol() != Some(FILE) {
        let finding = Finding::error("route::missing_host", "expected the consumer's address in the route URL");
        findings.push(finding.with_help("`0.0.0.0` is every consumer").at(origin, 0..text.len(), "no host here"));
    }
    check_parameters(&url, origin, findings);
    let rule = read_rule(&url, origin, findings);
    let found = findings.get(before..).unwrap_or_default();
    if found.iter().any(|finding| finding.severity() == Severity::Error) {
        return None;
    }
    let (rule, origin) = rule.unwrap_or_else(|| (String::new(), origin.clone()));
    Some(RouteUrl { url, rule, origin })
}

/// `file:route.js` as the `file://route.js` that it means, and where its bytes stand.
fn with_slashes<'a>(text: &'a str, origin: &Origin) -> (Cow<'a, str>, Origin) {
    let Some(rest) = text.strip_prefix(FILE_COLON).filter(|rest| !rest.starts_with('/')) else {
        return (Cow::Borrowed(text), origin.clone());
    };
    let before = 0..FILE_COLON.len();
    let slashes = [before.end, before.end];
    let places = before.clone().chain(slashes).chain(before.end..=text.len());
    let table = places.map(|at| u32::try_from(origin.offset(at)).unwrap_or(u32::MAX)).collect();
    (Cow::Owned(format!("{FILE_COLON}//{rest}")), Origin::decoded(origin.source().clone(), table))
}

fn check_parameters(url: &Url, origin: &Origin, findings: &mut Vec<Finding>) {
    let mut seen: HashSet<&str> = HashSet::new();
    for (key, value) in url.parameters() {
        let key_range = range_in(url, key);
        // `default.k` also sets `k`, at the same place: that entry is no second spelling of the key.
        let is_derived = url.as_str().get(..key_range.start).is_some_and(|head| head.ends_with(keys::DEFAULT_PREFIX));
        if !is_derived {
            check_name(url, key, origin, findings);
            if !seen.insert(key) {
                let message = format!("`{}` stands twice, the last one counts", excerpt(key));
                let finding = Finding::warning("route::repeated_parameter", message);
                findings.push(finding.with_help("keep one of them").at(origin, key_range.clone(), "again here"));
            }
        }
        if let Err(wrong) = check_value(key, value) {
            let slug = if key == keys::CATEGORY { "route::wrong_category" } else { "route::wrong_value" };
            findings.push(Finding::error(slug, wrong.message).with_help(wrong.help).at(
                origin,
                range_in(url, value),
                "this value",
            ));
        }
    }
}

fn check_name(url: &Url, key: &str, origin: &Origin, findings: &mut Vec<Finding>) {
    let plain = key.strip_prefix(keys::DEFAULT_PREFIX).unwrap_or(key);
    if PARAMETERS.contains(&plain) {
        return;
    }
    let near = nearest(plain, PARAMETERS.iter().copied());
    // `route://…?router=NAME` is a rule of that kind.
    let kind = url.protocol().filter(|protocol| *protocol != "route").or_else(|| url.parameter(keys::ROUTER));
    let is_own = kind.is_none_or(|kind| OWN_PROTOCOLS.contains(&kind));
    if near.is_none() && !is_own {
        return;
    }
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "inside `rule` write `&` as `%26`, `=` as `%3D` and `;` as `%3B`".to_owned(),
    };
    let message = format!("unknown parameter `{}`", excerpt(key));
    let finding = Finding::new("route::unknown_parameter", Severity::Warning, message);
    findings.push(finding.with_help(help).at(origin, range_in(url, key), "not a parameter of a route URL"));
}

/// The rule, decoded once as form data, and where its bytes stand.
fn read_rule(url: &Url, origin: &Origin, findings: &mut Vec<Finding>) -> Option<(String, Origin)> {
    let Some(raw) = url.parameter(keys::RULE) else {
        if is_condition(url) {
            let finding = Finding::error("route::missing_rule", "expected a parameter `rule`");
            let help = "add `rule=` and the percent-encoded rule, for example `rule=host%3D10.0.0.1%20%3D%3E%20false`";
            findings.push(finding.with_help(help).at(origin, 0..url.as_str().len(), "no rule here"));
        }
        return None;
    };
    let range = range_in(url, raw);
    let (bytes, table) = decode_with_offsets(raw, origin.offset(range.start));
    let decoded = String::from_utf8(bytes);
    match decoded {
        Ok(rule) => Some((rule, Origin::decoded(origin.source().clone(), table))),
        Err(error) => {
            let at = table.get(error.utf8_error().valid_up_to()).map_or(range.start, |at| *at as usize);
            findings.push(
                Finding::error("route::not_utf8", "expected UTF-8 in the decoded rule")
                    .with_help("percent-encode the UTF-8 bytes of the text")
                    .at(&Origin::whole(origin.source().clone()), at..at + 3, "not UTF-8 from here"),
            );
            None
        }
    }
}

fn is_condition(url: &Url) -> bool {
    match url.protocol() {
        Some("condition") => true,
        Some("route") => url.parameter(keys::ROUTER) == Some("condition"),
        _ => false,
    }
}

/// The bytes of `raw` decoded as form data, and for each (and for the end) its place, `raw` beginning at `start`.
fn decode_with_offsets(raw: &str, start: usize) -> (Vec<u8>, Vec<u32>) {
    let place = |at: usize| u32::try_from(start + at).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(raw.len());
    let mut table = Vec::with_capacity(raw.len() + 1);
    let mut rest = raw.as_bytes();
    while let [first, tail @ ..] = rest {
        table.push(place(raw.len() - rest.len()));
        rest = tail;
        match (first, tail) {
            (b'+', _) => bytes.push(b' '),
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                bytes.push(hex(*high) << 4 | hex(*low));
                rest = after;
            }
            _ => bytes.push(*first),
        }
    }
    table.push(place(raw.len()));
    (bytes, table)
}

fn hex(digit: u8) -> u8 {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok()).unwrap_or_default()
}

/// Where `part`, a slice of the URL's text, stands in it.
fn range_in(url: &Url, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(url.as_str().as_ptr() as usize);
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::SourceText;

    fn read(line: &str) -> (Option<RouteUrl>, Vec<Finding>) {
        let text = format!("# head\n{line}\n");
        let mut findings = Vec::new();
        let route_url = read_route_url(line, &Origin::at(SourceText::new("a.rules", text), 7), &mut findings);
        (route_url, findings)
    }

    #[test]
    fn a_line_is_a_route_url_by_its_scheme() {
        for (line, expected) in [
            ("condition://0.0.0.0/a?rule=x", true),
            ("file:/a/b", true),
            ("file:route.js", true),
            ("a+b-c.d://x", true),
            ("host = a => path = b:/c", false),
            ("://a", false),
            ("9x://a", false),
        ] {
            assert_eq!(is_route_url(line), expected, "{line}");
        }
    }

    #[test]
    fn a_decoded_rule_knows_where_its_bytes_stand() {
        let line = "condition://0.0.0.0/a?rule=h%3D%E6%9D%AD+x&force=true";
        let (route_url, findings) = read(line);
        let RouteUrl { rule, origin, url } = route_url.unwrap();
        assert!(findings.is_empty(), "{findings:?}");
        assert_eq!(rule, "h=杭 x");
        assert_eq!(url.parameter_decoded("rule").unwrap().unwrap(), rule);
        let start = 7 + "condition://0.0.0.0/a?rule=".len();
        let offsets: Vec<usize> = (0..=rule.len()).map(|at| origin.offset(at) - start).collect();
        assert_eq!(offsets, [0, 1, 4, 7, 10, 13, 14, 15]);
    }

    #[test]
    fn a_misspelt_parameter_is_a_warning_with_the_nearest_name() {
        let (_, findings) = read("condition://0.0.0.0/a?rule=x&prority=1");
        let [finding] = findings.as_slice() else { unreachable!("{findings:?}") };
        assert_eq!(finding.message(), "unknown parameter `prority`");
        assert_eq!(finding.help_text(), Some("did you mean `priority`?"));
        assert_eq!(finding.severity(), Severity::Warning);
        assert_eq!(finding.line_and_column(), Some((2, 30)));
    }

    #[test]
    fn a_parameter_of_another_router_is_its_own_business() {
        assert!(read("areaCode://0.0.0.0/a?areaCode.fallback=x").1.is_empty());
    }

    #[test]
    fn a_file_may_be_named_without_slashes() {
        let (route_url, findings) = read("file:lib/route.js?router=script&prority=1");
        assert_eq!(route_url.unwrap().url.as_str(), "file://lib/route.js?router=script&prority=1");
        assert_eq!(findings[0].line_and_column(), Some((2, 33)));
        assert!(read("file:///lib/route.js?router=script").1.is_empty());
    }

    #[test]
    fn a_default_counts_once() {
        assert!(read("condition://0.0.0.0/a?rule=x&default.force=true").1.is_empty());
    }

    #[test]
    fn forty_thousand_parameters_are_each_compared_once() {
        let parameters: String = (0..40_000).map(|index| format!("&area.k{index}=1")).collect();
        let (_, findings) = read(&format!("area://0.0.0.0/a?rule=x{parameters}&area.k7=2"));
        assert_eq!(findings.iter().map(Finding::slug).collect::<Vec<_>>(), ["route::repeated_parameter"]);
    }
}
