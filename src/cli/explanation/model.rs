//! The data of an explanation: what the JSON document has, with its secrets taken out.

use serde::Serialize;

use crate::cli::masking;
use crate::diagnostics::Mask;

/// Why a call goes where it goes. The fields are those of the JSON document (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub(crate) struct Explanation {
    pub(crate) service: String,
    pub(crate) method: String,
    pub(crate) consumer: String,
    pub(crate) generation: u64,
    /// 0 where nothing is drawn.
    #[serde(skip)]
    pub(crate) seed: u64,
    pub(crate) total: usize,
    pub(crate) steps: Vec<Step>,
    pub(crate) not_asked: usize,
    pub(crate) kept: Vec<String>,
    /// The parameters that tell the providers of the list from each other; what is shown of one at a width.
    #[serde(skip)]
    pub(crate) telling: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unmemoisable: Option<String>,
}

/// A rule, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) name: Option<String>,
    pub(crate) file: String,
    pub(crate) line: usize,
}

/// What one router did.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Step {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
    pub(crate) priority: i32,
    #[serde(rename = "force")]
    pub(crate) is_forced: bool,
    pub(crate) on_error: &'static str,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) effect: Effect,
    #[serde(rename = "in")]
    pub(crate) candidates: usize,
    #[serde(rename = "out")]
    pub(crate) selected: usize,
    /// The first few.
    pub(crate) removed: Vec<String>,
    pub(crate) removed_count: usize,
}

/// Why a router answered as it did.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Reason {
    Disabled,
    OtherConsumer { key: String, seen: Option<String>, wanted: String },
    Mismatch { key: String, seen: Option<String>, wanted: String },
    Matched,
    BlocksEverybody,
    Note { text: String },
    Failed { text: String },
}

/// What came of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Effect {
    Passed,
    Narrowed,
    Fallback,
    Emptied,
    FailedOpen,
}

// === impl Explanation ===

impl Explanation {
    /// How many of the removed providers are named.
    pub(crate) const REMOVED_SHOWN: usize = 3;

    /// The same with secrets masked and control characters escaped, everywhere.
    pub(crate) fn masked(mut self, mask: &Mask) -> Self {
        let hide = |text: &mut String| *text = mask.text(text).into_owned();
        [&mut self.service, &mut self.method].into_iter().chain(&mut self.unmemoisable).for_each(hide);
        self.kept.iter_mut().chain([&mut self.consumer]).for_each(|text| *text = masking::url(text, mask));
        for step in &mut self.steps {
            step.mask(mask);
        }
        self
    }
}

// === impl Rule ===

impl Rule {
    /// Name, file and line.
    pub(crate) fn title(&self) -> String {
        title(self.name.as_deref(), &format!("{}:{}", self.file, self.line))
    }

    /// Whether a person who writes `name` may mean it: its name, its file and line, or its file.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        is_called(name, self.name.as_deref(), &self.file, self.line)
    }

    /// Whether `step` is of this rule.
    pub(crate) fn is_of(&self, step: &Step) -> bool {
        step.name == self.name && step.file.as_ref() == Some(&self.file) && step.line == Some(self.line)
    }
}

// === impl Step ===

impl Step {
    /// Whether it is one of those that made the result what it is.
    pub(crate) fn is_deciding(&self) -> bool {
        matches!(self.effect, Effect::Narrowed | Effect::Emptied)
    }

    /// Whether its rule spoke about this call: it removed somebody, or could have.
    pub(crate) fn is_reached(&self) -> bool {
        let is_spoken = |reason: &Reason| matches!(reason, Reason::Matched | Reason::BlocksEverybody);
        self.is_deciding() || self.effect == Effect::Fallback || self.reasons.iter().any(is_spoken)
    }

    /// Name, file and line.
    pub(crate) fn title(&self) -> String {
        let place = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ => "built in".to_owned(),
        };
        title(self.name.as_deref(), &place)
    }

    /// Whether a person who writes `name` may mean its rule.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let file = self.file.as_deref().unwrap_or_default();
        is_called(name, self.name.as_deref(), file, self.line.unwrap_or_default())
    }

    fn mask(&mut self, mask: &Mask) {
        let hide = |text: &mut String| *text = mask.text(text).into_owned();
        self.name.iter_mut().chain(&mut self.file).chain(&mut self.rule).chain(&mut self.removed).for_each(hide);
        for reason in &mut self.reasons {
            match reason {
                Reason::OtherConsumer { key, seen, wanted } | Reason::Mismatch { key, seen, wanted } => {
                    // `attachments[token]` is as secret as `token`.
                    let inner = key.split_once('[').map_or(key.as_str(), |(_, rest)| rest.trim_end_matches(']'));
                    if mask.hides(inner) {
                        wanted.clear();
                        wanted.push_str("***");
                    }
                    if let Some(seen) = seen {
                        *seen = mask.value(inner, seen).into_owned();
                        hide(seen);
                    }
                    hide(wanted);
                    hide(key);
                }
                Reason::Note { text } | Reason::Failed { text } => *text = mask.message(text).into_owned(),
                Reason::Disabled | Reason::Matched | Reason::BlocksEverybody => {}
            }
        }
    }
}

fn title(name: Option<&str>, place: &str) -> String {
    match name {
        Some(name) => format!("{name} ({place})"),
        None => place.to_owned(),
    }
}

fn is_called(asked: &str, name: Option<&str>, file: &str, line: usize) -> bool {
    let is_place = || asked.strip_prefix(file).is_some_and(|rest| rest.is_empty() || rest == format!(":{line}"));
    name == Some(asked) || (!file.is_empty() && is_place())
}
