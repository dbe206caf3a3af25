//! The calls of a folder.

use hashbrown::HashSet;

use crate::cli::compare::witness::Witness;
use crate::cli::compare::witness::Witnesses;
use crate::cli::requested_call::RequestedCall;
use crate::router::RuleHeader;
use crate::router::Scope;
use crate::rpc::Invocation as _;
use crate::rpc::ServiceKey;
use crate::source::cases::Case;
use crate::source::folder::FolderContents;
use crate::source::folder::RuleEntry;

/// How many calls of one service are made up.
const MAX_PER_SERVICE: usize = 200;

/// A call to try.
#[derive(Debug)]
pub(crate) struct TrialCall {
    pub(crate) call: RequestedCall,
    /// The case that records it; none of a call that was made up.
    pub(crate) note: Option<String>,
    pub(crate) seed: Option<u64>,
}

/// The call of a case; none where it cannot be put together.
pub(crate) fn recorded_call(case: &Case, services: &[ServiceKey]) -> Option<TrialCall> {
    let call = RequestedCall::of_case(case, services).ok()?;
    Some(TrialCall { call, note: Some(case.note.clone()), seed: case.seed })
}

/// The calls of cases, and for each service one that fulfils each rule of `contents`, one that nothing is said of, and one
/// for each tag.
pub(crate) fn calls_of(cases: &[Case], services: &[ServiceKey], contents: &[&FolderContents]) -> Vec<TrialCall> {
    let mut calls: Vec<TrialCall> = cases.iter().filter_map(|case| recorded_call(case, services)).collect();
    let entries = || contents.iter().flat_map(|contents| contents.entries());
    let mut made_up: Vec<(Option<Scope>, Witnesses)> =
        entries().map(|entry| (scope_of(entry), Witnesses::of(entry))).collect();
    // What each rule asks first, then its further values: where there are too many calls, every rule still has one.
    let further = |(scope, witnesses): &mut (Option<Scope>, Witnesses)| {
        std::mem::take(&mut witnesses.further).into_iter().map(|witness| (scope.clone(), witness)).collect::<Vec<_>>()
    };
    let further: Vec<(Option<Scope>, Witness)> = made_up.iter_mut().flat_map(further).collect();
    let first = made_up
        .into_iter()
        .flat_map(|(scope, witnesses)| witnesses.first.into_iter().map(move |witness| (scope.clone(), witness)));
    let made_up: Vec<(Option<Scope>, Witness)> = first.chain(further).collect();
    for service in services {
        let is_for = |scope: &Option<Scope>| scope.as_ref().is_none_or(|scope| scope.covers(service));
        let wanted = made_up.iter().filter(|(scope, _)| is_for(scope)).map(|(_, witness)| witness);
        let plain = Witness::default();
        let mut seen = HashSet::new();
        for witness in
            std::iter::once(&plain).chain(wanted).filter(|witness| seen.insert(*witness)).take(MAX_PER_SERVICE)
        {
            if let Some(call) = witness.call(service) {
                calls.push(TrialCall { call, note: None, seed: None });
            }
        }
    }
    calls
}

/// The services that a rule is for; none where that is all.
fn scope_of(entry: &RuleEntry) -> Option<Scope> {
    let header = RuleHeader::read(&entry.to_definition(), "", crate::router::Phase::Rule).ok()?;
    Some(Scope { application: None, ..header.scope })
}

// === impl TrialCall ===

impl TrialCall {
    /// The call in a line: method, arguments, attachments, and what is special about the consumer.
    pub(crate) fn in_words(&self) -> String {
        let invocation = &self.call.invocation;
        let arguments: Vec<String> = (0..invocation.argument_count())
            .map(|index| invocation.argument(index).map_or_else(String::new, |value| value.text().into_owned()))
            .collect();
        let mut text = format!("{}({})", invocation.method(), arguments.join(", "));
        invocation.for_each_attachment(&mut |key, value| text.push_str(&format!(" {key}={value}")));
        let usual = ["side", "interface", "group", "version"];
        let consumer = &self.call.consumer;
        let host = consumer.host().filter(|host| *host != "127.0.0.1").map(|host| ("host", host));
        let special = consumer
            .parameters()
            .filter(|parameter| !usual.contains(&parameter.0) && *parameter != ("application", "pointsman"));
        let told: Vec<String> = host.into_iter().chain(special).map(|(key, value)| format!("{key}={value}")).collect();
        if !told.is_empty() {
            text.push_str(&format!(" from {}", told.join(" ")));
        }
        text
    }
}
