//! `weight`: what counts of a weight while a provider warms up.

use pointsman::loadbalance::warm_up_weight;

use super::reader::Vectors;
use super::report::Report;
use super::report::Verdict;

#[test]
fn weights_grow_as_in_dubbo_3() {
    let Some(vectors) = Vectors::load("weight") else { return };
    let mut report = Report::new("weight");
    for row in &vectors.rows {
        let number = |name| row.get(name).as_i64().unwrap();
        let (uptime, warmup, weight) = (number("uptime_ms"), number("warmup_ms") as i32, number("weight") as i32);
        let (ours, theirs) = (warm_up_weight(uptime, warmup, weight), number("java33"));
        report.add([match i64::from(ours) == theirs {
            true => Verdict::Plain,
            false => Verdict::Failed(format!("{} theirs {theirs}, ours {ours}", row.id())),
        }]);
    }
    report.finish(0);
}
