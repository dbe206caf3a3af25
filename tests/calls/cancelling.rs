//! A call that is given up at any point leaves nothing behind.

use std::future::Future as _;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::task::Context;
use std::task::Waker;
use std::time::Duration;

use pointsman::RpcContext;
use pointsman::RpcResult;
use pointsman::Url;
use pointsman::rpc::Filter;
use pointsman::rpc::FilterChain;
use pointsman::rpc::Step;

use crate::stage::Does;
use crate::stage::Stage;
use crate::stage::call;

/// Counts who is inside; every third call waits first.
#[derive(Debug, Default)]
struct Counting {
    inside: Arc<AtomicI64>,
    asked: AtomicUsize,
    answered: AtomicUsize,
    given_up: AtomicUsize,
}

impl Filter for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn before(&self, _: &mut RpcContext<'_>, _: &Url) -> Step {
        if self.asked.fetch_add(1, SeqCst).is_multiple_of(3) {
            let inside = Arc::clone(&self.inside);
            return Step::Wait(Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(1)).await;
                inside.fetch_add(1, SeqCst);
                Step::Pass(5)
            }));
        }
        self.inside.fetch_add(1, SeqCst);
        Step::Pass(5)
    }

    fn after(&self, _: &RpcContext<'_>, _: &Url, mark: u64, _: &mut RpcResult) {
        assert_eq!(mark, 5);
        self.inside.fetch_sub(1, SeqCst);
        self.answered.fetch_add(1, SeqCst);
    }

    fn given_up(&self, _: &Url, mark: u64) {
        assert_eq!(mark, 5);
        self.inside.fetch_sub(1, SeqCst);
        self.given_up.fetch_add(1, SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_given_up_after_any_number_of_polls_leaves_no_count_behind() {
    for policy in
        ["failover", "failfast", "failsafe", "failback", "forking", "broadcast", "available", "mergeable", "zone-aware"]
    {
        let stage = Stage::default();
        stage.actor("a", "group=a", |n| if n % 2 == 0 { Does::FailAfter(3) } else { Does::AnswerAfter(2) });
        stage.actor("b", "group=b", |_| Does::AnswerAfter(5));
        stage.actor("c", "group=c", |_| Does::Hang);
        let filter = Arc::new(Counting::default());
        let engine = stage.engine().build().unwrap();
        let parameters = [("cluster", policy), ("merger", "true"), ("group", "*"), ("timeout", "20")];
        let filters = FilterChain::new([Arc::clone(&filter) as Arc<dyn Filter>]);
        let reference = stage.reference_to(engine, &parameters).filters(filters).build().unwrap();
        let mut finished = 0;
        for polls in 0..60 {
            let invocation = call();
            let mut calling = pin!(reference.call(&invocation));
            for _ in 0..polls {
                if calling.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
                    finished += 1;
                    break;
                }
                tokio::time::advance(Duration::from_millis(1)).await;
            }
        }
        assert!(finished > 0, "{policy}: some calls end");
        assert_eq!(filter.inside.load(SeqCst), 0, "{policy}");
        assert!(filter.given_up.load(SeqCst) > 0 && filter.answered.load(SeqCst) > 0, "{policy}: both ends happen");
        // What failback does in the background ends by itself.
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!((stage.running(), filter.inside.load(SeqCst)), (0, 0), "{policy}");
        let mut left = Vec::new();
        let directory = reference.site().directory();
        let lend = &mut |listing: &pointsman::directory::Listing<'_>| {
            left = listing.list.ids().iter().map(|id| listing.states.active(*id)).collect();
        };
        directory.list(&call(), 1, lend).await.unwrap();
        assert_eq!(left, [0, 0, 0], "{policy}: nobody counts as busy");
    }
}

/// Panics at each hook in turn.
#[derive(Debug)]
struct Panicking(&'static str);

impl Filter for Panicking {
    fn name(&self) -> &str {
        "panicking"
    }

    fn before(&self, _: &mut RpcContext<'_>, _: &Url) -> Step {
        match self.0 {
            "before" => panic!("before"),
            "wait" => Step::Wait(Box::pin(async { panic!("wait") })),
            _ => Step::Pass(0),
        }
    }

    fn after(&self, _: &RpcContext<'_>, _: &Url, _: u64, _: &mut RpcResult) {
        assert_ne!(self.0, "after", "after");
    }
}

#[tokio::test(start_paused = true)]
async fn a_filter_that_panics_fails_the_call_and_the_others_hear_of_it() {
    for hook in ["before", "wait", "after"] {
        let stage = Stage::default();
        stage.actor("a", "", |_| Does::Answer);
        let counting = Arc::new(Counting { asked: AtomicUsize::new(1), ..Counting::default() });
        let filters = FilterChain::new([Arc::clone(&counting) as Arc<dyn Filter>, Arc::new(Panicking(hook))]);
        let engine = stage.engine().build().unwrap();
        let reference = stage.reference_to(engine, &[("cluster", "failfast")]).filters(filters).build().unwrap();
        let error = reference.call(&call()).await.unwrap_err();
        assert!(error.message().contains("panicking panicked: "), "{hook}: {error}");
        assert_eq!((counting.inside.load(SeqCst), counting.answered.load(SeqCst)), (0, 1), "{hook}");
    }
}
