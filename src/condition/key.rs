//! What stands before `=`: its spelling, and what of a call or URL it names.

use std::fmt;

use crate::condition::Dialect;
use crate::condition::Side;
use crate::rpc::keys;

/// A key as it is spelled (without `consumer.` or `provider.`), and what it names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    text: Box<str>,
    subject: Subject,
}

/// What a key names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subject {
    /// The invoked method's name: `method` or `methods` on the `when` side.
    Method,
    /// The argument at an index, as text: `arguments[N]` on the `when` side.
    Argument(usize),
    /// An attachment: `attachments[K]` on the `when` side under `v3`.
    Attachment(Box<str>),
    /// A raw parameter of the side's URL; its name is the key's spelling.
    Parameter,
    /// Nothing that there could be (`arguments[x]`, an argument on the `then` side): never a match, not even for `!=`.
    Nothing,
}

// === impl Key ===

impl Key {
    /// Reads a key. `text` has no prefix any more ([`Key::strip_prefixes`]).
    #[must_use]
    pub fn parse(text: &str, side: Side, dialect: Dialect) -> Self {
        let subject = match (text, side) {
            (keys::METHOD | keys::METHODS, Side::When) => Subject::Method,
            _ if text.starts_with(ARGUMENTS) => match argument_index(text) {
                Some(index) if side == Side::When => Subject::Argument(index),
                _ => Subject::Nothing,
            },
            _ if text.starts_with(ATTACHMENTS) && dialect == Dialect::V3 => match attachment_name(text) {
                Some(name) if side == Side::When => Subject::Attachment(name.into()),
                _ => Subject::Nothing,
            },
            _ => Subject::Parameter,
        };
        Self { text: text.into(), subject }
    }

    /// `text` without the `consumer.` and `provider.` in front of it.
    #[must_use]
    pub fn strip_prefixes(text: &str) -> &str {
        let mut rest = text;
        while let Some(stripped) = rest.strip_prefix("consumer.").or_else(|| rest.strip_prefix("provider.")) {
            rest = stripped;
        }
        rest
    }

    /// The spelling; of a parameter, its name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What it names.
    #[must_use]
    pub const fn subject(&self) -> &Subject {
        &self.subject
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

const ARGUMENTS: &str = "arguments";
const ATTACHMENTS: &str = "attachments";

/// The digits of the first `arguments[digits]` before the first dot, as in `ArgumentConditionMatcher.getValue`.
fn argument_index(text: &str) -> Option<usize> {
    let head = text.split('.').next().unwrap_or_default();
    head.match_indices("arguments[").find_map(|(at, opening)| {
        let (digits, _) = head.get(at + opening.len()..)?.split_once(']')?;
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().ok()).flatten()
    })
}

/// What stands in the brackets of `attachments[…]`: before the first dot if there is a whole one (`attachments[k].x`),
/// else anywhere, so that names may hold dots.
fn attachment_name(text: &str) -> Option<&str> {
    let head = text.split('.').next().unwrap_or_default();
    bracketed(head).or_else(|| bracketed(text))
}

fn bracketed(text: &str) -> Option<&str> {
    let start = text.find("attachments[")? + "attachments[".len();
    text.get(start..text.rfind(']')?).filter(|name| !name.is_empty())
}
