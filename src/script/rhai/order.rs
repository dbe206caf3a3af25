//! Sorting. Rhai's own swallows what a comparison throws, and the standard library's panics when comparisons contradict
//! one another; this one does neither.

use std::cmp::Ordering;
use std::rc::Rc;

use rhai::Array;
use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::FnPtr;
use rhai::Module;
use rhai::NativeCallContext;

use crate::script::rhai::host::Host;
use crate::script::rhai::register::changing;
use crate::script::rhai::register::method;
use crate::script::rhai::register::set;

type Outcome<T> = Result<T, Box<EvalAltResult>>;

/// Registers `sort`, `sort_by`, `sort_desc`, and `order…`, which answer a sorted copy.
pub(super) fn register(module: &mut Module, host: &Rc<Host>) {
    for (sort, order, direction) in
        [("sort", "order", Ordering::is_gt as fn(Ordering) -> bool), ("sort_desc", "order_desc", Ordering::is_lt)]
    {
        let it = host.clone();
        set(module, changing(sort), move |list: &mut Array| {
            *list = sorted(list.clone(), &mut |one, other| by_value(&it, one, other).map(direction))?;
            Ok::<(), Box<EvalAltResult>>(())
        });
        let it = host.clone();
        set(module, method(order), move |list: Array| {
            sorted(list, &mut |one, other| by_value(&it, one, other).map(direction))
        });
    }
    for name in ["sort", "sort_by"] {
        set(module, changing(name), |context: NativeCallContext, list: &mut Array, compare: FnPtr| {
            *list = sorted(list.clone(), &mut |one, other| by_call(&context, &compare, one, other))?;
            Ok::<(), Box<EvalAltResult>>(())
        });
    }
    for name in ["order", "order_by"] {
        set(module, method(name), |context: NativeCallContext, list: Array, compare: FnPtr| {
            sorted(list, &mut |one, other| by_call(&context, &compare, one, other))
        });
    }
}

/// Merges longer and longer runs; what is equal keeps its order. `is_after` says whether the first belongs behind the
/// second.
fn sorted(mut list: Array, is_after: &mut dyn FnMut(&Dynamic, &Dynamic) -> Outcome<bool>) -> Outcome<Array> {
    let mut width = 1;
    while width < list.len() {
        let mut merged = Array::with_capacity(list.len());
        let mut rest = list.into_iter().peekable();
        while rest.peek().is_some() {
            let left: Array = rest.by_ref().take(width).collect();
            let right: Array = rest.by_ref().take(width).collect();
            let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
            while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
                let next = if is_after(one, other)? { right.next() } else { left.next() };
                merged.extend(next);
            }
            merged.extend(left);
            merged.extend(right);
        }
        list = merged;
        width *= 2;
    }
    Ok(list)
}

/// The order of numbers, texts, characters and truth values.
fn by_value(host: &Host, one: &Dynamic, other: &Dynamic) -> Outcome<Ordering> {
    host.charge(1)?;
    if let (Ok(one), Ok(other)) = (one.as_int(), other.as_int()) {
        return Ok(one.cmp(&other));
    }
    if let (Ok(one), Ok(other)) = (one.as_float(), other.as_float()) {
        return Ok(one.total_cmp(&other));
    }
    if let (Ok(one), Ok(other)) = (one.as_immutable_string_ref(), other.as_immutable_string_ref()) {
        return Ok(one.as_str().cmp(other.as_str()));
    }
    if let (Ok(one), Ok(other)) = (one.as_char(), other.as_char()) {
        return Ok(one.cmp(&other));
    }
    if let (Ok(one), Ok(other)) = (one.as_bool(), other.as_bool()) {
        return Ok(one.cmp(&other));
    }
    Err("only numbers, texts, characters or truth values of one kind can be sorted without a comparison".into())
}

/// What the script's comparison says: a number (positive: behind), or whether the first comes first.
fn by_call(context: &NativeCallContext, compare: &FnPtr, one: &Dynamic, other: &Dynamic) -> Outcome<bool> {
    let said = compare.call_raw(context, None, [one.clone(), other.clone()])?;
    if let Ok(number) = said.as_int() {
        return Ok(number > 0);
    }
    if let Ok(is_before) = said.as_bool() {
        return Ok(!is_before);
    }
    Err("a comparison answers a number (negative, 0 or positive) or whether the first comes first".into())
}
