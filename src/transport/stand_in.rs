//! Stand-ins: providers that are not called but played, each as an entry of [`StandIns`] says.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use tokio::time::sleep;

use crate::router::mix;
use crate::rpc::Answer;
use crate::rpc::AppResponse;
use crate::rpc::Exporter;
use crate::rpc::Invocation as _;
use crate::rpc::InvokeMode;
use crate::rpc::Invoker;
use crate::rpc::Protocol;
use crate::rpc::RpcContext;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;
use crate::rpc::Url;
use crate::rpc::Value;
use crate::stand_in::FailureKind;
use crate::stand_in::Planned;
use crate::stand_in::StandIn;
use crate::stand_in::StandIns;

/// Answers for the providers of one protocol. All draws come from one seed: the calls of a provider, in the order in which
/// it gets them, come to the same again. A stand-in that takes time wants a tokio runtime, whose time it is.
///
/// ```
/// use std::sync::Arc;
/// use pointsman::rpc::{AppResponse, Protocol, RpcContext, RpcInvocation, Url};
/// use pointsman::stand_in::StandIns;
/// use pointsman::transport::StandInProtocol;
///
/// let protocol = StandInProtocol::new("dubbo", Arc::new(StandIns::default()), 7);
/// let invoker = protocol.refer(&Url::parse("dubbo://10.0.0.1:20880/com.shop.OrderService")?)?;
/// let call = RpcInvocation::new("com.shop.OrderService", "create");
/// let answer = pollster::block_on(invoker.invoke(&RpcContext::new(&call)))?;
/// assert_eq!(answer, AppResponse::new("10.0.0.1:20880"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct StandInProtocol {
    name: Box<str>,
    stand_ins: Arc<StandIns>,
    seed: u64,
}

/// One provider, played.
#[derive(Debug)]
struct StandInInvoker {
    url: Url,
    stand_in: StandIn,
    /// Where the draws of its calls begin, and how many there were.
    calls: Draws,
    /// The same of looks at whether it can be reached: they do not change what calls come to.
    looks: Draws,
}

/// A row of random numbers.
#[derive(Debug)]
struct Draws {
    base: u64,
    turn: AtomicU64,
}

// === impl StandInProtocol ===

impl StandInProtocol {
    /// Plays the providers whose URLs have the protocol `name`; empty for those without one.
    #[must_use]
    pub fn new(name: &str, stand_ins: Arc<StandIns>, seed: u64) -> Self {
        Self { name: name.into(), stand_ins, seed }
    }

    /// One for each protocol that `providers` have, in the order of the names.
    #[must_use]
    pub fn for_all<'a>(
        providers: impl IntoIterator<Item = &'a Url>,
        stand_ins: &Arc<StandIns>,
        seed: u64,
    ) -> Vec<Arc<dyn Protocol>> {
        let mut names: Vec<&str> = providers.into_iter().map(|url| url.protocol().unwrap_or_default()).collect();
        names.sort_unstable();
        names.dedup();
        let one = |name: &str| Arc::new(Self::new(name, Arc::clone(stand_ins), seed)) as Arc<dyn Protocol>;
        names.into_iter().map(one).collect()
    }
}

impl Protocol for StandInProtocol {
    fn name(&self) -> &str {
        &self.name
    }

    fn refer(&self, provider: &Url) -> Result<Arc<dyn Invoker>, RpcError> {
        // The address and the service alone: what else a URL says may change while it is the same provider.
        let key = provider.service_key();
        let name = [provider.address().unwrap_or_default(), key.as_ref().map_or("", |key| key.as_str())];
        let base = name.iter().flat_map(|part| part.bytes()).fold(self.seed, |seed, byte| mix(seed ^ u64::from(byte)));
        Ok(Arc::new(StandInInvoker {
            url: provider.clone(),
            stand_in: self.stand_ins.of(provider),
            calls: Draws::new(base),
            looks: Draws::new(!base),
        }))
    }

    fn export(&self, invoker: Arc<dyn Invoker>) -> Result<Box<dyn Exporter>, RpcError> {
        let message = format!("`{}` cannot be exported: a stand-in only answers", invoker.url());
        Err(RpcError::new(RpcErrorKind::Unknown, message))
    }
}

// === impl StandInInvoker ===

impl StandInInvoker {
    fn address(&self) -> &str {
        self.url.address().unwrap_or_default()
    }

    /// What is said when the call fails in the way `kind`.
    fn failure(&self, kind: FailureKind, method: &str) -> RpcResult {
        let own = self.stand_in.failure.as_ref().and_then(|failure| failure.message.as_deref());
        let (address, error) = (self.address(), |kind, message: String| Err(RpcError::new(kind, message)));
        match kind {
            FailureKind::Network => {
                let message = own.map_or_else(|| format!("{address} cannot be reached"), str::to_owned);
                error(RpcErrorKind::Network, message)
            }
            FailureKind::Timeout | FailureKind::Hang => {
                let message = own.map_or_else(|| format!("{address} had no time for `{method}`"), str::to_owned);
                error(RpcErrorKind::Timeout, message)
            }
            FailureKind::Exception => {
                let message = own.map_or_else(|| format!("`{method}` threw at {address}"), str::to_owned);
                Ok(AppResponse::threw("java.lang.RuntimeException", message))
            }
        }
    }

    fn outcome(&self, planned: Planned, method: &str) -> RpcResult {
        match planned.failure {
            Some(kind) => self.failure(kind, method),
            None => {
                let answer = self.stand_in.answer.clone();
                Ok(AppResponse::new(answer.unwrap_or_else(|| Value::from(self.address().to_owned()))))
            }
        }
    }
}

impl Invoker for StandInInvoker {
    fn url(&self) -> &Url {
        &self.url
    }

    fn is_available(&self) -> bool {
        self.stand_in.is_reachable(self.looks.next())
    }

    fn invoke<'a>(&'a self, context: &'a RpcContext<'_>) -> Answer<'a> {
        let planned = self.stand_in.draw(self.calls.next());
        let is_sent = planned.failure != Some(FailureKind::Network);
        if context.mode == InvokeMode::OneWay && is_sent {
            return Answer::ready(Ok(AppResponse::new(Value::Null)));
        }
        if planned.failure == Some(FailureKind::Hang) {
            return Answer::later(std::future::pending());
        }
        if planned.after.is_zero() {
            return Answer::ready(self.outcome(planned, context.method()));
        }
        Answer::later(async move {
            sleep(planned.after).await;
            self.outcome(planned, context.method())
        })
    }
}

// === impl Draws ===

impl Draws {
    fn new(base: u64) -> Self {
        Self { base, turn: AtomicU64::new(0) }
    }

    fn next(&self) -> u64 {
        mix(self.base.wrapping_add(self.turn.fetch_add(1, Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;
    use crate::diagnostics::SourceText;
    use crate::rpc::FilterChain;
    use crate::rpc::RpcInvocation;
    use crate::stand_in::read_stand_ins;

    fn invoker(entry: &str) -> Arc<dyn Invoker> {
        let (stand_ins, findings) = read_stand_ins(&SourceText::new("stand-ins.yaml", entry));
        assert!(findings.is_empty(), "{findings:?}");
        let url = Url::parse("tri://10.0.0.1:50051/com.shop.OrderService").unwrap();
        StandInProtocol::new("tri", Arc::new(stand_ins), 1).refer(&url).unwrap()
    }

    async fn outcome(invoker: &dyn Invoker) -> (String, Duration) {
        let started = Instant::now();
        let call = RpcInvocation::new("com.shop.OrderService", "create");
        let mut context = RpcContext::new(&call).with_deadline(Some(started + Duration::from_secs(1)));
        let result = FilterChain::default().invoke(invoker, &mut context).await;
        let told = match &result {
            Ok(response) => response.outcome().map_or_else(ToString::to_string, |value| value.text().into_owned()),
            Err(error) => format!("{}: {error}", error.kind().as_str()),
        };
        (told, started.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn each_behaviour_is_seen_by_who_calls() {
        for (entry, told, millis) in [
            ("- {}", "10.0.0.1:50051", 0),
            ("- {latency: 5ms, answer: [1, two]}", "[1, two]", 5),
            ("- {latency: 5ms, failure: network}", "network: 10.0.0.1:50051 cannot be reached", 5),
            ("- failure: timeout", "timeout: 10.0.0.1:50051 had no time for `create`", 0),
            ("- failure: {kind: exception, message: sold out}", "java.lang.RuntimeException: sold out", 0),
            ("- failure: hang", "timeout: `create` got no answer from 10.0.0.1:50051 in time", 1_000),
            ("- {latency: 3s}", "timeout: `create` got no answer from 10.0.0.1:50051 in time", 1_000),
        ] {
            let came = outcome(&*invoker(entry)).await;
            assert_eq!(came, (told.to_owned(), Duration::from_millis(millis)), "{entry}");
        }
        assert!(!invoker("- failure: network").is_available() && invoker("- failure: timeout").is_available());
    }

    #[tokio::test(start_paused = true)]
    async fn the_same_seed_gives_the_same_calls() {
        let row = async |entry: &str| {
            let invoker = invoker(entry);
            let mut row = Vec::new();
            for _ in 0..50 {
                row.push(outcome(&*invoker).await);
            }
            row
        };
        let entry = "- {latency: 1ms..900ms, failure: {kind: network, rate: 30%}}";
        let first = row(entry).await;
        assert_eq!(first, row(entry).await);
        assert!(
            first.iter().any(|(told, _)| told.starts_with("network"))
                && first.iter().any(|(_, time)| *time > Duration::from_millis(500))
        );
    }
}
