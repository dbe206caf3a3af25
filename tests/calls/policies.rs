//! Each policy against each fault: the table of `docs/cluster.md`. `POINTSMAN_UPDATE=1` writes it anew.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use pointsman::RuleSet;
use pointsman::rpc::RpcErrorKind::Network;

use crate::stage::Does;
use crate::stage::Stage;
use crate::stage::call;
use crate::stage::told;

const POLICIES: [&str; 10] = [
    "failover",
    "failfast",
    "failsafe",
    "failback",
    "forking",
    "broadcast",
    "available",
    "mergeable",
    "zone-aware",
    "mock",
];

const BEGIN: &str = "<!-- policies:begin -->\n";
const END: &str = "<!-- policies:end -->";

/// Three providers, the first of which has more weight than the others together, and what is wrong with them.
type Fault = (&'static str, [fn(usize) -> Does; 3]);

const FAULTS: [Fault; 10] = [
    ("nothing is wrong", [answer; 3]),
    ("the first cannot be reached", [fail, answer, answer]),
    ("nobody can be reached", [fail; 3]),
    ("the first never answers", [hang, answer, answer]),
    ("nobody ever answers", [hang; 3]),
    ("the first fails every other time", [|n| if n.is_multiple_of(2) { fail(n) } else { answer(n) }, answer, answer]),
    ("the first throws an exception", [|_| Does::Throw, answer, answer]),
    ("the first panics", [|_| Does::Panic, answer, answer]),
    (NO_PROVIDER, [answer; 3]),
    (NOBODY, [answer; 3]),
];

const NO_PROVIDER: &str = "there is no provider";
const NOBODY: &str = "rules leave nobody";

fn answer(_: usize) -> Does {
    Does::Answer
}

fn fail(_: usize) -> Does {
    Does::Fail(Network)
}

fn hang(_: usize) -> Does {
    Does::Hang
}

fn stage(policy: &str, (fault, acts): &Fault) -> Stage {
    let stage = Stage::default();
    if *fault == NO_PROVIDER {
        return stage;
    }
    for (name, act) in ["a", "b", "c"].into_iter().zip(acts) {
        let weight = if name == "a" { 100_000_000 } else { 1 };
        let group = if policy == "mergeable" { format!("&group={name}") } else { String::new() };
        stage.actor(name, &format!("weight={weight}{group}"), *act);
    }
    stage
}

fn parameters(policy: &str) -> Vec<(&str, &str)> {
    match policy {
        "mock" => vec![("mock", "fail:return mocked")],
        "mergeable" => vec![("cluster", policy), ("merger", "true"), ("group", "*")],
        policy => vec![("cluster", policy)],
    }
}

async fn outcome(policy: &str, fault: &Fault) -> String {
    let stage = stage(policy, fault);
    let mut engine = stage.engine();
    if fault.0 == NOBODY {
        engine = engine.rules(RuleSet::from_conditions(["method=create =>"]).unwrap());
    }
    let reference = stage.reference_to(engine.build().unwrap(), &parameters(policy)).build().unwrap();
    let result = told(&reference.call(&call()).await);
    let asked: Vec<String> = stage.actors().iter().map(|actor| actor.asked().to_string()).collect();
    if asked.is_empty() { result } else { format!("{result} ({})", asked.join(" ")) }
}

#[tokio::test(start_paused = true)]
async fn every_policy_does_with_every_fault_what_the_table_says() {
    let mut table = String::new();
    writeln!(table, "| | {} |", POLICIES.join(" | ")).unwrap();
    writeln!(table, "|---|{}", "---|".repeat(POLICIES.len())).unwrap();
    for fault in &FAULTS {
        write!(table, "| {} |", fault.0).unwrap();
        for policy in POLICIES {
            write!(table, " {} |", outcome(policy, fault).await).unwrap();
        }
        writeln!(table).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cluster.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    if std::env::var_os("POINTSMAN_UPDATE").is_some() {
        fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
    } else {
        assert_eq!(written, table, "written anew by POINTSMAN_UPDATE=1");
    }
}
