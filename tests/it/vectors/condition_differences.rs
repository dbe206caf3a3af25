//! Where a condition rule deliberately means something else than in Dubbo, or is refused though Dubbo loads it.

use pointsman::condition::Dialect;
use pointsman::rpc::Invocation;
use pointsman::rpc::Url;
use pointsman::rpc::Value;

use super::condition::Case;
use crate::support::naive::Condition;
use crate::support::naive::NaiveRule;
use crate::support::naive::Reading;
use crate::support::naive::has_separators_apart;
use crate::support::naive::steps;
use crate::support::naive::without_prefix;

/// A deliberate difference of the answer; its name is an anchor of `docs/differences.md`.
pub(crate) struct Difference {
    pub(crate) name: &'static str,
    /// Whether the rule, URLs and call show it.
    pub(crate) covers: fn(Case<'_>) -> bool,
}

/// What is refused by default; its name is an anchor of `docs/differences.md`.
pub(crate) struct Refusal {
    pub(crate) name: &'static str,
    /// Whether the rule's text shows it.
    pub(crate) covers: fn(&str, Dialect) -> bool,
}

/// Every difference of condition rules.
pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference { name: "ranges", covers: has_a_range_or_value_that_dubbo_misreads },
    Difference { name: "lookups-of-nothing", covers: asks_for_what_is_not_there },
    Difference { name: "prefixes-inside-words", covers: has_a_prefix_inside },
    Difference { name: "parameters-without-a-value", covers: reads_a_bare_parameter },
];

/// Every refusal of a rule that Dubbo loads.
pub(crate) const REFUSALS: &[Refusal] = &[
    Refusal { name: "second-arrow", covers: |rule, _| rule.matches("=>").count() > 1 },
    Refusal { name: "unjoined-words", covers: |rule, _| sides(rule).iter().any(|side| has_unjoined_words(side)) },
    Refusal { name: "separators-apart", covers: |rule, _| sides(rule).iter().any(|side| has_separators_apart(side)) },
    Refusal { name: "values-of-another-key", covers: |rule, _| sides(rule).iter().any(|side| has_stray_value(side)) },
    Refusal {
        name: "ranges-that-are-none",
        covers: |rule, dialect| dialect == Dialect::V3 && ranges(rule).any(|range| !is_range(&range)),
    },
];

/// `100~`, bounds and values that are no 32-bit digits: `RangeValuePattern` drops the open end and reads the rest as 0.
fn has_a_range_or_value_that_dubbo_misreads(case: Case<'_>) -> bool {
    case.question.dialect == Dialect::V3
        && keyed(case).iter().any(|(condition, values)| {
            let ranges = || condition.equal.iter().chain(&condition.unequal).filter(|pattern| pattern.contains('~'));
            ranges().any(|range| !is_plain_range(range))
                || (ranges().count() > 0 && !values.iter().all(|it| is_digits(it)))
        })
}

/// An argument beyond the last, an attachment whose name has a dot, either of them where there is no call: Dubbo 3
/// compares a text of its own, so `!=` and `*` match.
fn asks_for_what_is_not_there(case: Case<'_>) -> bool {
    let is_special = |key: &str| key.starts_with("arguments") || key.starts_with("attachments");
    let is_dotted = |key: &str| key.starts_with("attachments") && key.contains('.');
    let Some(rule) = rule(case) else { return false };
    let on_when = keyed(case)
        .iter()
        .take(rule.when.len())
        .any(|(condition, values)| is_special(&condition.key) && (values.is_empty() || is_dotted(&condition.key)));
    let on_then = rule.then.iter().flatten().any(|condition| is_special(&condition.key));
    case.question.dialect == Dialect::V3 && (on_when || on_then)
}

/// Dubbo deletes `consumer.`, then `provider.` everywhere in a rule, we do in front of a key.
fn has_a_prefix_inside(case: Case<'_>) -> bool {
    let theirs = |word: &str| word.replace("consumer.", "").replace("provider.", "");
    sides(case.question.rule).iter().flat_map(|side| steps(side)).any(|(separators, word)| {
        let is_key = matches!(separators.as_str(), "" | "&");
        let ours = if is_key { without_prefix(&word) } else { &word };
        ours.is_empty() || ours != theirs(&word)
    })
}

/// 2.7 reads `?flag` as `flag=flag`, 3.3 as an empty value; we read URLs as 3.3 does.
fn reads_a_bare_parameter(case: Case<'_>) -> bool {
    let is_bare = |url: &Url, key: &str| {
        let query = url.as_str().split_once('?').map_or("", |(_, query)| query);
        query.split(['&', ';']).any(|item| item == key)
    };
    let Some(rule) = rule(case) else { return false };
    let conditions = || rule.when.iter().chain(rule.then.iter().flatten());
    let names = conditions().flat_map(|condition| {
        let patterns = condition.equal.iter().chain(&condition.unequal);
        patterns.filter_map(|pattern| pattern.strip_prefix('$')).chain([condition.key.as_str()])
    });
    let mut urls = case.world.invokers.iter().chain([&case.world.consumer]);
    let names: Vec<&str> = names.collect();
    case.question.dialect == Dialect::V2 && urls.any(|url| names.iter().any(|name| is_bare(url, name)))
}

/// Each condition with the values it is asked of: of the call one or none, of the providers those that have one.
fn keyed(case: Case<'_>) -> Vec<(Condition, Vec<String>)> {
    let Some(rule) = rule(case) else { return Vec::new() };
    let of_call = |key: &str| match key {
        "method" | "methods" => Some(case.call.target_method().to_owned()),
        _ if key.starts_with("arguments") => {
            let index = key.strip_prefix("arguments[").and_then(|rest| rest.split_once(']'));
            let index = index.and_then(|(digits, _)| digits.parse().ok());
            index.and_then(|index| case.call.argument(index)).map(|value| Value::text(value).into_owned())
        }
        _ if key.starts_with("attachments") => {
            let name = key.strip_prefix("attachments[").and_then(|rest| rest.rsplit_once(']'));
            name.and_then(|(name, _)| case.call.attachment(name)).map(str::to_owned)
        }
        _ => case.world.consumer.raw(key).map(str::to_owned),
    };
    let of_providers =
        |key: &str| case.world.invokers.iter().filter_map(|provider| provider.raw(key)).map(str::to_owned).collect();
    let when = rule.when.into_iter().map(|it| (of_call(&it.key).into_iter().collect(), it));
    let then = rule.then.into_iter().flatten().map(|it| (of_providers(&it.key), it));
    when.chain(then).map(|(values, condition)| (condition, values)).collect()
}

fn rule(case: Case<'_>) -> Option<NaiveRule> {
    NaiveRule::parse(case.question.rule, case.question.dialect, Reading::AsDubbo).ok()
}

fn sides(rule: &str) -> [&str; 2] {
    let (when, then) = rule.split_once("=>").unwrap_or(("", rule));
    [when, then]
}

fn has_unjoined_words(side: &str) -> bool {
    steps(side).iter().skip(1).any(|(separators, _)| separators.is_empty())
}

/// A comma whose key has no values.
fn has_stray_value(side: &str) -> bool {
    let mut has_values = false;
    steps(side).iter().any(|(separators, _)| match separators.as_str() {
        "" | "&" => {
            has_values = false;
            false
        }
        "," => !has_values,
        _ => {
            has_values = true;
            false
        }
    })
}

fn ranges(rule: &str) -> impl Iterator<Item = String> {
    let values =
        sides(rule).into_iter().flat_map(steps).filter(|(separators, _)| !matches!(separators.as_str(), "" | "&"));
    values.map(|(_, word)| word).filter(|word| word.contains('~'))
}

fn is_range(range: &str) -> bool {
    let is_bound = |text: &str| text.is_empty() || text.parse::<i64>().is_ok();
    range != "~" && range.split_once('~').is_some_and(|(low, high)| is_bound(low) && is_bound(high))
}

/// A range that `RangeValuePattern` reads as it is written.
fn is_plain_range(range: &str) -> bool {
    range.split_once('~').is_some_and(|(low, high)| (low.is_empty() || is_digits(low)) && is_digits(high))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<i32>().is_ok()
}
