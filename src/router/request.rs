//! What a router sees of a call: only the inputs it declared.

use std::borrow::Cow;
use std::cell::Ref;

use crate::router::Availability;
use crate::router::CallBlob;
use crate::router::CallLayout;
use crate::router::CallView;
use crate::router::Clock;
use crate::router::Input;
use crate::router::Inputs;
use crate::router::Reads;
use crate::router::RouteError;
use crate::router::Selection;
use crate::router::Surroundings;
use crate::rpc::Invocation;
use crate::rpc::Url;

/// One call as it is shown to one router.
#[derive(Clone, Copy)]
pub struct RouteRequest<'a> {
    consumer: &'a Url,
    invocation: &'a dyn Invocation,
    inputs: &'a Inputs,
    seed: u64,
    around: Surroundings<'a>,
    blob: Option<BlobPlace<'a>>,
}

/// Where the call's blob is written, and how.
#[derive(Clone, Copy)]
struct BlobPlace<'a> {
    layout: &'a CallLayout,
    place: &'a CallBlob,
    is_explaining: bool,
}

// === impl RouteRequest ===

impl<'a> RouteRequest<'a> {
    /// Shows `invocation` to a router that declared `inputs`.
    #[must_use]
    pub fn new(
        consumer: &'a Url,
        invocation: &'a dyn Invocation,
        inputs: &'a Inputs,
        seed: u64,
        clock: &'a dyn Clock,
    ) -> Self {
        Self { consumer, invocation, inputs, seed, around: Surroundings::at(clock), blob: None }
    }

    /// Says who can be reached; everybody can without this.
    #[must_use]
    pub fn with_availability(mut self, availability: &'a dyn Availability) -> Self {
        self.around.availability = availability;
        self
    }

    /// Gives the call a blob, written at `place` when it is asked for.
    #[must_use]
    pub fn with_blob(self, layout: &'a CallLayout, place: &'a CallBlob, is_explaining: bool) -> Self {
        Self { blob: Some(BlobPlace { layout, place, is_explaining }), ..self }
    }

    /// A selection whose memory an answer may take: what the walk has left over.
    #[cfg_attr(not(feature = "plugins"), allow(dead_code, reason = "plugins ask for it"))]
    pub(crate) fn spare(&self) -> Box<Selection> {
        self.blob.and_then(|blob| blob.place.spare()).unwrap_or_default()
    }

    /// The call as one blob: what the routers of the chain declared as their [`CallParts`](crate::router::CallParts).
    /// None where no router of the chain did.
    #[must_use]
    pub fn blob(&self) -> Option<Ref<'a, [u8]>> {
        let BlobPlace { layout, place, is_explaining } = self.blob?;
        let view = CallView { invocation: self.invocation, around: self.around, seed: self.seed, is_explaining };
        place.get(layout, &view)
    }

    /// The consumer that the chain was bound for.
    #[must_use]
    pub fn consumer(&self) -> &'a Url {
        self.consumer
    }

    /// The seed of every random draw of this call.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The host's clock.
    #[must_use]
    pub fn clock(&self) -> &'a dyn Clock {
        self.around.clock
    }

    /// Who of the list can be reached, for routers that record what they read.
    #[must_use]
    pub fn availability(&self) -> &'a dyn Availability {
        self.around.availability
    }

    /// The whole call, for routers that record what they read, or declared that they may read everything.
    #[must_use]
    pub fn invocation(&self) -> Option<&'a dyn Invocation> {
        matches!(self.inputs.reads, Reads::Recorded | Reads::All).then_some(self.invocation)
    }

    /// A part of the call; none where the call lacks it.
    ///
    /// # Errors
    ///
    /// [`RouteError::UndeclaredInput`] for a part that the router did not declare.
    pub fn read(&self, input: &Input) -> Result<Option<Cow<'a, str>>, RouteError> {
        if !self.inputs.allows(input) {
            return Err(RouteError::UndeclaredInput { input: input.clone() });
        }
        Ok(input.read(self.invocation, self.around))
    }

    /// The attachment `key`; none where the call lacks it. The same as [`RouteRequest::read`], without a key of its own.
    ///
    /// # Errors
    ///
    /// [`RouteError::UndeclaredInput`] for an attachment that the router did not declare.
    pub fn attachment(&self, key: &str) -> Result<Option<&'a str>, RouteError> {
        if !self.inputs.allows_attachment(key) {
            return Err(RouteError::UndeclaredInput { input: Input::Attachment(key.into()) });
        }
        Ok(self.invocation.attachment(key))
    }
}

impl std::fmt::Debug for RouteRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RouteRequest").field("method", &self.invocation.method()).field("inputs", self.inputs).finish()
    }
}
