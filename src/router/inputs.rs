//! Which parts of a call a router may look at; the memo's key is made of them.

use std::borrow::Cow;

use crate::rpc::Invocation;

/// One part of a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Input {
    /// The method as called; `$invoke` for a generic call.
    Method,
    /// The method that is meant, also by a generic call.
    TargetMethod,
    /// The argument at an index, as called.
    Argument(usize),
    /// The attachment of a key.
    Attachment(Box<str>),
}

/// What a router reads of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reads {
    /// These parts and no others; in order, each once. See [`Inputs::declared`].
    Declared(Box<[Input]>),
    /// Known only after a run: its trie of reads is the key.
    Recorded,
    /// Everything; never memoised.
    All,
}

/// How finely a router looks at the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ClockGranularity {
    /// The day of the week.
    Weekday,
    /// The hour.
    Hour,
    /// The minute.
    Minute,
    /// Finer: never memoised.
    Instant,
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
    /// Its value in `invocation`.
    #[must_use]
    pub fn read<'a>(&self, invocation: &'a dyn Invocation) -> Option<Cow<'a, str>> {
        match self {
            Self::Method => Some(Cow::Borrowed(invocation.method())),
            Self::TargetMethod => Some(Cow::Borrowed(invocation.target_method())),
            Self::Argument(index) => invocation.argument(*index).map(|value| value.text()),
            Self::Attachment(key) => invocation.attachment(key).map(Cow::Borrowed),
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

    /// The declared parts; none where an answer cannot be remembered by them alone.
    #[must_use]
    pub fn memoisable(&self) -> Option<&[Input]> {
        match &self.reads {
            Reads::Declared(inputs) if self.clock.is_none() => Some(inputs),
            _ => None,
        }
    }
}
