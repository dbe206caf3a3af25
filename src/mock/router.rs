//! The selector as a router, and the factory that makes it.

use std::sync::Arc;

use crate::router::Binding;
use crate::router::BoundRouter;
use crate::router::BuildError;
use crate::router::FactoryContext;
use crate::router::Input;
use crate::router::Inputs;
use crate::router::InvokerList;
use crate::router::Phase;
use crate::router::PreparedRouter;
use crate::router::Reason;
use crate::router::RouteError;
use crate::router::RouteRequest;
use crate::router::Routed;
use crate::router::Router;
use crate::router::RouterFactory;
use crate::router::RuleDefinition;
use crate::router::RuleHeader;
use crate::router::Selection;
use crate::router::Visitor;
use crate::rpc::keys;

const KIND: &str = "mock";

/// Makes the mock selector for `mock://` rules.
#[derive(Debug, Clone, Copy, Default)]
pub struct MockRouterFactory;

/// The mock selector; stands at the head of every chain.
#[derive(Debug)]
pub struct MockSelector {
    header: Arc<RuleHeader>,
    inputs: Arc<Inputs>,
}

#[derive(Debug)]
struct PreparedMockSelector {
    inputs: Arc<Inputs>,
    mocks: Selection,
    others: Selection,
    has_mocks: bool,
}

// === impl MockSelector ===

impl MockSelector {
    /// The selector that every chain begins with.
    ///
    /// # Errors
    ///
    /// None in practice: its own URL is well formed.
    pub fn built_in() -> Result<Self, BuildError> {
        let definition = RuleDefinition::parse("built-in", 0, Some("mock"), "mock://0.0.0.0/*?force=true");
        Self::compile(&definition.map_err(|_| BuildError::MissingProtocol)?)
    }

    fn compile(definition: &RuleDefinition) -> Result<Self, BuildError> {
        let mut header = RuleHeader::read(definition, KIND, Phase::Mock)?;
        header.is_force = true;
        let inputs = Inputs::declared([Input::Attachment(keys::NEED_MOCK.into())]);
        Ok(Self { header: Arc::new(header), inputs: Arc::new(inputs) })
    }
}

impl RouterFactory for MockRouterFactory {
    fn protocol(&self) -> &str {
        KIND
    }

    fn create_router(
        &self,
        definition: &RuleDefinition,
        _context: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError> {
        Ok(Arc::new(MockSelector::compile(definition)?))
    }
}

impl Router for MockSelector {
    fn header(&self) -> &Arc<RuleHeader> {
        &self.header
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn provider_keys(&self) -> Vec<&str> {
        vec![keys::PROTOCOL]
    }

    fn prepare(
        &self,
        list: &Arc<InvokerList>,
        _previous: Option<&dyn PreparedRouter>,
    ) -> Result<Arc<dyn PreparedRouter>, BuildError> {
        let column = list.column(keys::PROTOCOL);
        let mut mocks = Selection::none(list.len());
        if let Some(number) = column.number(keys::MOCK_PROTOCOL) {
            column.add_to(number, &mut mocks);
        }
        let mut others = list.all().clone();
        others.subtract(&mocks);
        let has_mocks = !mocks.is_empty();
        Ok(Arc::new(PreparedMockSelector { inputs: Arc::clone(&self.inputs), mocks, others, has_mocks }))
    }
}

impl PreparedRouter for PreparedMockSelector {
    fn bind(self: Arc<Self>, _binding: &Binding<'_>) -> Result<Arc<dyn BoundRouter>, BuildError> {
        Ok(self)
    }
}

impl BoundRouter for PreparedMockSelector {
    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn route<'a>(
        &'a self,
        request: &RouteRequest<'a>,
        _candidates: &Selection,
        visitor: Option<&mut dyn Visitor>,
    ) -> Result<Routed<'a>, RouteError> {
        let asked = request.attachment(keys::NEED_MOCK)?;
        let (routed, why) = match asked {
            None if self.has_mocks => (Routed::Kept(&self.others), "mock providers are for calls that ask for them"),
            None => (Routed::Pass, "no provider is a mock"),
            Some(value) if value.eq_ignore_ascii_case("true") => (Routed::Kept(&self.mocks), "the call asks for mocks"),
            Some(_) => (Routed::Pass, "the call takes mocks and others"),
        };
        if let Some(visitor) = visitor {
            visitor.reason(Reason::Note(why.into()));
        }
        Ok(routed)
    }
}
