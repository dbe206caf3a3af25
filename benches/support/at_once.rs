//! References to the workload's providers, which answer at once.
#![allow(dead_code, unreachable_pub, reason = "benches and tests use a part of it each")]

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::Context;
use std::task::Poll;
use std::task::Waker;

use pointsman::AppResponse;
use pointsman::Engine;
use pointsman::Invoker;
use pointsman::Reference;
use pointsman::RpcError;
use pointsman::RuleSet;
use pointsman::Url;
use pointsman::rpc::Exporter;
use pointsman::rpc::FunctionInvoker;
use pointsman::rpc::Protocol;
use pointsman::rpc::RpcErrorKind;

use super::fixture;
use super::workload;

/// Providers that answer at once; so many of a hundred fail.
#[derive(Debug)]
struct AtOnce {
    failing: u32,
}

impl Protocol for AtOnce {
    fn name(&self) -> &str {
        "dubbo"
    }

    fn refer(&self, provider: &Url) -> Result<Arc<dyn Invoker>, RpcError> {
        let number: u32 = provider.host().unwrap().rsplit('.').next().unwrap().parse().unwrap();
        let fails = (number * 37) % 100 < self.failing;
        Ok(Arc::new(FunctionInvoker::new(provider.clone(), move |_| match fails {
            true => Err(RpcError::new(RpcErrorKind::Unknown, "out of order")),
            false => Ok(AppResponse::new(1_i64)),
        })))
    }

    fn export(&self, _: Arc<dyn Invoker>) -> Result<Box<dyn Exporter>, RpcError> {
        Err(RpcError::new(RpcErrorKind::Unknown, "nothing is exported"))
    }
}

/// The workload's consumer before its first `size` providers, with its three documents or without rules.
pub fn reference(size: usize, failing: u32, has_rules: bool) -> Reference {
    let urls: Vec<Url> = workload::providers(size).iter().map(|text| Url::parse(text).unwrap()).collect();
    let texts = [workload::TAG, workload::APPLICATION, workload::SERVICE].map(workload::document);
    let rules = if has_rules { fixture::documents(&texts) } else { RuleSet::default() };
    let engine = Engine::builder().rules(rules).providers(urls).build().unwrap();
    let consumer = Url::parse(workload::CONSUMER.trim()).unwrap();
    let builder = Reference::builder("").consumer(consumer).engine(engine).protocol(Arc::new(AtOnce { failing }));
    builder.seed(1).build().unwrap()
}

/// What a future comes to that is done at once.
pub fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => unreachable!("the invokers answer at once"),
    }
}
