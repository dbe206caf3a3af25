//! Where a script deliberately comes to something else than in Dubbo.

use pointsman::router::Language;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;
use pointsman::script::EngineKind;

use super::script::Case;
use crate::support::script::Outcome;
use crate::support::script::Scene;

/// A deliberate difference; its name is an anchor of `docs/differences.md`.
pub(crate) struct Difference {
    pub(crate) name: &'static str,
    /// Whether the script's text and type show it.
    pub(crate) covers: fn(&Case<'_>) -> bool,
    /// Whether the outcome is the one that the difference asks for.
    pub(crate) is_wanted: fn(&Case<'_>, &Outcome, EngineKind) -> bool,
}

/// Every difference of scripts.
pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference {
        name: "lists-of-the-language",
        covers: |case| literal(case).is_some() || converted(case).is_some(),
        is_wanted: |case, outcome, engine| {
            let converted = || converted(case).map(|list| case.scene.run(engine, list));
            literal(case).or_else(converted) == Some(outcome.clone())
        },
    },
    Difference {
        name: "newer-syntax",
        covers: |case| is_newer(case.script),
        // The same text in the older syntax says what was meant.
        is_wanted: |case, outcome, engine| case.scene.run(engine, &in_older_syntax(case.script)) == *outcome,
    },
    Difference {
        name: "functions-that-nothing-calls",
        covers: |case| {
            case.script.trim_start().starts_with("function route") && case.script.matches("route").count() == 1
        },
        is_wanted: |case, outcome, engine| {
            let called = format!("{}\nroute(invokers, invocation, context);", case.script);
            case.scene.run(engine, &called) == *outcome
        },
    },
    Difference {
        name: "ips-without-a-port",
        covers: |case| case.script.contains(".Ip") && case.scene.table.urls().iter().any(|url| url.port().is_none()),
        // With a port there, Go reads the host too.
        is_wanted: |case, outcome, engine| with_ports(&case.scene).run(engine, case.script) == *outcome,
    },
    Difference {
        name: "names-of-script-engines",
        covers: |case| Language::parse(case.language).is_none(),
        is_wanted: |_, outcome, _| matches!(outcome, Outcome::Refused(_)),
    },
    Difference {
        name: "texts-without-a-statement",
        covers: |case| is_blank(case.script),
        is_wanted: |_, outcome, _| matches!(outcome, Outcome::Refused(_)),
    },
];

/// What an array literal of invokers, texts and nulls comes to: strangers are left out.
fn literal(case: &Case<'_>) -> Option<Outcome> {
    let inside = case.script.trim().trim_end_matches(';').strip_prefix('[')?.strip_suffix(']')?;
    let mut kept = Vec::new();
    for element in inside.split(',').map(str::trim).filter(|element| !element.is_empty()) {
        let index = |open, close| element.strip_prefix(open).and_then(|rest: &str| rest.strip_suffix(close));
        let place = index("invokers.get(", ")").or_else(|| index("invokers[", "]")).map(|text| text.parse::<usize>());
        match place {
            Some(place) if place.clone().ok()? < case.scene.table.len() => kept.push(place.ok()?),
            // `get` beyond the end is an error, which no difference is about.
            Some(_) if element.contains("get(") => return None,
            _ => {}
        }
    }
    kept.sort_unstable();
    kept.dedup();
    Some(Outcome::Kept(kept))
}

fn with_ports(scene: &Scene) -> Scene {
    let with_port = |url: &Url| match url.address().filter(|_| url.port().is_none()) {
        Some(address) => Url::parse(&url.as_str().replacen(address, &format!("{address}:1"), 1)).unwrap(),
        None => url.clone(),
    };
    let urls: Vec<Url> = scene.table.urls().iter().map(with_port).collect();
    Scene { call: scene.call.clone(), ..Scene::of(&urls, &urls[0], &RpcInvocation::new("S", "m")) }
}

/// The list that a text turns into an array.
fn converted<'a>(case: &Case<'a>) -> Option<&'a str> {
    case.script.trim().trim_end_matches(';').strip_prefix("Java.from(")?.strip_suffix(')')
}

fn is_newer(script: &str) -> bool {
    script.starts_with("return ") || ["let ", "const ", "=>", "`", "class "].iter().any(|it| script.contains(it))
}

fn in_older_syntax(script: &str) -> String {
    let script = script.replace("let ", "var ").replace("const ", "var ");
    if script.starts_with("return ") { format!("(function () {{ {script} }})()") } else { script }
}

fn is_blank(script: &str) -> bool {
    script.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with("//"))
}
