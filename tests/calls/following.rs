//! What is made when a list changes, so that no call has to.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Weak;

use parking_lot::Mutex;
use pointsman::AppResponse;
use pointsman::Engine;

use pointsman::Invoker;
use pointsman::Reference;
use pointsman::RpcContext;
use pointsman::RpcError;
use pointsman::ServiceKey;
use pointsman::Url;
use pointsman::rpc::Exporter;
use pointsman::rpc::Filter;
use pointsman::rpc::FilterChain;
use pointsman::rpc::FunctionInvoker;
use pointsman::rpc::Protocol;
use pointsman::rpc::RpcErrorKind;
use pointsman::rpc::Step;

use crate::stage::SERVICE;
use crate::stage::call;
use crate::stage::told;

/// Makes invokers and takes down which of them are still there.
#[derive(Debug, Default)]
struct Workshop {
    made: Mutex<Vec<(String, Weak<dyn Invoker>)>>,
}

// === impl Workshop ===

impl Workshop {
    /// The hosts of all invokers that were ever made.
    fn made(&self) -> Vec<String> {
        self.made.lock().iter().map(|(host, _)| host.clone()).collect()
    }

    /// The hosts of those that are still there.
    fn alive(&self) -> Vec<String> {
        let made = self.made.lock();
        made.iter().filter(|(_, invoker)| invoker.strong_count() > 0).map(|(host, _)| host.clone()).collect()
    }
}

impl Protocol for Workshop {
    fn name(&self) -> &str {
        "made"
    }

    fn refer(&self, provider: &Url) -> Result<Arc<dyn Invoker>, RpcError> {
        let host = provider.host().unwrap().to_owned();
        assert_ne!(host, "dreadful");
        let answer = host.clone();
        let invoker: Arc<dyn Invoker> =
            Arc::new(FunctionInvoker::new(provider.clone(), move |_| Ok(AppResponse::new(answer.clone()))));
        self.made.lock().push((host, Arc::downgrade(&invoker)));
        Ok(invoker)
    }

    fn export(&self, _: Arc<dyn Invoker>) -> Result<Box<dyn Exporter>, RpcError> {
        Err(RpcError::new(RpcErrorKind::Unknown, "nothing is exported here"))
    }
}

fn urls(hosts: &[&str]) -> Vec<Url> {
    hosts.iter().map(|host| Url::parse(&format!("made://{host}:1/{SERVICE}?safe={}", *host != "b")).unwrap()).collect()
}

fn reference(engine: &Engine, workshop: &Arc<Workshop>) -> Reference {
    Reference::builder(SERVICE).engine(engine.clone()).protocol(Arc::clone(workshop) as _).seed(1).build().unwrap()
}

#[tokio::test]
async fn invokers_of_a_list_are_made_before_a_call_sees_it_and_go_when_it_goes() {
    let workshop = Arc::new(Workshop::default());
    let engine = Engine::builder().providers(urls(&["a", "b"])).build().unwrap();
    let reference = reference(&engine, &workshop);
    assert_eq!(workshop.made(), ["a", "b"], "nobody has called yet");
    engine.replace_providers(urls(&["c", "b"])).unwrap();
    assert_eq!((workshop.made(), workshop.alive()), (strings(&["a", "b", "c"]), strings(&["b", "c"])));
    for _ in 0..20 {
        assert!(["b", "c"].contains(&&*told(&reference.call(&call()).await)));
    }
    assert_eq!(workshop.made(), ["a", "b", "c"], "no call makes one");
    engine.remove_service(&ServiceKey::parse(SERVICE)).unwrap();
    assert!(workshop.alive().is_empty());
    engine.replace_providers(urls(&["d"])).unwrap();
    assert_eq!((told(&reference.call(&call()).await), workshop.alive()), ("d".to_owned(), strings(&["d"])));
    reference.destroy();
    engine.replace_providers(urls(&["e"])).unwrap();
    assert!(workshop.alive().is_empty(), "{:?}", workshop.alive());
}

#[tokio::test]
async fn a_protocol_that_panics_costs_its_provider_alone() {
    let workshop = Arc::new(Workshop::default());
    let engine = Engine::builder().providers(urls(&["a"])).build().unwrap();
    let reference = reference(&engine, &workshop);
    engine.replace_providers(urls(&["dreadful", "a"])).unwrap();
    let mut seen = BTreeMap::new();
    for _ in 0..50 {
        *seen.entry(told(&reference.call(&call()).await)).or_insert(0) += 1;
    }
    assert_eq!(seen.keys().collect::<Vec<_>>(), ["a"], "another provider is asked instead");
    engine.replace_providers(urls(&["dreadful"])).unwrap();
    let error = reference.call(&call()).await.unwrap_err();
    assert!(error.message().contains("made panicked"), "{error}");
}

/// Concerned with providers that are not safe.
#[derive(Debug, Default)]
struct Guarding {
    asked: Mutex<Vec<String>>,
    seen: Mutex<Vec<String>>,
}

impl Filter for Guarding {
    fn name(&self) -> &str {
        "guarding"
    }

    fn concerns(&self, url: &Url) -> bool {
        self.asked.lock().push(url.host().unwrap().to_owned());
        assert_ne!(url.host(), Some("c"), "a panic");
        url.parameter("safe") == Some("false")
    }

    fn before(&self, _: &mut RpcContext<'_>, url: &Url) -> Step {
        self.seen.lock().push(url.host().unwrap().to_owned());
        Step::Pass(0)
    }
}

#[tokio::test]
async fn a_filter_is_left_out_where_it_says_that_it_is_not_concerned() {
    let workshop = Arc::new(Workshop::default());
    let engine = Engine::builder().providers(urls(&["a", "b", "c"])).build().unwrap();
    let filter = Arc::new(Guarding::default());
    let builder = Reference::builder(SERVICE).engine(engine).protocol(Arc::clone(&workshop) as _);
    let reference =
        builder.filters(FilterChain::new([Arc::clone(&filter) as Arc<dyn Filter>])).seed(1).build().unwrap();
    let mut answered: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..60 {
        *answered.entry(told(&reference.call(&call()).await)).or_default() += 1;
    }
    let count = |host: &str| filter.seen.lock().iter().filter(|seen| *seen == host).count();
    assert_eq!((count("a"), count("b"), count("c")), (0, answered["b"], answered["c"]), "one that panics is asked");
    let mut asked = filter.asked.lock().clone();
    asked.sort();
    assert_eq!(asked, ["a", "b", "c"], "once for each provider");
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
