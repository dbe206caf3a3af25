//! `pointsman plugin inspect` and `verify`: what a file is, without running it and by running it alone.

use std::io;
use std::path::Path;
use std::path::PathBuf;

use serde::Serialize;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::Format;
use crate::cli::args::PluginFileArguments;
use crate::cli::check::refuse;
use crate::cli::check::set_up;
use crate::cli::output::Printer;
use crate::cli::output::SCHEMA;
use crate::cli::plugins;
use crate::diagnostics::Finding;
use crate::diagnostics::escape;
use crate::plugin;
use crate::plugin::DeclaredInputs;
use crate::plugin::Inspected;
use crate::plugin::PanicStrategy;
use crate::plugin::PluginSettings;

/// A plugin as it is printed.
#[derive(Debug, Serialize)]
pub(crate) struct Described {
    pub(crate) file: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) sha256: String,
    bytes: usize,
    language: String,
    panic: &'static str,
    serial: bool,
    threads: bool,
    reads: Vec<String>,
    /// `process`, `native`; none where it may not be loaded.
    pub(crate) level: Option<&'static str>,
    /// Why it may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    #[serde(skip)]
    advice: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<bool>,
}

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    command: &'static str,
    plugin: &'a Described,
}

pub(crate) fn inspect(arguments: &PluginFileArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    tell("plugin inspect", arguments, console, |path, name, settings| {
        let plugin = plugin::inspect(path, name, settings)?;
        Ok(Described::of(name, &plugin, plugin::standing(&plugin, path, settings)))
    })
}

pub(crate) fn verify(arguments: &PluginFileArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    tell("plugin verify", arguments, console, |path, name, settings| {
        let plugin = plugin::verify(path, name, settings)?;
        let described = Described::of(name, &plugin, plugin::standing(&plugin, path, settings));
        Ok(Described { verified: Some(true), ..described })
    })
}

fn tell(
    command: &'static str,
    arguments: &PluginFileArguments,
    console: &mut Console<'_>,
    look: impl FnOnce(&Path, &str, &PluginSettings) -> Result<Described, Finding>,
) -> io::Result<Exit> {
    let (printer, config) = match set_up(&arguments.common.common(), rules_folder(&arguments.file), console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    let name = arguments.file.to_string_lossy();
    match look(&arguments.file, &name, &plugins::settings(&config)) {
        Ok(described) => {
            if printer.format == Format::Json {
                printer.json(&Report { schema: SCHEMA, command, plugin: &described }, console.stdout)?;
            } else {
                described.print(&printer, console)?;
            }
            Ok(Exit::Ok)
        }
        Err(finding) => {
            refuse(&[finding.in_file(&*name)], &printer, console)?;
            Ok(Exit::RuleErrors)
        }
    }
}

// === impl Described ===

impl Described {
    pub(crate) fn of(file: &str, plugin: &Inspected, standing: Result<plugin::Level, Finding>) -> Self {
        let manifest = plugin.manifest();
        let (level, refusal) = match standing {
            Ok(level) => (Some(level), None),
            Err(finding) => (None, Some(finding)),
        };
        let advice = refusal.as_ref().and_then(Finding::help_text).unwrap_or_default().to_owned();
        Self {
            file: file.to_owned(),
            name: manifest.name.clone(),
            version: manifest.version.to_string(),
            sha256: plugin.hash().to_string(),
            bytes: plugin.len(),
            language: manifest.language.clone(),
            panic: if manifest.panic == PanicStrategy::Unwind { "unwind" } else { "abort" },
            serial: manifest.is_serial,
            threads: manifest.has_threads,
            reads: reads(&manifest.inputs),
            level: level.map(plugin::Level::as_str),
            refused: refusal.map(|finding| finding.message().to_owned()),
            advice,
            verified: None,
        }
    }

    fn print(&self, printer: &Printer, console: &mut Console<'_>) -> io::Result<()> {
        let reads = if self.reads.is_empty() { "nothing".to_owned() } else { self.reads.join("; ") };
        let level = match self.level {
            Some(level) => format!("allowed, level {level}"),
            None => format!("{}; {}", self.refused.as_deref().unwrap_or("not allowed"), self.advice),
        };
        let serial = match (self.serial, self.threads) {
            (true, true) => ", one call at a time, starts threads",
            (true, false) => ", one call at a time",
            (false, true) => ", starts threads",
            (false, false) => "",
        };
        let lines = [
            ("file", format!("{}, {} KiB", self.file, self.bytes.div_ceil(1024))),
            ("sha256", self.sha256.clone()),
            ("written in", format!("{}, panic = {}{serial}", self.language, self.panic)),
            ("reads", reads),
            ("trust", level),
        ];
        writeln!(console.stdout, "{} {}", escape(&self.name), self.version)?;
        for (key, value) in lines {
            writeln!(console.stdout, "  {key:<11}{}", escape(&printer.mask.text(&value)))?;
        }
        if self.verified == Some(true) {
            writeln!(
                console.stdout,
                "  {:<11}loaded in a confined process, answered its entry and its self-test",
                "verified"
            )?;
        }
        Ok(())
    }
}

/// The rules folder that a plugin's file lies in, if it lies in one: it may not hold what the host goes by.
pub(crate) fn rules_folder(file: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let plugins = std::path::absolute(file).ok().and_then(|file| Some(file.parent()?.to_owned()));
    let plugins = plugins.filter(|folder| folder.file_name().is_some_and(|name| name == "plugins"));
    plugins.and_then(|plugins| Some(plugins.parent()?.to_owned())).into_iter()
}

fn reads(inputs: &DeclaredInputs) -> Vec<String> {
    let list = |what: &str, names: &[String]| (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")));
    let arguments: Vec<String> = inputs.arguments.iter().map(ToString::to_string).collect();
    let mut clock: Vec<String> = inputs.clock.iter().map(|part| part.as_str().to_owned()).collect();
    if inputs.now {
        clock.push("now".to_owned());
    }
    [
        inputs.method.then(|| "the method".to_owned()),
        list("attachments", &inputs.attachments),
        list("arguments", &arguments),
        list("of the consumer", &inputs.consumer),
        list("of the time", &clock),
        inputs.random.then(|| "chance".to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect()
}
