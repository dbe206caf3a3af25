//! Routing by one condition rule, written straight from the description: no index, no memo, a scan of a `Vec`.
//!
//! The compiled engine must answer as this does; it shares no code with `pointsman::condition`.

use std::borrow::Cow;

use pointsman::condition::Dialect;
use pointsman::rpc::Invocation;
use pointsman::rpc::Url;
use pointsman::rpc::Value;

/// A rule that does not load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BuildFailure;

/// What becomes of a text that Dubbo accepts and nobody means: a second `=>`, words that nothing joins, `1~x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It does not load.
    Strict,
    /// It means what it means in Dubbo.
    AsDubbo,
}

/// A rule, read once.
#[derive(Debug)]
pub(crate) struct NaiveRule {
    dialect: Dialect,
    /// Empty: every call.
    pub(crate) when: Vec<Condition>,
    /// `None`: the consumer is blocked.
    pub(crate) then: Option<Vec<Condition>>,
}

/// One key of one side with its values.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) key: String,
    pub(crate) equal: Vec<String>,
    pub(crate) unequal: Vec<String>,
}

/// What a key has: a value, none, or none that `!=` could pass under `v2` either.
enum Found<'a> {
    Value(Cow<'a, str>),
    Absent,
    Never,
}

/// A rule and how it is applied.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) rule: &'a str,
    pub(crate) dialect: Dialect,
    pub(crate) reading: Reading,
    pub(crate) force: bool,
    pub(crate) enabled: bool,
}

/// Routes one call: the positions of `providers` that it may go to. A rule that is not enabled is not even read.
pub(crate) fn route(
    question: Question<'_>,
    consumer: &Url,
    providers: &[Url],
    invocation: &dyn Invocation,
) -> Result<Vec<usize>, BuildFailure> {
    let Question { rule, dialect, reading, force, enabled } = question;
    if !enabled {
        return Ok((0..providers.len()).collect());
    }
    Ok(NaiveRule::parse(rule, dialect, reading)?.route(consumer, providers, invocation, force))
}

impl NaiveRule {
    /// Reads a rule.
    pub(crate) fn parse(rule: &str, dialect: Dialect, reading: Reading) -> Result<Self, BuildFailure> {
        let is_doubtful = rule.matches("=>").count() > 1;
        if rule.chars().all(|c| c <= ' ') || (is_doubtful && reading == Reading::Strict) {
            return Err(BuildFailure);
        }
        let (when, then) = rule.split_once("=>").unwrap_or(("", rule));
        let is_word = |side: &str, word| without_prefix(side.trim_matches(|c| c <= ' ')) == word;
        let always = is_blank(when) || is_word(when, "true");
        let blocked = is_blank(then) || is_word(then, "false");
        Ok(Self {
            dialect,
            when: if always { Vec::new() } else { conditions(when, dialect, reading)? },
            then: if blocked { None } else { Some(conditions(then, dialect, reading)?) },
        })
    }

    /// Routes one call.
    pub(crate) fn route(&self, consumer: &Url, providers: &[Url], call: &dyn Invocation, force: bool) -> Vec<usize> {
        let all = 0..providers.len();
        let when =
            |condition: &Condition| self.is_met(condition, self.asked_of_call(&condition.key, consumer, call), None);
        if !self.when.iter().all(when) {
            return all.collect();
        }
        let Some(then) = &self.then else { return Vec::new() };
        let is_kept = |provider: &Url| {
            let met = |condition: &Condition| {
                self.is_met(condition, self.asked_of_provider(&condition.key, provider), Some(consumer))
            };
            !then.is_empty() && then.iter().all(met)
        };
        let kept: Vec<usize> = all.clone().filter(|at| is_kept(&providers[*at])).collect();
        if kept.is_empty() && !force { all.collect() } else { kept }
    }

    fn asked_of_call<'a>(&self, key: &str, consumer: &'a Url, call: &'a dyn Invocation) -> Found<'a> {
        let v3 = self.dialect == Dialect::V3;
        if key == "method" || key == "methods" {
            return Found::Value(Cow::Borrowed(if v3 { call.target_method() } else { call.method() }));
        }
        if key.starts_with("arguments") {
            let index = inside(key.split('.').next().unwrap_or(""), "arguments[").and_then(|text| text.parse().ok());
            let argument = index.and_then(|index| call.argument(index));
            return argument.map_or(Found::Never, |value| Found::Value(Value::text(value)));
        }
        if v3 && key.starts_with("attachments") {
            let name =
                inside(key.split('.').next().unwrap_or(""), "attachments[").or_else(|| inside(key, "attachments["));
            let value = name.and_then(|name| call.attachment(name));
            return value.map_or(Found::Never, |value| Found::Value(Cow::Borrowed(value)));
        }
        raw(consumer, key)
    }

    fn asked_of_provider<'a>(&self, key: &str, provider: &'a Url) -> Found<'a> {
        let v3 = self.dialect == Dialect::V3;
        if key.starts_with("arguments") || (v3 && key.starts_with("attachments")) {
            return Found::Never;
        }
        raw(provider, key)
    }

    fn is_met(&self, condition: &Condition, found: Found<'_>, consumer: Option<&Url>) -> bool {
        let Condition { equal, unequal, .. } = condition;
        let value = match found {
            Found::Value(value) => value,
            Found::Absent => return self.dialect == Dialect::V2 && equal.is_empty(),
            Found::Never => return false,
        };
        let matches = |pattern: &String| self.matches(pattern, &value, consumer);
        match (equal.is_empty(), unequal.is_empty()) {
            (true, true) => false,
            (true, false) => !unequal.iter().any(matches),
            _ => !unequal.iter().any(matches) && equal.iter().any(matches),
        }
    }

    fn matches(&self, pattern: &str, value: &str, consumer: Option<&Url>) -> bool {
        if self.dialect == Dialect::V3
            && let Some((low, high)) = pattern.split_once('~')
        {
            if !is_range_or_none(pattern) {
                return consumer.is_some();
            }
            let bound = |text: &str, open: i64| if text.is_empty() { Some(open) } else { text.parse().ok() };
            return match (value.parse::<i64>(), bound(low, i64::MIN), bound(high, i64::MAX)) {
                (Ok(value), Some(low), Some(high)) => low <= value && value <= high,
                _ => false,
            };
        }
        match (consumer, pattern.strip_prefix('$')) {
            (Some(consumer), Some(name)) => matches_glob(&placeholder(consumer, name), value),
            _ => matches_glob(pattern, value),
        }
    }
}

/// Whether `value` has the form of `pattern`, whose last `*` stands for any text.
pub(crate) fn matches_glob(pattern: &str, value: &str) -> bool {
    match pattern.rfind('*') {
        None => pattern == value,
        Some(star) => value.starts_with(&pattern[..star]) && value.ends_with(&pattern[star + 1..]),
    }
}

/// What `$name` stands for.
pub(crate) fn placeholder(consumer: &Url, name: &str) -> String {
    match name {
        "protocol" => consumer.protocol().unwrap_or_default().to_owned(),
        "username" => consumer.username().unwrap_or_default().to_owned(),
        "password" => consumer.password().unwrap_or_default().to_owned(),
        "host" => consumer.host().unwrap_or_default().to_owned(),
        "path" => consumer.path().unwrap_or_default().to_owned(),
        "port" => consumer.port().unwrap_or(0).to_string(),
        _ => consumer.parameter(name).unwrap_or_default().to_owned(),
    }
}

fn raw<'a>(url: &'a Url, key: &str) -> Found<'a> {
    url.raw(key).map_or(Found::Absent, |value| Found::Value(Cow::Borrowed(value)))
}

/// Reads one side: each step is the separators in front of a word, and the word.
fn conditions(side: &str, dialect: Dialect, reading: Reading) -> Result<Vec<Condition>, BuildFailure> {
    let strict = reading == Reading::Strict;
    if strict && has_separators_apart(side) {
        return Err(BuildFailure);
    }
    let mut conditions: Vec<Condition> = Vec::new();
    // The condition that the last key began, and the list that the last value went to (none if it was replaced since).
    let mut current: Option<usize> = None;
    let mut list: Option<(Option<usize>, &str)> = None;
    for (position, (separators, word)) in steps(side).into_iter().enumerate() {
        match separators.as_str() {
            "" if position > 0 && strict => return Err(BuildFailure),
            "" | "&" => {
                let key = without_prefix(&word).to_owned();
                if key.is_empty() {
                    return Err(BuildFailure);
                }
                let fresh = Condition { key, equal: Vec::new(), unequal: Vec::new() };
                let known = conditions.iter().position(|condition| condition.key == fresh.key);
                current = known.or(Some(conditions.len()));
                match known {
                    Some(at) if separators.is_empty() => {
                        conditions[at] = fresh;
                        list = list.map(|(owner, operator)| (owner.filter(|owner| *owner != at), operator));
                    }
                    Some(_) => {}
                    None => conditions.push(fresh),
                }
                continue;
            }
            "=" => list = Some((current, "=")),
            "!=" => list = Some((current, "!=")),
            "," if list.is_some_and(|(owner, _)| !strict || owner == current) => {}
            _ => return Err(BuildFailure),
        }
        if dialect == Dialect::V3 && strict && !is_range_or_none(&word) {
            return Err(BuildFailure);
        }
        let (Some(_), Some((owner, operator))) = (current, list) else { return Err(BuildFailure) };
        let Some(owner) = owner else { continue };
        let Condition { equal, unequal, .. } = &mut conditions[owner];
        if operator == "=" { equal.push(word) } else { unequal.push(word) }
    }
    Ok(conditions)
}

/// Words with the run of separators right in front of them; a run that no word follows counts for nothing.
pub(crate) fn steps(side: &str) -> Vec<(String, String)> {
    let (mut steps, mut separators, mut word) = (Vec::new(), String::new(), String::new());
    let mut is_fresh = false;
    for c in side.chars().chain([' ']) {
        let (is_separator, is_space) = ("&!=,".contains(c), " \t\n\u{b}\u{c}\r".contains(c));
        if (is_separator || is_space) && !word.is_empty() {
            steps.push((std::mem::take(&mut separators), std::mem::take(&mut word)));
        }
        match (is_separator, is_space) {
            (true, _) if is_fresh => separators.push(c),
            (true, _) => separators = c.to_string(),
            (_, false) => word.push(c),
            _ => {}
        }
        is_fresh = is_separator;
    }
    steps
}

/// Two separators with blanks between them.
pub(crate) fn has_separators_apart(side: &str) -> bool {
    let is_separator = |c: char| "&!=,".contains(c);
    let words: Vec<&str> = side
        .split(" \t\n\u{b}\u{c}\r".chars().collect::<Vec<_>>().as_slice())
        .filter(|word| !word.is_empty())
        .collect();
    words.windows(2).any(|pair| pair[0].ends_with(is_separator) && pair[1].starts_with(is_separator))
}

fn is_range_or_none(pattern: &str) -> bool {
    let is_bound = |text: &str| text.is_empty() || text.parse::<i64>().is_ok();
    pattern.split_once('~').is_none_or(|(low, high)| pattern != "~" && is_bound(low) && is_bound(high))
}

fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c <= ' ' || (c.is_whitespace() && !"\u{85}\u{a0}\u{2007}\u{202f}".contains(c)))
}

/// `key` without the `consumer.` and `provider.` in front of it.
pub(crate) fn without_prefix(key: &str) -> &str {
    let shorter = key.strip_prefix("consumer.").or_else(|| key.strip_prefix("provider."));
    shorter.map_or(key, without_prefix)
}

/// The text from `opening` to the last `]`.
fn inside<'a>(text: &'a str, opening: &str) -> Option<&'a str> {
    let rest = &text[text.find(opening)? + opening.len()..];
    rest.rfind(']').map(|end| &rest[..end]).filter(|name| !name.is_empty())
}
