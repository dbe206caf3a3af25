//! Rules that an earlier one leaves nothing to do.
//!
//! Rules of one scope are held against each other in the order in which they run. Only those are compared that have a
//! value of a `when` pair in common, and of those so many at most, so that this does not grow with the square of a file.

use std::fmt::Write as _;

use hashbrown::HashMap;

use crate::chain;
use crate::chain::PriorityOrder;
use crate::cli::check::analysis::analysed_rule::AnalysedRule;
use crate::cli::check::analysis::analysed_rule::Goal;
use crate::cli::check::analysis::coverage::side_covers;
use crate::condition::Pair;
use crate::condition::Pattern;
use crate::condition::When;
use crate::diagnostics::Finding;

/// With how many earlier rules of a bucket a rule is compared.
const COMPARED: usize = 256;

/// Earlier rules by what their first `when` pair asks for; those for every call have a bucket of their own.
type Buckets<'r, 'a> = HashMap<String, Vec<&'r AnalysedRule<'a>>>;

/// Findings for the rules that can change nothing.
pub(super) fn find(rules: &[AnalysedRule<'_>], order: PriorityOrder) -> Vec<Finding> {
    let mut by_scope: HashMap<String, Vec<&AnalysedRule<'_>>> = HashMap::new();
    let mut scopes: Vec<String> = Vec::new();
    for rule in rules.iter().filter(|rule| rule.header.is_enabled) {
        let header = &rule.header;
        let scope = format!("{:?} {:?} {:?}", header.phase, rule.dialect, header.scope);
        if !by_scope.contains_key(&scope) {
            scopes.push(scope.clone());
        }
        by_scope.entry(scope).or_default().push(rule);
    }
    let mut findings = Vec::new();
    for scope in scopes {
        let Some(mut rules) = by_scope.remove(&scope).filter(|rules| rules.len() > 1) else { continue };
        rules.sort_by(|one, other| chain::compare(&one.header, &other.header, order));
        let mut earlier: Buckets<'_, '_> = HashMap::new();
        for rule in rules {
            match shadow_of(rule, &earlier) {
                Some((other, why)) => findings.push(told(rule, other, why)),
                // A rule that changes nothing shadows nothing that its own shadow does not.
                None => buckets_of(rule).into_iter().for_each(|bucket| earlier.entry(bucket).or_default().push(rule)),
            }
        }
    }
    findings
}

fn told(rule: &AnalysedRule<'_>, earlier: &AnalysedRule<'_>, why: &str) -> Finding {
    let message = format!("the rule changes nothing: {} runs before it and {why}", earlier.place());
    let help = "remove it, or let it run first: the greater `priority` does, and of equal ones the upper line";
    rule.told(Finding::warning("check::shadowed", message).with_help(help), "never does anything")
}

/// The first earlier rule that leaves `rule` nothing to do, and what it does.
fn shadow_of<'r, 'a>(
    rule: &AnalysedRule<'a>,
    earlier: &Buckets<'r, 'a>,
) -> Option<(&'r AnalysedRule<'a>, &'static str)> {
    let looked_up = lookups_of(rule);
    let candidates = looked_up.iter().filter_map(|bucket| earlier.get(bucket));
    let mut candidates = candidates.flat_map(|bucket| bucket.iter().take(COMPARED));
    candidates.find_map(|other| {
        let covers = side_covers(other.when.pairs(), rule.when.pairs(), rule.dialect);
        covers.then(|| what_it_does(other, rule)).flatten().map(|why| (*other, why))
    })
}

/// What an earlier rule, which applies wherever the later one does, does to leave it nothing.
fn what_it_does(earlier: &AnalysedRule<'_>, later: &AnalysedRule<'_>) -> Option<&'static str> {
    let (is_forced, may_force) = (earlier.header.is_force, later.header.is_force);
    match (&earlier.goal, &later.goal) {
        (Goal::Blocked, _) => Some("blocks all of its calls"),
        // Where the earlier one fits nobody and passes, so does an equal one that is not forced.
        (Goal::Then(one), Goal::Then(other)) if one == other && (is_forced || !may_force) => Some("keeps the same"),
        (Goal::Then(one), Goal::Then(other)) if is_forced && !one.is_empty() && !other.is_empty() => {
            side_covers(other, one, later.dialect).then_some("keeps no more than it would")
        }
        _ => None,
    }
}

/// Where a rule is put as an earlier one.
fn buckets_of(rule: &AnalysedRule<'_>) -> Vec<String> {
    let Some(pair) = first_pair(&rule.when) else { return vec![String::new()] };
    let mut buckets: Vec<String> = pair.matches().iter().filter_map(|one| literal(pair, one)).collect();
    let is_all_literal = buckets.len() == pair.matches().len() && !buckets.is_empty();
    if !is_all_literal || !pair.mismatches().is_empty() {
        buckets.push(open(pair));
    }
    buckets
}

/// Where the rules stand that may cover `rule`.
fn lookups_of(rule: &AnalysedRule<'_>) -> Vec<String> {
    let mut buckets = vec![String::new()];
    for pair in rule.when.pairs() {
        buckets.extend(pair.matches().first().and_then(|one| literal(pair, one)));
        buckets.push(open(pair));
    }
    buckets
}

fn first_pair(when: &When) -> Option<&Pair> {
    when.pairs().iter().min_by_key(|pair| pair.key().as_str())
}

fn literal(pair: &Pair, pattern: &Pattern) -> Option<String> {
    match pattern {
        Pattern::Literal(text) => Some(format!("{}={text}", pair.key())),
        _ => None,
    }
}

/// The bucket of pairs that ask for more than texts.
fn open(pair: &Pair) -> String {
    let mut bucket = String::new();
    // Writing to a `String` cannot fail.
    let _ = write!(bucket, "{}~", pair.key());
    bucket
}
