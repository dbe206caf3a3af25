//! Sheets, and entries of `*.rules`, as route URLs.

use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use crate::condition::Dialect;
use crate::diagnostics::Finding;
use crate::router::OnError;
use crate::rpc::ServiceKey;
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

/// The conditions as they are, each as the URL that it stands for.
pub(super) fn write_entries(entries: &[RuleEntry], findings: &mut Vec<Finding>) -> String {
    let mut out = String::new();
    for entry in entries {
        if is_condition(entry) {
            out += entry.to_url().as_str();
            out.push('\n');
        } else {
            let place = Place { origin: entry.line_origin().clone(), bytes: entry.line_bytes() };
            let help = "keep the rule as it is";
            findings.push(place.not_converted("it is no condition, and conditions alone have other forms", help));
        }
    }
    out
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
