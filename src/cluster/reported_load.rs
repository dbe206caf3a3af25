//! The load that providers report with their answers, for load balances that take it into account.

use crate::loadbalance::InvokerStates;
use crate::rpc::AppResponse;
use crate::rpc::InvokerId;
use crate::rpc::RpcContext;
use crate::rpc::keys;

/// What a provider is asked for, as `AdaptiveLoadBalance` does.
const ASKED: &str = "mem,load";

/// Asks the provider for its load.
pub(super) fn ask(context: &mut RpcContext<'_>) {
    context.set_attachment(keys::LB_ADAPTIVE, ASKED);
}

/// Takes down what the provider `id` reports; the caller does not see the report.
pub(super) fn take_down(states: &InvokerStates, id: InvokerId, response: &mut AppResponse) {
    if let Some(report) = response.take_attachment(keys::LB_ADAPTIVE)
        && let Some(load) = load_of(&report)
    {
        states.report_load(id, load);
    }
}

/// The load in a report such as `curTime:1796077800000,load:12.3`. One that is no number of digits is 0, as in
/// `AdaptiveMetrics.setProviderMetrics`; none where the report speaks of no load.
fn load_of(report: &str) -> Option<f64> {
    let mut parts = report.split(',').filter_map(|part| part.split_once(':'));
    let (_, load) = parts.rfind(|(key, _)| key.trim() == "load")?;
    let load = load.trim();
    let is_number = load.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    Some(load.parse().ok().filter(|_| is_number).unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_a_number_of_digits_and_anything_else_is_none_at_all() {
        for (report, expected) in [
            ("curTime:1,load:12.5", Some(12.5)),
            ("load:3", Some(3.0)),
            (" load : 4 ,curTime:x", Some(4.0)),
            ("load:-1", Some(0.0)),
            ("load:NaN", Some(0.0)),
            ("load:1e300", Some(0.0)),
            ("load:", Some(0.0)),
            ("load:1.2.3", Some(0.0)),
            ("load:1,load:2", Some(2.0)),
            ("curTime:1", None),
            ("load", None),
            ("", None),
        ] {
            assert_eq!(load_of(report), expected, "`{report}`");
        }
    }
}
