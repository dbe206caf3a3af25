//! `pointsman plugin list`: the plugins of a folder, and how each stands. None of their code runs.

use std::io;

use serde::Serialize;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::Format;
use crate::cli::args::PluginListArguments;
use crate::cli::check::plural;
use crate::cli::check::set_up;
use crate::cli::output::SCHEMA;
use crate::cli::plugin::file::Described;
use crate::cli::plugins;
use crate::diagnostics::Finding;
use crate::diagnostics::escape;
use crate::diagnostics::render::JsonFinding;
use crate::plugin;
use crate::router::OfferedFile;
use crate::source::folder::load;

#[derive(Serialize)]
struct Report {
    schema: u32,
    command: &'static str,
    plugins: Vec<Described>,
    findings: Vec<JsonFinding>,
}

pub(crate) fn run(arguments: &PluginListArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let folders = std::iter::once(arguments.folder.clone());
    let (printer, config) = match set_up(&arguments.common.common(), folders, console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    let contents = load(&arguments.folder, &config.folder_options());
    let settings = plugins::settings(&config);
    let (mut listed, mut findings) = (Vec::new(), Vec::new());
    // What is wrong with rules is `check`'s business.
    let of_plugins = |finding: &&Finding| {
        finding.slug() == "folder::not_a_folder" || finding.file().is_some_and(|file| file.starts_with("plugins"))
    };
    findings.extend(contents.findings().iter().filter(of_plugins).cloned());
    for OfferedFile { name, path, .. } in contents.plugins() {
        match plugin::inspect(&path, &name, &settings) {
            Ok(plugin) => {
                let standing = plugin::standing(&plugin, &path, &settings);
                findings.extend(standing.as_ref().err().map(|finding| finding.clone().in_file(&name)));
                listed.push(Described::of(&name, &plugin, standing));
            }
            Err(finding) => findings.push(finding.in_file(&name)),
        }
    }
    let has_errors = !findings.is_empty();
    if printer.format == Format::Json {
        let findings = printer.json_findings(&findings);
        printer.json(&Report { schema: SCHEMA, command: "plugin list", plugins: listed, findings }, console.stdout)?;
    } else {
        for described in &listed {
            let level = described.level.unwrap_or("not allowed");
            let Described { name, version, file, sha256, .. } = described;
            writeln!(console.stdout, "{} {version}  {level}  {}  sha256 {sha256}", escape(name), escape(file))?;
        }
        printer.findings(&findings, console.stdout)?;
        if printer.format == Format::Human {
            writeln!(console.stdout, "{}", plural(listed.len(), "plugin"))?;
        }
    }
    Ok(if has_errors { Exit::RuleErrors } else { Exit::Ok })
}
