//! Several registries under one roof.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use pointsman::Invoker;
use pointsman::Reference;
use pointsman::Url;
use pointsman::directory::StaticDirectory;
use pointsman::router::SystemClock;
use pointsman::rpc::RpcErrorKind;

use crate::stage::Does;
use crate::stage::Stage;
use crate::stage::call;
use crate::stage::told;

/// A reference to registries, each of which is one actor.
fn registries(parameters: &[&str]) -> (Stage, Reference) {
    let stage = Stage::default();
    for (name, parameters) in ["a", "b"].iter().zip(parameters) {
        stage.actor(name, parameters, |_| Does::Answer);
    }
    let invokers: Vec<Arc<dyn Invoker>> = stage.actors().into_iter().map(|actor| actor as _).collect();
    let consumer = Url::parse("consumer://c/com.shop.OrderService?cluster=zone-aware").unwrap();
    let directory = StaticDirectory::new(consumer, &invokers, Arc::new(SystemClock)).unwrap();
    let reference = Reference::builder("").directory(Arc::new(directory)).seed(3).build().unwrap();
    (stage, reference)
}

async fn shares(reference: &Reference, zone: Option<&str>) -> (usize, usize) {
    let mut of = (0, 0);
    for _ in 0..1_000 {
        let mut call = call();
        if let Some(zone) = zone {
            call = call.with_attachment("registry_zone", zone.to_owned());
        }
        match told(&reference.call(&call).await).as_str() {
            "a" => of.0 += 1,
            "b" => of.1 += 1,
            other => panic!("{other}"),
        }
    }
    of
}

#[tokio::test(start_paused = true)]
async fn a_zone_is_kept_in_either_spelling_and_left_only_if_that_is_allowed() {
    for parameters in [["zone=x", "zone=y"], ["registry.zone=x", "registry.zone=y"]] {
        let (stage, reference) = registries(&parameters);
        assert_eq!(shares(&reference, Some("y")).await, (0, 1_000));
        stage.actors()[1].is_available.store(false, SeqCst);
        let forced = call().with_attachment("registry_zone", "y").with_attachment("registry_zone_force", "true");
        let error = reference.call(&forced).await.unwrap_err();
        assert_eq!(error.kind(), RpcErrorKind::NoInvokerAvailableAfterFilter);
        assert!(error.message().contains("zone `y`"), "{error}");
        assert!(shares(&reference, Some("y")).await.0 > 0, "without force another zone helps out");
    }
}

#[tokio::test(start_paused = true)]
async fn a_preferred_registry_is_used_while_it_can_be_reached() {
    let (stage, reference) = registries(&["registry.preferred=true", "preferred=false"]);
    assert_eq!(shares(&reference, None).await, (1_000, 0));
    stage.actors()[0].is_available.store(false, SeqCst);
    assert!(shares(&reference, None).await.1 > 0);
}

#[tokio::test(start_paused = true)]
async fn weights_of_registries_count() {
    let (_stage, reference) = registries(&["weight=10", "weight=90"]);
    let (a, _) = shares(&reference, None).await;
    assert!((60..=145).contains(&a), "{a}");
}

#[tokio::test(start_paused = true)]
async fn without_registries_the_call_is_forbidden() {
    let (_stage, reference) = registries(&[]);
    assert_eq!(told(&reference.call(&call()).await), "error: forbidden");
}

#[tokio::test(start_paused = true)]
async fn a_reference_is_an_invoker_of_another() {
    let inner = Stage::default();
    inner.actor("z", "", |_| Does::Answer);
    let registry: Arc<dyn Invoker> = Arc::new(inner.reference(&[]));
    let consumer = Url::parse("consumer://c/com.shop.OrderService?cluster=zone-aware").unwrap();
    let directory = StaticDirectory::new(consumer, &[registry], Arc::new(SystemClock)).unwrap();
    let outer = Reference::builder("").directory(Arc::new(directory)).build().unwrap();
    assert_eq!(told(&outer.call(&call()).await), "z");
}

/// References to registries, each with stages of its own, behind one that chooses among them.
fn of_references(stages: &[&Stage], parameters: &[&str]) -> Reference {
    let invokers: Vec<Arc<dyn Invoker>> = stages
        .iter()
        .zip(parameters)
        .map(|(stage, parameters)| {
            let consumer = Url::parse(&format!("consumer://c/com.shop.OrderService?{parameters}")).unwrap();
            let engine = stage.engine().build().unwrap();
            let builder = Reference::builder("").consumer(consumer).engine(engine).protocol(Arc::new((*stage).clone()));
            Arc::new(builder.seed(5).build().unwrap()) as _
        })
        .collect();
    let consumer = Url::parse("consumer://c/com.shop.OrderService?cluster=zone-aware").unwrap();
    let directory = StaticDirectory::new(consumer, &invokers, Arc::new(SystemClock)).unwrap();
    Reference::builder("").directory(Arc::new(directory)).seed(3).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn references_to_several_registries_share_the_calls() {
    let (one, two) = (Stage::default(), Stage::default());
    one.actor("a", "", |_| Does::Answer);
    two.actor("b", "", |_| Does::Answer);
    let (a, b) = shares(&of_references(&[&one, &two], &["", ""]), None).await;
    assert!(a > 400 && b > 400, "{a} {b}");
    let (a, b) = shares(&of_references(&[&one, &two], &["x=1", "x=2&preferred=true"]), None).await;
    assert_eq!((a, b), (0, 1_000));
    let empty = Stage::default();
    empty.actor("nobody", "disabled=true", |_| Does::Answer);
    for parameters in [["preferred=true", ""], ["", ""]] {
        assert_eq!(shares(&of_references(&[&empty, &two], &parameters), None).await, (0, 1_000), "{parameters:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_registry_has_the_time_of_the_whole_call() {
    let stage = Stage::default();
    stage.actor("hangs", "weight=1000000", |_| Does::Hang);
    stage.actor("b", "weight=1", |_| Does::Answer);
    let reference = of_references(&[&stage], &[""]);
    assert_eq!(told(&reference.call(&call()).await), "b", "after the first attempt's second");
}
