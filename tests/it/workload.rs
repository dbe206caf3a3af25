//! The workload that speed is measured on gives the answers that the originals gave.

#[path = "../../benches/workload/mod.rs"]
mod generator;

use pointsman::rpc::RpcInvocation;
use sha2::Digest;
use sha2::Sha256;

use crate::support::engine::engine;
use crate::support::engine::url;

const EXPECTED: &str = include_str!("../../benches/workload/expected-go.txt");

#[test]
fn the_generator_makes_the_providers_that_python_wrote() {
    let written = include_str!("../../benches/workload/providers-10.txt");
    assert_eq!(generator::providers(10), written.lines().collect::<Vec<_>>());
}

#[test]
fn w1_and_w2_keep_the_positions_that_the_original_kept() {
    // The rule alone, as it was measured.
    let consumer = url(&generator::consumer_without_tags());
    for size in [10, 100, 1_000, 10_000] {
        let providers = generator::providers(size);
        let engine = engine(&[generator::RULE.trim()], &providers.iter().map(String::as_str).collect::<Vec<_>>());
        for (name, method) in [("W1", "sayHello"), ("W2", "sayBye")] {
            let call = RpcInvocation::new(generator::INTERFACE, method).with_argument("java.lang.String", "alice");
            let decision = engine.select(&consumer, &call).unwrap();
            let kept: Vec<_> = decision.selection().positions().map(|position| position.to_string()).collect();
            let digest: String = Sha256::digest(kept.join(",")).iter().map(|byte| format!("{byte:02x}")).collect();
            let row = EXPECTED.lines().find(|line| line.starts_with(&format!("{name} {size} "))).unwrap();
            let fields: Vec<_> = row.split(' ').collect();
            assert_eq!((fields[2], fields[3]), (kept.len().to_string().as_str(), digest.as_str()), "{name} at {size}");
        }
    }
}
