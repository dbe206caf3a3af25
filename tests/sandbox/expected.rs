//! What texts may come to: one table, keyed by patterns of file names.

use pointsman::router::Limit;
use pointsman::script::EngineKind;

use crate::stage::Outcome;
use crate::stage::language;

/// Kinds of outcomes, as bits.
const KEPT: u8 = 1;
const REFUSED: u8 = 2;
const TIME: u8 = 4;
const MEMORY: u8 = 8;
const DEPTH: u8 = 16;
const FAILED: u8 = 32;
const DIED: u8 = 64;

/// Languages, patterns with `*` for any text, and what may come of it. The first that fits decides; a text that none
/// fits may come to anything that ends.
const EXPECTED: &[(&[&str], &str, u8)] = &[];

/// Whether `outcome` of the text called `name` is as it should be.
pub(crate) fn is_allowed(engine: EngineKind, name: &str, outcome: &Outcome) -> bool {
    let (_, suffix) = language(engine);
    let fits = |languages: &[&str], pattern: &str| languages.contains(&suffix) && matches(pattern, name);
    let row = EXPECTED.iter().find(|(languages, pattern, _)| fits(languages, pattern));
    let allowed = row.map_or(KEPT | REFUSED | TIME | MEMORY | DEPTH | FAILED | DIED, |(_, _, allowed)| *allowed);
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
    for (languages, pattern, _) in EXPECTED {
        for suffix in *languages {
            let engine = EngineKind::ALL.into_iter().find(|engine| language(*engine).1 == *suffix).unwrap();
            let is_there = crate::stage::files(&folder, engine).iter().any(|(name, _)| matches(pattern, name));
            assert!(is_there, "{pattern} in {suffix}");
        }
    }
}
