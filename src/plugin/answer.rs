//! What a call into a plugin came to; the same from this process and from another.

use pointsman_plugin_api::abi::PM_E_BADBLOB;
use pointsman_plugin_api::abi::PM_E_CONFIG;
use pointsman_plugin_api::abi::PM_E_DEADLINE;
use pointsman_plugin_api::abi::PM_E_INTERNAL;
use pointsman_plugin_api::abi::PM_E_PANIC;
use serde::Deserialize;
use serde::Serialize;

use crate::plugin::sink::Said;

/// A plugin that said no, or that broke the contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Refusal {
    /// It returned a negative code.
    Code { code: i32, message: String },
    /// It does what no plugin may.
    Contract { message: String },
    /// It cannot be had: it does not load, its entry is another's, its process was lost.
    Unusable { message: String },
}

/// What a route came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RouteAnswer {
    /// The bitmap; none for no opinion.
    #[serde(with = "as_bytes")]
    pub(crate) words: Option<Vec<u64>>,
    pub(crate) refusal: Option<Refusal>,
    pub(crate) explanations: Vec<String>,
    /// Bits that were set for providers which were no candidates, or are none at all.
    pub(crate) stray_bits: u32,
    /// What was said in another process.
    pub(crate) said: Said,
}

// === impl Refusal ===

impl Refusal {
    pub(crate) fn contract(message: impl Into<String>) -> Self {
        Self::Contract { message: message.into() }
    }

    pub(crate) fn unusable(message: impl Into<String>) -> Self {
        Self::Unusable { message: message.into() }
    }

    /// Whether it must not be called again.
    pub(crate) fn is_breach(&self) -> bool {
        matches!(self, Self::Contract { .. })
    }

    pub(crate) fn is_panic(&self) -> bool {
        matches!(self, Self::Code { code: PM_E_PANIC, .. })
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (code, message) = match self {
            Self::Contract { message } => return write!(f, "broke the contract: {message}"),
            Self::Unusable { message } => return write!(f, "cannot be used: {message}"),
            Self::Code { code, message } => (*code, message),
        };
        match code {
            PM_E_CONFIG => f.write_str("does not take its configuration")?,
            PM_E_PANIC => f.write_str("panicked")?,
            PM_E_BADBLOB => f.write_str("could not read what it was given")?,
            PM_E_INTERNAL => f.write_str("failed")?,
            PM_E_DEADLINE => f.write_str("gave up at the deadline")?,
            other => write!(f, "failed with the unknown code {other}")?,
        }
        if message.is_empty() { Ok(()) } else { write!(f, ": {message}") }
    }
}

/// Words from their bytes, lowest first.
pub(crate) fn words_of(bytes: &[u8]) -> Vec<u64> {
    let (words, rest) = bytes.as_chunks::<8>();
    let last = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let last = Some(last).filter(|_| !rest.is_empty());
    words.iter().map(|word| u64::from_le_bytes(*word)).chain(last).collect()
}

/// The bytes of words, lowest first.
pub(crate) fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Words as one piece: a list of numbers would be written one by one.
mod as_bytes {
    use serde::Deserialize as _;
    use serde::Deserializer;
    use serde::Serialize;
    use serde::Serializer;

    struct Piece(Vec<u8>);

    impl Serialize for Piece {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(&self.0)
        }
    }

    pub(super) fn serialize<S: Serializer>(words: &Option<Vec<u64>>, serializer: S) -> Result<S::Ok, S::Error> {
        words.as_deref().map(|words| Piece(super::bytes_of(words))).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u64>>, D::Error> {
        Ok(<Option<&[u8]>>::deserialize(deserializer)?.map(super::words_of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        for words in [None, Some(vec![]), Some(vec![1, u64::MAX, 1 << 63])] {
            let answer = RouteAnswer { words, stray_bits: 3, ..RouteAnswer::default() };
            let bytes = postcard::to_stdvec(&answer).unwrap();
            assert_eq!(postcard::from_bytes::<RouteAnswer>(&bytes).unwrap(), answer);
        }
        assert_eq!(words_of(&[1, 0, 0, 0, 0, 0, 0, 0, 2, 1]), [1, 0x102]);
    }
}
