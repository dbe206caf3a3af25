//! The case tables below `tests/conformance/scripts`: what every script that is shipped must answer.

use std::fs;
use std::path::Path;

use pointsman::router::FixedClock;
use pointsman::rpc::RpcInvocation;
use saphyr::LoadableYamlNode as _;
use saphyr::Yaml;

/// One call of a table, and the positions that must be kept.
#[derive(Debug)]
pub(crate) struct ScriptCase {
    pub(crate) note: String,
    pub(crate) script: String,
    pub(crate) invokers: Vec<String>,
    pub(crate) call: RpcInvocation<'static>,
    pub(crate) clock: FixedClock,
    pub(crate) keep: Vec<usize>,
}

/// The moment `text`.
pub(crate) fn clock(text: &str) -> FixedClock {
    FixedClock(text.parse().unwrap())
}

/// The cases of the rule called `name`.
pub(crate) fn cases(name: &str) -> Vec<ScriptCase> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/conformance/scripts/{name}.yaml"));
    let text = fs::read_to_string(path).unwrap();
    let documents = Yaml::load_from_str(&text).unwrap();
    documents[0].as_vec().unwrap().iter().map(case).collect()
}

fn case(yaml: &Yaml<'_>) -> ScriptCase {
    let text = |key: &str| yaml.as_mapping_get(key).and_then(Yaml::as_str).map(str::to_owned);
    let list = |yaml: &Yaml<'_>, key: &str| yaml.as_mapping_get(key).unwrap().as_vec().unwrap().clone();
    let want = yaml.as_mapping_get("want").unwrap();
    let keep = want.as_mapping_get("keep").unwrap().as_vec().unwrap();
    ScriptCase {
        note: text("note").unwrap(),
        script: text("script").unwrap(),
        invokers: list(yaml, "invokers").iter().map(|url| url.as_str().unwrap().to_owned()).collect(),
        call: call(yaml.as_mapping_get("call").unwrap()),
        clock: clock(text("clock").as_deref().unwrap_or("2026-03-02T00:00:00Z")),
        keep: keep.iter().map(|at| usize::try_from(at.as_integer().unwrap()).unwrap()).collect(),
    }
}

fn call(yaml: &Yaml<'_>) -> RpcInvocation<'static> {
    let new = |method: &str| RpcInvocation::new("com.shop.OrderService", method.to_owned());
    if let Some(method) = yaml.as_str() {
        return new(method);
    }
    let call = new(yaml.as_mapping_get("method").unwrap().as_str().unwrap());
    let attachments = yaml.as_mapping_get("attachments").unwrap().as_mapping().unwrap();
    let of = |yaml: &Yaml<'_>| yaml.as_str().unwrap().to_owned();
    attachments.iter().fold(call, |call, (key, value)| call.with_attachment(of(key), of(value)))
}
