//! From what is known of a run to what the chain is told.

use std::time::Duration;

use crate::router::Input;
use crate::router::RouteError;
use crate::router::Selection;
use crate::router::Settled;
use crate::script::CapturedCall;
use crate::script::RunError;
use crate::script::RunLimits;
use crate::script::RunReport;
use crate::script::router::ScriptRule;

/// What a run's report means for the call: counts it at the breaker, tells the log, and says why.
pub(crate) fn settle(
    rule: &ScriptRule,
    call: &CapturedCall,
    candidates: &Selection,
    limits: &RunLimits,
    report: RunReport,
) -> Result<Settled, RouteError> {
    tell_log(rule, &report);
    if let Err(RunError::Limit { .. }) = report.result {
        rule.breaker.count_hit(call.now_ms);
    } else {
        rule.breaker.count_success(call.now_ms);
    }
    let reasons = reasons(rule, candidates, limits, &report);
    let words = report.result.map_err(|error| failure(rule, error))?;
    let selection = Some(Selection::from_words(candidates.list_length(), &words));
    let reads = report.inputs.into_iter().map(|input| call.read(input)).collect();
    Ok(Settled { selection, reads, impurity: report.impurity.map(String::into_boxed_str), reasons })
}

/// A failed run as the chain knows failures.
pub(crate) fn failure(rule: &ScriptRule, error: RunError) -> RouteError {
    let name = std::sync::Arc::clone(&rule.name);
    match error {
        RunError::Limit { which, used, allowed, line } => RouteError::Limit { which, used, allowed, rule: name, line },
        RunError::Failed { message, line, column } => {
            RouteError::Script { rule: name, message: message.into(), line, column }
        }
        RunError::WrongResult { found } => RouteError::Script {
            rule: name,
            message: format!("expected a list of invokers, found {found}").into(),
            line: None,
            column: None,
        },
    }
}

fn reasons(rule: &ScriptRule, candidates: &Selection, limits: &RunLimits, report: &RunReport) -> Vec<String> {
    let engine = rule.program.program().engine;
    let mut reasons = vec![format!(
        "ran on {engine}, {}: {} of {}",
        rule.host.isolation(),
        ms(Duration::from_micros(report.used_us)),
        ms(limits.deadline)
    )];
    let inputs: Vec<String> = report.inputs.iter().map(name_of).collect();
    let columns: Vec<String> = report.columns.iter().map(|key| format!("`{key}`")).collect();
    let parts = [("of the call", inputs), ("of the providers", columns)];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(of, names)| format!("{of} {}", names.join(", ")))
        .collect();
    if !parts.is_empty() {
        reasons.push(format!("read {}", parts.join("; ")));
    }
    if let Ok(words) = &report.result {
        let kept = Selection::from_words(candidates.list_length(), words);
        reasons.push(format!("kept {} of {}", kept.count(), candidates.count()));
    }
    reasons.extend(report.impurity.as_ref().map(|why| format!("not remembered: {why}")));
    reasons
}

/// A part of a call as a person calls it.
fn name_of(input: &Input) -> String {
    match input {
        Input::Method => "the method".to_owned(),
        Input::TargetMethod => "the method that is meant".to_owned(),
        Input::Argument(index) | Input::TypedArgument(index) => format!("argument {index}"),
        Input::ArgumentCount => "the number of arguments".to_owned(),
        Input::ParameterTypes => "the parameter types".to_owned(),
        Input::Attachment(key) => format!("attachment `{key}`"),
        Input::Attachments => "all attachments".to_owned(),
        Input::Service => "the service".to_owned(),
        Input::Now(granularity, zone) => format!("the {} in {}", granularity.as_str(), zone.name()),
        Input::Availability => "who can be reached".to_owned(),
    }
}

fn ms(duration: Duration) -> String {
    let micros = duration.as_micros();
    format!("{}.{:03} ms", micros / 1_000, micros % 1_000)
}

fn tell_log(rule: &ScriptRule, report: &RunReport) {
    for line in &report.log {
        tracing::info!(rule = %rule.name, line = %line, "script says");
    }
    if report.log_left_out > 0 {
        tracing::info!(rule = %rule.name, left_out = report.log_left_out, "script says more");
    }
}
