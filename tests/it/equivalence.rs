//! The compiled engine answers as the naive evaluator does, on random rules, calls and lists; memo, binding and
//! overlay never change an answer.

use pointsman::condition::Dialect;
use pointsman::router::Binding;
use pointsman::rpc::Provider;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;
use pointsman::rpc::Value;
use pointsman::runtime::Engine;
use pointsman::runtime::RuleSet;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::compiled;
use crate::support::engine::url;
use crate::support::naive;
use crate::support::naive::Question;
use crate::support::naive::Reading;

/// A rule, a consumer, providers and a call.
#[derive(Debug, Clone)]
struct World {
    rules: Vec<(String, bool)>,
    dialect: Dialect,
    consumer: Url,
    providers: Vec<Url>,
    calls: Vec<RpcInvocation<'static>>,
}

const KEYS: [&str; 14] = [
    "host",
    "port",
    "protocol",
    "address",
    "region",
    "env",
    "level",
    "method",
    "arguments[0]",
    "arguments[1]",
    "attachments[user.id]",
    "attachments[k]",
    "application",
    "provider.region",
];
const VALUES: [&str; 17] = [
    "a", "b", "ab", "a*", "*b", "a*b", "*", "1", "5", "1~5", "~5", "5~", "$region", "$env", "$host", "10.0.0.*", "find",
];
const WORDS: [&str; 8] = ["a", "b", "ab", "aab", "1", "5", "7", ""];

fn pair() -> impl Strategy<Value = String> {
    let values = |separator| (Just(separator), prop::collection::vec(select(&VALUES[..]), 1..3));
    let list = prop_oneof![values("="), values("!=")]
        .prop_map(|(separator, values)| separator.to_owned() + values.join(",").as_str());
    (select(&KEYS[..]), prop::collection::vec(list, 0..3))
        .prop_map(|(key, lists)| key.to_owned() + lists.concat().as_str())
}

fn rule() -> impl Strategy<Value = String> {
    let side = || prop::collection::vec(pair(), 0..3).prop_map(|pairs| pairs.join(" & "));
    (side(), side()).prop_map(|(when, then)| format!("{when} => {then}"))
}

fn parameters() -> impl Strategy<Value = String> {
    let one = (select(&["region", "env", "level", "application", "default.env"][..]), select(&WORDS[..]));
    prop::collection::vec(one, 0..4)
        .prop_map(|pairs| pairs.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&"))
}

fn provider() -> impl Strategy<Value = Url> {
    let host = select(&["10.0.0.1:1", "10.0.0.2:5", "a:7", "ab"][..]);
    (select(&["dubbo", "tri"][..]), host, parameters()).prop_map(|(protocol, address, parameters)| {
        url(&format!("{protocol}://{address}/com.foo.BarService?{parameters}"))
    })
}

fn call() -> impl Strategy<Value = RpcInvocation<'static>> {
    let method = select(&["find", "a", "ab", "$invoke"][..]);
    let arguments = prop::collection::vec(
        prop_oneof![
            select(&WORDS[..]).prop_map(Value::from),
            (0..9_i64).prop_map(Value::from),
            Just(Value::Null),
            Just(Value::List(vec![Value::from("a"), Value::from(5)])),
        ],
        0..4,
    );
    let attachments = prop::collection::vec((select(&["user.id", "k", "x"][..]), select(&WORDS[..])), 0..3);
    (method, arguments, attachments).prop_map(|(method, arguments, attachments)| {
        let call = RpcInvocation::new("com.foo.BarService", method);
        let call = arguments.into_iter().fold(call, |call, value| call.with_argument("java.lang.Object", value));
        attachments.into_iter().fold(call, |call, (key, value)| call.with_attachment(key, value))
    })
}

fn world() -> impl Strategy<Value = World> {
    (
        prop::collection::vec((rule(), any::<bool>()), 1..4),
        select(&[Dialect::V2, Dialect::V3][..]),
        (select(&["10.0.0.1", "a:5", "10.0.0.2:1"][..]), parameters()),
        prop::collection::vec(provider(), 0..80),
        prop::collection::vec(call(), 1..5),
    )
        .prop_map(|(rules, dialect, (address, parameters), providers, calls)| {
            let consumer = url(&format!("consumer://{address}/com.foo.BarService?{parameters}"));
            World { rules, dialect, consumer, providers, calls }
        })
}

impl World {
    fn questions(&self) -> impl Iterator<Item = Question<'_>> {
        let dialect = self.dialect;
        self.rules.iter().map(move |(rule, force)| Question {
            rule,
            dialect,
            reading: Reading::Strict,
            force: *force,
            enabled: true,
        })
    }

    /// One rule after the other over what the one before left; none if a rule does not load.
    fn naively(&self, providers: &[Url], call: &RpcInvocation<'_>) -> Option<Vec<usize>> {
        let mut left: Vec<usize> = (0..providers.len()).collect();
        for question in self.questions() {
            let candidates: Vec<Url> = left.iter().map(|at| providers[*at].clone()).collect();
            let kept = naive::route(question, &self.consumer, &candidates, call).ok()?;
            left = if candidates.is_empty() { left } else { kept.into_iter().map(|at| left[at]).collect() };
        }
        Some(left)
    }

    fn routers(&self) -> Option<Vec<std::sync::Arc<dyn pointsman::router::Router>>> {
        self.questions().map(|question| compiled::router(question).ok().flatten()).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_compiled_engine_answers_as_the_naive_evaluator(world in world()) {
        let Some(routers) = world.routers() else {
            prop_assert!(world.calls.iter().all(|call| world.naively(&world.providers, call).is_none()));
            return Ok(());
        };
        let chain = compiled::bind(routers, &world.providers, &Binding::of(&world.consumer));
        for call in &world.calls {
            prop_assert_eq!(Some(compiled::walk(&chain, &world.consumer, call)), world.naively(&world.providers, call));
        }
    }

    #[test]
    fn memo_and_binding_never_change_an_answer(world in world()) {
        let Some(routers) = world.routers() else { return Ok(()) };
        let engine = |memo_bytes: usize| {
            let rules = RuleSet::of(routers.clone());
            Engine::builder().rules(rules).providers(world.providers.clone()).memo_bytes(memo_bytes).build().unwrap()
        };
        let (with, without) = (engine(1 << 20), engine(0));
        if world.providers.is_empty() {
            return Ok(());
        }
        let (mut with, mut without) = (with.session(), without.session());
        for call in world.calls.iter().chain(&world.calls) {
            let remembered = with.select(&world.consumer, call).unwrap().selection().clone();
            let walked = without.select(&world.consumer, call).unwrap().selection().clone();
            prop_assert_eq!(&remembered, &walked);
            let explained = with.explain(&world.consumer, call, None).unwrap().selection;
            prop_assert_eq!(&remembered, &explained);
        }
    }

    #[test]
    fn an_overlay_answers_as_a_list_of_merged_urls_would(world in world(), names in prop::sample::subsequence(vec!["region", "env", "level", "application"], 0..4)) {
        let Some(routers) = world.routers() else { return Ok(()) };
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let overridden: Vec<(&String, &str)> =
            names.iter().filter_map(|name| Some((name, world.consumer.parameter(name)?))).collect();
        let merge = |provider: &Url| {
            let separator = if provider.as_str().contains('?') { "&" } else { "?" };
            let more: Vec<_> = overridden.iter().map(|(name, value)| format!("{name}={value}")).collect();
            url(&format!("{}{separator}{}", provider.as_str(), more.join("&")))
        };
        let merged: Vec<Url> = world.providers.iter().map(merge).collect();
        let overlay = Binding { consumer: &world.consumer, overrides: &names };
        let chain = compiled::bind(routers, &world.providers, &overlay);
        for call in &world.calls {
            prop_assert_eq!(Some(compiled::walk(&chain, &world.consumer, call)), world.naively(&merged, call));
        }
    }

    #[test]
    fn a_list_that_grew_out_of_another_has_the_same_index(
        world in world(),
        kept in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
        fresh in prop::collection::vec(provider(), 0..20),
    ) {
        let Some(routers) = world.routers() else { return Ok(()) };
        if world.providers.is_empty() {
            return Ok(());
        }
        let mut next: Vec<Provider> = kept.iter().map(|at| at.get(&world.providers).clone().into()).collect();
        next.extend(fresh.into_iter().map(Provider::new));
        let engine = Engine::builder().rules(RuleSet::of(routers.clone())).providers(world.providers.clone());
        let engine = engine.build().unwrap();
        let urls: Vec<Url> = next.iter().map(|provider| provider.url().clone()).collect();
        engine.replace_providers(next).unwrap();
        if urls.is_empty() {
            return Ok(());
        }
        for call in &world.calls {
            let decision = engine.select(&world.consumer, call).unwrap();
            prop_assert_eq!(Some(decision.selection().positions().collect::<Vec<_>>()), world.naively(&urls, call));
        }
    }
}
