//! A router that answers what a test tells it to.

use std::fmt;
use std::sync::Arc;

use pointsman::router::Binding;
use pointsman::router::BoundRouter;
use pointsman::router::BuildError;
use pointsman::router::Inputs;
use pointsman::router::InvokerList;
use pointsman::router::Phase;
use pointsman::router::PreparedRouter;
use pointsman::router::RouteError;
use pointsman::router::RouteRequest;
use pointsman::router::Routed;
use pointsman::router::Router;
use pointsman::router::RuleHeader;
use pointsman::router::Selection;
use pointsman::router::Visitor;

use crate::support::engine::definition;

type Answer = dyn Fn(&RouteRequest<'_>) -> Result<Routed<'static>, RouteError> + Send + Sync;

/// A router of the kind `stand-in`.
pub(crate) struct StandIn {
    header: Arc<RuleHeader>,
    inputs: Inputs,
    answer: Arc<Answer>,
}

// === impl StandIn ===

impl StandIn {
    pub(crate) fn that_panics_when_prepared() -> Arc<dyn Router> {
        Arc::new(Explosive(Self::router("", Inputs::none(), |_| Ok(Routed::Pass))))
    }

    pub(crate) fn router(
        parameters: &str,
        inputs: Inputs,
        answer: impl Fn(&RouteRequest<'_>) -> Result<Routed<'static>, RouteError> + Send + Sync + 'static,
    ) -> Arc<dyn Router> {
        let definition = definition(1, &format!("stand-in://0.0.0.0/*?{parameters}"));
        let header = RuleHeader::read(&definition, "stand-in", Phase::Rule).unwrap();
        Arc::new(Self { header: Arc::new(header), inputs, answer: Arc::new(answer) })
    }
}

/// A router whose list cannot be prepared.
#[derive(Debug)]
struct Explosive(Arc<dyn Router>);

impl Router for Explosive {
    fn header(&self) -> &Arc<RuleHeader> {
        self.0.header()
    }

    fn inputs(&self) -> &Inputs {
        self.0.inputs()
    }

    fn prepare(
        &self,
        _list: &Arc<InvokerList>,
        _previous: Option<&dyn PreparedRouter>,
    ) -> Result<Arc<dyn PreparedRouter>, BuildError> {
        panic!("a fault in a router")
    }
}

impl fmt::Debug for StandIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StandIn")
    }
}

impl Router for StandIn {
    fn header(&self) -> &Arc<RuleHeader> {
        &self.header
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn prepare(
        &self,
        _list: &Arc<InvokerList>,
        _previous: Option<&dyn PreparedRouter>,
    ) -> Result<Arc<dyn PreparedRouter>, BuildError> {
        let (header, inputs, answer) = (Arc::clone(&self.header), self.inputs.clone(), Arc::clone(&self.answer));
        Ok(Arc::new(Self { header, inputs, answer }))
    }
}

impl PreparedRouter for StandIn {
    fn bind(self: Arc<Self>, _binding: &Binding<'_>) -> Result<Arc<dyn BoundRouter>, BuildError> {
        Ok(self)
    }
}

impl BoundRouter for StandIn {
    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn route<'a>(
        &'a self,
        request: &RouteRequest<'a>,
        _candidates: &Selection,
        _visitor: Option<&mut dyn Visitor>,
    ) -> Result<Routed<'a>, RouteError> {
        (self.answer)(request)
    }
}
