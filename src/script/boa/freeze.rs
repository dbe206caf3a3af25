//! Freezing all that rules can reach, so that no run leaves anything behind for the next.

use std::collections::HashSet;

use boa_engine::Context;
use boa_engine::JsArgs;
use boa_engine::JsObject;
use boa_engine::JsResult;
use boa_engine::JsValue;
use boa_engine::object::IntegrityLevel;

use crate::script::boa::providers;

/// Freezes what can be reached from the elements of the array that is the argument.
///
/// PERF: the same in the language takes ten times as long, and every new engine waits for it.
pub(super) fn freeze_from(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let mut waiting: Vec<JsObject> =
        providers::elements(args.get_or_undefined(0)).iter().filter_map(JsValue::as_object).collect();
    let mut seen: HashSet<JsObject> = waiting.iter().cloned().collect();
    while let Some(object) = waiting.pop() {
        let mut found: Vec<JsObject> = object.prototype().into_iter().collect();
        for key in object.own_property_keys(context)? {
            let Some(member) = object.borrow().properties().get(&key) else { continue };
            let parts = [member.value(), member.get(), member.set()];
            found.extend(parts.into_iter().flatten().filter_map(JsValue::as_object));
        }
        object.set_integrity_level(IntegrityLevel::Frozen, context)?;
        waiting.extend(found.into_iter().filter(|found| seen.insert(found.clone())));
    }
    Ok(JsValue::undefined())
}
