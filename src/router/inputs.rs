//! Which parts of a call a router may look at; the memo's key is made of them.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Deserialize;
use serde::Serialize;

use crate::router::ClockGranularity;
use crate::router::Surroundings;
use crate::router::Zone;
use crate::rpc::Invocation;
use crate::rpc::Value;

/// One part of a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Input {
    /// The method as called; `$invoke` for a generic call.
    Method,
    /// The method that is meant, also by a generic call.
    TargetMethod,
    /// The text of the argument at an index, as called.
    Argument(usize),
    /// The argument at an index with its type: the number 1 differs from the text `1`.
    TypedArgument(usize),
    /// How many arguments there are.
    ArgumentCount,
    /// The types of all parameters, as Java names them.
    ParameterTypes,
    /// The attachment of a key.
    Attachment(Box<str>),
    /// All attachments: their keys and values.
    Attachments,
    /// The service that is called.
    Service,
    /// A part of the time on the wall of a zone.
    Now(ClockGranularity, Zone),
    /// Who of the list can be reached.
    Availability,
}

/// A part of a call that was read, with the value it had then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The part.
    pub input: Input,
    /// Its value; none where the call lacks it.
    pub value: Option<Box<str>>,
}

/// What a router reads of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reads {
    /// These parts and no others; in order, each once. See [`Inputs::declared`].
    Declared(Box<[Input]>),
    /// Known only after a run: the answer comes with its [`Read`]s, and those are the key.
    Recorded,
    /// Everything; never memoised.
    All,
}

/// Everything besides rule, list and consumer that an answer may depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inputs {
    /// Parts of the call.
    pub reads: Reads,
    /// Whether it draws by chance.
    pub random: bool,
    /// How finely it looks at the clock, if at all.
    pub clock: Option<ClockGranularity>,
}

// === impl Input ===

impl Input {
    /// Its value in `invocation` as things are around it. Different values give different texts.
    #[must_use]
    pub fn read<'a>(&self, invocation: &'a dyn Invocation, around: Surroundings<'_>) -> Option<Cow<'a, str>> {
        match self {
            Self::Method => Some(Cow::Borrowed(invocation.method())),
            Self::TargetMethod => Some(Cow::Borrowed(invocation.target_method())),
            Self::Argument(index) => invocation.argument(*index).map(|value| value.text()),
            Self::TypedArgument(index) => invocation.argument(*index).map(|value| Cow::Owned(typed(value))),
            Self::ArgumentCount => Some(Cow::Owned(invocation.argument_count().to_string())),
            Self::ParameterTypes => Some(Cow::Owned(parameter_types(invocation))),
            Self::Attachment(key) => invocation.attachment(key).map(Cow::Borrowed),
            Self::Attachments => Some(Cow::Owned(attachments(invocation))),
            Self::Service => Some(Cow::Borrowed(invocation.service())),
            Self::Now(granularity, zone) => Some(Cow::Owned(granularity.of(&zone.at(around.clock.now())).to_string())),
            Self::Availability => Some(Cow::Owned(around.availability.mark().to_string())),
        }
    }
}

// === impl Inputs ===

impl Inputs {
    /// Nothing of the call.
    #[must_use]
    pub fn none() -> Self {
        Self { reads: Reads::Declared(Box::default()), random: false, clock: None }
    }

    /// These parts of the call.
    #[must_use]
    pub fn declared(inputs: impl IntoIterator<Item = Input>) -> Self {
        let mut inputs: Vec<Input> = inputs.into_iter().collect();
        inputs.sort_unstable();
        inputs.dedup();
        Self { reads: Reads::Declared(inputs.into()), ..Self::none() }
    }

    /// What each run says it read.
    #[must_use]
    pub const fn recorded() -> Self {
        Self { reads: Reads::Recorded, random: true, clock: None }
    }

    /// All of the call.
    #[must_use]
    pub const fn all() -> Self {
        Self { reads: Reads::All, random: false, clock: None }
    }

    /// Whether `input` may be read.
    #[must_use]
    pub fn allows(&self, input: &Input) -> bool {
        match &self.reads {
            Reads::Declared(inputs) => inputs.contains(input),
            Reads::Recorded | Reads::All => true,
        }
    }

    /// Whether the attachment `key` may be read.
    #[must_use]
    pub fn allows_attachment(&self, key: &str) -> bool {
        match &self.reads {
            Reads::Declared(inputs) => {
                inputs.iter().any(|input| matches!(input, Input::Attachment(name) if **name == *key))
            }
            Reads::Recorded | Reads::All => true,
        }
    }

    /// The declared parts; none where an answer cannot be remembered by them and by what a run records.
    #[must_use]
    pub fn memoisable(&self) -> Option<&[Input]> {
        match &self.reads {
            Reads::Declared(inputs) if self.clock.is_none() => Some(inputs),
            // What a run read comes with its answer.
            Reads::Recorded => Some(&[]),
            _ => None,
        }
    }
}

/// A value as text from which its type can be told too.
fn typed(value: &Value<'_>) -> String {
    fn write(value: &Value<'_>, out: &mut String) {
        // Writing to a `String` cannot fail; texts are led by their length, so that nothing inside ends them.
        let _ = match value {
            Value::Null => write!(out, "n"),
            Value::Bool(value) => write!(out, "b{value};"),
            Value::Int(value) => write!(out, "i{value};"),
            Value::Double(value) => write!(out, "d{:x};", value.to_bits()),
            Value::Text(text) => write!(out, "t{}:{text}", text.len()),
            Value::List(values) => {
                let _ = write!(out, "l{}:", values.len());
                values.iter().for_each(|value| write(value, out));
                Ok(())
            }
            Value::Map(entries) => {
                let _ = write!(out, "m{}:", entries.len());
                entries.iter().for_each(|(key, value)| {
                    let _ = write!(out, "{}:{key}", key.len());
                    write(value, out);
                });
                Ok(())
            }
        };
    }
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn parameter_types(invocation: &dyn Invocation) -> String {
    let types = (0..invocation.argument_count()).map(|index| invocation.parameter_type(index).unwrap_or_default());
    types.collect::<Vec<_>>().join(",")
}

fn attachments(invocation: &dyn Invocation) -> String {
    let mut all: Vec<(String, String)> = Vec::new();
    invocation.for_each_attachment(&mut |key, value| all.push((key.to_owned(), value.to_owned())));
    all.sort_unstable();
    let mut out = String::new();
    for (key, value) in all {
        let _ = write!(out, "{}:{key}{}:{value}", key.len(), value.len());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::FixedClock;
    use crate::rpc::RpcInvocation;

    #[test]
    fn typed_arguments_differ_where_their_texts_do_not() {
        let clock = FixedClock(jiff::Timestamp::UNIX_EPOCH);
        let call = RpcInvocation::new("S", "m")
            .with_argument("int", 1_i64)
            .with_argument("java.lang.String", "1")
            .with_argument("java.util.List", Value::List(vec![Value::from("a, b")]))
            .with_argument("java.util.List", Value::List(vec![Value::from("a"), Value::from("b")]));
        let typed: Vec<_> =
            (0..4).map(|index| Input::TypedArgument(index).read(&call, Surroundings::at(&clock))).collect();
        assert_eq!(typed.iter().collect::<std::collections::HashSet<_>>().len(), 4, "{typed:?}");
        assert_eq!(Input::TypedArgument(4).read(&call, Surroundings::at(&clock)), None);
    }

    #[test]
    fn a_zone_shows_its_own_wall_clock() {
        let clock = FixedClock("2026-11-30T22:30:00Z".parse().unwrap());
        let call = RpcInvocation::new("S", "m");
        let there = Zone::find("Asia/Shanghai").unwrap();
        let read = |granularity| {
            Input::Now(granularity, there.clone()).read(&call, Surroundings::at(&clock)).unwrap().into_owned()
        };
        let parts = [ClockGranularity::Weekday, ClockGranularity::Hour, ClockGranularity::Minute].map(read);
        assert_eq!(parts, ["2", "6", "30"]);
    }
}
