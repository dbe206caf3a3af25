//! Where documents deliberately mean something else than in Dubbo, whatever their kind, and where those of conditions do.

use pointsman::condition::Dialect;

use super::condition;
use super::condition_differences;
use super::documents::Case;
use super::documents::Difference;
use super::engine::Role;
use crate::naive::Header;
use crate::naive::Tree;
use crate::naive::read_yaml;
use crate::support::naive::Question;
use crate::support::naive::Reading;

/// Every difference of documents, and of condition documents.
pub(crate) const DIFFERENCES: &[Difference] = &[];

/// The differences and refusals of the condition texts that the documents hold.
pub(crate) fn of_texts(case: &Case<'_>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for (rule, dialect) in texts(case) {
        let question = Question { rule: &rule, dialect, reading: Reading::AsDubbo, force: true, enabled: true };
        let asked = condition::Case { question, world: case.world, call: case.call };
        let differences = condition_differences::DIFFERENCES.iter().filter(|it| (it.covers)(asked));
        names.extend(differences.map(|it| it.name));
        let refusals = condition_differences::REFUSALS.iter().filter(|it| (it.covers)(&rule, dialect));
        names.extend(refusals.map(|it| it.name));
    }
    names
}

/// Each condition text; of destinations both sides, as texts of their own.
fn texts(case: &Case<'_>) -> Vec<(String, Dialect)> {
    let mut texts = Vec::new();
    for document in case.documents.iter().filter(|placed| placed.role == Role::Condition) {
        for text in [document.text, document.before].into_iter().flatten() {
            let Ok(tree) = read_yaml(text) else { continue };
            let dialect = Header::read(&tree).map_or(Dialect::V3, |header| header.dialect);
            let mut add = |text: String| texts.push((text, dialect));
            for item in tree.get("conditions").items().unwrap_or_default() {
                if let Tree::Text(text) = item {
                    add(text.clone());
                }
                if let Tree::Text(from) = item.get("from").get("match") {
                    add(format!("{from} => false"));
                }
                for to in item.get("to").items().unwrap_or_default() {
                    if let Tree::Text(to) = to.get("match") {
                        add(format!("=> {to}"));
                    }
                }
            }
        }
    }
    texts
}
