//! A module of the crate uses only modules of layers below its own; neighbours in a layer do not know one another.
//!
//! The check reads text: every `crate::name` (and `pointsman::name`) in code, groups included, counts as a use of the
//! top-level module `name`, and so does `super` where it climbs to the root. Comments, literals and test modules do not
//! count. `docs/architecture.md` shows the same order as a picture.

use crate::repository::RepositoryFile;
use crate::repository::files;
use crate::repository::is_word;
use crate::repository::line_of;
use crate::repository::words;

/// Top to bottom.
const LAYERS: &[&[&str]] = &[
    &["cli", "proxy"],
    &["daemon"],
    &["runtime"],
    &["source", "cluster", "filter", "transport"],
    &["directory"],
    &["chain"],
    &["rule"],
    &["condition", "tag", "affinity", "mock", "script", "file", "plugin"],
    &["loadbalance", "stand_in", "worker"],
    &["router"],
    &["disk", "yaml"],
    &["rpc", "diagnostics"],
];

/// Uses that break the order on purpose: who, whom, why. An entry is a debt; keep the list short.
const ALLOWED: &[(&str, &str, &str)] = &[];

/// One mention of a top-level module.
struct Mention<'a> {
    name: &'a str,
    offset: usize,
}

/// What `file` uses and may not, one `path:line: …` each.
fn violations(file: &RepositoryFile) -> Vec<String> {
    let user = match module_of(&file.path) {
        Some("lib") | None => return Vec::new(),
        Some(user) => user,
    };
    let code = file.shipped_code();
    mentions(&code, depth_of(&file.path))
        .into_iter()
        .filter_map(|mention| {
            let verdict = verdict(user, mention.name)?;
            Some(format!("{}:{}: {verdict}", file.path, line_of(&code, mention.offset)))
        })
        .collect()
}

/// Why `user` may not use `used`; nothing if it may.
fn verdict(user: &str, used: &str) -> Option<String> {
    if user == used || ALLOWED.iter().any(|(who, whom, _)| (*who, *whom) == (user, used)) {
        return None;
    }
    if user == "main" {
        let may = matches!(used, "cli" | "runtime" | "worker");
        return (!may).then(|| format!("`main` uses `{used}`; it may use `cli`, `runtime` and `worker` only"));
    }
    let Some(below) = layer_of(used) else {
        return Some(format!("`crate::{used}` names no module of a layer; name the module it comes from"));
    };
    let own = layer_of(user)?;
    if below > own {
        None
    } else if below == own {
        Some(format!("`{user}` uses its neighbour `{used}`; move what both need into a layer below"))
    } else {
        Some(format!("`{user}` uses `{used}`, which stands above it"))
    }
}

fn layer_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// The top-level module that a file of `src/` belongs to; nothing for files elsewhere and for test modules.
fn module_of(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("src/")?.strip_suffix(".rs")?;
    let is_test = inside.split('/').any(|part| part == "tests");
    (!is_test).then(|| inside.split('/').next().unwrap_or(inside))
}

/// How many `super` lead from a file to the root of the crate.
fn depth_of(path: &str) -> usize {
    path.trim_start_matches("src/").trim_end_matches("/mod.rs").split('/').count()
}

fn mentions(code: &str, depth: usize) -> Vec<Mention<'_>> {
    let climb = "super::".repeat(depth);
    let mut mentions = Vec::new();
    for prefix in ["crate::", "pointsman::", climb.as_str()] {
        for start in words(code, prefix).filter(|&start| !code[..start].ends_with("super::")) {
            let after = start + prefix.len();
            let names = first_names(&code[after..]);
            mentions.extend(names.into_iter().map(|(at, name)| Mention { name, offset: after + at }));
        }
    }
    // A file of a top-level module may have modules inside it, whose `super` leads to the file and not to the root.
    mentions.retain(|mention| layer_of(mention.name).is_some() || !code[..mention.offset].ends_with("super::"));
    mentions.sort_by_key(|mention| mention.offset);
    mentions
}

/// The names a path goes on with: one, or one for each entry of a group. `self` and macros are none.
fn first_names(rest: &str) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let mut awaited = true;
    let mut at = 0;
    while let Some(character) = rest[at..].chars().next() {
        let mut length = character.len_utf8();
        match character {
            '{' => depth += 1,
            '}' if depth <= 1 => break,
            '}' => depth -= 1,
            ',' if depth == 1 => awaited = true,
            _ if character.is_whitespace() => {}
            _ if awaited && depth <= 1 => {
                length = rest[at..].find(|other| !is_word(other)).unwrap_or(rest.len() - at).max(1);
                let name = &rest[at..at + length];
                if name != "self" && !rest[at + length..].starts_with('!') {
                    names.push((at, name));
                }
                awaited = false;
            }
            _ => {}
        }
        if depth == 0 && !awaited {
            break;
        }
        at += length;
    }
    names
}

/// The verdict on a made-up file.
fn judged(path: &str, text: &str) -> Vec<String> {
    violations(&RepositoryFile::new(path, text))
}

#[test]
fn every_module_uses_only_layers_below_its_own() {
    let found: Vec<String> = files().iter().filter(|file| file.is_source()).flat_map(violations).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_top_level_module_has_a_layer() {
    for file in files().iter().filter(|file| file.is_source()) {
        let Some(module) = module_of(&file.path) else { continue };
        assert!(
            matches!(module, "lib" | "main") || layer_of(module).is_some(),
            "{}: `{module}` stands in no layer; give it one here and in docs/architecture.md",
            file.path
        );
    }
}

#[test]
fn an_exception_names_two_modules_and_a_reason() {
    for (who, whom, why) in ALLOWED {
        assert!(layer_of(who) <= layer_of(whom).filter(|_| !why.is_empty()), "({who}, {whom}) is no exception");
    }
}

#[test]
fn a_use_from_above_is_reported_with_file_and_line() {
    assert_eq!(
        judged("src/router/index.rs", "//! Doc.\nuse std::fmt;\nuse crate::chain::RouterChain;\n"),
        ["src/router/index.rs:3: `router` uses `chain`, which stands above it"]
    );
}

#[test]
fn a_use_of_a_neighbour_is_reported() {
    for (path, neighbour) in
        [("src/condition/mod.rs", "mock"), ("src/rpc/url.rs", "diagnostics"), ("src/diagnostics/mod.rs", "rpc")]
    {
        let found = judged(path, &format!("use crate::{neighbour}::X;"));
        assert!(
            matches!(found.as_slice(), [one] if one.contains(":1: ") && one.contains("neighbour")),
            "{path}: {found:?}"
        );
    }
}

#[test]
fn a_use_is_found_however_it_is_written() {
    for text in [
        "use crate::{rpc::Url, chain::{self, Visitor}};",
        "use crate::{\n    rpc::{Url, keys},\n    chain,\n};",
        "fn f() -> crate::chain::RouterChain { todo() }",
        "macro_rules! m { () => { $crate::chain::f() } }",
        "use super::super::chain::Visitor;",
        "use pointsman::chain::Visitor;",
        "const QUOTE: char = '\"'; use crate::chain::X;",
    ] {
        let found = judged("src/router/index.rs", text);
        assert!(matches!(found.as_slice(), [one] if one.contains("`chain`")), "`{text}`: {found:?}");
    }
}

#[test]
fn what_stands_below_or_is_no_code_may_be_named() {
    for text in [
        "use crate::rpc::Url;\nuse crate::{diagnostics::Finding, router::InvokerList};",
        "//! See [`crate::chain`].\n// use crate::chain::X;\n/* crate::chain::X */",
        "const HELP: &str = \"crate::chain::X\";",
        "#[cfg(test)]\nmod tests {\n    use crate::chain::X;\n}",
        "use super::Selection;\nmod errors { use super::super::Selection; }",
        "use other_crate::chain::X;",
        "crate::check!(1);",
    ] {
        assert_eq!(judged("src/router/index.rs", text), Vec::<String>::new(), "`{text}`");
    }
    assert_eq!(judged("src/router/index/tests.rs", "use crate::chain::X;"), Vec::<String>::new());
    assert_eq!(judged("src/lib.rs", "pub use crate::chain::X;"), Vec::<String>::new());
}

#[test]
fn a_name_from_the_front_page_of_the_crate_is_reported() {
    for text in ["use crate::Url;", "use crate::*;"] {
        let found = judged("src/chain/mod.rs", text);
        assert!(matches!(found.as_slice(), [one] if one.contains("names no module")), "`{text}`: {found:?}");
    }
}

#[test]
fn the_entry_point_may_use_the_command_the_runtime_and_workers_only() {
    let text = "fn main() { pointsman::cli::run(); pointsman::runtime::serve_host(); pointsman::worker::serve(); }";
    assert_eq!(judged("src/main.rs", text), Vec::<String>::new());
    assert_eq!(
        judged("src/main.rs", "use pointsman::chain::Walk;"),
        ["src/main.rs:1: `main` uses `chain`; it may use `cli`, `runtime` and `worker` only"]
    );
}
