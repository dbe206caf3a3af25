//! Where picking a candidate deliberately means something else than in Dubbo, and whom a look at all of them picks.

use std::collections::BTreeMap;

use md5::Digest;
use md5::Md5;
use pointsman::rpc::Invocation;
use pointsman::rpc::Url;

/// One class of differences, told by the candidates.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) name: &'static str,
    pub(crate) covers: fn(&[Url], &str) -> bool,
}

/// Every difference of load balancing.
pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference {
        name: "weights-that-are-no-numbers",
        covers: |invokers, method| {
            invokers
                .iter()
                .any(|url| is_wrong(url.method_parameter(method, "weight"), |text| text.parse::<i32>().is_ok()))
        },
    },
    Difference {
        name: "an-address-with-two-weights",
        covers: |invokers, method| {
            let weight = |url: &Url| url.method_parameter(method, "weight").map(str::to_owned);
            let is_other = |one: &Url, other: &Url| identity(one) == identity(other) && weight(one) != weight(other);
            invokers.iter().any(|one| invokers.iter().any(|other| is_other(one, other)))
        },
    },
    Difference {
        name: "hash-parameters-of-a-method",
        covers: |invokers, method| {
            let own = ["hash.nodes", "hash.arguments"].map(|key| format!("{method}.{key}"));
            own.iter().any(|key| invokers[0].non_empty_parameter(key).is_some())
        },
    },
    Difference {
        name: "hash-arguments-with-blanks",
        covers: |invokers, method| {
            let is_number = |text: &str| text.parse::<i32>().is_ok();
            is_wrong(invokers[0].method_parameter(method, "hash.arguments"), |text| text.split(',').all(is_number))
        },
    },
];

/// The names of the differences that cover calls of `methods`.
pub(crate) fn covering(invokers: &[Url], methods: &[&str]) -> Vec<&'static str> {
    let covers = |it: &&Difference| methods.iter().any(|method| (it.covers)(invokers, method));
    DIFFERENCES.iter().filter(covers).map(|it| it.name).collect()
}

fn is_wrong(text: Option<&str>, is_right: impl Fn(&str) -> bool) -> bool {
    text.is_some_and(|text| !text.is_empty() && !is_right(text))
}

/// What tells providers apart under `roundrobin`: all of a URL but its parameters.
fn identity(url: &Url) -> &str {
    url.as_str().split('?').next().unwrap()
}

/// Smooth weighted round robin by a look at everybody in each call; an address listed twice has one current.
#[derive(Debug, Default)]
pub(crate) struct NaiveRoundRobin {
    currents: BTreeMap<String, i64>,
}

impl NaiveRoundRobin {
    pub(crate) fn pick(&mut self, invokers: &[Url], method: &str) -> usize {
        let weight = |url: &Url| {
            let weight = url.method_parameter(method, "weight").and_then(|text| text.parse::<i64>().ok());
            weight.unwrap_or(100).max(0)
        };
        let mut best: Option<(usize, i64)> = None;
        for (at, url) in invokers.iter().enumerate() {
            let current = self.currents.entry(identity(url).to_owned()).or_default();
            *current += weight(url);
            if best.is_none_or(|(_, most)| *current > most) {
                best = Some((at, *current));
            }
        }
        let (at, _) = best.unwrap();
        *self.currents.get_mut(identity(&invokers[at])).unwrap() -= invokers.iter().map(weight).sum::<i64>();
        at
    }
}

/// The place on a ring that is built for this call alone.
pub(crate) fn naive_consistent_hash(invokers: &[Url], call: &dyn Invocation) -> usize {
    let parameter = |key, default| invokers[0].method_parameter(call.method(), key).unwrap_or(default).to_owned();
    let nodes: u64 = parameter("hash.nodes", "160").parse().unwrap();
    let mut ring = BTreeMap::new();
    for (at, url) in invokers.iter().enumerate() {
        for number in 0..nodes / 4 {
            let digest = Md5::digest(format!("{}{number}", url.address().unwrap()));
            ring.extend(digest.chunks_exact(4).map(|four| (u32::from_le_bytes(four.try_into().unwrap()), at)));
        }
    }
    let arguments = parameter("hash.arguments", "0");
    let argument = |index: &str| call.argument(index.trim().parse().ok()?).map(|value| value.text().into_owned());
    let key: String = arguments.split(',').filter_map(argument).collect();
    let hash = u32::from_le_bytes(Md5::digest(key)[..4].try_into().unwrap());
    *ring.range(hash..).next().or_else(|| ring.iter().next()).unwrap().1
}
