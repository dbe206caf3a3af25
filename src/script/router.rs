//! A script as a router: over one list, for one consumer, for one call.

use std::sync::Arc;
use std::time::Duration;

use crate::router::Binding;
use crate::router::BoundRouter;
use crate::router::Breaker;
use crate::router::BuildError;
use crate::router::Inputs;
use crate::router::InvokerList;
use crate::router::PreparedRouter;
use crate::router::Reason;
use crate::router::RouteError;
use crate::router::RouteRequest;
use crate::router::Routed;
use crate::router::Router;
use crate::router::RuleHeader;
use crate::router::Selection;
use crate::router::Standing;
use crate::router::Visitor;
use crate::router::Zone;
use crate::script::CapturedCall;
use crate::script::ScriptHost;
use crate::script::host::Placed;
use crate::script::host::ProgramHandle;
use crate::script::host::Run;

/// A compiled script.
#[derive(Debug)]
pub struct ScriptRouter {
    rule: Arc<ScriptRule>,
}

/// What a script's stages share.
#[derive(Debug)]
pub(crate) struct ScriptRule {
    pub(crate) header: Arc<RuleHeader>,
    pub(crate) name: Arc<str>,
    pub(crate) host: ScriptHost,
    pub(crate) program: ProgramHandle,
    pub(crate) deadline: Option<Duration>,
    pub(crate) zone: Zone,
    pub(crate) breaker: Breaker,
    inputs: Inputs,
}

/// A script over one list; it is the same for every consumer.
#[derive(Debug)]
struct PreparedScript {
    rule: Arc<ScriptRule>,
    placed: Placed,
}

// === impl ScriptRouter ===

impl ScriptRouter {
    pub(crate) fn new(
        header: RuleHeader,
        host: ScriptHost,
        program: ProgramHandle,
        deadline: Option<Duration>,
        zone: Zone,
    ) -> Self {
        let (name, breaker) = (header.id.to_string().into(), Breaker::default());
        let rule = ScriptRule {
            header: Arc::new(header),
            name,
            host,
            program,
            deadline,
            zone,
            breaker,
            inputs: Inputs::recorded(),
        };
        Self { rule: Arc::new(rule) }
    }
}

impl Router for ScriptRouter {
    fn header(&self) -> &Arc<RuleHeader> {
        &self.rule.header
    }

    fn inputs(&self) -> &Inputs {
        &self.rule.inputs
    }

    fn prepare(
        &self,
        list: &Arc<InvokerList>,
        _previous: Option<&dyn PreparedRouter>,
    ) -> Result<Arc<dyn PreparedRouter>, BuildError> {
        let placed = self.rule.host.place(&self.rule.program, list);
        Ok(Arc::new(PreparedScript { rule: Arc::clone(&self.rule), placed }))
    }
}

// === impl PreparedScript ===

impl PreparedRouter for PreparedScript {
    fn bind(self: Arc<Self>, _binding: &Binding<'_>) -> Result<Arc<dyn BoundRouter>, BuildError> {
        Ok(self)
    }
}

impl BoundRouter for PreparedScript {
    fn inputs(&self) -> &Inputs {
        &self.rule.inputs
    }

    fn route<'a>(
        &'a self,
        request: &RouteRequest<'a>,
        candidates: &Selection,
        visitor: Option<&mut dyn Visitor>,
    ) -> Result<Routed<'a>, RouteError> {
        let rule = &self.rule;
        let Some(invocation) = request.invocation() else { return Ok(Routed::Pass) };
        let now_ms = request.clock().now().as_millisecond();
        if let Some(visitor) = visitor
            && let Some(note) = rule.standing(now_ms)
        {
            visitor.reason(Reason::Note(note.into()));
        }
        rule.breaker.admit(now_ms)?;
        let call = CapturedCall::of(invocation, request, &rule.zone);
        let limits = rule.host.limits().for_run(candidates.count(), rule.deadline);
        ScriptHost::start(rule, Run { placed: &self.placed, candidates, call, limits })
    }
}

// === impl ScriptRule ===

impl ScriptRule {
    /// What is to be said of the breaker; nothing while all is well.
    fn standing(&self, now_ms: i64) -> Option<String> {
        match self.breaker.standing(now_ms) {
            Standing::Closed { hits: 0 } => None,
            Standing::Closed { hits } => Some(format!("breaker closed, {hits} of 10 limit hits within a minute")),
            Standing::Open { hits, trial_in_ms } => {
                Some(format!("breaker open after {hits} limit hits within a minute, next trial in {trial_in_ms} ms"))
            }
        }
    }
}
