//! Scripts whose answers cannot be remembered.

use std::collections::BTreeSet;

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::rpc::RpcInvocation;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::runtime::Engine;
use crate::runtime::Explanation;
use crate::source::folder::FolderContents;

const SCRIPT: &str = "script";

/// How many services are tried: a folder of thousands must not be checked call by call.
const TRIED: usize = 64;

/// The scripts that a call to each service, with nothing but its name and method, finds to be impure. One that is so on
/// another way through it only is not found; none is told of that is not.
pub(crate) fn find(contents: &FolderContents, engine: &Engine) -> Vec<Finding> {
    let services = engine.services();
    let tried = services.iter().take(TRIED).filter_map(|service| try_call(engine, service));
    let impure = tried.filter_map(|explanation| explanation.unmemoisable).filter(|header| &*header.kind == SCRIPT);
    let places: BTreeSet<(String, usize)> =
        impure.map(|header| (header.id.source().to_owned(), header.id.line() as usize)).collect();
    let is_impure = |file: &str, line: usize| places.contains(&(file.to_owned(), line));
    let entries = contents.entries().filter(|entry| !entry.is_copy() && is_impure(entry.file(), entry.line()));
    entries
        .map(|entry| {
            let message = "the script is impure: its answers are never remembered, and every call runs it";
            let help = "leave out what makes it so: chance, the time more finely than by the minute, lines to the log";
            let finding = Finding::new("check::impure_script", Severity::Info, message).with_help(help);
            finding.at(entry.line_origin(), 0..entry.line_bytes(), "runs with every call")
        })
        .collect()
}

fn try_call(engine: &Engine, service: &ServiceKey) -> Option<Explanation> {
    let (group, version) = (service.group().unwrap_or_default(), service.version().unwrap_or_default());
    let interface = service.interface();
    let consumer = Url::parse(&format!("consumer://127.0.0.1/{interface}?group={group}&version={version}")).ok()?;
    engine.explain(&consumer, &RpcInvocation::new(interface.to_owned(), "get"), Some(0)).ok()
}
