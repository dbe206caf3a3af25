//! Sheets as documents.

use crate::condition::Destination;
use crate::condition::DestinationRule;
use crate::condition::Dialect;
use crate::diagnostics::Finding;
use crate::router::OnError;
use crate::source::convert::sheet::Item;
use crate::source::convert::sheet::Sheet;

/// Which form the conditions of a document have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `v3.0`: texts.
    Texts,
    /// `v3.1`: `from` and `to`.
    Destinations,
}

/// The documents, with `---` between them.
pub(super) fn write_documents(sheets: &[Sheet], form: Form, findings: &mut Vec<Finding>) -> String {
    let documents: Vec<String> = sheets.iter().map(|sheet| write_document(sheet, form, findings)).collect();
    documents.join("---\n")
}

fn write_document(sheet: &Sheet, form: Form, findings: &mut Vec<Finding>) -> String {
    let version = match form {
        Form::Texts => "v3.0",
        Form::Destinations => "v3.1",
    };
    let mut out = format!("configVersion: {version}\nscope: {}\nkey: {}\n", sheet.scope.as_str(), scalar(&sheet.key));
    let flags = &sheet.flags;
    let words = [
        (flags.priority != 0, format!("priority: {}\n", flags.priority)),
        (flags.is_force, "force: true\n".to_owned()),
        (!flags.is_enabled, "enabled: false\n".to_owned()),
        (!flags.is_runtime, "runtime: false\n".to_owned()),
        (flags.on_error != OnError::default(), format!("on-error: {}\n", flags.on_error.as_str())),
        (flags.dialect != Dialect::V3, format!("dialect: {}\n", flags.dialect.as_str())),
    ];
    words.into_iter().filter(|(is_said, _)| *is_said).for_each(|(_, word)| out += &word);
    if let Some(name) = &sheet.name {
        out += &format!("name: {}\n", scalar(name));
    }
    tell_what_dubbo_does_not_read(sheet, findings);
    let items: Vec<String> = sheet.items.iter().filter_map(|item| write_item(item, form, findings)).collect();
    if items.is_empty() {
        return out + "conditions: []\n";
    }
    out += "conditions:\n";
    items.iter().for_each(|item| out += item);
    out
}

fn tell_what_dubbo_does_not_read(sheet: &Sheet, findings: &mut Vec<Finding>) {
    if sheet.flags.dialect != Dialect::V3 {
        let what = "`dialect: v2` is read by Pointsman alone: Dubbo reads the document as `v3`";
        findings.push(sheet.place.changed(what, "under `v3` a key that is absent never matches, not even `!=`"));
    }
    if sheet.flags.on_error != OnError::default() {
        findings.push(sheet.place.changed("`on-error` is read by Pointsman alone", "Dubbo lets the call pass"));
    }
}

fn write_item(item: &Item, form: Form, findings: &mut Vec<Finding>) -> Option<String> {
    let item = &with_one_destination(item, form, findings)?;
    let written = match form {
        Form::Texts if item.sides.prefixed_key().is_some() => None,
        Form::Texts => item.sides.to_text().map(|text| format!("  - {}\n", quoted(&text))),
        Form::Destinations => item.sides.to_destinations().map(|rule| write_destinations(&rule)),
    };
    if written.is_none() {
        findings.push(no_form(item));
    }
    written
}

/// The rule with one destination, where the new form has one; that others were there is told.
pub(super) fn with_one_destination(item: &Item, form: Form, findings: &mut Vec<Finding>) -> Option<Item> {
    let Some(count) = item.sides.several().filter(|_| form == Form::Texts) else { return Some(item.clone()) };
    let help = "the first of the greatest weight is kept; `--to v3.1` keeps them all";
    findings.push(item.place.lost(&format!("{count} destinations and their weights"), help));
    let sides = item.sides.with_greatest(&item.place.origin).ok()?;
    Some(Item { sides, ..item.clone() })
}

/// The finding for a rule that says something only its own form can say.
pub(super) fn no_form(item: &Item) -> Finding {
    let why = match item.sides.prefixed_key() {
        Some(key) => format!("here `{key}` is a whole key, and texts read it without its beginning"),
        None => "its sides cannot be written so".to_owned(),
    };
    item.place.not_converted(&why, "write the rule anew")
}

fn write_destinations(rule: &DestinationRule) -> String {
    let mut out = String::new();
    let from = match (rule.from.as_str(), rule.to.is_empty()) {
        ("", false) => None,
        ("", true) => Some("true"),
        (from, _) => Some(from),
    };
    if let Some(from) = from {
        out += &format!("from: {{match: {}}}\n", quoted(from));
    }
    if !rule.to.is_empty() {
        out += "to:\n";
        for Destination { providers, weight } in &rule.to {
            out += &format!("  - match: {}\n", quoted(providers));
            if *weight != Destination::DEFAULT_WEIGHT {
                out += &format!("    weight: {weight}\n");
            }
        }
    }
    let lines = out.lines().enumerate();
    lines.map(|(at, line)| format!("  {} {line}\n", if at == 0 { "-" } else { " " })).collect()
}

/// A word as it is, anything else in quotes.
fn scalar(text: &str) -> String {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | ':'))
        && !text.ends_with(':')
        && !matches!(text.to_ascii_lowercase().as_str(), "true" | "false" | "null" | "yes" | "no" | "on" | "off");
    if is_word { text.to_owned() } else { quoted(text) }
}

/// A text in double quotes; JSON's escapes are YAML's too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
