//! A call that a rule speaks of: what it asks of call and consumer, fulfilled.

use std::collections::BTreeMap;

use crate::cli::requested_call::RequestedCall;
use crate::condition::DestinationRule;
use crate::condition::Dialect;
use crate::condition::Pair;
use crate::condition::Pattern;
use crate::condition::Reading;
use crate::condition::Subject;
use crate::condition::When;
use crate::condition::parse_when;
use crate::condition::parse_with;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::rpc::RpcInvocation;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::source::folder::RuleEntry;
use crate::tag::TagRule;

/// What nothing is said of.
const OTHER: &str = "other";

/// How many values of a list are tried.
const VALUES: usize = 4;

/// What is to be so of a call and its consumer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Witness {
    method: Option<String>,
    arguments: BTreeMap<usize, String>,
    attachments: BTreeMap<String, String>,
    consumer: BTreeMap<String, String>,
}

/// Calls that a rule speaks of.
#[derive(Debug, Default)]
pub(crate) struct Witnesses {
    /// Each fulfils the rule with the first values of its pairs; of tags, one for each.
    pub(crate) first: Vec<Witness>,
    /// Those with another value of one pair, also such that do not fulfil it any more: the next beyond a range.
    pub(crate) further: Vec<Witness>,
}

// === impl Witnesses ===

impl Witnesses {
    pub(crate) fn of(entry: &RuleEntry) -> Self {
        let url = entry.to_url();
        let text = url.parameter_decoded(keys::RULE).and_then(Result::ok).unwrap_or_default();
        let dialect = url.parameter(keys::DIALECT).and_then(Dialect::parse).unwrap_or(Dialect::V2);
        let origin = Origin::whole(SourceText::new("rule", &*text));
        let when = match url.protocol() {
            Some("condition") => {
                parse_with(&text, dialect, Reading::AsDubbo, &origin).ok().map(|rule| rule.when().clone())
            }
            Some("destinations") => serde_json::from_str::<DestinationRule>(&text).ok().and_then(|rule| {
                let origin = Origin::whole(SourceText::new("from", &*rule.from));
                parse_when(&rule.from, dialect, Reading::AsDubbo, &origin).ok().map(|(when, _)| when)
            }),
            Some("tag") => return Self::of_tags(&serde_json::from_str(&text).unwrap_or_default()),
            _ => None,
        };
        // A route URL is for the consumers at its host, and of its application.
        let application = url.parameter(keys::APPLICATION).map(|name| (keys::APPLICATION, name));
        let host = url.host().filter(|host| *host != keys::ANY_HOST).map(|host| (keys::HOST, host));
        let consumer = application.into_iter().chain(host).map(|(key, value)| (key.to_owned(), value.to_owned()));
        let mut first = Witness { consumer: consumer.collect(), ..Witness::default() };
        let pairs = match when {
            Some(When::Pairs(pairs)) => pairs,
            _ => Vec::new(),
        };
        let values: Vec<(&Pair, Vec<String>)> = pairs.iter().map(|pair| (pair, values_for(pair))).collect();
        for (pair, values) in &values {
            first.fulfil(pair, values.first());
        }
        let mut further = Vec::new();
        for (pair, values) in &values {
            for value in values.iter().skip(1) {
                let mut other = first.clone();
                other.fulfil(pair, Some(value));
                further.push(other);
            }
        }
        Self { first: vec![first], further }
    }

    fn of_tags(rule: &TagRule) -> Self {
        let tagged = |name: &str, is_forced: bool| {
            let force = is_forced.then(|| (keys::FORCE_TAG.to_owned(), "true".to_owned()));
            let attachments = [(keys::TAG.to_owned(), name.to_owned())].into_iter().chain(force).collect();
            Witness { attachments, ..Witness::default() }
        };
        let tags = rule.tags.iter().flat_map(|tag| [tagged(&tag.name, false), tagged(&tag.name, true)]);
        Self { first: tags.collect(), further: Vec::new() }
    }
}

// === impl Witness ===

impl Witness {
    fn fulfil(&mut self, pair: &Pair, value: Option<&String>) {
        let Some(value) = value.cloned() else { return };
        match pair.key().subject() {
            Subject::Method => self.method = Some(value),
            Subject::Argument(index) => {
                self.arguments.insert(*index, value);
            }
            Subject::Attachment(name) => {
                self.attachments.insert(name.to_string(), value);
            }
            Subject::Parameter => {
                self.consumer.insert(pair.key().as_str().to_owned(), value);
            }
            Subject::Nothing => {}
        }
    }

    /// The call of a service; none where the values make no URL.
    pub(crate) fn call(&self, service: &ServiceKey) -> Option<RequestedCall> {
        let mut invocation =
            RpcInvocation::new(service.as_str().to_owned(), self.method.clone().unwrap_or_else(|| OTHER.to_owned()));
        let last = self.arguments.keys().next_back().copied();
        for index in last.map_or(0..0, |last| 0..last + 1) {
            let value = self.arguments.get(&index).cloned().unwrap_or_else(|| OTHER.to_owned());
            invocation = invocation.with_argument("java.lang.String", value);
        }
        for (key, value) in &self.attachments {
            invocation = invocation.with_attachment(key.clone(), value.clone());
        }
        let host = self.consumer.get(keys::HOST).map_or("127.0.0.1", String::as_str);
        let mut text = format!("consumer://{host}/{}?side=consumer", service.interface());
        let has_application = self.consumer.contains_key(keys::APPLICATION);
        let usual = [
            (keys::APPLICATION, Some("pointsman").filter(|_| !has_application)),
            (keys::GROUP, service.group()),
            (keys::VERSION, service.version()),
        ];
        let usual = usual.into_iter().filter_map(|(key, value)| Some((key, value?)));
        let is_parameter = |key: &str| !keys::URL_PARTS.contains(&key) && !usual_key(key);
        let special = self.consumer.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        for (key, value) in usual.chain(special.filter(|(key, _)| is_parameter(key))) {
            text.push_str(&format!("&{key}={value}"));
        }
        let consumer = Url::parse(&text).ok()?;
        Some(RequestedCall { service: service.clone(), consumer, invocation })
    }
}

/// What the service asked for says already.
fn usual_key(key: &str) -> bool {
    matches!(key, keys::GROUP | keys::VERSION | keys::INTERFACE | keys::SIDE)
}

/// Values to try a pair with, the first one such that it accepts it, if one is easily found: of a list the first few, of a
/// range its ends and what lies next beyond them.
fn values_for(pair: &Pair) -> Vec<String> {
    let other = pair.matches().is_empty() && !pair.mismatches().is_empty();
    let mut values: Vec<String> = other.then(|| OTHER.to_owned()).into_iter().collect();
    let listed = pair.matches().iter().take(VALUES).chain(pair.mismatches().iter().take(VALUES));
    for value in listed.flat_map(values_of) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

fn values_of(pattern: &Pattern) -> Vec<String> {
    match pattern {
        Pattern::Any => vec![OTHER.to_owned()],
        Pattern::Literal(text) => vec![text.to_string()],
        Pattern::Prefix(prefix) => vec![format!("{prefix}1")],
        Pattern::Suffix(suffix) => vec![format!("1{suffix}")],
        Pattern::Affix { prefix, suffix } => vec![format!("{prefix}1{suffix}")],
        Pattern::Range { low, high } => {
            let below = low.and_then(|low| low.checked_sub(1));
            let above = high.and_then(|high| high.checked_add(1));
            [*low, *high, below, above].into_iter().flatten().map(|bound| bound.to_string()).collect()
        }
        Pattern::Placeholder(_) | Pattern::NoRange { .. } => Vec::new(),
    }
}
