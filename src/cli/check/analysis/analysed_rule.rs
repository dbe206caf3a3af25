//! A rule as the analyses look at it: what it says, and where it stands.

use std::sync::Arc;

use crate::condition::DestinationRule;
use crate::condition::Dialect;
use crate::condition::Pair;
use crate::condition::Reading;
use crate::condition::Then;
use crate::condition::When;
use crate::condition::parse_destination;
use crate::condition::parse_when;
use crate::condition::parse_with;
use crate::diagnostics::Finding;
use crate::router::RuleHeader;
use crate::rpc::keys;
use crate::runtime::RuleSet;
use crate::source::folder::FolderContents;
use crate::source::folder::RuleEntry;

const CONDITION: &str = "condition";
const DESTINATIONS: &str = "destinations";

/// A condition rule of a folder, as a text or with destinations.
#[derive(Debug)]
pub(super) struct AnalysedRule<'a> {
    pub(super) entry: &'a RuleEntry,
    pub(super) header: Arc<RuleHeader>,
    pub(super) dialect: Dialect,
    pub(super) when: When,
    pub(super) goal: Goal,
}

/// Where the calls of a rule go.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Nowhere, whatever `force` says.
    Blocked,
    /// To the providers that all pairs accept; to none if there is no pair.
    Then(Vec<Pair>),
    /// To one of several sets of providers, by weight; a set without a pair is everybody.
    Drawn(Vec<(Vec<Pair>, u32)>),
}

// === impl AnalysedRule ===

impl<'a> AnalysedRule<'a> {
    /// The condition rules of a folder, in its order, each once.
    pub(super) fn of_folder(contents: &'a FolderContents, compiled: &RuleSet) -> Vec<Self> {
        let routers = compiled.routers().iter().map(|router| router.header());
        let rules = contents.entries().zip(routers).filter(|(entry, _)| !entry.is_copy());
        rules.filter_map(|(entry, header)| Self::read(entry, header)).collect()
    }

    fn read(entry: &'a RuleEntry, header: &Arc<RuleHeader>) -> Option<Self> {
        let is_same = header.id.source() == entry.file() && header.id.line() as usize == entry.line();
        // The text of a rule from a file of its own stands elsewhere.
        let dialect = Some(&header.url).filter(|_| is_same)?.non_empty_parameter(keys::DIALECT);
        let dialect = dialect.map_or(Some(Dialect::V2), Dialect::parse)?;
        let reading = Reading::AsDubbo;
        let (when, goal) = match entry.to_url().protocol()? {
            DESTINATIONS => {
                let definition = entry.to_definition();
                let rule: DestinationRule = serde_json::from_str(&definition.rule_text().ok()?).ok()?;
                let (when, _) = parse_when(&rule.from, dialect, reading, entry.origin()).ok()?;
                let read = |to: &crate::condition::Destination| {
                    let (pairs, _) = parse_destination(&to.providers, dialect, reading, entry.origin()).ok()?;
                    Some((pairs, to.weight))
                };
                let to = rule.to.iter().map(read).collect::<Option<Vec<_>>>()?;
                (when, if to.is_empty() { Goal::Blocked } else { Goal::Drawn(to) })
            }
            _ if &*header.kind == CONDITION && !entry.text().is_empty() => {
                let rule = parse_with(entry.text(), dialect, reading, entry.origin()).ok()?;
                let goal = match rule.then() {
                    Then::Blocked => Goal::Blocked,
                    Then::Pairs(pairs) => Goal::Then(pairs.clone()),
                };
                (rule.when().clone(), goal)
            }
            _ => return None,
        };
        Some(Self { entry, header: Arc::clone(header), dialect, when, goal })
    }

    /// Puts a finding at the rule.
    pub(super) fn told(&self, finding: Finding, label: &str) -> Finding {
        match self.entry.text() {
            "" => finding.at(self.entry.line_origin(), 0..self.entry.line_bytes(), label),
            text => finding.at(self.entry.origin(), 0..text.trim_end().len(), label),
        }
    }

    /// `rules/a.rules:3`, and the rule's name.
    pub(super) fn place(&self) -> String {
        let place = format!("{}:{}", self.entry.file(), self.entry.line());
        self.entry.name().map_or(place.clone(), |name| format!("`{name}` ({place})"))
    }

    /// Whether every consumer that may use the service meets it with each call.
    pub(super) fn is_for_every_call(&self) -> bool {
        let scope = &self.header.scope;
        self.when == When::Always && scope.host.is_none() && scope.application.is_none()
    }
}

// === impl Goal ===

impl Goal {
    /// Every side that speaks of providers.
    pub(super) fn sides(&self) -> Vec<&[Pair]> {
        match self {
            Self::Blocked => Vec::new(),
            Self::Then(pairs) => vec![pairs],
            Self::Drawn(to) => to.iter().map(|(pairs, _)| pairs.as_slice()).collect(),
        }
    }
}
