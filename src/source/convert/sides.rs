//! What a condition says, whatever its form.

use crate::condition;
use crate::condition::Destination;
use crate::condition::DestinationRule;
use crate::condition::Dialect;
use crate::condition::Key;
use crate::condition::Pair;
use crate::condition::ParseError;
use crate::condition::Reading;
use crate::condition::Rule;
use crate::condition::Then;
use crate::condition::When;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;

/// Every provider has an address.
const EVERYBODY: &str = "host=*";

/// Which calls, and where they go.
#[derive(Debug, Clone)]
pub(super) struct Sides {
    dialect: Dialect,
    /// None: every call.
    when: Vec<Pair>,
    then: Going,
}

/// Where calls go.
#[derive(Debug, Clone)]
enum Going {
    Blocked,
    /// To nobody, as far as `force` says so.
    Nobody,
    Everybody,
    Pairs(Vec<Pair>),
    Several(Vec<Destination>),
}

// === impl Sides ===

impl Sides {
    /// Those of a text.
    pub(super) fn of_text(text: &str, dialect: Dialect, origin: &Origin) -> Result<Self, ParseError> {
        let rule = condition::parse(text, dialect, origin)?;
        Ok(Self::of_rule(&rule, dialect))
    }

    fn of_rule(rule: &Rule, dialect: Dialect) -> Self {
        let when = match rule.when() {
            When::Always => Vec::new(),
            When::Pairs(pairs) => pairs.clone(),
        };
        let then = match rule.then() {
            Then::Blocked => Going::Blocked,
            Then::Pairs(pairs) if pairs.is_empty() => Going::Nobody,
            Then::Pairs(pairs) => Going::Pairs(pairs.clone()),
        };
        Self { dialect, when, then }
    }

    /// Those of a rule with destinations.
    pub(super) fn of_destinations(
        rule: &DestinationRule,
        dialect: Dialect,
        origin: &Origin,
    ) -> Result<Self, ParseError> {
        let when = match condition::parse_when(&rule.from, dialect, Reading::Strict, origin)?.0 {
            When::Always => Vec::new(),
            When::Pairs(pairs) => pairs,
        };
        let then = match rule.to.as_slice() {
            [] => Going::Blocked,
            [only] => {
                let (pairs, _) = condition::parse_destination(&only.providers, dialect, Reading::Strict, origin)?;
                if pairs.is_empty() { Going::Everybody } else { Going::Pairs(pairs) }
            }
            several => Going::Several(several.to_vec()),
        };
        Ok(Self { dialect, when, then })
    }

    /// How many destinations it has, where it draws one.
    pub(super) fn several(&self) -> Option<usize> {
        match &self.then {
            Going::Several(destinations) => Some(destinations.len()),
            _ => None,
        }
    }

    /// The same with the one destination of the greatest weight, of several the first.
    pub(super) fn with_greatest(&self, origin: &Origin) -> Result<Self, ParseError> {
        let Going::Several(destinations) = &self.then else { return Ok(self.clone()) };
        let weight = destinations.iter().map(|destination| destination.weight).max();
        let greatest = destinations.iter().find(|destination| Some(destination.weight) == weight);
        let rule = DestinationRule { from: joined(&self.when), to: greatest.cloned().into_iter().collect() };
        Self::of_destinations(&rule, self.dialect, origin)
    }

    /// The text `when => then`; none where no text says the same.
    pub(super) fn to_text(&self) -> Option<String> {
        let then = match &self.then {
            Going::Blocked => String::new(),
            Going::Nobody => "&".to_owned(),
            Going::Everybody => EVERYBODY.to_owned(),
            Going::Pairs(pairs) => joined(pairs),
            Going::Several(_) => return None,
        };
        let text = format!("{} => {then}", joined(&self.when));
        let origin = Origin::whole(SourceText::new("", text.as_str()));
        let rule = condition::parse(&text, self.dialect, &origin).ok()?;
        let read = Self::of_rule(&rule, self.dialect);
        let is_meant = match (&self.then, &read.then) {
            (Going::Everybody, Going::Pairs(_)) => true,
            (Going::Pairs(one), Going::Pairs(other)) => one == other,
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        };
        (read.when == self.when && is_meant).then(|| rule.to_string())
    }

    /// The rule with destinations; none where no such rule says the same.
    pub(super) fn to_destinations(&self) -> Option<DestinationRule> {
        let only = |providers: String| vec![Destination { providers, weight: Destination::DEFAULT_WEIGHT }];
        let to = match &self.then {
            Going::Blocked => Vec::new(),
            Going::Nobody => return None,
            Going::Everybody => only(String::new()),
            Going::Pairs(pairs) => only(joined(pairs)),
            Going::Several(destinations) => destinations.clone(),
        };
        let rule = DestinationRule { from: joined(&self.when), to };
        let origin = Origin::whole(SourceText::new("", ""));
        let read = Self::of_destinations(&rule, self.dialect, &origin).ok()?;
        let is_meant = match (&self.then, &read.then) {
            (Going::Pairs(one), Going::Pairs(other)) => one == other,
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        };
        (read.when == self.when && is_meant).then_some(rule)
    }

    /// A key that texts read without its beginning.
    pub(super) fn prefixed_key(&self) -> Option<&str> {
        let then = match &self.then {
            Going::Pairs(pairs) => pairs.as_slice(),
            _ => &[],
        };
        let keys = self.when.iter().chain(then).map(|pair| pair.key().as_str());
        keys.into_iter().find(|key| Key::strip_prefixes(key) != *key)
    }
}

fn joined(pairs: &[Pair]) -> String {
    pairs.iter().map(Pair::to_string).collect::<Vec<_>>().join(" & ")
}
