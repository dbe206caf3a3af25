//! The `when` side of a rule: what it asks of the consumer is decided once, what it asks of a call each time.

use std::borrow::Cow;
use std::sync::Arc;

use crate::condition::Dialect;
use crate::condition::Pair;
use crate::condition::Subject;
use crate::condition::When;
use crate::router::Input;
use crate::router::Inputs;
use crate::router::Reason;
use crate::router::RouteError;
use crate::router::RouteRequest;
use crate::rpc::Url;

/// A `when` side, sorted by what its pairs look at.
#[derive(Debug)]
pub(crate) struct CompiledWhen {
    dialect: Dialect,
    /// The pairs that a binding decides.
    of_consumer: Vec<WhenPair>,
    /// The pairs that are left to each call, with the part of it that they look at.
    of_call: Vec<(Input, WhenPair)>,
    inputs: Inputs,
}

/// A pair, with its key and text for whoever asks why.
#[derive(Debug)]
struct WhenPair {
    pair: Pair,
    key: Arc<str>,
    wanted: Arc<str>,
}

/// A `when` side for one consumer.
#[derive(Debug)]
pub(crate) struct BoundWhen {
    compiled: Arc<CompiledWhen>,
    inputs: Inputs,
    /// The first pair that this consumer does not fulfil, with the value it has.
    refused: Option<(usize, Option<Box<str>>)>,
}

// === impl CompiledWhen ===

impl CompiledWhen {
    pub(crate) fn new(when: &When, dialect: Dialect) -> Self {
        let (mut of_consumer, mut of_call) = (Vec::new(), Vec::new());
        for pair in when.pairs() {
            let (key, wanted) = (pair.key().as_str().into(), pair.to_string().into());
            let when = WhenPair { pair: pair.clone(), key, wanted };
            match input_of(pair, dialect) {
                Some(input) => of_call.push((input, when)),
                None => of_consumer.push(when),
            }
        }
        let inputs = Inputs::declared(of_call.iter().map(|(input, _)| input.clone()));
        Self { dialect, of_consumer, of_call, inputs }
    }

    pub(crate) fn inputs(&self) -> &Inputs {
        &self.inputs
    }
}

// === impl BoundWhen ===

impl BoundWhen {
    pub(crate) fn new(compiled: Arc<CompiledWhen>, consumer: &Url) -> Self {
        let refused = compiled.of_consumer.iter().enumerate().find_map(|(index, when)| {
            let value = consumer.raw(when.pair.key().as_str());
            (!when.pair.accepts(value, compiled.dialect)).then(|| (index, value.map(Into::into)))
        });
        let inputs = if refused.is_some() { Inputs::none() } else { compiled.inputs.clone() };
        Self { compiled, inputs, refused }
    }

    pub(crate) fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Whether no call of this consumer can fulfil it.
    pub(crate) fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// The first pair that is not fulfilled, with the value that was seen; none if the rule applies.
    pub(crate) fn mismatch<'a>(&'a self, request: &RouteRequest<'a>) -> Result<Option<Reason<'a>>, RouteError> {
        let reason = |when: &'a WhenPair, seen| Reason::Mismatch { key: &when.key, wanted: &when.wanted, seen };
        if let Some((index, seen)) = &self.refused {
            let when = self.compiled.of_consumer.get(*index);
            return Ok(when.map(|when| reason(when, seen.as_deref().map(Cow::Borrowed))));
        }
        for (input, when) in &self.compiled.of_call {
            let seen = request.read(input)?;
            if !when.pair.accepts(seen.as_deref(), self.compiled.dialect) {
                return Ok(Some(reason(when, seen)));
            }
        }
        Ok(None)
    }
}

/// The part of the call that a pair looks at; none where it looks at the consumer.
fn input_of(pair: &Pair, dialect: Dialect) -> Option<Input> {
    match (pair.key().subject(), dialect) {
        (Subject::Method, Dialect::V2) => Some(Input::Method),
        (Subject::Method, _) => Some(Input::TargetMethod),
        (Subject::Argument(index), _) => Some(Input::Argument(*index)),
        (Subject::Attachment(name), _) => Some(Input::Attachment(name.clone())),
        _ => None,
    }
}
