//! Directories: who is lent, and that nothing is mixed.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use pointsman::AppResponse;
use pointsman::Invoker;
use pointsman::Reference;
use pointsman::RpcError;
use pointsman::RpcInvocation;
use pointsman::Service;
use pointsman::Url;
use pointsman::directory::Directory as _;
use pointsman::directory::StaticDirectory;
use pointsman::router::SystemClock;
use pointsman::rpc::FunctionInvoker;
use pointsman::rpc::TowerInvoker;
use pointsman::runtime::Notified;
use pointsman::transport::InjvmProtocol;
use tokio::time::Instant;
use tokio::time::sleep;

use crate::stage::Does;
use crate::stage::SERVICE;
use crate::stage::Stage;
use crate::stage::call;
use crate::stage::told;

fn function(host: &'static str) -> Arc<dyn Invoker> {
    let url = Url::parse(&format!("fn://{host}:1/com.shop.OrderService")).unwrap();
    Arc::new(FunctionInvoker::new(url, move |_| Ok(AppResponse::new(host.to_owned()))))
}

#[tokio::test]
async fn a_static_directory_lends_all_until_it_is_destroyed() {
    let consumer = Url::parse("consumer://c/com.shop.OrderService").unwrap();
    let directory =
        Arc::new(StaticDirectory::new(consumer, &[function("a"), function("b")], Arc::new(SystemClock)).unwrap());
    let reference = Reference::builder("").directory(Arc::clone(&directory) as _).build().unwrap();
    let mut seen: Vec<String> = Vec::new();
    for _ in 0..64 {
        seen.push(told(&reference.call(&call()).await));
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen, ["a", "b"]);
    directory.destroy();
    assert!(reference.call(&call()).await.unwrap_err().message().contains("destroyed"));
}

#[tokio::test]
async fn what_is_exported_in_the_process_is_called_through_an_engine() {
    let injvm = Arc::new(InjvmProtocol::default());
    let url = Url::parse("injvm://127.0.0.1/com.shop.OrderService").unwrap();
    let exported = Service::builder(url.clone())
        .protocol(Arc::clone(&injvm) as _)
        .export_async(|invocation: RpcInvocation<'static>| async move {
            tokio::task::yield_now().await;
            Ok(AppResponse::new(invocation.arguments()[0].text().into_owned()))
        })
        .unwrap();
    assert_eq!(exported.url(), &url);
    let engine = pointsman::Engine::builder().providers([url]).build().unwrap();
    let reference = Reference::builder("com.shop.OrderService").engine(engine).protocol(injvm).build().unwrap();
    let call = call().with_argument("java.lang.String", "book");
    assert_eq!(told(&reference.call(&call).await), "book");
    drop(exported);
    assert_eq!(told(&reference.call(&call).await), "error: network");
}

#[tokio::test(start_paused = true)]
async fn disabled_providers_are_not_called_and_the_last_one_is_told_of() {
    let stage = Stage::default();
    stage.actor("a", "disabled=true", |_| Does::Answer);
    stage.actor("b", "enabled=false", |_| Does::Answer);
    stage.actor("c", "disabled=false&enabled=false", |_| Does::Answer);
    let engine = stage.engine().build().unwrap();
    let reference = stage.reference_to(engine.clone(), &[]).build().unwrap();
    for _ in 0..20 {
        assert_eq!(told(&reference.call(&call()).await), "c");
    }
    engine.replace_providers(stage.urls().into_iter().take(2)).unwrap();
    let error = reference.call(&call()).await.unwrap_err();
    assert_eq!(error.message(), "`com.shop.OrderService` is forbidden: all 2 providers are disabled");
}

#[tokio::test(start_paused = true)]
async fn providers_of_unknown_protocols_are_not_chosen_and_the_last_one_is_told_of() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Answer);
    let foreign = Url::parse("tri://b:1/com.shop.OrderService").unwrap();
    let engine = stage.engine().providers(stage.urls().into_iter().chain([foreign.clone()])).build().unwrap();
    let reference = stage.reference_to(engine.clone(), &[]).build().unwrap();
    for _ in 0..20 {
        assert_eq!(told(&reference.call(&call()).await), "a");
    }
    engine.replace_providers([foreign]).unwrap();
    let error = reference.call(&call()).await.unwrap_err();
    let wanted = "`com.shop.OrderService` is forbidden: none of its 1 providers can be called: no protocol `tri` is \
                  registered; known: act";
    assert_eq!(error.message(), wanted);
}

#[tokio::test(start_paused = true)]
async fn an_empty_list_of_a_registry_wipes_nobody_unless_it_is_meant() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Answer);
    stage.actor("b", "", |_| Does::Answer);
    let engine = stage.engine().build().unwrap();
    let reference = stage.reference_to(engine.clone(), &[]).build().unwrap();
    let feed = engine.feed(pointsman::ServiceKey::parse(SERVICE));
    let nobody = || Vec::<Url>::new();
    assert_eq!(feed.notify(nobody()).unwrap(), Notified::Kept);
    assert!(reference.call(&call()).await.is_ok());
    for n in 0..100 {
        feed.notify(stage.urls().into_iter().skip(n % 2)).unwrap();
    }
    assert_eq!(told(&reference.call(&call()).await), "b", "the last of many lists counts");
    feed.clear().unwrap();
    assert_eq!(told(&reference.call(&call()).await), "error: forbidden");
    feed.notify(stage.urls()).unwrap();
    let unprotected = feed.with_empty_protection(false);
    assert!(matches!(unprotected.notify(nobody()).unwrap(), Notified::Taken(_)));
    assert_eq!(told(&reference.call(&call()).await), "error: forbidden");
}

#[tokio::test(start_paused = true)]
async fn a_one_way_call_is_done_when_it_is_sent() {
    let injvm = Arc::new(InjvmProtocol::default());
    let url = Url::parse("injvm://127.0.0.1/com.shop.OrderService").unwrap();
    let done = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&done);
    let _exported = Service::builder(url.clone())
        .protocol(Arc::clone(&injvm) as _)
        .export_async(move |_| {
            let counted = Arc::clone(&counted);
            async move {
                sleep(Duration::from_millis(500)).await;
                counted.fetch_add(1, SeqCst);
                Ok(AppResponse::new(1_i64))
            }
        })
        .unwrap();
    let engine = pointsman::Engine::builder().providers([url]).build().unwrap();
    let reference = Reference::builder("com.shop.OrderService").engine(engine).protocol(injvm).build().unwrap();
    let start = Instant::now();
    reference.call_one_way(&call()).await.unwrap();
    assert_eq!((start.elapsed().as_millis(), done.load(SeqCst)), (0, 0));
    sleep(Duration::from_secs(1)).await;
    assert_eq!(done.load(SeqCst), 1);
}

/// A service of `tower` that wants to be asked twice whether it is ready.
#[derive(Clone)]
struct Slow(u32);

impl tower_service::Service<RpcInvocation<'static>> for Slow {
    type Response = AppResponse;
    type Error = RpcError;
    type Future = std::future::Ready<Result<AppResponse, RpcError>>;

    fn poll_ready(&mut self, context: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), RpcError>> {
        self.0 += 1;
        context.waker().wake_by_ref();
        if self.0 < 2 { std::task::Poll::Pending } else { std::task::Poll::Ready(Ok(())) }
    }

    fn call(&mut self, invocation: RpcInvocation<'static>) -> Self::Future {
        assert_eq!(self.0, 2, "it was not ready");
        use pointsman::Invocation as _;
        std::future::ready(Ok(AppResponse::new(invocation.method().to_owned())))
    }
}

#[tokio::test]
async fn services_of_tower_are_invokers_and_references_are_services_of_tower() {
    let url = Url::parse("tower://a:1/com.shop.OrderService").unwrap();
    let consumer = Url::parse("consumer://c/com.shop.OrderService").unwrap();
    let invoker: Arc<dyn Invoker> = Arc::new(TowerInvoker::new(url, Slow(0)));
    let directory = StaticDirectory::new(consumer, &[invoker], Arc::new(SystemClock)).unwrap();
    let mut reference = Reference::builder("").directory(Arc::new(directory)).build().unwrap();
    assert_eq!(told(&reference.call(&call()).await), "create");
    let answer = tower_service::Service::call(&mut reference, call()).await;
    assert_eq!(told(&answer), "create");
}

#[tokio::test]
async fn providers_are_asked_for_their_load_by_whoever_balances_by_it() {
    use pointsman::Invocation as _;
    for (balance, asked, load) in [("adaptive", "mem,load", 37.5), ("random", "-", 0.0)] {
        let injvm = Arc::new(InjvmProtocol::default());
        let url = Url::parse("injvm://127.0.0.1/com.shop.OrderService?service.filter=-load-report").unwrap();
        let _exported = Service::builder(url.clone())
            .protocol(Arc::clone(&injvm) as _)
            .export_function(|invocation| {
                let asked = invocation.attachment("lb_adaptive").unwrap_or("-").to_owned();
                Ok(AppResponse::new(asked).with_attachment("lb_adaptive", "curTime:1,load:37.5"))
            })
            .unwrap();
        let engine = pointsman::Engine::builder().providers([url]).build().unwrap();
        let builder = Reference::builder(SERVICE).engine(engine.clone()).protocol(injvm);
        let reference = builder.parameter("loadbalance", balance).build().unwrap();
        let answer = reference.call(&call()).await.unwrap();
        assert_eq!(answer.attachment("lb_adaptive").is_none(), balance == "adaptive", "whoever asked took it");
        assert_eq!(told(&Ok(answer)), asked);
        let explained = engine.explain(reference.site().directory().consumer(), &call(), None).unwrap();
        assert_eq!(engine.invoker_states().reported_load(explained.list.id(0).unwrap()), load, "{balance}");
    }
}

#[test]
fn a_builder_without_a_source_or_with_two_is_refused() {
    let error = Reference::builder("S").build().unwrap_err();
    assert!(error.message().contains("expected a directory or an engine"), "{error}");
    let consumer = Url::parse("consumer://c/S").unwrap();
    let directory = StaticDirectory::new(consumer, &[], Arc::new(SystemClock)).unwrap();
    let error = Reference::builder("S").directory(Arc::new(directory)).parameter("retries", "1").build().unwrap_err();
    assert!(error.message().contains("its own consumer"), "{error}");
}
