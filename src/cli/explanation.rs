//! An explanation as the command prints it: plain data, rendered at a width.

use std::fmt::Write as _;

use serde::Serialize;

use crate::cli::check::plural;
use crate::diagnostics::Mask;
use crate::rpc::Url;

/// Why a call goes where it goes. The fields are those of the JSON document (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub(crate) struct Explanation {
    pub(crate) service: String,
    pub(crate) method: String,
    pub(crate) consumer: String,
    pub(crate) generation: u64,
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

/// How much is printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Characters a line; longer ones are cut.
    pub(crate) width: usize,
    /// Providers listed as the result; the rest is counted.
    pub(crate) providers: usize,
}

// === impl Layout ===

impl Layout {
    /// For people.
    pub(crate) const HUMAN: Self = Self { width: super::output::WIDTH, providers: 20 };
    /// Everything.
    pub(crate) const PLAIN: Self = Self { width: usize::MAX, providers: usize::MAX };
}

// === impl Explanation ===

impl Explanation {
    /// How many of the removed providers are named.
    pub(crate) const REMOVED_SHOWN: usize = 3;

    /// The same with secrets masked and control characters escaped, everywhere.
    pub(crate) fn masked(mut self, mask: &Mask) -> Self {
        let hide = |text: &mut String| *text = mask.text(text).into_owned();
        for text in [&mut self.service, &mut self.method, &mut self.consumer] {
            hide(text);
        }
        self.kept.iter_mut().chain(&mut self.unmemoisable).for_each(hide);
        for step in &mut self.steps {
            step.mask(mask);
        }
        self
    }

    /// Every step and the result, as text.
    pub(crate) fn render(&self, layout: Layout) -> String {
        let mut out = String::new();
        line(&mut out, layout, &format!("{}.{}", self.service, self.method));
        line(&mut out, layout, &format!("for {}", self.consumer));
        out.push('\n');
        for (index, step) in self.steps.iter().enumerate() {
            step.render(index + 1, layout, &mut out);
        }
        if self.not_asked > 0 {
            let rules = plural(self.not_asked, "rule");
            line(&mut out, layout, &format!("    {rules} after that not asked: nobody was left"));
        }
        if let Some(rule) = &self.unmemoisable {
            line(&mut out, layout, &format!("    answers are not remembered because of {rule}"));
        }
        out.push('\n');
        self.render_result(layout, &mut out);
        out
    }

    /// The result alone, and the rules that decided it.
    pub(crate) fn render_short(&self, layout: Layout) -> String {
        let mut out = String::new();
        self.render_result(layout, &mut out);
        let deciding: Vec<&Step> = self.steps.iter().filter(|step| step.is_deciding()).collect();
        if !deciding.is_empty() {
            out.push_str("\nDecided by\n");
        }
        for step in deciding {
            line(&mut out, layout, &format!("  {}: {}", step.title(), step.counts()));
        }
        out
    }

    fn render_result(&self, layout: Layout, out: &mut String) {
        let providers = plural(self.total, "provider");
        let result = match self.kept.len() {
            0 => format!("Result: nobody of {providers}"),
            kept => format!("Result: {kept} of {providers}"),
        };
        line(out, layout, &result);
        render_providers(&self.kept, &self.telling, layout, out);
    }
}

// === impl Step ===

impl Step {
    /// Whether it is one of those that made the result what it is.
    pub(crate) fn is_deciding(&self) -> bool {
        matches!(self.effect, Effect::Narrowed | Effect::Emptied)
    }

    /// Name, file and line.
    pub(crate) fn title(&self) -> String {
        let place = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ => "built in".to_owned(),
        };
        match &self.name {
            Some(name) => format!("{name} ({place})"),
            None => place,
        }
    }

    fn counts(&self) -> String {
        format!("{} -> {}", self.candidates, self.selected)
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
                Reason::Note { text } | Reason::Failed { text } => hide(text),
                Reason::Disabled | Reason::Matched | Reason::BlocksEverybody => {}
            }
        }
    }

    fn render(&self, number: usize, layout: Layout, out: &mut String) {
        let (title, counts) = (format!("{number:>3} {}", self.title()), self.counts());
        let gap = layout.width.min(80).saturating_sub(title.chars().count() + counts.chars().count()).max(2);
        line(out, layout, &format!("{title}{}{counts}", " ".repeat(gap)));
        if let Some(rule) = &self.rule {
            line(out, layout, &format!("    {rule}"));
        }
        for told in self.verdicts() {
            wrap(out, layout, &told);
        }
        if !self.removed.is_empty() {
            let more = self.removed_count.saturating_sub(self.removed.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            wrap(out, layout, &format!("removed {}{more}", self.removed.join(", ")));
        }
    }

    /// What the reasons and the effect come to, in words.
    fn verdicts(&self) -> Vec<String> {
        let mut told: Vec<String> = self.reasons.iter().map(Reason::in_words).collect();
        let is_matched = self.reasons.iter().any(|reason| matches!(reason, Reason::Matched));
        let effect = match self.effect {
            Effect::Passed if is_matched => "all of them fit",
            Effect::Passed | Effect::Narrowed => "",
            Effect::Fallback => "nobody fits; without `force` the rule is void for this call: all stay (fallback)",
            Effect::Emptied if is_matched && self.is_forced => "nobody fits; `force` is on: nobody is left",
            Effect::Emptied => "nobody is left",
            Effect::FailedOpen => "`on-error` is `pass`: the rule is void for this call, all stay",
        };
        match told.last_mut() {
            Some(last) if !effect.is_empty() => {
                let _ = write!(last, "; {effect}");
            }
            None if !effect.is_empty() => told.push(effect.to_owned()),
            _ => {}
        }
        told
    }
}

// === impl Reason ===

impl Reason {
    fn in_words(&self) -> String {
        let seen_text = |seen: &Option<String>| seen.as_ref().map_or("absent".to_owned(), |seen| format!("`{seen}`"));
        match self {
            Self::Disabled => "switched off by `enabled=false`".to_owned(),
            Self::OtherConsumer { key, seen, wanted } => {
                format!("not for this consumer: its {key} is {}, the rule is for `{wanted}`", seen_text(seen))
            }
            Self::Mismatch { key, seen, wanted } => {
                format!("no match: {key} is {}, wanted `{wanted}`", seen_text(seen))
            }
            Self::Matched => "matched".to_owned(),
            Self::BlocksEverybody => "matched, and the rule allows nobody".to_owned(),
            Self::Note { text } => text.clone(),
            Self::Failed { text } => format!("failed: {text}"),
        }
    }
}

/// The first providers, and how many more there are.
pub(crate) fn render_providers(providers: &[String], telling: &[String], layout: Layout, out: &mut String) {
    for provider in providers.iter().take(layout.providers) {
        let shown = if layout.width == usize::MAX { None } else { shorten(provider, telling) };
        line(out, layout, &format!("  {}", shown.as_deref().unwrap_or(provider)));
    }
    if providers.len() > layout.providers {
        let more = providers.len() - layout.providers;
        line(out, layout, &format!("  and {more} more (`--format plain` lists all)"));
    }
}

/// Protocol and address, and the parameters that tell one provider from another.
fn shorten(provider: &str, telling: &[String]) -> Option<String> {
    let url = Url::parse(provider).ok()?;
    let mut text = format!("{}://{}", url.protocol()?, url.address()?);
    for key in telling {
        if let Some(value) = url.parameter(key) {
            let _ = write!(text, " {key}={value}");
        }
    }
    Some(text)
}

/// One line, cut at the layout's width.
fn line(out: &mut String, layout: Layout, text: &str) {
    match text.char_indices().nth(layout.width.saturating_sub(1)) {
        Some((end, last)) if text.len() > end + last.len_utf8() => {
            out.push_str(text.get(..end).unwrap_or_default());
            out.push('…');
        }
        _ => out.push_str(text),
    }
    out.push('\n');
}

/// A text under a step, broken between words.
fn wrap(out: &mut String, layout: Layout, text: &str) {
    const INDENT: usize = 4;
    let width = layout.width.saturating_sub(INDENT);
    let mut row = String::new();
    for word in text.split(' ') {
        if !row.is_empty() && row.chars().count() + 1 + word.chars().count() > width {
            line(out, layout, &format!("    {row}"));
            row.clear();
        }
        if !row.is_empty() {
            row.push(' ');
        }
        row.push_str(word);
    }
    line(out, layout, &format!("    {row}"));
}

#[cfg(test)]
mod tests;
