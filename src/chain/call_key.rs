//! The memo's key of a call: the values of the inputs that a chain depends on, in order.

use crate::router::Input;
use crate::router::Surroundings;
use crate::rpc::Invocation;

/// A buffer for keys; reused from call to call, so that finding an answer needs no memory.
#[derive(Debug, Default)]
pub struct CallKey {
    bytes: Vec<u8>,
}

// === impl CallKey ===

impl CallKey {
    /// Becomes the key of `invocation` for a chain that depends on `inputs`. Different values give different keys.
    pub fn fill(&mut self, inputs: &[Input], invocation: &dyn Invocation, around: Surroundings<'_>) {
        self.bytes.clear();
        for input in inputs {
            match input {
                // PERF: the two commonest inputs are borrowed without a detour (`chain/memo`).
                Input::Method => self.push(Some(invocation.method())),
                Input::Attachment(key) => self.push(invocation.attachment(key)),
                other => self.push(other.read(invocation, around).as_deref()),
            }
        }
    }

    /// The key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn push(&mut self, value: Option<&str>) {
        // An absent value is another key than an empty one; the length in front keeps values apart.
        let length = value.map_or(0, |value| value.len() as u64 + 1);
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.extend_from_slice(value.unwrap_or_default().as_bytes());
    }
}
