//! A call as it is handed to a script: all of it, free of what it borrowed.

use jiff::Timestamp;
use serde::Deserialize;
use serde::Serialize;

use crate::router::FixedClock;
use crate::router::Input;
use crate::router::Read;
use crate::router::RouteRequest;
use crate::router::Surroundings;
use crate::router::Zone;
use crate::rpc::Invocation;
use crate::rpc::Value;
use crate::rpc::shown;

/// The copy of a call that one run reads. Made before the run, so that every read of it sees the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapturedCall {
    /// The service as the call names it.
    pub service: String,
    /// The method as called.
    pub method: String,
    /// The method that is meant, also by a generic call.
    pub target_method: String,
    /// The types of the parameters, as Java names them.
    pub parameter_types: Vec<String>,
    /// The arguments.
    pub arguments: Vec<Value<'static>>,
    /// Keys and values of the attachments.
    pub attachments: Vec<(String, String)>,
    /// The consumer's URL, without user and passwords.
    pub consumer: String,
    /// This moment, in milliseconds since 1970.
    pub now_ms: i64,
    /// The zone in which the rule sees it.
    pub zone: String,
    /// The seed of every draw.
    pub seed: u64,
    /// The positions of providers that cannot be reached, in order.
    pub unavailable: Vec<u32>,
}

// === impl CapturedCall ===

impl CapturedCall {
    /// Copies `invocation`.
    #[must_use]
    pub fn of(invocation: &dyn Invocation, request: &RouteRequest<'_>, zone: &Zone) -> Self {
        let count = invocation.argument_count();
        let own = |value: &Value<'_>| value.clone().into_owned();
        let mut attachments = Vec::new();
        invocation.for_each_attachment(&mut |key, value| attachments.push((key.to_owned(), value.to_owned())));
        let types = (0..count).map(|index| invocation.parameter_type(index).unwrap_or_default().to_owned());
        Self {
            service: invocation.service().to_owned(),
            method: invocation.method().to_owned(),
            target_method: invocation.target_method().to_owned(),
            parameter_types: types.collect(),
            arguments: (0..count).map(|index| invocation.argument(index).map_or(Value::Null, own)).collect(),
            attachments,
            consumer: shown(request.consumer()).as_str().to_owned(),
            now_ms: request.clock().now().as_millisecond(),
            zone: zone.name().to_owned(),
            seed: request.seed(),
            unavailable: request.availability().unavailable(),
        }
    }

    /// The value of `input` in the call as it was captured.
    #[must_use]
    pub fn read(&self, input: Input) -> Read {
        let clock = FixedClock(self.now());
        let around = Surroundings { clock: &clock, availability: &self.unavailable };
        let value = input.read(self, around).map(|value| value.into_owned().into());
        Read { input, value }
    }

    /// This moment.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.now_ms).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

impl Invocation for CapturedCall {
    fn service(&self) -> &str {
        &self.service
    }

    fn method(&self) -> &str {
        &self.method
    }

    fn attachment(&self, key: &str) -> Option<&str> {
        self.attachments.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    fn for_each_attachment(&self, visit: &mut dyn FnMut(&str, &str)) {
        self.attachments.iter().for_each(|(key, value)| visit(key, value));
    }

    fn argument_count(&self) -> usize {
        self.arguments.len()
    }

    fn argument(&self, index: usize) -> Option<&Value<'_>> {
        self.arguments.get(index)
    }

    fn parameter_type(&self, index: usize) -> Option<&str> {
        self.parameter_types.get(index).map(String::as_str)
    }
}
