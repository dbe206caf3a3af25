//! What texts may come to: one table, keyed by patterns of file names.

use pointsman::router::Limit;
use pointsman::script::EngineKind;

use crate::stage::Outcome;
use crate::stage::language;

/// How names of texts begin that are no files of ours.
pub(crate) const FURTHER: &str = "further/";

/// Kinds of outcomes, as bits.
const KEPT: u8 = 1;
const REFUSED: u8 = 2;
const TIME: u8 = 4;
const MEMORY: u8 = 8;
const DEPTH: u8 = 16;
const FAILED: u8 = 32;
const DIED: u8 = 64;

/// Suffixes of languages, patterns with `*` for any text, and what may come of it. The first that fits decides; a text
/// that none fits may come to anything that leaves its worker alive or is a limit.
const EXPECTED: &[(&str, &str, u8)] = &[
    ("js", "inf_loop*", TIME),
    ("js", "loop_*", TIME),
    ("js", "label_continue", TIME),
    ("js", "switch_loop", TIME),
    ("js", "tagged_loop", TIME),
    ("js", "to_json_loop", TIME),
    ("js", "to_primitive", TIME),
    ("js", "with_getter", TIME),
    ("js", "has_instance", TIME),
    ("js", "json_reviver", TIME),
    ("js", "replace_function", TIME),
    ("js", "class_field_loop", TIME),
    ("js", "class_static_block", TIME),
    ("js", "class_computed_key", TIME | FAILED),
    ("js", "array_subclass", TIME),
    ("js", "gen_finally", TIME),
    ("js", "labelled_gen_return", TIME),
    ("js", "iterator_return", TIME),
    ("js", "destructuring_getter", TIME),
    ("js", "throw_evil", TIME),
    ("js", "throw_getter_name", TIME),
    ("js", "ret_getter_element", TIME),
    ("js", "log_*", TIME),
    ("js", "nested_try_finally_return", TIME),
    ("js", "sort_inf_cmp", TIME),
    ("js", "catch_everything", TIME | DEPTH),
    ("js", "*_tree", TIME | DEPTH),
    ("js", "arr_push", TIME | MEMORY),
    ("js", "map_grow*", TIME | MEMORY),
    ("js", "symbol_flood", FAILED),
    ("js", "*_flood", TIME | MEMORY),
    ("js", "*_double", TIME | MEMORY | FAILED),
    ("js", "native_recursion_*", DEPTH | FAILED | TIME | REFUSED),
    ("js", "regex_*", TIME | FAILED | REFUSED),
    ("js", "array_buffer*", MEMORY | FAILED | TIME),
    ("js", "typed_array", MEMORY | FAILED | TIME),
    ("js", "str_repeat", MEMORY | FAILED | TIME),
    ("js", "bigint_*", REFUSED | MEMORY | TIME),
    ("js", "host_tamper", KEPT),
    ("lua", "inf_loop_coroutine*", TIME | FAILED),
    ("lua", "inf_loop*", TIME),
    ("lua", "str_double*", MEMORY | TIME),
    ("lua", "recursion*", DEPTH),
    ("lua", "tail_recursion", DEPTH | TIME),
    ("lua", "native_recursion_*", DEPTH | FAILED),
    ("lua", "log_flood", TIME),
    ("lua", "meta_call", TIME),
    ("lua", "meta_eq", TIME),
    ("lua", "meta_lt", TIME),
    ("lua", "meta_iter*", TIME),
    ("lua", "arr_*", TIME | MEMORY),
    ("lua", "sort_inf_cmp", TIME),
    ("lua", "*_scan", TIME),
    ("lua", "error_loops", TIME),
    ("lua", "error_memory", MEMORY | TIME | FAILED),
    ("lua", "io_open", FAILED),
    ("lua", "os_exit", FAILED),
    ("lua", "require_mod", FAILED),
    ("lua", "dofile_etc", FAILED),
    ("lua", "debug_*", FAILED),
    ("lua", "load_*", FAILED),
    ("lua", "host_tampering", KEPT),
    ("rhai", "inf_loop*", TIME),
    ("rhai", "loop_split", TIME),
    ("rhai", "do_*", TIME),
    ("rhai", "catch_everything", TIME),
    ("rhai", "sort_inf_cmp", TIME),
    ("rhai", "*_flood", TIME),
    ("rhai", "str_double*", MEMORY | TIME),
    ("rhai", "str_interp", MEMORY | TIME),
    ("rhai", "arr_double", MEMORY | TIME),
    ("rhai", "arr_nest_double*", MEMORY | TIME),
    ("rhai", "pad_*", MEMORY | FAILED | TIME),
    ("rhai", "map_nested", MEMORY | TIME),
    ("rhai", "blob_*", MEMORY | FAILED),
    ("rhai", "recursion_*", DEPTH),
    ("rhai", "native_recursion_*", DEPTH | REFUSED),
    ("rhai", "import_*", REFUSED),
    ("rhai", "eval_*", REFUSED | FAILED),
    ("rhai", "sleep", FAILED),
    ("rhai", "closure_chain*", REFUSED),
    ("rhai", "curry_*", REFUSED | FAILED),
    ("rhai", "result_huge", KEPT),
    ("rhai", "good", KEPT),
];

/// Whether `outcome` of the text called `name` is as it should be.
pub(crate) fn is_allowed(engine: EngineKind, name: &str, outcome: &Outcome) -> bool {
    let (_, suffix) = language(engine);
    if name.starts_with(FURTHER) {
        // Nobody knows these; a worker may die of them, the host may not.
        return kind(outcome) != 0;
    }
    let row = EXPECTED.iter().find(|(of, pattern, _)| *of == suffix && matches(pattern, name));
    let allowed = row.map_or(KEPT | REFUSED | TIME | MEMORY | DEPTH | FAILED, |(_, _, allowed)| *allowed);
    kind(outcome) & allowed != 0
}

/// The kind of an outcome; none of one that no text may cause.
fn kind(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Kept(_) => KEPT,
        Outcome::Refused(_) => REFUSED,
        Outcome::Stopped(Limit::Deadline | Limit::Wall | Limit::Operations, ..) => TIME,
        Outcome::Stopped(Limit::Memory, ..) => MEMORY,
        Outcome::Stopped(Limit::CallDepth, ..) => DEPTH,
        Outcome::Failed(_) => FAILED,
        Outcome::Died(_) => DIED,
        Outcome::Stopped(..) | Outcome::Wrong(_) => 0,
    }
}

/// Whether `name` is `pattern`, in which one `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| rest.ends_with(tail)),
    }
}

#[test]
fn every_row_of_the_table_speaks_of_a_file() {
    let folder = crate::stage::folder();
    for (suffix, pattern, _) in EXPECTED {
        let engine = EngineKind::ALL.into_iter().find(|engine| language(*engine).1 == *suffix).unwrap();
        let is_there = crate::stage::files(&folder, engine).iter().any(|(name, _)| matches(pattern, name));
        assert!(is_there, "{pattern} in {suffix}");
    }
}
