//! What the built-in filters do around calls.

use std::future::Future;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::task::Poll;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio::time::advance;
use tokio::time::sleep;

use super::*;
use crate::router::FixedClock;
use crate::rpc::Answer;
use crate::rpc::AppResponse;
use crate::rpc::Filter;
use crate::rpc::FilterChain;
use crate::rpc::FunctionInvoker;
use crate::rpc::Invocation as _;
use crate::rpc::Invoker;
use crate::rpc::RpcContext;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcInvocation;
use crate::rpc::RpcResult;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::Value;

/// Answers after a while, and knows how many it is asked at once.
#[derive(Debug)]
struct Slow {
    url: Url,
    takes: Duration,
    now: AtomicUsize,
    most: AtomicUsize,
    /// The first arguments, in the order in which calls came.
    served: Mutex<Vec<String>>,
}

struct Leaving<'a>(&'a AtomicUsize);

/// Counts what it is told, and lets calls wait twice if it is asked to.
#[derive(Debug, Default)]
struct Told {
    waits: bool,
    passed: Arc<AtomicUsize>,
    ended: AtomicUsize,
}

/// Panics where its name says.
#[derive(Debug)]
struct Panicking(&'static str);

impl Slow {
    fn new(url: &str, takes_ms: u64) -> Self {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let takes = Duration::from_millis(takes_ms);
        Self { url: Url::parse(url).unwrap(), takes, now, most, served: Mutex::default() }
    }
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Invoker for Slow {
    fn url(&self) -> &Url {
        &self.url
    }

    fn invoke<'a>(&'a self, context: &'a RpcContext<'_>) -> Answer<'a> {
        Answer::later(async move {
            let now = self.now.fetch_add(1, SeqCst) + 1;
            let _leaving = Leaving(&self.now);
            self.most.fetch_max(now, SeqCst);
            self.served.lock().extend(context.argument(0).map(|argument| argument.text().into_owned()));
            sleep(self.takes).await;
            Ok(AppResponse::new("done"))
        })
    }
}

impl Filter for Told {
    fn name(&self) -> &str {
        "told"
    }

    fn before(&self, _: &mut RpcContext<'_>, _: &Url) -> Step {
        let passed = Arc::clone(&self.passed);
        let pass = move || {
            passed.fetch_add(1, SeqCst);
            Step::Pass(7)
        };
        if !self.waits {
            return pass();
        }
        Step::Wait(Box::pin(async move {
            sleep(Duration::from_millis(1)).await;
            Step::Wait(Box::pin(async move {
                sleep(Duration::from_millis(1)).await;
                pass()
            }))
        }))
    }

    fn after(&self, _: &RpcContext<'_>, _: &Url, mark: u64, _: &mut RpcResult) {
        assert_eq!(mark, 7);
        self.ended.fetch_add(1, SeqCst);
    }

    fn given_up(&self, _: &Url, mark: u64) {
        assert_eq!(mark, 7);
        self.ended.fetch_add(1, SeqCst);
    }
}

impl Filter for Panicking {
    fn name(&self) -> &str {
        self.0
    }

    fn before(&self, _: &mut RpcContext<'_>, _: &Url) -> Step {
        assert_ne!(self.0, "before");
        match self.0 {
            "wait" => Step::Wait(Box::pin(async { panic!("while it waits") })),
            _ => Step::Pass(0),
        }
    }

    fn after(&self, _: &RpcContext<'_>, _: &Url, _: u64, _: &mut RpcResult) {
        assert_ne!(self.0, "after");
    }
}

fn url(query: &str) -> Url {
    Url::parse(&format!("dubbo://10.0.0.1:1/S?{query}")).unwrap()
}

fn chain(filters: &[&Arc<dyn Filter>]) -> FilterChain {
    FilterChain::new(filters.iter().map(|filter| Arc::clone(filter)))
}

/// The answer of `invoker` to `call` behind one filter.
fn answer(filter: impl Filter + 'static, invoker: &dyn Invoker, call: &RpcInvocation<'_>) -> RpcResult {
    let chain = FilterChain::new([Arc::new(filter) as Arc<dyn Filter>]);
    pollster::block_on(chain.invoke(invoker, &mut RpcContext::new(call)))
}

/// A service that answers with method and arguments.
fn telling(query: &str) -> impl Invoker {
    FunctionInvoker::new(url(query), |context| {
        let arguments = (0..context.argument_count()).filter_map(|index| {
            let value = context.argument(index)?.text().into_owned();
            Some(format!("{} {value}", context.parameter_type(index)?))
        });
        Ok(AppResponse::new(format!("{}({})", context.method(), arguments.collect::<Vec<_>>().join(", "))))
    })
}

fn kind(result: &RpcResult) -> Option<RpcErrorKind> {
    result.as_ref().err().map(|error| error.kind())
}

/// Polls a future `times` times, a millisecond apart, and drops it then; whether it was done.
async fn dropped_after(times: usize, future: impl Future<Output = RpcResult>) -> bool {
    let mut future = pin!(future);
    for _ in 0..times {
        if poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await {
            return true;
        }
        advance(Duration::from_millis(1)).await;
    }
    false
}

#[tokio::test(start_paused = true)]
async fn waiting_calls_are_served_in_the_order_in_which_they_came() {
    let invoker = Arc::new(Slow::new("dubbo://10.0.0.1:1/S?actives=2&timeout=60000", 10));
    let filter = Arc::new(ActiveLimitFilter::new(url("")));
    let start = Instant::now();
    let calls: Vec<_> = (0..21_i64)
        .map(|number| {
            let (chain, invoker) = (FilterChain::new([filter.clone() as Arc<dyn Filter>]), invoker.clone());
            tokio::spawn(async move {
                let call = RpcInvocation::new("S", "find").with_argument("long", number);
                chain.invoke(&invoker, &mut RpcContext::new(&call)).await
            })
        })
        .collect();
    for call in calls {
        assert!(call.await.unwrap().is_ok());
    }
    assert_eq!(*invoker.served.lock(), (0..21).map(|number| number.to_string()).collect::<Vec<_>>());
    assert_eq!((invoker.most.load(SeqCst), filter.taken()), (2, 0));
    assert_eq!(start.elapsed(), Duration::from_millis(110), "two at a time, and nobody idles");
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_a_place_as_long_as_its_timeout_says() {
    for (consumer, provider, deadline_ms, waits_ms) in [
        ("actives=1&timeout=30", "", None, 30),
        ("actives=1&timeout=30", "timeout=70", None, 30),
        ("timeout=30", "find.actives=1&find.timeout=70", None, 70),
        ("", "actives=1", None, 1_000),
        ("actives=1&timeout=30", "", Some(20), 20),
        ("actives=1&timeout=30", "", Some(30), 30),
    ] {
        let case = format!("`{consumer}` `{provider}` {deadline_ms:?}");
        let invoker = Slow::new(url(provider).as_str(), 5_000);
        let filter = Arc::new(ActiveLimitFilter::new(url(consumer)));
        let chain = FilterChain::new([filter.clone() as Arc<dyn Filter>]);
        let call = RpcInvocation::new("S", "find");
        let mut held = RpcContext::new(&call);
        let mut held = Box::pin(chain.invoke(&invoker, &mut held));
        assert!(poll_fn(|context| Poll::Ready(held.as_mut().poll(context).is_pending())).await);

        let start = Instant::now();
        let deadline = deadline_ms.map(|millis| start + Duration::from_millis(millis));
        let result = chain.invoke(&invoker, &mut RpcContext::new(&call).with_deadline(deadline)).await;
        assert_eq!(kind(&result), Some(RpcErrorKind::LimitExceeded), "{case}");
        assert_eq!(start.elapsed(), Duration::from_millis(waits_ms), "{case}");
        let expected =
            format!("waited {waits_ms} ms in vain for one of the 1 places (`actives`) of `find` at 10.0.0.1:1");
        assert_eq!(result.unwrap_err().message(), expected);
        drop(held);
        assert_eq!(filter.taken(), 0, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_without_a_limit_are_not_counted() {
    let invoker = Slow::new("dubbo://10.0.0.1:1/S?find.actives=1&actives=-1", 10);
    let filter = Arc::new(ActiveLimitFilter::new(url("actives=no")));
    let chain = FilterChain::new([filter.clone() as Arc<dyn Filter>]);
    let save = RpcInvocation::new("S", "save");
    let (mut one, mut two) = (RpcContext::new(&save), RpcContext::new(&save));
    let (one, two) = tokio::join!(chain.invoke(&invoker, &mut one), chain.invoke(&invoker, &mut two));
    assert!(one.is_ok() && two.is_ok());
    assert_eq!((invoker.most.load(SeqCst), filter.taken()), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn wherever_a_call_is_given_up_its_place_is_free_and_its_filters_are_told_once() {
    let call = RpcInvocation::new("S", "find");
    let mut done_after = None;
    for polls in 0..40 {
        let invoker = Slow::new("dubbo://10.0.0.1:1/S?actives=1&executes=1", 5);
        let active = Arc::new(ActiveLimitFilter::new(url("timeout=60000")));
        let execute = Arc::new(ExecuteLimitFilter::new(invoker.url.clone()));
        let told: [Arc<Told>; 2] = [true, false].map(|waits| Arc::new(Told { waits, ..Told::default() }));
        let [first, last] = [told[0].clone() as Arc<dyn Filter>, told[1].clone() as Arc<dyn Filter>];
        let chain =
            chain(&[&first, &(active.clone() as Arc<dyn Filter>), &(execute.clone() as Arc<dyn Filter>), &last]);

        // One has the place for a while, so that the other waits at the filters, for the place, and for its answer.
        let (mut one, mut two, mut three) = (RpcContext::new(&call), RpcContext::new(&call), RpcContext::new(&call));
        let holder = async { assert!(chain.invoke(&invoker, &mut one).await.is_ok()) };
        let given_up = async {
            if dropped_after(polls, chain.invoke(&invoker, &mut two)).await {
                done_after = done_after.or(Some(polls));
            }
        };
        let behind = async { assert!(chain.invoke(&invoker, &mut three).await.is_ok(), "{polls} polls") };
        tokio::join!(holder, given_up, behind);

        assert_eq!((active.taken(), execute.taken()), (0, 0), "{polls} polls");
        assert_eq!(invoker.most.load(SeqCst), 1, "{polls} polls");
        for told in &told {
            assert_eq!(told.passed.load(SeqCst), told.ended.load(SeqCst), "{polls} polls");
        }
    }
    assert!(done_after.is_some_and(|polls| polls > 5), "it was given up on its way and at its end: {done_after:?}");
}

#[tokio::test(start_paused = true)]
async fn a_place_that_was_handed_to_a_call_which_is_given_up_goes_on_to_the_next() {
    let invoker = Slow::new("dubbo://10.0.0.1:1/S?actives=1&timeout=60000", 5);
    let filter = Arc::new(ActiveLimitFilter::new(url("")));
    let chain = FilterChain::new([filter.clone() as Arc<dyn Filter>]);
    let call = RpcInvocation::new("S", "find");
    let [mut one, mut two, mut three] = [(); 3].map(|()| RpcContext::new(&call));
    let mut one = Box::pin(chain.invoke(&invoker, &mut one));
    let mut two = Box::pin(chain.invoke(&invoker, &mut two));
    let mut three = Box::pin(chain.invoke(&invoker, &mut three));
    for waiting in [&mut one, &mut two, &mut three] {
        assert!(poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context).is_pending())).await);
    }
    assert!(one.await.is_ok());
    // The second has the place now and does not know it yet.
    drop(two);
    assert!(three.await.is_ok());
    assert_eq!((filter.taken(), invoker.most.load(SeqCst)), (0, 1));
}

#[test]
fn a_panic_around_a_limit_is_an_error_and_takes_no_place_along() {
    let invoker = FunctionInvoker::new(url("actives=1&executes=1"), |_| panic!("inside"));
    let call = RpcInvocation::new("S", "find");
    for whose in ["before", "wait", "after", "invoker"] {
        let active = Arc::new(ActiveLimitFilter::new(url("")));
        let execute = Arc::new(ExecuteLimitFilter::new(invoker.url().clone()));
        let told = Arc::new(Told::default());
        let filters: [Arc<dyn Filter>; 4] = [told.clone(), active.clone(), execute.clone(), Arc::new(Panicking(whose))];
        let chain = FilterChain::new(filters);
        for _ in 0..3 {
            let result = pollster::block_on(chain.invoke(&invoker, &mut RpcContext::new(&call)));
            assert_eq!(kind(&result), Some(RpcErrorKind::Unknown), "{whose}: {result:?}");
            assert_eq!((active.taken(), execute.taken()), (0, 0), "{whose}");
        }
        assert_eq!((told.passed.load(SeqCst), told.ended.load(SeqCst)), (3, 3), "{whose}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_refuses_at_once_what_is_beyond_its_places() {
    let invoker = Slow::new("dubbo://10.0.0.1:1/S?executes=2&free.executes=0", 10);
    let filter = Arc::new(ExecuteLimitFilter::new(invoker.url.clone()));
    let chain = FilterChain::new([filter.clone() as Arc<dyn Filter>]);
    let find = RpcInvocation::new("S", "find");
    let generic = RpcInvocation::new("S", "$invoke").with_argument("java.lang.String", "find");
    let free = RpcInvocation::new("S", "free");
    let [mut a, mut b, mut c] = [&find, &generic, &find].map(|call| RpcContext::new(call));
    let start = Instant::now();
    let third = async {
        let result = chain.invoke(&invoker, &mut c).await;
        (start.elapsed(), result)
    };
    let (a, b, (after, c)) = tokio::join!(chain.invoke(&invoker, &mut a), chain.invoke(&invoker, &mut b), third);
    assert!(a.is_ok() && b.is_ok());
    assert_eq!((after, kind(&c)), (Duration::ZERO, Some(RpcErrorKind::LimitExceeded)));
    assert_eq!(c.unwrap_err().message(), "all 2 places (`executes`) of `find` are taken");

    let mut contexts = [(); 9].map(|()| RpcContext::new(&free));
    let mut many: Vec<_> = contexts.iter_mut().map(|context| Box::pin(chain.invoke(&invoker, context))).collect();
    for call in &mut many {
        assert!(poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_pending())).await);
    }
    assert_eq!(invoker.now.load(SeqCst), 9, "0 is no limit");
    drop(many);
    assert_eq!(filter.taken(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_rate_holds_for_an_interval_and_then_anew() {
    let filter = TpsLimitFilter::new(&url("tps=3&tps.interval=1000&find.tps=1&save.tps=-1"));
    let mut taken = |method: &str| {
        let call = RpcInvocation::new("S", method.to_owned());
        let step = filter.before(&mut RpcContext::new(&call), &url(""));
        match step {
            Step::Pass(_) => true,
            Step::Answer(Err(error)) => {
                assert_eq!(error.kind(), RpcErrorKind::LimitExceeded);
                false
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        ["a", "b", "a", "b", "a"].map(&mut taken),
        [true, true, true, false, false],
        "one count for all methods"
    );
    assert_eq!(["find", "find"].map(&mut taken), [true, false], "a count of its own");
    assert_eq!(["save"; 9].map(&mut taken), [true; 9], "no limit");
    advance(Duration::from_millis(999)).await;
    assert!(!taken("a"));
    advance(Duration::from_millis(1)).await;
    assert_eq!(["a", "b", "a", "b"].map(&mut taken), [true, true, true, false]);
}

#[test]
fn whoever_has_the_providers_url_has_its_token() {
    let registry = FilterRegistry::with_defaults();
    let service = url("token=s3cret&side=provider");
    let provider = registry.chain(Side::Provider, &service).unwrap();
    let inside = FunctionInvoker::new(service.clone(), |context| {
        assert_eq!(context.attachment("token"), None, "hidden from the service");
        Ok(AppResponse::new(context.attachment("remote.application").unwrap_or("?").to_owned()))
    });
    for (consumer, known, attached, expected) in [
        ("application=web%2Dshop", "token=s3cret", None, Ok("web-shop")),
        ("", "token=s3cret", None, Ok("?")),
        ("", "token=other", None, Err("`S.find` was called with a wrong token")),
        ("", "token=false", None, Err("`S.find` was called without a token")),
        ("", "", None, Err("`S.find` was called without a token")),
        ("", "", Some("s3cret"), Ok("?")),
        ("", "token=s3cret", Some("mine"), Err("`S.find` was called with a wrong token")),
        ("filter=-token", "token=s3cret", None, Err("`S.find` was called without a token")),
    ] {
        let case = format!("`{consumer}` `{known}` {attached:?}");
        let mut call = RpcInvocation::new("S", "find");
        call = match attached {
            Some(token) => call.with_attachment("token", token),
            None => call,
        };
        let outside = FunctionInvoker::new(url(known), |context| {
            pollster::block_on(provider.invoke(&inside, &mut context.clone()))
        });
        let consumer = registry.chain(Side::Consumer, &url(consumer)).unwrap();
        let result = pollster::block_on(consumer.invoke(&outside, &mut RpcContext::new(&call)));
        match expected {
            Ok(caller) => assert_eq!(result.unwrap(), AppResponse::new(caller), "{case}"),
            Err(message) => {
                let error = result.unwrap_err();
                assert_eq!((error.kind(), error.message()), (RpcErrorKind::Authorization, message), "{case}");
            }
        }
    }
}

#[test]
fn an_echo_is_answered_without_the_service() {
    let nobody = || FunctionInvoker::new(url(""), |_| panic!("asked"));
    let call = RpcInvocation::new("S", "$echo").with_argument("java.lang.String", "ok");
    assert_eq!(answer(EchoFilter, &nobody(), &call).unwrap(), AppResponse::new("ok"));
    let call = call.with_argument("int", 1_i64);
    let told = answer(EchoFilter, &telling(""), &call).unwrap();
    assert_eq!(told, AppResponse::new("$echo(java.lang.String ok, int 1)"), "another method");
}

#[test]
fn a_generic_call_becomes_a_plain_one() {
    let list = |values: &[Value<'static>]| Value::List(values.to_vec());
    let types = list(&["java.lang.String".into(), "int".into()]);
    let values = list(&["book".into(), 3_i64.into()]);
    for (query, method, name, types, values, form, expected) in [
        (
            "",
            "$invoke",
            " create ".into(),
            types.clone(),
            values.clone(),
            "",
            Ok("create(java.lang.String book, int 3)"),
        ),
        (
            "",
            "$invokeAsync",
            "create".into(),
            types.clone(),
            values.clone(),
            "true",
            Ok("create(java.lang.String book, int 3)"),
        ),
        (
            "",
            "$invoke",
            "create".into(),
            Value::Null,
            values.clone(),
            "raw.return",
            Ok("create(java.lang.String book, long 3)"),
        ),
        ("", "$invoke", "create".into(), types.clone(), Value::Null, "", Ok("create(java.lang.String null, int null)")),
        ("", "$invoke", "ping".into(), list(&[]), list(&[]), "", Ok("ping()")),
        ("", "$invoke", "ping".into(), Value::Null, Value::Null, "", Ok("ping()")),
        ("", "create", "book".into(), Value::Null, Value::Null, "", Ok("create(x book, x null, x null)")),
        ("generic=true", "$invoke", "a".into(), Value::Null, Value::Null, "", Ok("$invoke(x a, x null, x null)")),
        ("", "$invoke", Value::Null, Value::Null, Value::Null, "", Err("expected a method's name")),
        ("", "$invoke", " ".into(), Value::Null, Value::Null, "", Err("expected a method's name")),
        (
            "",
            "$invoke",
            "a".into(),
            types,
            list(&[]),
            "",
            Err("expected as many arguments as types for `a`, found 0 and 2"),
        ),
        ("", "$invoke", "a".into(), "b".into(), Value::Null, "", Err("expected a list as argument 1")),
        ("", "$invoke", "a".into(), Value::Null, Value::Null, "nativejava", Err("expected a generic call of the form")),
    ] {
        let call = RpcInvocation::new("S", method)
            .with_argument("x", name)
            .with_argument("x", types)
            .with_argument("x", values)
            .with_attachment("generic", form);
        let case = format!("{:?} {form}", call.arguments());
        let result = answer(GenericFilter::new(&url(query)), &telling(query), &call);
        match expected {
            Ok(told) => assert_eq!(result.unwrap(), AppResponse::new(told), "{case}"),
            Err(start) => {
                let error = result.unwrap_err();
                assert_eq!(error.kind(), RpcErrorKind::Serialization, "{case}");
                assert!(error.message().starts_with(start), "{case}: {error}");
            }
        }
    }
}

#[test]
fn services_that_name_one_file_write_into_it_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("access.log");
    let file = Arc::new(AccessLogFile::append_to(&path).unwrap());
    let clock = Arc::new(FixedClock(jiff::Timestamp::UNIX_EPOCH));
    for (service, method) in [("group=g&version=1", "find"), ("interface=T", "save")] {
        let filter = AccessLogFilter::new(&url(service), Some(file.clone()), clock.clone());
        let call = RpcInvocation::new("S", method).with_argument("int", 1_i64);
        assert!(answer(filter, &telling(""), &call).is_ok());
    }
    Arc::into_inner(file).unwrap().finish();
    let expected = "1970-01-01T00:00:00Z - -> g/S:1 find(int) [1]\n1970-01-01T00:00:00Z - -> T save(int) [1]\n";
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
}

#[test]
fn an_access_log_goes_where_the_url_says() {
    let registry = FilterRegistry::with_defaults();
    for (query, path) in [
        ("", None),
        ("accesslog=false", None),
        ("accesslog=true", None),
        ("accesslog=Default", None),
        ("accesslog=%2Fvar%2Flog%2Fa.log", Some("/var/log/a.log")),
    ] {
        let path = path.map(Into::into);
        assert_eq!(AccessLogFilter::path(&url(query)), path, "`{query}`");
    }
    let refused = registry.chain(Side::Provider, &url("accesslog=/nowhere/to/be/found/a.log")).unwrap_err();
    assert!(refused.message().starts_with("cannot write the access log `/nowhere"), "{refused}");
}

#[test]
fn the_built_in_filters_stand_in_dubbos_order() {
    let registry = FilterRegistry::with_defaults();
    let names = |side: Side, query: &str| {
        let chain = registry.chain(side, &url(query)).unwrap();
        chain.filters().iter().map(|filter| filter.name().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(Side::Consumer, ""), "consumercontext active-limit token");
    assert_eq!(names(Side::Provider, ""), "load-report echo generic exception timeout context");
    let all = names(Side::Provider, "accesslog=true&executes=1&token=x&find.tps=1");
    assert_eq!(all, "load-report echo generic accesslog exception executelimit timeout token tps context");
}
