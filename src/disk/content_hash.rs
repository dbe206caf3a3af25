//! What a file holds, as a hash: equal hashes are equal contents.

use std::fmt;

use sha2::Digest as _;
use sha2::Sha256;

/// The SHA-256 of a content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

// === impl ContentHash ===

impl ContentHash {
    /// The hash of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Reads the 64 digits that [`Display`](fmt::Display) writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        let mut digits = text.bytes().map(|digit| char::from(digit).to_digit(16));
        for byte in &mut bytes {
            let (high, low) = (digits.next()??, digits.next()??);
            *byte = u8::try_from(high << 4 | low).ok()?;
        }
        digits.next().is_none().then_some(Self(bytes))
    }

    /// The hash of a file and of what its rules read: each path with its hash, or none where there was nothing to read.
    #[must_use]
    pub(crate) fn with<'a>(self, read: impl IntoIterator<Item = (&'a str, Option<Self>)>) -> Self {
        let mut read = read.into_iter().peekable();
        if read.peek().is_none() {
            return self;
        }
        let mut hasher = Sha256::new();
        hasher.update(self.0);
        for (path, hash) in read {
            hasher.update((path.len() as u64).to_le_bytes());
            hasher.update(path);
            hasher.update([u8::from(hash.is_some())]);
            hasher.update(hash.map_or([0; 32], |hash| hash.0));
        }
        Self(hasher.finalize().into())
    }
}

/// All 64 digits.
impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The first digits: enough to tell two apart.
impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({:.12})", self.to_string())
    }
}
