//! What a provider answers.

use smallvec::SmallVec;

use crate::rpc::Value;

/// The answer of a provider: a value, or what its business code threw; and attachments that come back.
#[derive(Debug, Clone, PartialEq)]
pub struct AppResponse {
    outcome: Result<Value<'static>, Exception>,
    attachments: SmallVec<[(String, String); 2]>,
}

/// What business code threw: an answer like any other to the cluster, and never a reason to ask another provider.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{class}: {message}")]
pub struct Exception {
    /// The class, as Java names it.
    pub class: String,
    /// What it says.
    pub message: String,
}

// === impl AppResponse ===

impl AppResponse {
    /// An answer without attachments.
    #[must_use]
    pub fn new(value: impl Into<Value<'static>>) -> Self {
        Self { outcome: Ok(value.into()), attachments: SmallVec::new() }
    }

    /// The answer of a call whose business code threw.
    #[must_use]
    pub fn threw(class: impl Into<String>, message: impl Into<String>) -> Self {
        Self { outcome: Err(Exception { class: class.into(), message: message.into() }), attachments: SmallVec::new() }
    }

    /// Sets an attachment; the same key again replaces it.
    #[must_use]
    pub fn with_attachment(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.set_attachment(key, value);
        self
    }

    /// Sets an attachment; the same key again replaces it.
    pub fn set_attachment(&mut self, key: impl Into<String>, value: impl Into<String>) {
        let (key, value) = (key.into(), value.into());
        match self.attachments.iter_mut().find(|(name, _)| *name == key) {
            Some(entry) => entry.1 = value,
            None => self.attachments.push((key, value)),
        }
    }

    /// Takes an attachment away.
    pub fn take_attachment(&mut self, key: &str) -> Option<String> {
        let at = self.attachments.iter().position(|(name, _)| name == key)?;
        Some(self.attachments.remove(at).1)
    }

    /// The value; what was thrown, if anything was.
    ///
    /// # Errors
    ///
    /// Business code threw.
    pub fn outcome(&self) -> Result<&Value<'static>, &Exception> {
        self.outcome.as_ref()
    }

    /// The value by itself; what was thrown, if anything was.
    ///
    /// # Errors
    ///
    /// Business code threw.
    pub fn into_outcome(self) -> Result<Value<'static>, Exception> {
        self.outcome
    }

    /// The attachment `key`.
    #[must_use]
    pub fn attachment(&self, key: &str) -> Option<&str> {
        self.attachments.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The attachments in the order they were set.
    pub fn attachments(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attachments.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

impl<T: Into<Value<'static>>> From<T> for AppResponse {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}
