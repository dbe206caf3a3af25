//! Which rules came, went and changed.

use std::io;
use std::io::Write;

use hashbrown::HashMap;
use serde::Serialize;

use crate::cli::output::Printer;
use crate::router::RuleId;
use crate::runtime::EngineStatus;

/// The rules in force, and how they differ from those before.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct RuleChanges {
    added: Vec<String>,
    removed: Vec<String>,
    changed: Vec<String>,
    #[serde(skip)]
    rules: Vec<RuleId>,
}

// === impl RuleChanges ===

impl RuleChanges {
    /// The rules of `status`, after those `before`. A rule that only moved to another line is the same.
    pub(crate) fn between(before: Option<&Self>, status: &EngineStatus) -> Self {
        let mut rules: Vec<RuleId> = status.rules.iter().map(|rule| rule.id.clone()).collect();
        // A document is there for its providers, and for consumers of its name: one rule for people.
        rules.dedup_by(|one, other| title(one) == title(other));
        let Some(before) = before else { return Self { rules, ..Self::default() } };
        let same = |id: &RuleId| (id.source().to_owned(), id.name().map(str::to_owned), id.text_hash());
        let mut known: HashMap<_, usize> = HashMap::new();
        before.rules.iter().for_each(|id| *known.entry(same(id)).or_default() += 1);
        let mut new: Vec<&RuleId> = Vec::new();
        for id in &rules {
            match known.get_mut(&same(id)).filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                None => new.push(id),
            }
        }
        let mut gone: Vec<&RuleId> = Vec::new();
        for id in &before.rules {
            if let Some(count) = known.get_mut(&same(id)).filter(|count| **count > 0) {
                *count -= 1;
                gone.push(id);
            }
        }
        let titles = |ids: &[&RuleId]| -> Vec<String> { ids.iter().map(|id| title(id)).collect() };
        let (new, gone) = (titles(&new), titles(&gone));
        let both = |title: &&String| new.contains(title) && gone.contains(title);
        let changed: Vec<String> = new.iter().filter(both).cloned().collect();
        let without = |titles: &[String]| titles.iter().filter(|title| !changed.contains(title)).cloned().collect();
        Self { added: without(&new), removed: without(&gone), changed, rules }
    }

    pub(crate) fn in_force(&self) -> usize {
        self.rules.len()
    }

    pub(crate) fn print(&self, printer: &Printer, out: &mut dyn Write) -> io::Result<()> {
        for (word, titles) in [("added", &self.added), ("removed", &self.removed), ("changed", &self.changed)] {
            if !titles.is_empty() {
                writeln!(out, "  {word}: {}", printer.mask.text(&titles.join(", ")))?;
            }
        }
        Ok(())
    }
}

fn title(id: &RuleId) -> String {
    id.to_string()
}
