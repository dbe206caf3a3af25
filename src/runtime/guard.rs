//! `guard: not-empty`: a change that would leave a service with nobody is refused.

use std::sync::Arc;

use crate::chain::BoundChain;
use crate::chain::Explainer;
use crate::chain::Walk;
use crate::diagnostics::Finding;
use crate::router::Binding;
use crate::router::Effect;
use crate::router::Everybody;
use crate::rpc::RpcInvocation;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::runtime::ReloadError;
use crate::runtime::engine::Shared;
use crate::runtime::explain::walk_to_end;
use crate::runtime::snapshot::ServiceSnapshot;
use crate::runtime::snapshot::Snapshot;

/// How many consumers that call a service are asked for.
const MAX_CONSUMERS: usize = 16;

// === impl Shared ===

impl Shared {
    /// Refuses `next` if a service that has somebody in `current` has nobody in it: no provider, or none that a plain call
    /// may go to, one without arguments and attachments of a method that no rule names.
    ///
    /// # Errors
    ///
    /// The first such service, with the file of the rule that empties it.
    pub(crate) fn require_somebody(&self, current: &Snapshot, next: &Snapshot) -> Result<(), ReloadError> {
        for before in current.services.iter().filter(|service| !service.chain.list().is_empty()) {
            let refuse = |message: String, rule_source| ReloadError {
                generation: current.generation,
                findings: vec![refusal(message)],
                rule_source,
            };
            let had = before.chain.list().len();
            match next.service(&before.key) {
                Some((_, after)) if Arc::ptr_eq(after, before) => {}
                Some((_, after)) if !after.chain.list().is_empty() => {
                    if let Some((consumer, title, source)) = self.emptied(before, after) {
                        let message = format!("`{}` would be left with nobody for {consumer}: {title}", before.key);
                        return Err(refuse(message, source));
                    }
                }
                _ => return Err(refuse(format!("`{}` would have no provider, it has {had}", before.key), None)),
            }
        }
        Ok(())
    }

    /// The consumer whose plain call had somebody and has nobody now, with the rule that did it, and its file.
    fn emptied(&self, before: &ServiceSnapshot, after: &ServiceSnapshot) -> Option<(Url, String, Option<String>)> {
        let consumers = before.bindings.consumers(MAX_CONSUMERS).into_iter().chain(plain_consumer(&before.key));
        for consumer in consumers {
            let [Some(old), Some(new)] = [before, after].map(|service| self.chain(service, &consumer)) else {
                continue;
            };
            if self.left(&old, &consumer, None)? == 0 {
                continue;
            }
            let mut explainer = Explainer::default();
            if self.left(&new, &consumer, Some(&mut explainer)) == Some(0) {
                let step = explainer.into_steps().into_iter().find(|step| step.effect == Effect::Emptied);
                let header = step.map(|step| step.header);
                let title = header.as_ref().map_or_else(|| "a rule".to_owned(), |header| header.id.to_string());
                return Some((consumer, title, header.map(|header| header.id.source().to_owned())));
            }
        }
        None
    }

    fn chain(&self, service: &ServiceSnapshot, consumer: &Url) -> Option<BoundChain> {
        let binding = Binding { consumer, overrides: &self.settings.overrides };
        service.chain.bind(&binding, &self.registry).ok()
    }

    /// How many providers a plain call is left with; none if it fails.
    fn left(&self, chain: &BoundChain, consumer: &Url, explainer: Option<&mut Explainer>) -> Option<usize> {
        let invocation = RpcInvocation::new(chain.list().service().as_str(), "");
        let mut walk = Walk::default();
        let call = self.call(consumer, &invocation, 0, &Everybody);
        match explainer {
            Some(explainer) => walk_to_end(chain, &mut walk, &call, Some(explainer)),
            None => walk_to_end(chain, &mut walk, &call, None),
        }
        .ok()?;
        Some(walk.candidates().count())
    }
}

/// A consumer of whom nothing is known.
fn plain_consumer(service: &ServiceKey) -> Option<Url> {
    let part = |key: &str, value: Option<&str>| value.map_or_else(String::new, |value| format!("&{key}={value}"));
    let (group, version) = (part("group", service.group()), part("version", service.version()));
    Url::parse(&format!("consumer://127.0.0.1/{}?side=consumer{group}{version}", service.interface())).ok()
}

fn refusal(message: String) -> Finding {
    Finding::error("guard::nobody_left", message)
        .with_help("the host's `guard` refuses it, and what was in force stays; take the guard away if it is meant")
}
