//! `url`: how a text is read, its parts and parameters.

use std::collections::BTreeMap;

use pointsman::rpc::Url;
use serde_json::Value as Json;
use serde_json::json;

use super::reader::Vectors;
use super::report::Report;
use super::report::Verdict;

/// A deliberate difference; its name is an anchor of `docs/differences.md`.
pub(crate) struct Difference {
    pub(crate) name: &'static str,
    /// What is right for a text that shows the difference; `None` for any other text.
    pub(crate) expect: fn(text: &str) -> Option<Json>,
}

/// Every difference of URLs.
pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference { name: "bracketed-host-without-a-port", expect: bracketed_host_without_a_port },
    Difference { name: "port-without-a-host", expect: port_without_a_host },
];

#[test]
fn urls_are_read_as_dubbo_3_reads_them() {
    let Some(vectors) = Vectors::load("url") else { return };
    let mut report = Report::new("url");
    for row in &vectors.rows {
        let (text, theirs) = (row.text("text"), row.get("java33"));
        let ours = read(text);
        let verdict = || {
            if ours == *theirs {
                return Verdict::Plain;
            }
            let covering = DIFFERENCES.iter().filter(|it| (it.expect)(text).is_some_and(|right| right == ours));
            let names: Vec<_> = covering.map(|it| it.name).collect();
            if !names.is_empty() {
                return Verdict::Covered(names);
            }
            Verdict::Failed(format!("{} `{text}`\n    theirs {theirs}\n    ours   {ours}", row.id()))
        };
        report.add([verdict()]);
    }
    report.finish(4);
}

/// What the vectors ask of a URL.
pub(crate) fn read(text: &str) -> Json {
    let Ok(url) = Url::parse(text) else { return json!("error:build") };
    let parameters: BTreeMap<&str, &str> = url.parameters().collect();
    json!({
        "protocol": url.protocol(),
        "username": url.username(),
        "password": url.password(),
        "host": url.host(),
        "port": url.port(),
        "path": url.path(),
        "parameters": parameters,
        "address": url.address(),
        "interface": url.service_interface(),
        "serviceKey": url.service_key().map(|key| key.to_string()),
    })
}

/// `dubbo://[::1]/a` is what it is with a port, less the port.
fn bracketed_host_without_a_port(text: &str) -> Option<Json> {
    let (start, host) = host_and_port(text)?;
    if !host.starts_with('[') || !host.ends_with(']') {
        return None;
    }
    let end = start + host.len();
    let mut right = read(&format!("{}:1{}", &text[..end], &text[end..]));
    right["host"] = json!(host);
    right["address"] = json!(host);
    right["port"] = Json::Null;
    Some(right)
}

/// `dubbo://:20880/a` is an error.
fn port_without_a_host(text: &str) -> Option<Json> {
    let (_, host_and_port) = host_and_port(text)?;
    let port: i32 = host_and_port.strip_prefix(':')?.parse().ok()?;
    (port > 0).then(|| json!("error:build"))
}

/// What stands between protocol and user on the one side and path, fragment and parameters on the other.
fn host_and_port(text: &str) -> Option<(usize, &str)> {
    let body = text.split('?').next()?;
    let start = body.find("://").map(|at| at + 3).or_else(|| body.find(":/").map(|at| at + 1)).unwrap_or(0);
    let end = body[start..].find(['/', '#']).map_or(body.len(), |at| start + at);
    let start = body[start..end].rfind('@').map_or(start, |at| start + at + 1);
    Some((start, &text[start..end]))
}
