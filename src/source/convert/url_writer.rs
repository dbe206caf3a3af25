//! Sheets, and entries of `*.rules`, as route URLs.

use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use crate::condition::Dialect;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::router::OnError;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::rule::DocumentScope;
use crate::source::convert::document_writer::Form;
use crate::source::convert::document_writer::no_form;
use crate::source::convert::document_writer::with_one_destination;
use crate::source::convert::loss::Place;
use crate::source::convert::route_urls::is_condition;
use crate::source::convert::sheet::Item;
use crate::source::convert::sheet::Sheet;
use crate::source::folder::RuleEntry;
use crate::source::format::normal_text;

/// A route URL a line.
pub(super) fn write_urls(sheets: &[Sheet], findings: &mut Vec<Finding>) -> String {
    let mut out = String::new();
    for sheet in sheets {
        if sheet.scope == DocumentScope::Application {
            let why = "it is for an application, and route URLs do not reach the providers of one";
            findings.push(sheet.place.not_converted(why, "write a document for each service"));
            continue;
        }
        let key = ServiceKey::parse(&sheet.key);
        let parts = [Some(key.interface()), key.group(), key.version()];
        if !parts.into_iter().flatten().all(is_plain) {
            let why = format!("`{key}` has characters that a URL would take for its own");
            findings.push(sheet.place.not_converted(&why, "write the URL by hand"));
            continue;
        }
        if key.group().is_none() || key.version().is_none() {
            let what = format!(
                "the document is for `{key}` alone, the route URL for every group and version that is not named"
            );
            findings.push(sheet.place.changed(&what, "a service in several versions needs a rule for each"));
        }
        for item in &sheet.items {
            out.extend(write_url(sheet, &key, item, findings));
        }
    }
    out
}

/// The conditions, each as the URL that it stands for.
pub(super) fn write_entries(entries: &[RuleEntry], findings: &mut Vec<Finding>) -> String {
    let mut out = String::new();
    for entry in entries {
        if is_condition(entry) {
            out += &in_normal_form(&entry.to_url());
            out.push('\n');
        } else {
            let place = Place { origin: entry.line_origin().clone(), bytes: entry.line_bytes() };
            let help = "keep the rule as it is";
            findings.push(place.not_converted("it is no condition, and conditions alone have other forms", help));
        }
    }
    out
}

/// The URL with its rule as `fmt` would write it, where that says the same.
fn in_normal_form(url: &Url) -> String {
    let same = || url.as_str().to_owned();
    let Some(Ok(text)) = url.parameter_decoded(keys::RULE) else { return same() };
    let dialect = url.parameter(keys::DIALECT).and_then(Dialect::parse).unwrap_or(Dialect::V2);
    let origin = Origin::whole(SourceText::new("rule", &*text));
    let Some(new) = normal_text(&text, dialect, &origin) else { return same() };
    let written = url.parameter(keys::RULE).unwrap_or_default();
    let encoded = utf8_percent_encode(&new, NON_ALPHANUMERIC).to_string();
    url.as_str().replacen(&format!("{}={written}", keys::RULE), &format!("{}={encoded}", keys::RULE), 1)
}

fn write_url(sheet: &Sheet, key: &ServiceKey, item: &Item, findings: &mut Vec<Finding>) -> Option<String> {
    let item = &with_one_destination(item, Form::Texts, findings)?;
    let text = item.sides.to_text().filter(|_| item.sides.prefixed_key().is_none());
    let Some(text) = text else {
        findings.push(no_form(item));
        return None;
    };
    let flags = &sheet.flags;
    let name = item.name.as_deref().filter(|name| {
        let is_plain = is_plain(name);
        if !is_plain {
            findings
                .push(item.place.lost(&format!("the name `{name}`"), "a URL would take its characters for its own"));
        }
        is_plain
    });
    let mut url = format!("condition://{}/{}?{}={}", keys::ANY_HOST, key.interface(), keys::CATEGORY, keys::ROUTERS);
    let priority = flags.priority.to_string();
    let parameters = [
        (keys::GROUP, key.group()),
        (keys::VERSION, key.version()),
        (keys::PRIORITY, (flags.priority != 0).then_some(priority.as_str())),
        (keys::FORCE, flags.is_force.then_some("true")),
        (keys::ENABLED, (!flags.is_enabled).then_some("false")),
        (keys::RUNTIME, flags.is_runtime.then_some("true")),
        (keys::ON_ERROR, (flags.on_error != OnError::default()).then(|| flags.on_error.as_str())),
        (keys::DIALECT, (flags.dialect != Dialect::V2).then(|| flags.dialect.as_str())),
        (keys::NAME, name),
    ];
    for (key, value) in parameters {
        if let Some(value) = value {
            url += &format!("&{key}={value}");
        }
    }
    url += "&rule=";
    url.extend(utf8_percent_encode(&text, NON_ALPHANUMERIC));
    url.push('\n');
    Some(url)
}

/// Whether a text stands in a URL as it is.
fn is_plain(text: &str) -> bool {
    !text.contains(|c: char| c.is_whitespace() || c.is_control() || "&=?#%;@/".contains(c))
}
