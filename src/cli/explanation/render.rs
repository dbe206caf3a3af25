//! An explanation as text, at a width.

use std::fmt::Write as _;

use crate::cli::check::plural;
use crate::cli::explanation::Effect;
use crate::cli::explanation::Explanation;
use crate::cli::explanation::Reason;
use crate::cli::explanation::Step;
use crate::cli::output::WIDTH;
use crate::cli::width::columns;
use crate::cli::width::fitting;
use crate::rpc::Url;

/// How much is printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Columns a line; longer ones are cut.
    pub(crate) width: usize,
    /// Providers listed as the result; the rest is counted.
    pub(crate) providers: usize,
}

// === impl Layout ===

impl Layout {
    /// For people.
    pub(crate) const HUMAN: Self = Self { width: WIDTH, providers: 20 };
    /// Everything.
    pub(crate) const PLAIN: Self = Self { width: usize::MAX, providers: usize::MAX };
}

// === impl Explanation ===

impl Explanation {
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
    fn counts(&self) -> String {
        format!("{} -> {}", self.candidates, self.selected)
    }

    fn render(&self, number: usize, layout: Layout, out: &mut String) {
        let (title, counts) = (format!("{number:>3} {}", self.title()), self.counts());
        let gap = layout.width.min(80).saturating_sub(columns(&title) + columns(&counts)).max(2);
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
pub(crate) fn line(out: &mut String, layout: Layout, text: &str) {
    if columns(text) <= layout.width {
        out.push_str(text);
    } else {
        out.push_str(text.get(..fitting(text, layout.width.saturating_sub(1))).unwrap_or_default());
        out.push('…');
    }
    out.push('\n');
}

/// A text under a step, broken between words.
pub(crate) fn wrap(out: &mut String, layout: Layout, text: &str) {
    const INDENT: usize = 4;
    let width = layout.width.saturating_sub(INDENT);
    let mut row = String::new();
    for word in text.split(' ') {
        if !row.is_empty() && columns(&row) + 1 + columns(word) > width {
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
