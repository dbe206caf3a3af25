//! Destinations whose shares are not what the weights say.

use crate::cli::check::analysis::analysed_rule::AnalysedRule;
use crate::cli::check::analysis::analysed_rule::Goal;
use crate::cli::check::analysis::providers::Providers;
use crate::condition::Pair;
use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::router::Selection;

/// More destinations than this are not held against each other.
const COMPARED: usize = 64;

pub(super) fn find(rule: &AnalysedRule<'_>, reached: &Selection, providers: &Providers) -> Vec<Finding> {
    let Goal::Drawn(to) = &rule.goal else { return Vec::new() };
    let mut findings: Vec<Finding> = weights(rule, to).into_iter().collect();
    let is_fixed = |pairs: &[Pair]| pairs.iter().all(|pair| !pair.has_placeholder());
    let kept = |pairs: &Vec<Pair>| {
        let kept = is_fixed(pairs).then(|| providers.kept(pairs, rule.dialect, reached));
        kept.filter(|kept| !kept.is_empty())
    };
    let kept: Vec<Option<Selection>> = to.iter().take(COMPARED).map(|(pairs, _)| kept(pairs)).collect();
    for (at, (pairs, _)) in to.iter().take(COMPARED).enumerate() {
        let is_same = |earlier: usize| {
            let same_text = to.get(earlier).is_some_and(|(other, _)| other == pairs);
            let same_providers =
                kept.get(at).zip(kept.get(earlier)).is_some_and(|(one, other)| one.is_some() && one == other);
            same_text || same_providers
        };
        if let Some(earlier) = (0..at).find(|earlier| is_same(*earlier)) {
            let (one, other) = (earlier + 1, at + 1);
            let message = format!("destinations {one} and {other} keep the same providers");
            let help = "those providers get both shares; make one destination of them, or look for a slip in `match`";
            let finding = Finding::warning("check::same_destinations", message).with_help(help);
            findings.push(rule.told(finding, "two that are one"));
        }
    }
    findings
}

fn weights(rule: &AnalysedRule<'_>, to: &[(Vec<Pair>, u32)]) -> Option<Finding> {
    let zeros = to.iter().filter(|(_, weight)| *weight == 0).count();
    let (severity, message, help) = match (zeros, to.len()) {
        (0, _) => return None,
        (_, 1) => (
            Severity::Warning,
            "the only destination has the weight 0, and gets every call all the same".to_owned(),
            "leave `weight` out, or `to` to stop the calls",
        ),
        (zeros, all) if zeros == all => (
            Severity::Warning,
            format!("all {all} destinations have the weight 0, and get equal shares"),
            "leave the weights out if that is meant",
        ),
        (_, _) => (
            Severity::Info,
            "a destination of weight 0 gets calls only where no other one has a provider left".to_owned(),
            "remove it if it is to get none at all; Dubbo takes 0 for 100",
        ),
    };
    let finding = Finding::new("check::zero_weight", severity, message).with_help(help);
    Some(rule.told(finding, "weight 0"))
}
