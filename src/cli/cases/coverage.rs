//! Which rules the cases are about.

use serde::Serialize;

use crate::cli::explanation::Explanation;
use crate::cli::explanation::Rule;
use crate::cli::explanation::Step;
use crate::diagnostics::Mask;

/// What each rule had to do with the cases.
#[derive(Debug)]
pub(crate) struct Coverage {
    entries: Vec<Entry>,
}

/// A rule with its counts.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) rule: Rule,
    /// Cases in which it removed somebody.
    pub(crate) decided: usize,
    /// Cases in which it applied, those included in which it removed somebody.
    pub(crate) reached: usize,
}

/// The coverage as JSON has it.
#[derive(Debug, Serialize)]
pub(crate) struct CoverageReport {
    rules: usize,
    reached: usize,
    percent: usize,
    by_rule: Vec<EntryReport>,
}

#[derive(Debug, Serialize)]
struct EntryReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    file: String,
    line: usize,
    decided: usize,
    reached: usize,
}

// === impl Coverage ===

impl Coverage {
    pub(crate) fn of(rules: Vec<Rule>) -> Self {
        Self { entries: rules.into_iter().map(|rule| Entry { rule, decided: 0, reached: 0 }).collect() }
    }

    /// Takes one call in.
    pub(crate) fn add(&mut self, explanation: &Explanation) {
        for step in explanation.steps.iter().filter(|step| step.is_reached()) {
            if let Some(entry) = self.entries.iter_mut().find(|entry| entry.rule.is_of(step)) {
                entry.reached += 1;
                entry.decided += usize::from(Step::is_deciding(step));
            }
        }
    }

    pub(crate) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.entries.iter().map(|entry| &entry.rule)
    }

    /// Those that some case reached, and all.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.entries.iter().filter(|entry| entry.reached > 0).count(), self.entries.len())
    }

    /// How many of a hundred rules are reached, rounded down; without rules there is nothing to miss.
    pub(crate) fn percent(&self) -> usize {
        let (reached, all) = self.counts();
        (reached * 100).checked_div(all).unwrap_or(100)
    }

    /// Rules that no case reached.
    pub(crate) fn missed(&self) -> impl Iterator<Item = &Rule> {
        self.entries.iter().filter(|entry| entry.reached == 0).map(|entry| &entry.rule)
    }

    /// Rules that applied to some case and never changed an answer.
    pub(crate) fn idle(&self) -> impl Iterator<Item = &Rule> {
        self.entries.iter().filter(|entry| entry.reached > 0 && entry.decided == 0).map(|entry| &entry.rule)
    }

    /// As JSON has it.
    pub(crate) fn report(&self, mask: &Mask) -> CoverageReport {
        let (reached, rules) = self.counts();
        let by_rule = self.entries.iter().map(|entry| EntryReport {
            name: entry.rule.name.as_ref().map(|name| mask.text(name).into_owned()),
            file: mask.text(&entry.rule.file).into_owned(),
            line: entry.rule.line,
            decided: entry.decided,
            reached: entry.reached,
        });
        CoverageReport { rules, reached, percent: self.percent(), by_rule: by_rule.collect() }
    }
}
