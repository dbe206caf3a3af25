//! `mock=force:…` and `mock=fail:…` around another policy.

use std::sync::Arc;

use hashbrown::HashMap;
use parking_lot::RwLock;

use crate::cluster::Cluster;
use crate::cluster::ClusterCall;
use crate::cluster::MockRule;
use crate::rpc::Answer;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::Url;
use crate::rpc::keys;

/// Answers instead of providers where the consumer's `mock` says so, as `MockClusterInvoker`: always, or when the policy
/// inside fails. What business code threw is an answer, and stays.
#[derive(Debug)]
pub struct MockCluster {
    inside: Arc<dyn Cluster>,
    rules: RwLock<HashMap<Box<str>, Read>>,
}

/// The mock of a method; where it cannot be had, why, and whether it stands in the place of every call.
type Read = Result<Option<Arc<MockRule>>, (bool, RpcError)>;

/// How many methods are remembered.
const MAX_METHODS: usize = 256;

// === impl MockCluster ===

impl MockCluster {
    /// Puts mocks around `inside` if `consumer` has any; they cost nothing where there are none.
    #[must_use]
    pub fn around(inside: Arc<dyn Cluster>, consumer: &Url) -> Arc<dyn Cluster> {
        let is_mock = |key: &str| key == keys::MOCK || key.ends_with(".mock");
        match consumer.parameters().any(|(key, _)| is_mock(key)) {
            true => Arc::new(Self { inside, rules: RwLock::default() }),
            false => inside,
        }
    }

    fn rule(&self, consumer: &Url, method: &str) -> Read {
        if let Some(known) = self.rules.read().get(method) {
            return known.clone();
        }
        let read = match consumer.method_parameter(method, keys::MOCK) {
            None => Ok(None),
            Some(_) => {
                // As it is written: what it returns may have characters that the index of a URL does not keep.
                let written = |name: &str| consumer.parameters().filter(|(key, _)| **key == *name).last();
                let text = written(&format!("{method}.mock")).or_else(|| written(keys::MOCK));
                let text = text.map(|(_, value)| decoded(value)).unwrap_or_default();
                let is_forced = text.trim_start().starts_with("force");
                let refused =
                    |error: crate::cluster::MockRuleError| RpcError::new(RpcErrorKind::Unknown, error.to_string());
                let read = MockRule::parse(&text).map(|rule| rule.map(Arc::new)).map_err(refused);
                read.map_err(|error| (is_forced, error))
            }
        };
        let mut rules = self.rules.write();
        if rules.len() >= MAX_METHODS {
            rules.clear();
        }
        rules.insert(method.into(), read.clone());
        read
    }
}

impl Cluster for MockCluster {
    fn name(&self) -> &str {
        self.inside.name()
    }

    fn invoke<'a>(&'a self, call: &'a ClusterCall<'a>) -> Answer<'a> {
        let rule = match self.rule(call.site.directory().consumer(), call.method) {
            Ok(Some(rule)) => rule,
            Ok(None) => return self.inside.invoke(call),
            Err((true, error)) => return Answer::ready(Err(error)),
            Err((false, unusable)) => {
                return Answer::later(async move {
                    let answer = self.inside.invoke(call).await;
                    answer.map_err(|error| {
                        let message =
                            format!("{}; and its mock cannot answer: {}", error.message(), unusable.message());
                        RpcError::new(error.kind(), message).caused_by(error)
                    })
                });
            }
        };
        if rule.is_forced {
            return Answer::ready(Ok(rule.response()));
        }
        Answer::later(async move {
            self.inside.invoke(call).await.or_else(|error| {
                tracing::warn!(%error, "answered by the mock");
                Ok(rule.response())
            })
        })
    }
}

fn decoded(value: &str) -> String {
    percent_encoding::percent_decode_str(&value.replace('+', " ")).decode_utf8_lossy().into_owned()
}
