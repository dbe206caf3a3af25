//! Providers that do as they are told, and references to them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use pointsman::AppResponse;
use pointsman::Engine;
use pointsman::EngineBuilder;
use pointsman::Invoker;
use pointsman::Reference;
use pointsman::RpcContext;
use pointsman::RpcError;
use pointsman::RpcInvocation;
use pointsman::RpcResult;
use pointsman::Url;
use pointsman::Value;
use pointsman::rpc::Answer;
use pointsman::rpc::Exporter;
use pointsman::rpc::Protocol;
use pointsman::rpc::RpcErrorKind;
use pointsman::runtime::ReferenceBuilder;

pub(crate) const SERVICE: &str = "com.shop.OrderService";

/// What a provider does when it is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Does {
    Answer,
    Fail(RpcErrorKind),
    Throw,
    Hang,
    Panic,
    AnswerAfter(u64),
    FailAfter(u64),
}

/// A provider: what it does is asked anew with every call.
pub(crate) struct Actor {
    url: Url,
    act: Box<dyn Fn(usize) -> Does + Send + Sync>,
    pub(crate) asked: AtomicUsize,
    /// Calls that have begun and neither ended nor been given up.
    pub(crate) running: Arc<AtomicUsize>,
    pub(crate) is_available: AtomicBool,
    seen: parking_lot::Mutex<Vec<String>>,
}

/// All providers of a test, which are also its protocol.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stage {
    actors: Arc<parking_lot::Mutex<Vec<Arc<Actor>>>>,
}

struct Running(Arc<AtomicUsize>);

// === impl Actor ===

impl Actor {
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(SeqCst)
    }

    /// The value of attachment `seen` in each call.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().clone()
    }
}

impl Invoker for Actor {
    fn url(&self) -> &Url {
        &self.url
    }

    fn is_available(&self) -> bool {
        self.is_available.load(SeqCst)
    }

    fn invoke<'a>(&'a self, context: &'a RpcContext<'_>) -> Answer<'a> {
        use pointsman::Invocation as _;
        self.seen.lock().push(context.attachment("seen").unwrap_or("-").to_owned());
        let does = (self.act)(self.asked.fetch_add(1, SeqCst));
        self.running.fetch_add(1, SeqCst);
        let running = Running(Arc::clone(&self.running));
        let name = self.url.host().unwrap();
        let fails = |kind| Err(RpcError::new(kind, format!("{name} does not answer")));
        // In groups answers are lists, which can be merged.
        let answer = || match self.url.parameter("group") {
            Some(_) => Ok(AppResponse::new(Value::List(vec![Value::from(name.to_owned())]))),
            None => Ok(AppResponse::new(name.to_owned())),
        };
        match does {
            Does::Answer => Answer::ready(answer()),
            Does::Fail(kind) => Answer::ready(fails(kind)),
            Does::Throw => Answer::ready(Ok(AppResponse::threw("com.shop.SoldOut", name))),
            Does::Panic => panic!("{name} fell over"),
            Does::Hang => Answer::later(async move {
                let _running = running;
                std::future::pending::<RpcResult>().await
            }),
            Does::AnswerAfter(millis) => {
                let answer = answer();
                Answer::later(async move {
                    let _running = running;
                    tokio::time::sleep(Duration::from_millis(millis)).await;
                    answer
                })
            }
            Does::FailAfter(millis) => {
                let failure = fails(RpcErrorKind::Network);
                Answer::later(async move {
                    let _running = running;
                    tokio::time::sleep(Duration::from_millis(millis)).await;
                    failure
                })
            }
        }
    }
}

impl fmt::Debug for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Actor").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

// === impl Stage ===

impl Stage {
    /// Adds the provider at host `name`, with further `parameters`.
    pub(crate) fn actor(
        &self,
        name: &str,
        parameters: &str,
        act: impl Fn(usize) -> Does + Send + Sync + 'static,
    ) -> Arc<Actor> {
        let actor = Arc::new(Actor {
            url: Url::parse(&format!("act://{name}:1/{SERVICE}?{parameters}")).unwrap(),
            act: Box::new(act),
            asked: AtomicUsize::new(0),
            running: Arc::default(),
            is_available: AtomicBool::new(true),
            seen: parking_lot::Mutex::default(),
        });
        self.actors.lock().push(Arc::clone(&actor));
        actor
    }

    pub(crate) fn urls(&self) -> Vec<Url> {
        self.actors.lock().iter().map(|actor| actor.url.clone()).collect()
    }

    pub(crate) fn actors(&self) -> Vec<Arc<Actor>> {
        self.actors.lock().clone()
    }

    pub(crate) fn engine(&self) -> EngineBuilder {
        Engine::builder().providers(self.urls()).seed(1)
    }

    /// A reference to all providers, with the parameters of a consumer's URL.
    pub(crate) fn reference(&self, parameters: &[(&str, &str)]) -> Reference {
        self.reference_to(self.engine().build().unwrap(), parameters).build().unwrap()
    }

    pub(crate) fn reference_to(&self, engine: Engine, parameters: &[(&str, &str)]) -> ReferenceBuilder {
        let builder = Reference::builder(SERVICE).engine(engine).protocol(Arc::new(self.clone())).seed(7);
        parameters.iter().fold(builder, |builder, (key, value)| builder.parameter(key, value))
    }

    /// How many calls run at providers.
    pub(crate) fn running(&self) -> usize {
        self.actors().iter().map(|actor| actor.running.load(SeqCst)).sum()
    }
}

impl Protocol for Stage {
    fn name(&self) -> &str {
        "act"
    }

    fn refer(&self, provider: &Url) -> Result<Arc<dyn Invoker>, RpcError> {
        let found = self.actors.lock().iter().find(|actor| actor.url.address() == provider.address()).cloned();
        found.map(|actor| actor as _).ok_or_else(|| RpcError::new(RpcErrorKind::Network, "nobody of that name"))
    }

    fn export(&self, _: Arc<dyn Invoker>) -> Result<Box<dyn Exporter>, RpcError> {
        Err(RpcError::new(RpcErrorKind::Unknown, "nothing is exported here"))
    }
}

pub(crate) fn call() -> RpcInvocation<'static> {
    RpcInvocation::new(SERVICE, "create")
}

/// The answer in words: who answered, or what was thrown, or which kind of failure it was.
pub(crate) fn told(result: &RpcResult) -> String {
    match result {
        Ok(response) => match response.outcome() {
            Ok(value) => value.text().into_owned(),
            Err(thrown) => format!("threw {}", thrown.class),
        },
        Err(error) => format!("error: {}", error.kind().as_str()),
    }
}
