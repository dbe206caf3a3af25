//! A side that contradicts itself.

use crate::cli::check::analysis::analysed_rule::AnalysedRule;
use crate::cli::check::analysis::analysed_rule::Goal;
use crate::cli::check::analysis::coverage::is_impossible;
use crate::condition::Pair;
use crate::diagnostics::Finding;
use crate::rpc::keys;

const SLUG: &str = "check::contradiction";

/// Sides of a rule that no value can pass.
pub(super) fn find(rule: &AnalysedRule<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(pair) = rule.when.pairs().iter().find(|pair| is_impossible(pair)) {
        findings.push(rule.told(of_pair(pair, "no call fulfils it, so the rule never applies"), "never applies"));
    } else if let Some((key, wanted, pair)) = against_scope(rule) {
        let message = format!("`{pair}` contradicts the rule's own {key} `{wanted}`, so the rule never applies");
        let help = "the rule is for the consumers of its tag or URL only; drop the one or the other";
        findings.push(rule.told(Finding::warning(SLUG, message).with_help(help), "never applies"));
    }
    let sides = rule.goal.sides();
    let impossible: Vec<&Pair> = sides.iter().filter_map(|side| side.iter().find(|pair| is_impossible(pair))).collect();
    let what = match &rule.goal {
        Goal::Drawn(_) => "no provider fulfils it, so the destination is never drawn",
        _ => "no provider fulfils it",
    };
    findings.extend(impossible.into_iter().map(|pair| rule.told(of_pair(pair, what), "nobody")));
    findings
}

fn of_pair(pair: &Pair, what: &str) -> Finding {
    let key = pair.key();
    let message = format!("`{pair}` contradicts itself: {what}");
    let help = format!("`!=` wins over `=`; take the value out of one of them, or write another key than `{key}`");
    Finding::warning(SLUG, message).with_help(help)
}

/// A pair that the consumers whom the rule is for never fulfil.
fn against_scope<'r>(rule: &'r AnalysedRule<'_>) -> Option<(&'static str, &'r str, &'r Pair)> {
    let scope = &rule.header.scope;
    let given = [(keys::APPLICATION, scope.application.as_deref()), (keys::HOST, scope.host.as_deref())];
    given.into_iter().find_map(|(key, wanted)| {
        let wanted = wanted?;
        let mut pairs = rule.when.pairs().iter().filter(|pair| pair.key().as_str() == key);
        let pair = pairs.find(|pair| !pair.accepts(Some(wanted), rule.dialect))?;
        Some((key, wanted, pair))
    })
}
