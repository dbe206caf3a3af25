//! `round-robin`: whom smooth weighted round robin picks, call after call.

use pointsman::loadbalance::RoundRobin;
use pointsman::rpc::Url;
use serde_json::Value as Json;

use super::balance_differences::NaiveRoundRobin;
use super::balance_differences::covering;
use super::reader::Vectors;
use super::report::Report;
use super::report::Verdict;
use crate::support::balancing::Balancing;

const METHOD: &str = "sayHello";

#[test]
fn a_look_at_all_picks_whom_dubbo_3_picks() {
    check("round-robin, naive", naive);
}

#[test]
fn round_robin_picks_whom_dubbo_3_picks() {
    check("round-robin", |invokers, calls| {
        let (policy, balancing) = (RoundRobin::default(), Balancing::of(METHOD, invokers.iter().map(Url::as_str)));
        (0..calls).map(|seed| balancing.select(&policy, seed).unwrap()).collect()
    });
}

fn naive(invokers: &[Url], calls: u64) -> Vec<usize> {
    let mut policy = NaiveRoundRobin::default();
    (0..calls).map(|_| policy.pick(invokers, METHOD)).collect()
}

fn check(name: &'static str, pick: impl Fn(&[Url], u64) -> Vec<usize>) {
    let Some(vectors) = Vectors::load("round-robin") else { return };
    let mut report = Report::new(name);
    for row in &vectors.rows {
        let (world, theirs, calls) = (vectors.world(row), row.get("java33"), row.get("calls").as_u64().unwrap());
        let ours = pick(&world.invokers, calls);
        let names = covering(&world.invokers, &[METHOD]);
        report.add([match Json::from(ours.clone()) == *theirs {
            true => Verdict::Plain,
            false if !names.is_empty() && ours == naive(&world.invokers, calls) => Verdict::Covered(names),
            false => Verdict::Failed(format!("{} theirs {theirs}, ours {ours:?}\n    {world:?}", row.id())),
        }]);
    }
    report.finish(2);
}
