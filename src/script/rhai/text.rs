//! Functions of texts that Rhai lacks, or that could run for long at once.

use std::rc::Rc;

use rhai::Array;
use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::ImmutableString;
use rhai::Module;
use rhai::NativeCallContext;
use rhai::Position;

use crate::script::rhai::host::Host;
use crate::script::rhai::register::changing;
use crate::script::rhai::register::method;
use crate::script::rhai::register::set;

type Outcome<T> = Result<T, Box<EvalAltResult>>;

/// Bytes of text that count as one operation.
const BYTES_PER_OPERATION: usize = 64;

/// Registers them; run after Rhai's own, which they replace.
pub(super) fn register(module: &mut Module, host: &Rc<Host>) {
    set(module, method("to_int"), |text: ImmutableString| text.trim().parse::<i64>().map_or(Dynamic::UNIT, Into::into));
    set(module, method("to_float"), |text: ImmutableString| {
        text.trim().parse::<f64>().map_or(Dynamic::UNIT, Into::into)
    });
    register_split(module, host);
    register_replace(module, host);
    let it = host.clone();
    set(module, method("to_chars"), move |context: NativeCallContext, text: ImmutableString| {
        pieces(&context, &it, &text, text.chars().map(Into::into))
    });
}

fn register_split(module: &mut Module, host: &Rc<Host>) {
    let it = host.clone();
    set(module, method("split"), move |context: NativeCallContext, text: ImmutableString| {
        pieces(&context, &it, &text, text.split_whitespace().map(Into::into))
    });
    let it = host.clone();
    set(module, method("split"), move |context: NativeCallContext, text: ImmutableString, by: ImmutableString| {
        pieces(&context, &it, &text, text.split(&*by).map(Into::into))
    });
    let it = host.clone();
    set(module, method("split"), move |context: NativeCallContext, text: ImmutableString, by: char| {
        pieces(&context, &it, &text, text.split(by).map(Into::into))
    });
    let it = host.clone();
    set(
        module,
        method("split"),
        move |context: NativeCallContext, text: ImmutableString, by: ImmutableString, most: i64| {
            pieces(&context, &it, &text, text.splitn(at_least_one(most), &*by).map(Into::into))
        },
    );
    let it = host.clone();
    set(module, method("split"), move |context: NativeCallContext, text: ImmutableString, by: char, most: i64| {
        pieces(&context, &it, &text, text.splitn(at_least_one(most), by).map(Into::into))
    });
    let it = host.clone();
    set(module, method("split_rev"), move |context: NativeCallContext, text: ImmutableString, by: ImmutableString| {
        pieces(&context, &it, &text, text.rsplit(&*by).map(Into::into))
    });
    let it = host.clone();
    set(module, method("split_rev"), move |context: NativeCallContext, text: ImmutableString, by: char| {
        pieces(&context, &it, &text, text.rsplit(by).map(Into::into))
    });
    let it = host.clone();
    let rsplitn = move |context: NativeCallContext, text: ImmutableString, by: ImmutableString, most: i64| {
        pieces(&context, &it, &text, text.rsplitn(at_least_one(most), &*by).map(Into::into))
    };
    set(module, method("split_rev"), rsplitn);
    let it = host.clone();
    set(module, method("split_rev"), move |context: NativeCallContext, text: ImmutableString, by: char, most: i64| {
        pieces(&context, &it, &text, text.rsplitn(at_least_one(most), by).map(Into::into))
    });
}

fn register_replace(module: &mut Module, host: &Rc<Host>) {
    let it = host.clone();
    set(
        module,
        changing("replace"),
        move |context: NativeCallContext, text: &mut ImmutableString, from: ImmutableString, to: ImmutableString| {
            replace(&context, &it, text, &from, &to)
        },
    );
    let it = host.clone();
    set(
        module,
        changing("replace"),
        move |context: NativeCallContext, text: &mut ImmutableString, from: ImmutableString, to: char| {
            replace(&context, &it, text, &from, to.encode_utf8(&mut [0; 4]))
        },
    );
    let it = host.clone();
    set(
        module,
        changing("replace"),
        move |context: NativeCallContext, text: &mut ImmutableString, from: char, to: ImmutableString| {
            replace(&context, &it, text, from.encode_utf8(&mut [0; 4]), &to)
        },
    );
    let it = host.clone();
    set(
        module,
        changing("replace"),
        move |context: NativeCallContext, text: &mut ImmutableString, from: char, to: char| {
            replace(&context, &it, text, from.encode_utf8(&mut [0; 4]), to.encode_utf8(&mut [0; 4]))
        },
    );
}

/// A list of the pieces of `text`, as long as lists may be.
fn pieces(
    context: &NativeCallContext,
    host: &Host,
    text: &str,
    pieces: impl Iterator<Item = Dynamic>,
) -> Outcome<Array> {
    host.charge(text.len() / BYTES_PER_OPERATION)?;
    let most = context.engine().max_array_size();
    let list: Array = pieces.take(most + 1).collect();
    host.charge(list.len() / 8)?;
    if list.len() > most { Err(too_large("Size of array")) } else { Ok(list) }
}

/// Replaces in place, never making a text longer than texts may be.
fn replace(context: &NativeCallContext, host: &Host, text: &mut ImmutableString, from: &str, to: &str) -> Outcome<()> {
    host.charge(text.len() / BYTES_PER_OPERATION)?;
    let most = context.engine().max_string_size();
    let mut replaced = String::with_capacity(text.len());
    let mut rest = 0;
    for (at, found) in text.match_indices(from) {
        replaced.push_str(text.get(rest..at).unwrap_or_default());
        replaced.push_str(to);
        rest = at + found.len();
        if replaced.len() > most {
            return Err(too_large("Length of string"));
        }
    }
    replaced.push_str(text.get(rest..).unwrap_or_default());
    host.charge(replaced.len() / BYTES_PER_OPERATION)?;
    if replaced.len() > most {
        return Err(too_large("Length of string"));
    }
    *text = replaced.into();
    Ok(())
}

fn at_least_one(most: i64) -> usize {
    usize::try_from(most).unwrap_or(1).max(1)
}

fn too_large(what: &str) -> Box<EvalAltResult> {
    Box::new(EvalAltResult::ErrorDataTooLarge(what.to_owned(), Position::NONE))
}
