//! Many calls while providers change.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

use pointsman::rpc::RpcErrorKind;

use crate::stage::Does;
use crate::stage::Stage;
use crate::stage::call;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_thousand_calls_while_providers_change_leave_nobody_in_flight() {
    let stage = Stage::default();
    for n in 0..20 {
        stage.actor(&format!("h{n}"), "", move |asked| {
            if n == 3 && asked % 2 == 0 { Does::Fail(RpcErrorKind::Unknown) } else { Does::Answer }
        });
    }
    let engine = stage.engine().build().unwrap();
    let reference = stage.reference_to(engine.clone(), &[("loadbalance", "leastactive")]).build().unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let changing = tokio::task::spawn_blocking({
        let (is_over, urls) = (Arc::clone(&is_over), stage.urls());
        move || {
            let mut turn = 0;
            while !is_over.load(SeqCst) {
                turn += 1;
                let left = urls.iter().enumerate().filter(|(n, _)| (n + turn) % 4 != 0).map(|(_, url)| url.clone());
                engine.replace_providers(left).unwrap();
            }
            turn
        }
    });
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let reference = reference.clone();
            tokio::spawn(async move {
                let mut answered = 0;
                for _ in 0..25_000 {
                    answered += usize::from(reference.call(&call()).await.is_ok());
                }
                answered
            })
        })
        .collect();
    let mut answered = 0;
    for caller in callers {
        answered += caller.await.unwrap();
    }
    is_over.store(true, SeqCst);
    assert!(changing.await.unwrap() > 10);
    assert_eq!(answered, 100_000);
    let states = reference.site().directory().states();
    let mut busy = 0;
    let lend = &mut |listing: &pointsman::directory::Listing<'_>| {
        busy = listing.list.ids().iter().map(|id| states.active(*id)).sum();
    };
    reference.site().directory().list(&call(), 1, lend).await.unwrap();
    assert_eq!(busy, 0);
}
