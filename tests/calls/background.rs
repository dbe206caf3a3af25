//! What goes on behind a call: calls that are made again, providers that come back, rules that take their time.

use crate::stage::Does;
use crate::stage::SERVICE;
use crate::stage::Stage;
use crate::stage::call;
use crate::stage::told;
use pointsman::Invocation;
use pointsman::Invoker;
use pointsman::Reference;
use pointsman::RpcError;
use pointsman::Service;
use pointsman::Url;
use pointsman::directory::Directory;
use pointsman::directory::DirectoryError;
use pointsman::directory::Lend;
use pointsman::directory::StaticDirectory;
use pointsman::loadbalance::InvokerStates;
use pointsman::router::SystemClock;
use pointsman::rpc::InvokerId;
use pointsman::rpc::RpcErrorKind;
use pointsman::rpc::RpcErrorKind::Network;
use pointsman::rpc::Soon;
use pointsman::runtime::CallOptions;
use pointsman::transport::InjvmProtocol;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;
use tokio::time::Instant;
use tokio::time::sleep;

#[tokio::test(start_paused = true)]
async fn failback_tries_again_until_it_succeeds_and_never_after() {
    let stage = Stage::default();
    let actor = stage.actor("a", "", |n| if n < 3 { Does::Fail(Network) } else { Does::Answer });
    let reference = stage.reference(&[("cluster", "failback"), ("retries", "5")]);
    assert_eq!(told(&reference.call(&call()).await), "null");
    sleep(Duration::from_secs(60)).await;
    assert_eq!(actor.asked(), 4);
}

#[tokio::test(start_paused = true)]
async fn failback_gives_up_when_its_retries_are_used_up() {
    let stage = Stage::default();
    let actor = stage.actor("a", "", |_| Does::Fail(Network));
    let reference = stage.reference(&[("cluster", "failback"), ("retries", "3")]);
    reference.call(&call()).await.unwrap();
    sleep(Duration::from_secs(120)).await;
    assert_eq!(actor.asked(), 4);
}

#[tokio::test(start_paused = true)]
async fn failback_counts_what_is_set_and_tries_others_first() {
    for (parameters, asked) in [(&[][..], 4), (&[("retries", "0")], 1), (&[("retries", "-1")], 4)] {
        let stage = Stage::default();
        let actor = stage.actor("a", "", |_| Does::Fail(Network));
        let reference = stage.reference(&[&[("cluster", "failback")], parameters].concat());
        reference.call(&call()).await.unwrap();
        sleep(Duration::from_secs(120)).await;
        assert_eq!(actor.asked(), asked, "{parameters:?}");
    }
    for seed in 0..20 {
        let stage = Stage::default();
        let [a, b] = ["a", "b"].map(|name| {
            stage.actor(name, "", |n| if n == 0 { Does::Fail(RpcErrorKind::Unknown) } else { Does::Answer })
        });
        let engine = stage.engine().build().unwrap();
        let reference = stage.reference_to(engine, &[("cluster", "failback")]).seed(seed).build().unwrap();
        reference.call(&call()).await.unwrap();
        sleep(Duration::from_secs(6)).await;
        assert_eq!((a.asked(), b.asked()), (1, 1), "seed {seed}");
    }
}

#[test]
fn those_set_aside_come_back_though_the_runtime_is_gone_that_noticed_it() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let stage = Stage::default();
    let a = stage.actor("a", "", |n| if n == 0 { Does::Fail(Network) } else { Does::Answer });
    stage.actor("b", "weight=1", |_| Does::Answer);
    let reference = stage.reference(&[]);
    let first = runtime();
    first.block_on(async {
        while a.asked() == 0 {
            reference.call(&call()).await.unwrap();
        }
    });
    drop(first);
    runtime().block_on(async {
        reference.call(&call()).await.unwrap();
        sleep(Duration::from_secs(5)).await;
        for _ in 0..50 {
            reference.call(&call()).await.unwrap();
        }
    });
    assert!(a.asked() > 20, "{}", a.asked());
}

/// Never decides.
#[derive(Debug)]
struct Undecided(Arc<StaticDirectory>);

impl Directory for Undecided {
    fn consumer(&self) -> &Url {
        self.0.consumer()
    }

    fn states(&self) -> &Arc<InvokerStates> {
        self.0.states()
    }

    fn list<'a>(&'a self, _: &'a dyn Invocation, _: u64, _: Lend<'a>) -> Soon<'a, Result<(), DirectoryError>> {
        Soon::later(std::future::pending())
    }

    fn set_aside(&self, _: InvokerId, _: &Arc<dyn Invoker>) {}

    fn destroy(&self) {}
}

#[tokio::test(start_paused = true)]
async fn a_deadline_holds_while_rules_are_waited_for() {
    for policy in ["failover", "broadcast", "zone-aware"] {
        let consumer = Url::parse(&format!("consumer://c/com.shop.OrderService?cluster={policy}")).unwrap();
        let inside = Arc::new(StaticDirectory::new(consumer, &[], Arc::new(SystemClock)).unwrap());
        let reference = Reference::builder("").directory(Arc::new(Undecided(inside))).build().unwrap();
        let start = Instant::now();
        let options = CallOptions { deadline: Some(start + Duration::from_millis(100)), ..CallOptions::default() };
        let error = reference.call_with(&call(), options).await.unwrap_err();
        assert_eq!((error.kind(), start.elapsed()), (RpcErrorKind::Timeout, Duration::from_millis(100)), "{policy}");
        assert!(error.message().contains("had not decided by its deadline"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_is_gone_and_fails_late_sets_nobody_aside() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::FailAfter(500));
    let engine = stage.engine().build().unwrap();
    let reference = stage.reference_to(engine.clone(), &[("cluster", "failfast")]).build().unwrap();
    let late = {
        let reference = reference.clone();
        tokio::spawn(async move { reference.call(&call()).await })
    };
    sleep(Duration::from_millis(100)).await;
    stage.actor("b", "", |_| Does::Answer);
    engine.replace_providers(stage.urls().into_iter().skip(1)).unwrap();
    late.await.unwrap().unwrap_err();
    assert!(engine.invoker_states().all_available());
}

#[tokio::test(start_paused = true)]
async fn a_service_whose_own_call_fails_is_well() {
    let injvm = Arc::new(InjvmProtocol::default());
    let url = Url::parse("injvm://127.0.0.1/com.shop.OrderService").unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let exported = Service::builder(url.clone()).protocol(Arc::clone(&injvm) as _).export_function(move |_| {
        counted.fetch_add(1, SeqCst);
        Err(RpcError::new(Network, "the warehouse cannot be reached"))
    });
    let _exported = exported.unwrap();
    let engine = pointsman::Engine::builder().providers([url]).build().unwrap();
    let reference = Reference::builder(SERVICE).engine(engine.clone()).protocol(injvm).build().unwrap();
    assert_eq!(told(&reference.call(&call()).await), "threw org.apache.dubbo.rpc.RpcException");
    assert!(count.load(SeqCst) == 1 && engine.invoker_states().all_available());
}
