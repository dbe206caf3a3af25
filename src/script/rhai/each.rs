//! Methods of lists that ask a closure about each member. Rhai's own try `this` first and come to the argument by way of
//! an error for each member; these try the argument first, and leave what does not take one to Rhai's way.

use rhai::Array;
use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::FnPtr;
use rhai::Module;
use rhai::NativeCallContext;

use crate::script::rhai::register::method;
use crate::script::rhai::register::set;

type Outcome<T> = Result<T, Box<EvalAltResult>>;

/// Registers them.
pub(super) fn register(module: &mut Module) {
    set(module, method("filter"), |context: NativeCallContext, list: &mut Array, ask: FnPtr| -> Outcome<Array> {
        let mut kept = Array::new();
        each(&context, "filter", list, &ask, |member, said| {
            if is_true(&said) {
                kept.push(member.clone());
            }
            true
        })?;
        Ok(kept)
    });
    set(module, method("map"), |context: NativeCallContext, list: &mut Array, ask: FnPtr| -> Outcome<Array> {
        let mut mapped = Array::with_capacity(list.len());
        each(&context, "map", list, &ask, |_, said| {
            mapped.push(said.flatten());
            true
        })?;
        Ok(mapped)
    });
    set(module, method("find"), |context: NativeCallContext, list: &mut Array, ask: FnPtr| -> Outcome<Dynamic> {
        let mut found = Dynamic::UNIT;
        each(&context, "find", list, &ask, |member, said| {
            if is_true(&said) {
                found = member.clone();
            }
            !is_true(&said)
        })?;
        Ok(found)
    });
    set(module, method("some"), |context: NativeCallContext, list: &mut Array, ask: FnPtr| -> Outcome<bool> {
        let mut is_some = false;
        each(&context, "some", list, &ask, |_, said| {
            is_some = is_true(&said);
            !is_some
        })?;
        Ok(is_some)
    });
    set(module, method("all"), |context: NativeCallContext, list: &mut Array, ask: FnPtr| -> Outcome<bool> {
        let mut is_all = true;
        each(&context, "all", list, &ask, |_, said| {
            is_all = is_true(&said);
            is_all
        })?;
        Ok(is_all)
    });
}

/// Calls `ask` with one member after another, as long as `go_on` says so.
fn each(
    context: &NativeCallContext,
    name: &str,
    list: &mut Array,
    ask: &FnPtr,
    mut go_on: impl FnMut(&Dynamic, Dynamic) -> bool,
) -> Outcome<()> {
    let mut takes_member = true;
    for (index, member) in list.iter_mut().enumerate() {
        let mut said = None;
        if takes_member {
            match ask.call_raw(context, None, [member.clone()]) {
                Ok(value) => said = Some(value),
                Err(error) if is_missing(&error, ask) => takes_member = false,
                Err(error) => return Err(error),
            }
        }
        let said = match said {
            Some(said) => said,
            None => {
                let index = [i64::try_from(index).unwrap_or(i64::MAX).into()];
                ask.call_raw_with_extra_args(name, context, Some(member), [], index, Some(0))?
            }
        };
        if !go_on(member, said) {
            break;
        }
    }
    Ok(())
}

/// Whether there is no such function with one parameter.
fn is_missing(error: &EvalAltResult, ask: &FnPtr) -> bool {
    matches!(error, EvalAltResult::ErrorFunctionNotFound(signature, _) if signature.starts_with(ask.fn_name()))
}

fn is_true(said: &Dynamic) -> bool {
    said.as_bool().unwrap_or(false)
}
