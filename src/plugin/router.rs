//! A plugin's rule as a router: over one list, for one consumer, for one call.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;
use std::task::Poll;
use std::time::Duration;

use crate::diagnostics::Finding;
use crate::plugin::PluginHost;
use crate::plugin::answer::RouteAnswer;
use crate::plugin::instance::Instance;
use crate::plugin::instance::Placed;
use crate::plugin::loaded::MadeSnapshot;
use crate::plugin::loaded::Plugin;
use crate::plugin::loaded::label;
use crate::plugin::native::EXPLANATIONS;
use crate::plugin::process::RemoteRoute;
use crate::plugin::providers::ConsumerNames;
use crate::plugin::providers::consumer_blob;
use crate::plugin::sink::LINE_BYTES;
use crate::plugin::sink::text_of;
use crate::router::Answer;
use crate::router::Binding;
use crate::router::BoundRouter;
use crate::router::BuildError;
use crate::router::CallParts;
use crate::router::Inputs;
use crate::router::InvokerList;
use crate::router::Limit;
use crate::router::PreparedRouter;
use crate::router::Reason;
use crate::router::RouteError;
use crate::router::RouteRequest;
use crate::router::Routed;
use crate::router::Router;
use crate::router::RuleHeader;
use crate::router::Selection;
use crate::router::Settled;
use crate::router::Standing;
use crate::router::Ticket;
use crate::router::Visitor;
use crate::worker;
use crate::worker::JobError;

/// A rule that a plugin decides.
#[derive(Debug)]
pub(crate) struct PluginRouter {
    rule: Arc<PluginRule>,
}

/// What a rule's stages share.
#[derive(Debug)]
pub(crate) struct PluginRule {
    pub(crate) header: Arc<RuleHeader>,
    pub(crate) host: PluginHost,
    pub(crate) instance: Arc<Instance>,
    /// The plugin's when the rule was built.
    pub(crate) epoch: u64,
    pub(crate) inputs: Inputs,
    pub(crate) parts: CallParts,
    /// Of the consumer's parameters.
    pub(crate) consumer: ConsumerNames,
}

#[derive(Debug)]
struct PreparedPlugin {
    rule: Arc<PluginRule>,
    placed: Arc<Placed>,
}

/// A rule over one list for one consumer.
#[derive(Debug)]
struct BoundPlugin {
    rule: Arc<PluginRule>,
    placed: Arc<Placed>,
    consumer: Vec<u8>,
}

/// An answer that a process works on.
struct OnItsWay {
    route: Option<RemoteRoute>,
    rule: Arc<PluginRule>,
    list_length: usize,
    now_ms: i64,
    is_explaining: bool,
}

// === impl PluginRouter ===

impl PluginRouter {
    pub(crate) fn new(rule: PluginRule) -> Self {
        Self { rule: Arc::new(rule) }
    }
}

impl Router for PluginRouter {
    fn header(&self) -> &Arc<RuleHeader> {
        &self.rule.header
    }

    fn inputs(&self) -> &Inputs {
        &self.rule.inputs
    }

    fn is_current(&self) -> bool {
        self.rule.is_current()
    }

    fn prepare(
        &self,
        list: &Arc<InvokerList>,
        _previous: Option<&dyn PreparedRouter>,
    ) -> Result<Arc<dyn PreparedRouter>, BuildError> {
        let placed = self.rule.instance.place(list, &self.rule.host).map_err(|why| self.rule.refused(&why))?;
        Ok(Arc::new(PreparedPlugin { rule: Arc::clone(&self.rule), placed }))
    }
}

// === impl PluginRule ===

impl PluginRule {
    /// The rule cannot be had over a list, or for a consumer.
    fn refused(&self, why: &str) -> BuildError {
        let id = &self.header.id;
        let message = format!("{} {why}, in the rule {id}", self.plugin().manifest);
        let finding = Finding::error("plugin::refused_list", message).in_file(id.source());
        BuildError::from(finding.with_help("the plugin does not take this list of providers; its log may say more"))
    }

    /// Whether the plugin is in force, and allowed as it was.
    fn is_current(&self) -> bool {
        self.host.is_current(&self.instance.plugin) && self.plugin().epoch() == self.epoch
    }

    fn plugin(&self) -> &Plugin {
        &self.instance.plugin
    }

    /// What an answer of a process means for the chain.
    fn settle(&self, answer: &RouteAnswer, list_length: usize, now_ms: i64) -> Result<Option<Selection>, RouteError> {
        let plugin = self.plugin();
        plugin.sink().take_over(&answer.said);
        let possible = u32::try_from(list_length.next_multiple_of(64)).unwrap_or(u32::MAX);
        plugin.settle(answer.refusal.as_ref(), answer.stray_bits.min(possible), || now_ms)?;
        Ok(answer.words.as_ref().map(|words| Selection::from_words(list_length, words)))
    }

    /// What a lost process means.
    fn loss(&self, error: &JobError, now_ms: i64) -> RouteError {
        let rule: Arc<str> = self.header.id.to_string().into();
        let limit = |which, used, allowed| RouteError::Limit { which, used, allowed, rule, line: None };
        let us = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        if let JobError::Busy { waited } = error {
            return RouteError::Busy { waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX) };
        }
        // That there is no process is no fault of the plugin's.
        if !matches!(error, JobError::Unavailable { .. } | JobError::TooLarge { .. }) {
            self.plugin().count_loss(now_ms);
        }
        match error {
            JobError::Limit(worker::Limit::Deadline { used, allowed }) => {
                limit(Limit::Deadline, us(*used), us(*allowed))
            }
            JobError::Limit(worker::Limit::Wall { used, allowed }) => limit(Limit::Wall, us(*used), us(*allowed)),
            JobError::Limit(worker::Limit::Memory { used, allowed }) => limit(Limit::Memory, *used, *allowed),
            other => RouteError::Failed { message: format!("{}: {other}", self.plugin().manifest).into() },
        }
    }

    fn tell_visitor(&self, visitor: &mut dyn Visitor, now_ms: i64) {
        let plugin = self.plugin();
        let who = format!("{}, {}", label(&plugin.manifest, plugin.hash), plugin.level().as_str());
        visitor.reason(Reason::Note(who.into()));
        match plugin.breaker().standing(now_ms) {
            Standing::Closed { hits: 0 } => {}
            Standing::Closed { hits } => {
                let note = format!("breaker closed, {hits} of 10 panics or losses within a minute");
                visitor.reason(Reason::Note(note.into()));
            }
            Standing::Open { hits, trial_in_ms } => {
                let note = format!(
                    "breaker open after {hits} panics or losses within a minute, next trial in {trial_in_ms} ms"
                );
                visitor.reason(Reason::Note(note.into()));
            }
        }
    }
}

// === impl PreparedPlugin ===

impl PreparedRouter for PreparedPlugin {
    fn bind(self: Arc<Self>, binding: &Binding<'_>) -> Result<Arc<dyn BoundRouter>, BuildError> {
        let consumer = consumer_blob(binding.consumer, &self.rule.consumer)
            .map_err(|error| self.rule.refused(&error.to_string()))?;
        Ok(Arc::new(BoundPlugin { rule: Arc::clone(&self.rule), placed: Arc::clone(&self.placed), consumer }))
    }
}

// === impl BoundPlugin ===

impl BoundRouter for BoundPlugin {
    fn inputs(&self) -> &Inputs {
        &self.rule.inputs
    }

    fn is_current(&self) -> bool {
        self.rule.is_current()
    }

    fn call_parts(&self) -> Option<&CallParts> {
        Some(&self.rule.parts)
    }

    fn route<'a>(
        &'a self,
        request: &RouteRequest<'a>,
        candidates: &Selection,
        visitor: Option<&mut dyn Visitor>,
    ) -> Result<Routed<'a>, RouteError> {
        let rule = &self.rule;
        let now_ms = || request.clock().now().as_millisecond();
        let is_explaining = visitor.is_some();
        if let Some(visitor) = visitor {
            rule.tell_visitor(visitor, now_ms());
        }
        rule.plugin().admit(now_ms)?;
        let Some(blob) = request.blob() else {
            return Err(RouteError::Failed { message: "the call was not written for plugins".into() });
        };
        self.placed.keep(&self.consumer, &blob, candidates);
        match self.placed.snapshot() {
            MadeSnapshot::Native(snapshot) => {
                let answer = snapshot.route(&self.consumer, &blob, candidates, is_explaining, request.spare());
                rule.plugin().settle(answer.refusal.as_deref(), answer.stray_bits, now_ms)?;
                if is_explaining {
                    let reasons = reasons(answer.explanations(), answer.stray_bits);
                    let selection = answer.selection.map(|selection| *selection);
                    let settled = Settled { selection, reasons, ..Settled::default() };
                    return Ok(Routed::Settled(settled));
                }
                Ok(answer.selection.map_or(Routed::Pass, Routed::Made))
            }
            MadeSnapshot::Process(snapshot) => {
                let route = Some(snapshot.start(&self.consumer, &blob, candidates, is_explaining));
                let (rule, list_length) = (Arc::clone(rule), candidates.list_length());
                Ok(Routed::Later(Ticket::of(OnItsWay { route, rule, list_length, now_ms: now_ms(), is_explaining })))
            }
        }
    }
}

// === impl OnItsWay ===

impl OnItsWay {
    fn settle(&self, answer: Result<(RouteAnswer, worker::Reply), JobError>) -> Result<Settled, RouteError> {
        match answer {
            Ok((answer, reply)) => {
                let selection = self.rule.settle(&answer, self.list_length, self.now_ms)?;
                let mut settled = Settled { selection, ..Settled::default() };
                if self.is_explaining {
                    let micros = reply.elapsed.as_micros();
                    settled.reasons.push(format!("answered within {}.{:03} ms", micros / 1_000, micros % 1_000));
                    settled.reasons.extend(reasons(&answer.explanations, answer.stray_bits));
                }
                Ok(settled)
            }
            Err(error) => Err(self.rule.loss(&error, self.now_ms)),
        }
    }
}

impl Future for OnItsWay {
    type Output = Result<Settled, RouteError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(route) = &mut self.route else { return Poll::Ready(Ok(Settled::default())) };
        match route.poll(context) {
            Poll::Ready(answer) => {
                self.route = None;
                Poll::Ready(self.settle(answer))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Answer for OnItsWay {
    fn wait(mut self: Pin<Box<Self>>) -> Result<Settled, RouteError> {
        let Some(route) = self.route.take() else { return Ok(Settled::default()) };
        let answer = route.wait();
        self.settle(answer)
    }
}

fn reasons(explanations: &[String], stray_bits: u32) -> Vec<String> {
    // The bounds of the host hold for what another process says, too.
    let said = explanations.iter().take(EXPLANATIONS);
    let mut reasons: Vec<String> = said.map(|text| format!("says: {}", text_of(text.as_bytes(), LINE_BYTES))).collect();
    if stray_bits > 0 {
        reasons.push(format!("set {stray_bits} bits for providers that were no candidates; they do not count"));
    }
    reasons
}
