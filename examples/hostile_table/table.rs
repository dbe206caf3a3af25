//! The table as Markdown.

use std::collections::BTreeMap;
use std::path::Path;

use pointsman::router::Language;
use pointsman::script::EngineKind;

use crate::figures::Figures;
use crate::inline;
use crate::stage::files;
use crate::workers::InWorkers;

/// Writes a summary, then one row a file.
pub(crate) fn write(folder: &Path) {
    let tables: Vec<(Language, Vec<Column>, Vec<String>)> =
        [Language::JavaScript, Language::Rhai, Language::Lua].into_iter().map(|of| measure(of, folder)).collect();
    println!("| engine | isolation | files | outcomes |\n|---|---|---|---|");
    for column in tables.iter().flat_map(|(_, columns, _)| columns) {
        println!("| {} | {} | {} | {} |", column.engine, column.isolation, column.cells.len(), column.summary());
    }
    for (language, columns, names) in &tables {
        let title = match language {
            Language::JavaScript => "JavaScript",
            Language::Rhai => "Rhai",
            Language::Lua => "Lua",
        };
        println!("\n### {title}\n");
        let heads: Vec<String> =
            columns.iter().map(|column| format!("{}, {}", column.engine, column.isolation)).collect();
        println!("| file | {} |\n|---|{}", heads.join(" | "), "---|".repeat(heads.len()));
        for (row, name) in names.iter().enumerate() {
            let cells: Vec<String> = columns.iter().map(|column| column.cells[row].to_string()).collect();
            println!("| `{name}` | {} |", cells.join(" | "));
        }
    }
}

/// What one engine under one isolation makes of all files.
struct Column {
    engine: EngineKind,
    isolation: &'static str,
    cells: Vec<Figures>,
}

// === impl Column ===

impl Column {
    /// How often each outcome came.
    fn summary(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        self.cells.iter().for_each(|cell| *counts.entry(&cell.outcome).or_default() += 1);
        let counts: Vec<String> = counts.into_iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        counts.join(", ")
    }
}

fn measure(language: Language, folder: &Path) -> (Language, Vec<Column>, Vec<String>) {
    let engines = EngineKind::of(language).iter().copied().filter(|engine| engine.is_built_in());
    let (mut columns, mut names) = (Vec::new(), Vec::new());
    for engine in engines {
        let files = files(folder, engine);
        let workers = InWorkers::new(engine);
        let cells = files.iter().map(|(_, text)| workers.figures(text)).collect();
        columns.push(Column { engine, isolation: "worker", cells });
        let cells = files.iter().map(|(name, _)| inline::figures(engine, name, folder)).collect();
        columns.push(Column { engine, isolation: "inline", cells });
        names = files.into_iter().map(|(name, _)| name).collect();
    }
    (language, columns, names)
}
