//! From a text to documents.

use std::ops::Range;

use crate::condition::Dialect;
use crate::condition::Reading;
use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::diagnostics::nearest;
use crate::router::OnError;
use crate::rpc::keys;
use crate::rule::Document;
use crate::rule::DocumentKind;
use crate::rule::DocumentPlace;
use crate::rule::DocumentScope;
use crate::rule::body::BODY_KEYS;
use crate::rule::body::read_body;
use crate::rule::fields::Fields;
use crate::rule::fields::Report;
use crate::rule::fields::is_nothing;
use crate::rule::key::WrittenKey;
use crate::rule::key::read_service_key;
use crate::yaml;
use crate::yaml::Data;
use crate::yaml::Node;

const KIND: &str = "kind";
const VERSION: &str = "configVersion";
const SCOPE: &str = "scope";
const KEY: &str = "key";
const VALID: &str = "valid";
const WHAT: &str = "the document";

/// The keys of every document.
const COMMON: [&str; 13] = [
    VERSION,
    SCOPE,
    KEY,
    keys::ENABLED,
    keys::FORCE,
    keys::RUNTIME,
    keys::PRIORITY,
    VALID,
    keys::DYNAMIC,
    KIND,
    keys::NAME,
    keys::ON_ERROR,
    keys::DIALECT,
];

/// How documents are read.
#[derive(Debug, Clone, Copy, Default)]
pub struct DocumentOptions<'a> {
    /// The place of the one document, if a configuration centre keeps it.
    pub place: Option<&'a DocumentPlace>,
    /// How strictly conditions are read.
    pub reading: Reading,
}

/// The flags and texts that every document has.
pub(super) struct Common {
    pub(super) kind: DocumentKind,
    /// None where it could not be read.
    pub(super) scope: Option<DocumentScope>,
    pub(super) is_enabled: bool,
    pub(super) dialect: Dialect,
    pub(super) reading: Reading,
    pub(super) version: Version,
}

/// Which form of documents `configVersion` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) text: String,
    /// Conditions have destinations.
    pub(super) has_destinations: bool,
    /// Tags may be described by `match`.
    pub(super) has_matches: bool,
    /// Later than what is known here.
    pub(super) is_newer: bool,
}

/// Reads the documents of a text. One with an error is not among them; one that says nothing is none.
///
/// ```
/// use pointsman::diagnostics::SourceText;
/// use pointsman::rule::{DocumentKind, DocumentOptions, read_documents};
/// let text = "scope: service\nkey: com.shop.OrderService\nconditions:\n  - method=find* => region=$region\n";
/// let (documents, findings) = read_documents(&SourceText::new("gray.yaml", text), DocumentOptions::default());
/// assert_eq!((documents[0].kind(), findings.len()), (DocumentKind::Condition, 0));
/// ```
#[must_use]
pub fn read_documents(source: &SourceText, options: DocumentOptions<'_>) -> (Vec<Document>, Vec<Finding>) {
    let (nodes, findings) = yaml::read(source);
    let mut report = Report::new(source, findings, options.reading);
    let mut documents = Vec::with_capacity(nodes.len());
    if let (Some(_), [_, second, ..]) = (options.place, nodes.as_slice()) {
        let finding = Finding::error("rule::several_documents", "expected one document, found a second");
        report.add(finding.with_help("keep each document under a key of its own"), &second.span, "the second");
    }
    for node in &nodes {
        let before = report.findings.len();
        let document = read_document(node, options, &mut report);
        let found = report.findings.get(before..).unwrap_or_default();
        if found.iter().all(|finding| finding.severity() != Severity::Error) {
            documents.extend(document);
        }
    }
    (documents, report.findings)
}

pub(super) fn read_document(node: &Node, options: DocumentOptions<'_>, report: &mut Report<'_>) -> Option<Document> {
    match &node.data {
        Data::Map(entries) if !entries.is_empty() => read_map(Fields { node, entries }, options, report),
        Data::Map(_) => None,
        Data::Scalar { .. } if is_nothing(node) => None,
        Data::Scalar { .. } | Data::List(_) => {
            let finding = Finding::error("rule::not_a_map", format!("expected a map, found {}", node.kind()));
            report.add(finding.with_help("a document begins with `scope: service` or the like"), &node.span, "here");
            None
        }
    }
}

fn read_map(fields: Fields<'_>, options: DocumentOptions<'_>, report: &mut Report<'_>) -> Option<Document> {
    let place = options.place;
    let kind = match place {
        Some(place) => place.kind,
        None => kind_of(fields, report)?,
    };
    report.tell_unknown(fields.entries, &format!("a {kind} document"), &known_keys(kind));
    let for_what = match place {
        Some(place) => Some((place.scope, key_of_place(place))),
        None => read_scope_and_key(fields, kind, report),
    };
    // A place says what the document is for; what stands in it must be texts all the same, as for Dubbo.
    if place.is_some() {
        for key in [SCOPE, KEY] {
            fields.given(key).map(|node| report.text(node, key));
        }
    }
    let flag = |key: &str, default: bool, report: &mut Report<'_>| match fields.given(key) {
        Some(node) => report.flag(node, key).unwrap_or(default),
        None => default,
    };
    let is_enabled = flag(keys::ENABLED, true, report);
    let is_force = flag(keys::FORCE, false, report);
    let is_runtime = flag(keys::RUNTIME, true, report);
    flag(keys::DYNAMIC, false, report);
    if let Some(node) = fields.given(VALID).filter(|_| !flag(VALID, true, report)) {
        let finding = Finding::error("rule::not_valid", "`valid: false` says that the document is not to be used");
        report.add(finding.with_help("write `enabled: false` to switch its rules off"), &node.span, "this value");
    }
    let name = fields.given(keys::NAME).and_then(|node| report.text(node, keys::NAME));
    let priority = fields.given(keys::PRIORITY).and_then(|node| report.number(node, keys::PRIORITY)).unwrap_or(0);
    let on_error = fields.given(keys::ON_ERROR).and_then(|node| {
        let found = node.text().and_then(OnError::parse);
        if found.is_none() {
            report.wrong_value(node, keys::ON_ERROR, "`pass`, `empty` or `fail`", "leave it out for `pass`");
        }
        found
    });
    let dialect = fields.given(keys::DIALECT).and_then(|node| {
        let found = node.text().and_then(Dialect::parse);
        if found.is_none() {
            report.wrong_value(node, keys::DIALECT, "`v2` or `v3`", "leave it out for `v3`");
        }
        found
    });
    let version = read_version(fields, kind, report)?;
    let scope = for_what.as_ref().map(|(scope, _)| *scope);
    let common =
        Common { kind, scope, is_enabled, dialect: dialect.unwrap_or(Dialect::V3), reading: options.reading, version };
    let body = read_body(fields, &common, report)?;
    let (scope, key) = for_what?;
    Some(Document {
        kind,
        scope,
        key,
        name,
        is_enabled,
        is_force,
        is_runtime,
        priority,
        on_error,
        dialect: common.dialect,
        version: common.version.text,
        body,
        origin: report.placed_whole(fields.node, ()).origin,
    })
}

fn known_keys(kind: DocumentKind) -> Vec<&'static str> {
    let of_kind = BODY_KEYS.iter().find(|(other, _)| *other == kind).map_or(&[][..], |(_, keys)| *keys);
    let is_read = |key: &&str| *key != keys::DIALECT || kind == DocumentKind::Condition;
    COMMON.into_iter().filter(is_read).chain(of_kind.iter().copied()).collect()
}

/// What a document holds: what it says, else what its keys tell.
fn kind_of(fields: Fields<'_>, report: &mut Report<'_>) -> Option<DocumentKind> {
    let words = DocumentKind::ALL.map(DocumentKind::as_str).join("`, `");
    if let Some(node) = fields.given(KIND) {
        let kind = node.text().and_then(DocumentKind::parse);
        if kind.is_none() {
            let near = node.text().and_then(|text| nearest(text, DocumentKind::ALL.map(DocumentKind::as_str)));
            let help = near
                .map_or("leave it out where the content tells".to_owned(), |near| format!("did you mean `{near}`?"));
            report.wrong_value(node, KIND, &format!("`{words}`"), &help);
        }
        return kind;
    }
    let told: Vec<DocumentKind> = DocumentKind::ALL.into_iter().filter(|kind| fields.has(kind.body_key())).collect();
    match told.as_slice() {
        [kind] => Some(*kind),
        [] => {
            // A key that is nearly right tells too; that it is unknown is told by whoever looks at all keys.
            let body_keys = || DocumentKind::ALL.map(DocumentKind::body_key);
            let near = fields.entries.iter().find_map(|(key, _)| nearest(&key.text, body_keys()));
            let kind = near.and_then(|near| DocumentKind::ALL.into_iter().find(|kind| kind.body_key() == near));
            if kind.is_none() {
                let keys = body_keys().join("`, `");
                let help = "what a document holds is told by that key, or by `kind:`";
                report.missing(fields, &keys.replace("`, `plugin", "` or `plugin"), WHAT, help);
            }
            kind
        }
        [one, other, ..] => {
            let message = format!("both `{}` and `{}` stand in {WHAT}", one.body_key(), other.body_key());
            let finding = Finding::error("rule::unknown_kind", message);
            report.add(
                finding.with_help("make two documents of it, with `---` between them"),
                &fields.node.span,
                "it begins here",
            );
            None
        }
    }
}

/// The key of a place in the form in which documents of a folder have theirs.
fn key_of_place(place: &DocumentPlace) -> String {
    match (place.scope, read_service_key(&place.key)) {
        (DocumentScope::Service, Some(WrittenKey::Usual(key) | WrittenKey::Old(key))) => key.as_str().to_owned(),
        _ => place.key.clone(),
    }
}

fn read_scope_and_key(
    fields: Fields<'_>,
    kind: DocumentKind,
    report: &mut Report<'_>,
) -> Option<(DocumentScope, String)> {
    let scope = match fields.given(SCOPE) {
        Some(node) => {
            let scope = node.text().and_then(DocumentScope::parse);
            if scope.is_none() {
                report.wrong_value(node, SCOPE, "`service` or `application`", "`key` names the one or the other");
            }
            scope
        }
        None => kind.default_scope(),
    };
    if scope.is_none() && fields.given(SCOPE).is_none() {
        report.missing(fields, SCOPE, WHAT, "write `scope: service` or `scope: application`: what `key` names");
    }
    if let (DocumentKind::Tag, Some(DocumentScope::Service), Some(node)) = (kind, scope, fields.given(SCOPE)) {
        report.wrong_value(node, SCOPE, "`application`", "tags are kept for the providers of an application");
        return None;
    }
    let Some(node) = fields.given(KEY) else {
        let example = match scope {
            Some(DocumentScope::Application) => "write `key: APPLICATION`",
            _ => "write `key: com.shop.OrderService`",
        };
        report.missing(fields, KEY, WHAT, example);
        return None;
    };
    let written = report.text(node, KEY)?;
    let key = written.trim();
    if key.len() != written.len() && !key.is_empty() {
        let message = format!("the key is read as `{key}`, without the blanks around it");
        let finding = Finding::warning("rule::wrong_value", message);
        report.add(
            finding.with_help("take them away: nobody else looks under such a key"),
            &node.span,
            "blanks around it",
        );
    }
    if key.is_empty() {
        report.wrong_value(node, KEY, "a name", "a document without a key is for nobody");
        return None;
    }
    match scope? {
        DocumentScope::Application => Some((DocumentScope::Application, key.to_owned())),
        DocumentScope::Service => match read_service_key(key) {
            Some(WrittenKey::Usual(key)) => Some((DocumentScope::Service, key.as_str().to_owned())),
            Some(WrittenKey::Old(read)) => {
                tell_old_order(key, &read.to_string(), &node.span, report);
                Some((DocumentScope::Service, read.as_str().to_owned()))
            }
            None => {
                report.wrong_value(node, KEY, "the key of a service", "write `group/interface:version`");
                None
            }
        },
    }
}

fn tell_old_order(key: &str, read: &str, span: &Range<usize>, report: &mut Report<'_>) {
    let message = format!("`{key}` is read as `{read}`");
    let help = "Dubbo's own readers expect `interface:version:group`; old manuals have the group first";
    report.add(Finding::warning("rule::old_key_order", message).with_help(help), span, "the group stands first");
}

fn read_version(fields: Fields<'_>, kind: DocumentKind, report: &mut Report<'_>) -> Option<Version> {
    let Some(node) = fields.given(VERSION) else { return Some(Version::of("")) };
    let text = report.written(node, VERSION)?;
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    if is_number && node.plain().is_some() {
        let message = format!("`{VERSION}: {text}` is a number, read as `v{text}`");
        let help = format!("write `{VERSION}: v{text}`: Dubbo ignores a document whose version is a number");
        report.add(Finding::warning("rule::version_number", message).with_help(help), &node.span, "no text");
    }
    let mut version = Version::of(&if is_number { format!("v{text}") } else { text });
    if !version.is_known_form() {
        let message =
            format!("expected `v2.7`, `v3.0` or `v3.1` for `{VERSION}`, found `{}`: read as if left out", version.text);
        let help = "write `v3.0` for conditions as texts and for tags, `v3.1` for destinations and affinity";
        report.add(Finding::warning("rule::wrong_value", message).with_help(help), &node.span, "no version");
        version = Version { text: version.text, ..Version::of("") };
    }
    if version.is_newer {
        let message = format!("expected `{VERSION}` up to `v3.1`, found `{}`", version.text);
        let help = "write `v3.0` for conditions as texts, `v3.1` for destinations; dubbo-go reads this as `v3.1`, Dubbo for \
                    Java ignores the document";
        // Destinations can be nothing but `v3.1`, and other kinds do not depend on it.
        version.has_destinations |= fields.get("conditions").is_some_and(has_maps);
        let is_known = kind != DocumentKind::Condition || version.has_destinations;
        let severity = if is_known { Severity::Warning } else { Severity::Error };
        let finding = Finding::new("rule::newer_version", severity, message).with_help(help);
        report.add(finding, &node.span, "this version");
    }
    Some(version)
}

fn has_maps(node: &Node) -> bool {
    matches!(&node.data, Data::List(items) if items.iter().any(|item| matches!(item.data, Data::Map(_))))
}

// === impl Version ===

impl Version {
    fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let is_newer = !lower.starts_with("v3.1") && lower.as_str() > "v3.1";
        Self {
            text: text.to_owned(),
            has_destinations: lower.starts_with("v3.1"),
            has_matches: text.starts_with("v3.0"),
            is_newer,
        }
    }

    /// Whether it begins as readers look for it, or is a `v` and numbers, or nothing.
    fn is_known_form(&self) -> bool {
        let is_number = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
        let is_version = |text: &str| text.strip_prefix('v').is_some_and(|numbers| numbers.split('.').all(is_number));
        self.text.is_empty() || self.has_destinations || self.has_matches || is_version(&self.text)
    }
}
