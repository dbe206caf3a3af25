//! One line of an access log.

use std::fmt;
use std::fmt::Write as _;

use jiff::Timestamp;

use crate::diagnostics::Mask;
use crate::rpc::Invocation;
use crate::rpc::keys;

/// How much of a call's arguments is written.
const MAX_ARGUMENT_BYTES: usize = 1_024;

/// Takes a text up to a bound, and fails beyond.
struct Bounded<'a> {
    out: &'a mut String,
    room: usize,
}

/// `2026-03-01T10:00:00Z shop-web -> com.shop.OrderService:1.0 create(java.lang.String) [book]`, on one line whatever the
/// call holds; what is called like a secret is masked.
pub(super) fn line(now: Timestamp, service: &str, call: &dyn Invocation) -> String {
    let caller = call.attachment(keys::REMOTE_APPLICATION).unwrap_or("-");
    let mut line = String::with_capacity(160);
    // Writing to a `String` cannot fail.
    let _ = write!(line, "{now} {caller} -> {service} {}(", call.target_method());
    for index in 0..call.argument_count() {
        line.push_str(if index == 0 { "" } else { "," });
        line.push_str(call.parameter_type(index).unwrap_or_default());
    }
    line.push_str(") [");
    let mut bounded = Bounded { out: &mut line, room: MAX_ARGUMENT_BYTES };
    let is_whole = write_arguments(&mut bounded, call).is_ok();
    line.push_str(if is_whole { "]" } else { "…]" });
    Mask::default().text(&line).into_owned()
}

fn write_arguments(out: &mut Bounded<'_>, call: &dyn Invocation) -> fmt::Result {
    for index in 0..call.argument_count() {
        out.write_str(if index == 0 { "" } else { ", " })?;
        if let Some(value) = call.argument(index) {
            value.write_to(out)?;
        }
    }
    Ok(())
}

// === impl Bounded ===

impl fmt::Write for Bounded<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let taken = text.floor_char_boundary(self.room);
        self.out.push_str(text.get(..taken).unwrap_or_default());
        self.room -= taken;
        if taken < text.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::RpcInvocation;
    use crate::rpc::Value;

    fn written(call: &RpcInvocation<'_>) -> String {
        line(Timestamp::UNIX_EPOCH, "g/S:1", call)
    }

    #[test]
    fn a_line_tells_who_called_what_with_which_arguments() {
        let call = RpcInvocation::new("S", "create")
            .with_argument("java.lang.String", "book")
            .with_argument("int", 3_i64)
            .with_attachment("remote.application", "web");
        let expected = "1970-01-01T00:00:00Z web -> g/S:1 create(java.lang.String,int) [book, 3]";
        assert_eq!(written(&call), expected);
        assert_eq!(written(&RpcInvocation::new("S", "ping")), "1970-01-01T00:00:00Z - -> g/S:1 ping() []");
    }

    #[test]
    fn secrets_line_ends_and_what_is_too_long_stay_out() {
        let map = Value::Map(vec![("password".into(), Value::from("hunter2"))]);
        let secret = written(&RpcInvocation::new("S", "login").with_argument("java.util.Map", map));
        assert!(!secret.contains("hunter2") && secret.contains("***"), "{secret}");
        let forged = written(&RpcInvocation::new("S", "a\nb").with_argument("x", "c\r\n1970 d"));
        assert_eq!(forged.lines().count(), 1, "{forged}");
        let long = written(&RpcInvocation::new("S", "m").with_argument("x", "é".repeat(MAX_ARGUMENT_BYTES)));
        assert!(long.len() < MAX_ARGUMENT_BYTES + 100 && long.ends_with("é…]"), "{long}");
    }
}
