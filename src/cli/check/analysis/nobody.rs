//! Rules after which nobody is left, and sides that fit no provider.

use crate::cli::check::analysis::analysed_rule::AnalysedRule;
use crate::cli::check::analysis::analysed_rule::Goal;
use crate::cli::check::analysis::providers::Providers;
use crate::condition::Pair;
use crate::condition::Pattern;
use crate::condition::Subject;
use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::router::Reach;
use crate::router::Selection;
use crate::rpc::ServiceKey;
use crate::source::folder::RuleKind;

/// How many services a finding names.
const NAMED: usize = 3;

/// What a rule cannot keep of the providers that it is for.
pub(super) fn find(rule: &AnalysedRule<'_>, reached: &Selection, providers: &Providers) -> Vec<Finding> {
    if reached.is_empty() {
        return Vec::new();
    }
    let kept = |pairs: &[Pair]| match (&rule.goal, pairs) {
        (Goal::Then(_), []) => Selection::none(reached.list_length()),
        _ => providers.kept(pairs, rule.dialect, reached),
    };
    let sides = rule.goal.sides();
    let of_sides: Vec<Selection> = sides.iter().map(|side| kept(side)).collect();
    let mut all = Selection::none(reached.list_length());
    of_sides.iter().for_each(|of_side| all.unite(of_side));
    let stops = rule.goal == Goal::Blocked || rule.header.is_force;
    if stops && rule.is_for_every_call() && rule.header.scope.providers == Reach::All {
        let lost = providers.left_without(&all, reached);
        if !lost.is_empty() {
            return vec![rule.told(left_with_nobody(rule, &lost), "stops every call")];
        }
    }
    if all.is_empty() {
        return fits_nobody(rule, &sides).into_iter().collect();
    }
    let unfit = sides.iter().zip(&of_sides).filter(|(_, kept)| kept.is_empty());
    let finding = |(side, _): (&&[Pair], &Selection)| {
        let message = format!("no provider fits the destination `{}`, so it is never drawn", text_of(side));
        let finding = Finding::new("check::matches_nobody", Severity::Info, message);
        rule.told(finding.with_help("its share goes to the other destinations"), "one destination is nobody's")
    };
    unfit.map(finding).collect()
}

fn left_with_nobody(rule: &AnalysedRule<'_>, lost: &[&ServiceKey]) -> Finding {
    let named: Vec<String> = lost.iter().take(NAMED).map(|key| format!("`{key}`")).collect();
    let more = match lost.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let why = match rule.goal {
        Goal::Blocked => "the rule blocks every call",
        _ => "the rule is forced, is for every call and fits no provider",
    };
    let help = match rule.goal {
        Goal::Blocked if rule.entry.kind() == RuleKind::Document => {
            "say in the condition whose calls are to be stopped; `enabled: false` switches the document off"
        }
        Goal::Blocked => "say before `=>` whose calls are to be stopped, or take the rule away",
        _ => "without `force` such a rule lets the call pass",
    };
    let message = format!("{why}: nobody is left of {}{more}", named.join(", "));
    Finding::warning("check::nobody_left", message).with_help(help)
}

/// A rule none of whose sides fits a provider.
fn fits_nobody(rule: &AnalysedRule<'_>, sides: &[&[Pair]]) -> Option<Finding> {
    let text = sides.first().map(|side| text_of(side))?;
    // Nothing after `=>` but a separator, or a pair that nothing fulfils: that was told when it was read.
    if text.is_empty() || sides.iter().copied().flatten().any(is_hopeless) {
        return None;
    }
    let (severity, what, help) = match rule.header.is_force {
        // It may be meant so: as long as there is none, nobody is called.
        true => (
            Severity::Info,
            "the calls it is for are stopped",
            "the rule is forced; take `force` away if those calls are to pass",
        ),
        false => (Severity::Warning, "the rule has no effect", "look for a slip in key or value: case counts"),
    };
    let message = match sides.len() {
        1 => format!("no provider that the rule is for fits `{text}`: {what}"),
        count => format!("no provider that the rule is for fits any of the {count} destinations: {what}"),
    };
    let finding = Finding::new("check::matches_nobody", severity, message).with_help(help);
    Some(rule.told(finding, "fits nobody"))
}

/// Whether no provider at all can fulfil a pair: a bare key, an argument, a range with its bounds turned round.
fn is_hopeless(pair: &Pair) -> bool {
    let is_inverted = |one: &Pattern| matches!(one, Pattern::Range { low: Some(low), high: Some(high) } if low > high);
    let values = pair.matches().len() + pair.mismatches().len();
    values == 0 || *pair.key().subject() != Subject::Parameter || pair.matches().iter().any(is_inverted)
}

fn text_of(side: &[Pair]) -> String {
    let pairs: Vec<String> = side.iter().map(ToString::to_string).collect();
    pairs.join(" & ")
}
