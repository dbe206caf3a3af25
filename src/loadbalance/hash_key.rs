//! The key of a call under `consistenthash`: the text of some of its arguments.

use std::fmt;

use md5::Digest;
use md5::Md5;

use crate::rpc::Invocation;
use crate::rpc::Value;

/// Text is hashed as it is written; nothing is put together.
struct Hashing(Md5);

/// Where on the ring the call stands. Arguments that are not there add nothing, as in `ConsistentHashLoadBalance.toKey`;
/// those of a generic call are the ones in its third argument.
pub(crate) fn hash_of(invocation: &dyn Invocation, arguments: &[usize]) -> u32 {
    let mut hashing = Hashing(Md5::new());
    for index in arguments {
        if let Some(value) = argument(invocation, *index) {
            // A digest takes whatever it is given.
            let _ = value.write_to(&mut hashing);
        }
    }
    let [first, ..] = points(hashing.0);
    first
}

/// The four numbers in a digest of `text`, lowest byte first.
pub(crate) fn points_of(text: &str) -> [u32; 4] {
    points(Md5::new_with_prefix(text))
}

fn points(hashing: Md5) -> [u32; 4] {
    let digest = u128::from_le_bytes(hashing.finalize().into());
    [0, 32, 64, 96].map(|shift| (digest >> shift) as u32)
}

fn argument(invocation: &dyn Invocation, index: usize) -> Option<&Value<'_>> {
    if invocation.is_generic()
        && let Some(Value::List(values)) = invocation.argument(2)
    {
        return values.get(index);
    }
    invocation.argument(index)
}

impl fmt::Write for Hashing {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::RpcInvocation;

    #[test]
    fn the_key_is_the_text_of_any_type() {
        let call = |value: Value<'static>| RpcInvocation::new("S", "m").with_argument("java.lang.Object", value);
        let list = Value::List(vec![Value::from(1), Value::from("a")]);
        for (value, text) in [
            (Value::from(42), "42"),
            (Value::from(true), "true"),
            (Value::Null, "null"),
            (Value::from(1.5), "1.5"),
            (Value::from("杭州"), "杭州"),
            (list, "[1, a]"),
        ] {
            let [expected, ..] = points_of(text);
            assert_eq!(hash_of(&call(value), &[0]), expected, "{text}");
        }
        let two = call(Value::from("a")).with_argument("java.lang.String", "b");
        let [expected, ..] = points_of("ba");
        assert_eq!(hash_of(&two, &[1, 9, 0]), expected);
    }

    #[test]
    fn a_generic_call_has_the_arguments_that_are_meant() {
        let generic = RpcInvocation::new("S", "$invoke")
            .with_argument("java.lang.String", "find")
            .with_argument("java.lang.String[]", Value::List(vec![Value::from("long")]))
            .with_argument("java.lang.Object[]", Value::List(vec![Value::from(7)]));
        assert_eq!(hash_of(&generic, &[0]), points_of("7")[0]);
    }
}
