//! `consistent-hash`: where the arguments of calls lead.

use std::collections::HashMap;

use pointsman::loadbalance::ConsistentHash;
use pointsman::rpc::Invocation;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;
use serde_json::Value as Json;

use super::balance_differences::covering;
use super::balance_differences::naive_consistent_hash;
use super::reader::Row;
use super::reader::Vectors;
use super::report::Report;
use super::report::Verdict;
use crate::support::balancing::Balancing;
use crate::support::balancing::NOW_MS;

#[test]
fn a_ring_for_each_call_leads_where_dubbo_3_leads() {
    check("consistent-hash, naive", "java33", "", naive);
}

#[test]
fn a_kept_ring_leads_where_dubbo_3_leads() {
    check("consistent-hash", "java33", "", pick);
}

#[test]
fn a_bound_on_requests_leads_where_dubbo_2_leads() {
    check("consistent-hash, bounded", "java27", "&hash.bounded=true", pick);
}

fn naive(invokers: &[Url], calls: &[&RpcInvocation<'static>]) -> Vec<usize> {
    calls.iter().map(|call| naive_consistent_hash(invokers, *call)).collect()
}

fn pick(invokers: &[Url], calls: &[&RpcInvocation<'static>]) -> Vec<usize> {
    let policy = ConsistentHash::default();
    let mut by_method = HashMap::new();
    let mut pick = |call: &RpcInvocation<'static>| {
        let fresh = || Balancing::of(call.method(), invokers.iter().map(Url::as_str));
        let balancing: &Balancing = by_method.entry(call.method().to_owned()).or_insert_with(fresh);
        balancing.select_for(&policy, call, 0, NOW_MS, &[]).unwrap()
    };
    calls.iter().map(|call| pick(call)).collect()
}

/// The providers of a row, with the parameters that it adds to all of them.
fn invokers(vectors: &Vectors, row: &Row, more: &str) -> Vec<Url> {
    let parameters = row.get("url_params").as_object().unwrap().iter();
    let added: String = parameters.map(|(key, value)| format!("&{key}={}", value.as_str().unwrap())).collect();
    let with = |url: &Url| Url::parse(&format!("{url}{added}{more}")).unwrap();
    vectors.world(row).invokers.iter().map(with).collect()
}

fn check(
    name: &'static str,
    followed: &str,
    more: &str,
    pick: impl Fn(&[Url], &[&RpcInvocation<'static>]) -> Vec<usize>,
) {
    let Some(vectors) = Vectors::load("consistent-hash") else { return };
    let mut report = Report::new(name);
    for row in &vectors.rows {
        let invokers = invokers(&vectors, row, more);
        let calls: Vec<_> = row.get("calls").as_array().unwrap().iter().map(|name| vectors.call_named(name)).collect();
        let methods: Vec<&str> = calls.iter().map(|call| call.method()).collect();
        let (ours, theirs) = (pick(&invokers, &calls), row.get(followed));
        let names = covering(&invokers, &methods);
        // With a bound there is no second evaluator; what is left of a covered row is that everybody gets an answer.
        let is_right = || !more.is_empty() || ours == naive(&invokers, &calls);
        report.add([match Json::from(ours.clone()) == *theirs {
            true => Verdict::Plain,
            false if !names.is_empty() && is_right() => Verdict::Covered(names),
            false => Verdict::Failed(format!("{} theirs {theirs}, ours {ours:?}\n    {invokers:?}", row.id())),
        }]);
    }
    report.finish(20);
}
