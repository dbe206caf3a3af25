//! Every example of `docs/scripting.md` does what it says, in every engine of the build.
//!
//! - A block of `js`, `rhai` or `lua` is dropped into a folder; its last line says `keeps: ADDRESS, …`, `keeps: nobody`,
//!   or `fails: PART OF THE MESSAGE`. The block of `providers` is the folder's.
//! - In a table whose last column is `gives`, the other cells of a row are expressions with the value of that cell.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use pointsman::router::FixedClock;
use pointsman::router::InvokerList;
use pointsman::router::Selection;
use pointsman::rpc::Provider;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
use pointsman::rpc::Value;
use pointsman::script::CapturedCall;
use pointsman::script::EngineKind;
use pointsman::script::Executor;
use pointsman::script::Limits;
use pointsman::script::Program;
use pointsman::script::ProgramId;
use pointsman::script::ProviderTable;
use pointsman::script::Run;

use crate::support::dropped::clock;
use crate::support::dropped::drop_in;
use crate::support::dropped::engines;
use crate::support::dropped::kept;
use crate::support::dropped::suffix;

const SERVICE: &str = "com.shop.OrderService";
const NOTHING: &str = "nothing";

/// The document, and what all its examples run over.
struct Document {
    text: String,
    providers: Vec<String>,
}

/// A table's header and rows, cell by cell.
struct Table<'a> {
    header: Vec<&'a str>,
    rows: Vec<Vec<String>>,
}

fn document() -> Document {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scripting.md")).unwrap();
    let providers = blocks(&text, "providers").remove(0).lines().map(str::to_owned).collect();
    // The call that is made here is the one that the document names.
    assert!(text.contains(
        "\ncreate(42, \"book\")   with the attachments region=shanghai, user_id=7, and coupon, which is empty\n"
    ));
    assert!(text.contains("the 4th of March 2026, at 23:30 UTC"));
    Document { text, providers }
}

fn moment() -> FixedClock {
    clock("2026-03-04T23:30:00Z")
}

fn call() -> RpcInvocation<'static> {
    RpcInvocation::new(SERVICE, "create")
        .with_argument("java.lang.Long", Value::Int(42))
        .with_argument("java.lang.String", "book")
        .with_attachment("region", "shanghai")
        .with_attachment("user_id", "7")
        .with_attachment("coupon", "")
}

/// The blocks of one kind.
fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let open = format!("\n```{kind}\n");
    text.split(&open).skip(1).map(|rest| rest.split("\n```").next().unwrap()).collect()
}

/// The tables whose last column is `gives`.
fn tables(text: &str) -> Vec<Table<'_>> {
    let mut tables = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let header: Vec<&str> = cells(line).collect();
        if header.last() != Some(&"gives") {
            continue;
        }
        let mut rows = Vec::new();
        while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
            rows.push(cells(row).map(|cell| cell.replace("\\|", "|")).collect());
        }
        rows.remove(0);
        tables.push(Table { header, rows });
    }
    tables
}

/// The cells of a line of a table; an escaped bar is none of its bars.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let inside = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')).unwrap_or_default();
    let mut from = 0;
    let bars = inside.match_indices('|').filter(|(at, _)| !inside[..*at].ends_with('\\')).map(|(at, _)| at);
    let ends: Vec<usize> = bars.chain([inside.len()]).collect();
    ends.into_iter().map(move |end| {
        let cell = inside[from..end].trim();
        from = end + 1;
        cell
    })
}

fn language(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Boa | EngineKind::QuickJs => "JavaScript",
        EngineKind::Rhai => "Rhai",
        EngineKind::Luau => "Lua",
    }
}

/// A script that logs the value of an expression.
fn logging(engine: EngineKind, expression: &str) -> String {
    match engine {
        EngineKind::Boa | EngineKind::QuickJs => {
            format!("var invoker = invokers[0], url = invoker.url;\nlog({expression});\ninvokers;")
        }
        EngineKind::Rhai => format!("let invoker = invokers[0];\nlet url = invoker.url;\nlog({expression});\ninvokers"),
        EngineKind::Luau => {
            format!("local invoker = invokers[1]\nlocal url = invoker.url\nlog({expression})\nreturn invokers")
        }
    }
}

/// What a script logs; or why it does not.
fn logged(executor: &mut Executor, engine: EngineKind, text: String, document: &Document) -> String {
    let providers: Vec<Provider> = document.providers.iter().map(|url| Url::parse(url).unwrap().into()).collect();
    let table = ProviderTable::of(&InvokerList::of(ServiceKey::parse(SERVICE), providers), 1);
    let candidates = Selection::all(table.len());
    let program = Program { engine, name: "example".into(), text: text.into() };
    if let Err(error) = executor.compile(ProgramId(1), &program) {
        return format!("{error:?}");
    }
    let call = call();
    let captured = CapturedCall {
        service: SERVICE.to_owned(),
        method: "create".to_owned(),
        target_method: "create".to_owned(),
        parameter_types: vec!["java.lang.Long".to_owned(), "java.lang.String".to_owned()],
        arguments: call.arguments().to_vec(),
        attachments: call.attachments().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        consumer: String::new(),
        now_ms: moment().0.as_millisecond(),
        zone: "UTC".to_owned(),
        seed: 1,
        unavailable: Vec::new(),
    };
    let run = Run::start(Arc::new(table), candidates, captured, Limits::default().for_run(3, None));
    let report = executor.run(ProgramId(1), run);
    match (report.result, report.log.first().map(String::as_str)) {
        (Err(error), _) => format!("{error:?}"),
        (Ok(_), Some("" | "null" | "undefined" | "nil" | "()") | None) => NOTHING.to_owned(),
        (Ok(_), Some(line)) => line.to_owned(),
    }
}

#[test]
fn expressions_give_what_their_row_says() {
    let document = document();
    let tables = tables(&document.text);
    assert!(tables.iter().map(|table| table.rows.len()).sum::<usize>() > 100, "the tables are not found");
    let mut wrong = BTreeSet::new();
    for engine in engines() {
        let mut executor = Executor::default();
        for table in &tables {
            let Some(column) = table.header.iter().position(|name| *name == language(engine)) else { continue };
            for row in &table.rows {
                let (code, gives) = (row[column].trim_matches('`'), row.last().unwrap().trim_matches('`'));
                if code.is_empty() {
                    continue;
                }
                let found = logged(&mut executor, engine, logging(engine, code), &document);
                if found != gives {
                    wrong.insert(format!("{engine}: `{code}` gives `{found}`, not `{gives}`"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn scripts_keep_what_their_last_line_says() {
    let document = document();
    let mut wrong = Vec::new();
    for engine in engines() {
        let blocks = blocks(&document.text, suffix(engine));
        assert!(blocks.len() >= 4, "{engine}: {} examples", blocks.len());
        for block in blocks {
            let (_, expected) = block.rsplit_once('\n').unwrap();
            let expected = expected.trim_start_matches(['/', '-', ' ']);
            let (kind, expected) = expected.split_once(": ").expect(block);
            let (positions, failure) = kept(&drop_in(engine, block, &document.providers, moment()), &call());
            let address = |at: usize| Url::parse(&document.providers[at]).unwrap().address().unwrap().to_owned();
            let kept = positions.into_iter().map(address).collect::<Vec<_>>().join(", ");
            let is_right = match kind {
                "keeps" => failure.is_none() && kept == expected.replace("nobody", ""),
                "fails" => failure.as_ref().is_some_and(|failure| failure.contains(expected)),
                other => panic!("`{other}` in {block}"),
            };
            if !is_right {
                wrong.push(format!("{engine}: kept {kept}, {failure:?}:\n{block}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
