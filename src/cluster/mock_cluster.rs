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

type Read = Result<Option<Arc<MockRule>>, RpcError>;

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
                let written =
                    consumer.parameters().filter(|(key, _)| *key == keys::MOCK || **key == *format!("{method}.mock"));
                let text = written.last().map(|(_, value)| decoded(value)).unwrap_or_default();
                let refused =
                    |error: crate::cluster::MockRuleError| RpcError::new(RpcErrorKind::Unknown, error.to_string());
                MockRule::parse(&text).map(|rule| rule.map(Arc::new)).map_err(refused)
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
            Err(error) => return Answer::ready(Err(error)),
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
