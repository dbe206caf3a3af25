//! What a case wants of an answer.

use crate::diagnostics::Finding;
use crate::diagnostics::codes;
use crate::diagnostics::nearest;
use crate::source::cases::CaseKind;
use crate::source::cases::reader::refuse_in_folder;
use crate::yaml::Data;
use crate::yaml::Fields;
use crate::yaml::Node;
use crate::yaml::Report;

const ADDRESSES: &str = "addresses";
const COUNT: &str = "count";
const KEEP_ALL: &str = "keep-all";
const NOBODY: &str = "nobody";
const DECIDED_BY: &str = "decided-by";
const NOT_BY: &str = "not-by";
const ERROR: &str = "error";
const KEEP: &str = "keep";
const REASON: &str = "reason";

const KEYS: &[&str] = &[ADDRESSES, COUNT, KEEP_ALL, NOBODY, DECIDED_BY, NOT_BY, ERROR];
/// Those that only tables have besides.
const TABLE_KEYS: &[&str] = &[KEEP, REASON];
/// Each of them says who may be called, or that nothing comes of the call.
const ANSWERS: &[&str] = &[ADDRESSES, COUNT, KEEP_ALL, NOBODY, ERROR, KEEP];
/// The reasons that a rule may give.
const REASONS: &[&str] = &["matched", "mismatch", "blocks-everybody", "other-consumer", "disabled", "note", "failed"];

/// What must come of a call. At least one of the fields says something.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Want {
    /// Who may be called.
    pub providers: Option<WantedProviders>,
    /// Rules that must have removed somebody: a name, `file:line`, or a file.
    pub decided_by: Vec<String>,
    /// Rules that must not.
    pub not_by: Vec<String>,
    /// The error that the call must end in: the slug of a finding, or a part of the text.
    pub error: Option<String>,
    /// The reason that the rule must give; in tables only.
    pub reason: Option<String>,
}

/// Who may be called after a case's call was routed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedProviders {
    /// Those at exactly these addresses, in any order.
    Addresses(Vec<String>),
    /// So many.
    Count(usize),
    /// All that the rules met: no rule removed anybody.
    All,
    /// None.
    Nobody,
    /// Those at exactly these positions of `invokers`, counted from 0; in tables only.
    Positions(Vec<usize>),
}

/// Reads `want:`.
pub(super) fn read_want(node: &Node, kind: CaseKind, report: &mut Report) -> Option<Want> {
    let before = report.findings.len();
    let fields = report.fields(node, "`want`", KEYS, TABLE_KEYS)?;
    refuse_in_folder(fields, TABLE_KEYS, kind, report);
    let mut answers = fields.entries().iter().filter(|(key, _)| ANSWERS.contains(&key.text.as_str()));
    if let (Some((first, _)), Some((second, _))) = (answers.next(), answers.next()) {
        let message = format!("`{}` and `{}` both say what the answer is", first.text, second.text);
        let finding = Finding::error("cases::conflict", message).with_help("keep the one that says more");
        report.add(finding, &second.span, "the second");
    }
    if fields.entries().is_empty() {
        let finding = Finding::error("cases::nothing_wanted", "the case wants nothing");
        report.add(finding.with_help("write `addresses`, `count`, `nobody` or `decided-by`"), &node.span, "empty");
    }
    let providers = read_providers(fields, report);
    let mut names = |key: &str| match fields.get(key) {
        Some(node) => report.text_or_texts(node, key),
        None => Some(Vec::new()),
    };
    let (decided_by, not_by) = (names(DECIDED_BY), names(NOT_BY));
    let error = fields.get(ERROR).and_then(|node| read_error(node, report));
    let reason = fields.get(REASON).and_then(|node| {
        let text = report.text(node, REASON)?;
        if !REASONS.contains(&text.as_str()) {
            let near = nearest(&text, REASONS.iter().copied());
            let help = near.map_or_else(|| REASONS.join(", "), |near| format!("did you mean `{near}`?"));
            report.wrong_value(node, REASON, "a reason that rules give", &help);
        }
        Some(text)
    });
    let want = Want { providers, decided_by: decided_by?, not_by: not_by?, error, reason };
    (report.findings.len() == before).then_some(want)
}

fn read_providers(fields: Fields<'_>, report: &mut Report) -> Option<WantedProviders> {
    let (key, node) = fields.entries().iter().find(|(key, _)| ANSWERS.contains(&key.text.as_str()))?;
    match key.text.as_str() {
        ADDRESSES => {
            let texts = report.texts(node, ADDRESSES)?;
            let Data::List(items) = &node.data else { return None };
            for (item, text) in items.iter().zip(&texts) {
                if !is_address(text) {
                    let help = "write it as the result shows it, without protocol and path: `10.1.1.1:20880`";
                    report.wrong_value(item, ADDRESSES, "an address `HOST:PORT`", help);
                }
            }
            Some(WantedProviders::Addresses(texts))
        }
        COUNT => match report.number(node, COUNT)? {
            0_usize => {
                report.wrong_value(node, COUNT, "at least 1", "write `nobody: true`");
                None
            }
            count => Some(WantedProviders::Count(count)),
        },
        KEEP_ALL => report.truth(node, KEEP_ALL).map(|()| WantedProviders::All),
        NOBODY => report.truth(node, NOBODY).map(|()| WantedProviders::Nobody),
        KEEP => {
            // Nobody is a position too: none.
            let Data::List(items) = &node.data else {
                report.wrong_type(node, "`keep`", "a list", "write `keep: [0, 2]`");
                return None;
            };
            items.iter().map(|item| report.number(item, KEEP)).collect::<Option<_>>().map(WantedProviders::Positions)
        }
        _ => None,
    }
}

fn read_error(node: &Node, report: &mut Report) -> Option<String> {
    let text = report.text(node, ERROR)?;
    let is_slug = text.contains("::") && !text.contains(' ');
    if is_slug && codes::number(&text) == 0 {
        let near = nearest(&text, codes::CODES.iter().map(|(slug, _)| *slug));
        let help = near.map_or_else(
            || "slugs stand in findings: `call::unknown_service`".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        report.wrong_value(node, ERROR, "a finding's slug, or a part of its text", &help);
    }
    Some(text)
}

/// Whether it may be a provider's address; a URL is none.
fn is_address(text: &str) -> bool {
    !text.contains(['/', ' '])
}
