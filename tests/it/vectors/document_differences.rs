//! Where documents deliberately mean something else than in Dubbo, whatever their kind, and where those of conditions do.

use pointsman::condition::Dialect;

use super::affinity_differences;
use super::condition;
use super::condition_differences;
use super::documents::Case;
use super::documents::Difference;
use super::documents::covering;
use super::engine::Role;
use super::tag_differences;
use crate::naive::Header;
use crate::naive::Tree;
use crate::naive::read_yaml;
use crate::support::naive::Question;
use crate::support::naive::Reading;

/// Every difference of documents, and of condition documents.
pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference { name: "empty-documents", covers: |case| of_any(case, |it| it.replaces && it.is_empty()) },
    Difference { name: "keys-that-stand-twice", covers: |case| texts_of(case).any(has_a_key_twice) },
    Difference { name: "tags-of-yaml", covers: |case| texts_of(case).any(|text| text.contains("!!")) },
    Difference { name: "versions-that-are-numbers", covers: |case| of_any(case, |it| it.has_a_number_as_version()) },
    Difference { name: "newer-versions", covers: |case| of_any(case, |it| it.has_destinations_of_a_newer_version()) },
    Difference { name: "conditions-that-are-no-text", covers: |case| of_any(case, |it| it.has_an_odd_condition()) },
    Difference { name: "documents-of-2.7", covers: |case| of_any(case, |it| it.is_read_otherwise_by_2_7()) },
    Difference { name: "weights-of-destinations", covers: |case| of_any(case, |it| it.has_a_weight_of_at_most(1)) },
    Difference { name: "conditions-of-nobody", covers: |case| of_any(case, |it| it.has_a_condition_of_nobody()) },
];

/// What documents are refused for though Dubbo loads them.
pub(crate) const REFUSALS: &[Difference] = &[
    Difference { name: "negative-weights", covers: |case| of_any(case, |it| it.has_a_weight_of_at_most(-1)) },
    Difference { name: "flags-that-are-none", covers: |case| of_any(case, |it| it.has_an_odd_flag()) },
];

/// One text of a case.
struct Document {
    tree: Tree,
    /// Whether another was in force before.
    replaces: bool,
}

const FLAGS: [&str; 5] = ["runtime", "force", "valid", "enabled", "dynamic"];

impl Document {
    fn is_empty(&self) -> bool {
        let is_none =
            |tree: &Tree| matches!(tree, Tree::Nothing) || matches!(tree, Tree::List(items) if items.is_empty());
        match &self.tree {
            Tree::Map(entries) if !entries.is_empty() => {
                ["conditions", "tags"].iter().any(|key| self.tree.has(key) && is_none(self.tree.get(key)))
            }
            Tree::Map(_) | Tree::Nothing => true,
            _ => false,
        }
    }

    fn has_a_number_as_version(&self) -> bool {
        matches!(self.tree.get("configVersion"), Tree::Number(_))
    }

    fn has_destinations_of_a_newer_version(&self) -> bool {
        let version = self.version();
        let is_newer = !version.starts_with("v3.1") && version.as_str() > "v3.1";
        is_newer && self.conditions().iter().any(|item| matches!(item, Tree::Map(_)))
    }

    fn version(&self) -> String {
        self.tree.get("configVersion").text().ok().flatten().unwrap_or_default().to_ascii_lowercase()
    }

    fn conditions(&self) -> &[Tree] {
        self.tree.get("conditions").items().unwrap_or_default()
    }

    /// Dubbo takes anything for a text: `{a: b}` is the rule `{a=b}`.
    fn has_an_odd_condition(&self) -> bool {
        !self.version().starts_with("v3.1") && self.conditions().iter().any(|item| !matches!(item, Tree::Text(_)))
    }

    fn has_an_odd_flag(&self) -> bool {
        FLAGS.iter().any(|key| match self.tree.get(key) {
            Tree::Nothing | Tree::Flag(_) => false,
            Tree::Text(text) => !text.eq_ignore_ascii_case("true") && !text.eq_ignore_ascii_case("false"),
            _ => true,
        })
    }

    /// 2.7 knows no destinations, and reads the fields by their Java types.
    fn is_read_otherwise_by_2_7(&self) -> bool {
        let is_v2 = self.tree.get("dialect").text() == Ok(Some("v2"));
        let is_odd_text = |key: &&str| !matches!(self.tree.get(key), Tree::Nothing | Tree::Text(_));
        let is_odd_flag = |key: &&str| !matches!(self.tree.get(key), Tree::Nothing | Tree::Flag(_));
        let has_odd_fields = ["key", "scope", "configVersion"].iter().any(is_odd_text) || FLAGS.iter().any(is_odd_flag);
        is_v2 && (self.version().as_str() >= "v3.1" || has_odd_fields)
    }

    fn has_a_weight_of_at_most(&self, most: i64) -> bool {
        let is_low = |to: &Tree| match to.get("weight") {
            Tree::Number(text) | Tree::Text(text) => text.parse().is_ok_and(|weight: i64| weight <= most),
            _ => false,
        };
        self.conditions().iter().any(|item| item.get("to").items().unwrap_or_default().iter().any(is_low))
    }

    fn has_a_condition_of_nobody(&self) -> bool {
        let is_none = |item: &Tree| {
            matches!(item, Tree::Map(_)) && *item.get("from") == Tree::Nothing && *item.get("to") == Tree::Nothing
        };
        self.version().starts_with("v3.1") && self.conditions().iter().any(is_none)
    }
}

/// How many conditions with destinations a case has, and the least weight of any.
pub(crate) fn weights(case: &Case<'_>) -> (f64, f64) {
    let trees = texts_of(case).filter_map(|text| read_yaml(text).ok());
    let items: Vec<Tree> = trees.flat_map(|tree| tree.get("conditions").items().unwrap_or_default().to_vec()).collect();
    let destinations = items.iter().flat_map(|item| item.get("to").items().unwrap_or_default());
    let weights = destinations.map(|to| match to.get("weight") {
        Tree::Number(text) | Tree::Text(text) => text.parse().unwrap_or(100.0),
        _ => 100.0,
    });
    let lightest = weights.map(|weight: f64| if weight < 0.0 { 100.0 } else { weight }).fold(100.0, f64::min);
    (items.len() as f64, lightest)
}

/// The texts of all documents.
pub(crate) fn texts_of<'a>(case: &'a Case<'_>) -> impl Iterator<Item = &'a str> {
    case.documents.iter().flat_map(|placed| [placed.text, placed.before]).flatten()
}

fn of_any(case: &Case<'_>, covers: fn(&Document) -> bool) -> bool {
    case.documents.iter().any(|placed| {
        let document = |text, replaces| read_yaml(text).ok().map(|tree| Document { tree, replaces });
        let now = placed.text.and_then(|text| document(text, placed.before.is_some()));
        let before = placed.before.and_then(|text| document(text, false));
        now.iter().chain(&before).any(covers)
    })
}

fn has_a_key_twice(text: &str) -> bool {
    let keys: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with(char::is_alphabetic))
        .filter_map(|line| line.split_once(':').map(|(key, _)| key))
        .collect();
    keys.iter().enumerate().any(|(at, key)| keys[..at].contains(key))
}

/// The names of all differences that a case shows, those of its condition texts included.
pub(crate) fn names(case: &Case<'_>) -> Vec<&'static str> {
    let mut names = [
        covering(case, DIFFERENCES),
        of_texts(case),
        covering(case, tag_differences::DIFFERENCES),
        covering(case, affinity_differences::DIFFERENCES),
    ]
    .concat();
    if case.reading == Reading::Strict {
        names.extend(covering(case, REFUSALS));
    }
    names
}

/// The differences and refusals of the condition texts that the documents hold.
fn of_texts(case: &Case<'_>) -> Vec<&'static str> {
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
            let dialect = Header::read(&tree, case.reading).map_or(Dialect::V3, |header| header.dialect);
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
