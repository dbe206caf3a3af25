//! From a text to cases.

use hashbrown::HashMap;

use crate::diagnostics::Finding;
use crate::diagnostics::SourceText;
use crate::source::cases::Argument;
use crate::source::cases::Call;
use crate::source::cases::Case;
use crate::source::cases::CaseKind;
use crate::source::cases::Table;
use crate::source::cases::TableRule;
use crate::source::cases::read_time;
use crate::source::cases::want::read_want;
use crate::yaml;
use crate::yaml::Data;
use crate::yaml::FieldSlugs;
use crate::yaml::Fields;
use crate::yaml::Node;
use crate::yaml::Report;

const SLUGS: FieldSlugs = FieldSlugs {
    unknown_key: "cases::unknown_key",
    missing_key: "cases::missing_key",
    wrong_type: "cases::wrong_type",
    wrong_value: "cases::wrong_value",
};

const NOTE: &str = "note";
const SERVICE: &str = "service";
const CONSUMER: &str = "consumer";
const CALL: &str = "call";
const CLOCK: &str = "clock";
const SEED: &str = "seed";
const WANT: &str = "want";
const RULE: &str = "rule";
const SCRIPT: &str = "script";
const INVOKERS: &str = "invokers";
const DIALECT: &str = "dialect";
const FORCE: &str = "force";
const PRIORITY: &str = "priority";
const METHOD: &str = "method";
const ARGUMENTS: &str = "arguments";
const TYPES: &str = "types";
const ATTACHMENTS: &str = "attachments";

const KEYS: &[&str] = &[NOTE, SERVICE, CONSUMER, CALL, CLOCK, SEED, WANT];
/// The keys that only tables have besides.
const TABLE_KEYS: &[&str] = &[RULE, SCRIPT, INVOKERS, DIALECT, FORCE, PRIORITY];
const CALL_KEYS: &[&str] = &[METHOD, ARGUMENTS, TYPES, ATTACHMENTS];

/// Reads the cases of a text. A case with an error is not among them.
///
/// ```
/// use pointsman::diagnostics::SourceText;
/// use pointsman::source::cases::{CaseKind, read_cases};
/// let text = "- note: writes stay\n  call: create\n  want: {count: 2}\n";
/// let (cases, findings) = read_cases(&SourceText::new("tests/a.yaml", text), CaseKind::Folder);
/// assert_eq!((cases[0].call.method.as_str(), findings.len()), ("create", 0));
/// ```
#[must_use]
pub fn read_cases(source: &SourceText, kind: CaseKind) -> (Vec<Case>, Vec<Finding>) {
    let (documents, findings) = yaml::read(source);
    let mut report = Report::new(source, &SLUGS);
    report.findings = findings;
    let (mut cases, mut notes) = (Vec::new(), HashMap::new());
    for document in &documents {
        match &document.data {
            Data::List(nodes) => cases.extend(nodes.iter().filter_map(|node| {
                let case = read_case(node, kind, source.name(), &mut report);
                is_new(node, &mut notes, &mut report).then_some(case)?
            })),
            // A document without anything in it, as comments alone are.
            Data::Scalar { .. } if document.text().is_none() => {}
            Data::Scalar { .. } | Data::Map(_) => {
                let finding =
                    Finding::error("cases::not_a_list", format!("expected a list, found {}", document.kind()));
                report.add(finding.with_help("each case begins with `- note: …`"), &document.span, "this document");
            }
        }
    }
    (cases, report.findings)
}

/// Whether no earlier case has the note of this one.
fn is_new(node: &Node, notes: &mut HashMap<String, usize>, report: &mut Report) -> bool {
    let Data::Map(entries) = &node.data else { return false };
    let Some((_, note)) = entries.iter().find(|(key, _)| key.text == NOTE) else { return false };
    let Some(text) = note.text() else { return false };
    let line = report.line(note);
    let first = *notes.entry(text.to_owned()).or_insert(line);
    if first != line {
        let finding = Finding::error("cases::duplicate_note", format!("the case at line {first} has this note too"));
        report.add(finding.with_help("say what is different about this one"), &note.span, "this note");
    }
    first == line
}

fn read_case(node: &Node, kind: CaseKind, file: &str, report: &mut Report) -> Option<Case> {
    let before = report.findings.len();
    let fields = report.fields(node, "a case", KEYS, TABLE_KEYS)?;
    refuse_in_folder(fields, TABLE_KEYS, kind, report);
    let note = report.required(fields, NOTE, "a case", "say what the case shows: `note: writes stay in the region`");
    let note = note.and_then(|node| report.text(node, NOTE));
    let mut text = |key: &str| fields.get(key).and_then(|node| report.text(node, key));
    let (service, consumer) = (text(SERVICE), text(CONSUMER));
    let call = report.required(fields, CALL, "a case", "write `call: METHOD`");
    let call = call.and_then(|node| read_call(node, report));
    let clock = fields.get(CLOCK).and_then(|node| {
        let time = node.text().and_then(read_time);
        if time.is_none() {
            let help = "for example `2026-11-30T22:00:00+08:00`; the zone, or `Z`, is needed";
            report.wrong_value(node, CLOCK, "a date and a time with its zone", help);
        }
        time
    });
    let seed = fields.get(SEED).and_then(|node| report.number(node, SEED));
    let want = report.required(fields, WANT, "a case", "a case that wants nothing proves nothing: `want: {count: 2}`");
    let want = want.and_then(|node| read_want(node, kind, report));
    let table = if kind == CaseKind::Table { read_table(fields, report) } else { None };
    // Every part is read for its findings, whatever the others are like.
    if report.findings.len() > before {
        return None;
    }
    let (line, file) = (report.line(node), file.to_owned());
    Some(Case { note: note?, file, line, service, consumer, call: call?, clock, seed, want: want?, table })
}

/// Says which of `keys` stand in a folder's case, where they are not for.
pub(super) fn refuse_in_folder(fields: Fields<'_>, keys: &[&str], kind: CaseKind, report: &mut Report) {
    let is_refused = |name: &str| kind == CaseKind::Folder && keys.contains(&name);
    for (key, _) in fields.entries().iter().filter(|(key, _)| is_refused(&key.text)) {
        let message = format!("`{}` is for tables that bring their own rule and providers", key.text);
        let help = "a folder's case is about the folder's rules and providers; name addresses, not positions";
        report.add(Finding::error("cases::not_for_folders", message).with_help(help), &key.span, "not a key here");
    }
}

/// `call: create`, or a map.
fn read_call(node: &Node, report: &mut Report) -> Option<Call> {
    if let Data::Scalar { .. } = node.data {
        return Some(Call { method: report.text(node, CALL)?, ..Call::default() });
    }
    let fields = report.fields(node, "`call`", CALL_KEYS, &[])?;
    let method = report.required(fields, METHOD, "`call`", "write `call: {method: create}`");
    let method = method.and_then(|node| report.text(node, METHOD));
    let types = fields.get(TYPES).and_then(|node| report.texts(node, TYPES)).unwrap_or_default();
    let values = match fields.get(ARGUMENTS) {
        Some(node) => report.list(node, ARGUMENTS)?,
        None => &[],
    };
    if let Some(node) = fields.get(TYPES).filter(|_| types.len() > values.len()) {
        let message = format!("{} types for {} arguments", types.len(), values.len());
        let finding = Finding::error("cases::wrong_value", message);
        report.add(finding.with_help("a type for each argument, in the same order"), &node.span, "too many");
    }
    let mut types = types.into_iter();
    let arguments = values.iter().map(|node| {
        let value = node.to_value();
        let likely = if node.is_big_integer() { "java.math.BigInteger" } else { value.java_type() };
        Argument { parameter_type: types.next().unwrap_or_else(|| likely.to_owned()), value }
    });
    let arguments = arguments.collect();
    let attachments = fields.get(ATTACHMENTS).map_or(Some(Vec::new()), |node| read_attachments(node, report))?;
    Some(Call { method: method?, arguments, attachments })
}

fn read_attachments(node: &Node, report: &mut Report) -> Option<Vec<(String, String)>> {
    let Data::Map(entries) = &node.data else {
        report.wrong_type(node, "`attachments`", "a map", "write `attachments: {dubbo.tag: gray}`");
        return None;
    };
    let read = |(key, node): &(yaml::Key, Node)| match node.text() {
        Some(text) => Some((key.text.clone(), text.to_owned())),
        None => {
            report.wrong_type(node, &format!("the attachment `{}`", key.text), "a text", "write `dubbo.tag: gray`");
            None
        }
    };
    entries.iter().map(read).collect()
}

fn read_table(fields: Fields<'_>, report: &mut Report) -> Option<Table> {
    let rule = match (fields.get(RULE), fields.get(SCRIPT)) {
        (Some(node), None) => report.text_or_texts(node, RULE).map(TableRule::Texts),
        (None, Some(node)) => report.text(node, SCRIPT).map(TableRule::Script),
        (Some(_), Some(node)) => {
            let finding = Finding::error("cases::conflict", "a case has `rule` or `script`, not both");
            report.add(finding.with_help("make two cases of it"), &node.span, "the second");
            None
        }
        (None, None) => {
            report.required(fields, RULE, "a case", "write `rule: \"method=create => region=hangzhou\"`");
            None
        }
    };
    let invokers = report.required(fields, INVOKERS, "a case", "write `invokers: [\"dubbo://10.0.0.1:20880/S\"]`");
    let invokers = invokers.and_then(|node| report.texts(node, INVOKERS));
    let dialect = fields.get(DIALECT).and_then(|node| report.text(node, DIALECT));
    let force = fields.get(FORCE).and_then(|node| report.truth(node, FORCE)).is_some();
    let priority = fields.get(PRIORITY).and_then(|node| report.number(node, PRIORITY));
    Some(Table { rule: rule?, invokers: invokers?, dialect, force, priority })
}
