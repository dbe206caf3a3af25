//! `mock-selector`: which providers the attachment `invocation.need.mock` leaves.

use std::sync::Arc;

use pointsman::mock::MockSelector;
use pointsman::router::Binding;
use pointsman::rpc::Invocation;
use pointsman::rpc::Url;
use pointsman::rpc::keys;
use serde_json::Value as Json;

use super::reader::Vectors;
use super::report::Report;
use super::report::Verdict;
use crate::support::compiled;

#[test]
fn the_naive_mock_selector_keeps_what_dubbo_3_keeps() {
    check("mock-selector, naive", select);
}

#[test]
fn the_mock_selector_keeps_what_dubbo_3_keeps() {
    check("mock-selector", |consumer: &Url, invokers: &[Url], call: &dyn Invocation| {
        let selector = Arc::new(MockSelector::built_in().unwrap());
        compiled::walk(&compiled::bind(vec![selector], invokers, &Binding::of(consumer)), consumer, call)
    });
}

/// Compares `evaluate` with every recorded answer.
pub(crate) fn check(name: &'static str, evaluate: impl Fn(&Url, &[Url], &dyn Invocation) -> Vec<usize>) {
    let Some(vectors) = Vectors::load("mock-selector") else { return };
    let mut report = Report::new(name);
    for row in &vectors.rows {
        let (world, call) = (vectors.world(row), vectors.call(row));
        let (ours, theirs) = (evaluate(&world.consumer, &world.invokers, call), row.get("java33"));
        report.add([match Json::from(ours.clone()) == *theirs {
            true => Verdict::Plain,
            false => Verdict::Failed(format!("{} theirs {theirs}, ours {ours:?}\n    {world:?}", row.id())),
        }]);
    }
    report.finish(0);
}

fn select(_: &Url, invokers: &[Url], call: &dyn Invocation) -> Vec<usize> {
    let wants = |is_mock: bool| match call.attachment(keys::NEED_MOCK) {
        None => !is_mock,
        Some(value) if value.eq_ignore_ascii_case("true") => is_mock,
        Some(_) => true,
    };
    let is_mock = |url: &Url| url.protocol() == Some(keys::MOCK_PROTOCOL);
    (0..invokers.len()).filter(|at| wants(is_mock(&invokers[*at]))).collect()
}
