//! `pointsman plugin allow`: records that this host may load a file.

use std::io;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::CommonArguments;
use crate::cli::args::Format;
use crate::cli::args::PluginAllowArguments;
use crate::cli::check::refuse;
use crate::cli::check::set_up;
use crate::cli::plugin::file::rules_folder;
use crate::cli::plugins;
use crate::diagnostics::Finding;
use crate::diagnostics::escape;
use crate::plugin::AllowList;
use crate::plugin::Level;
use crate::plugin::inspect;
use crate::plugin::standing;
use crate::source::config::HostConfig;

pub(crate) fn run(arguments: &PluginAllowArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let common = CommonArguments { config: arguments.config.clone(), format: Format::Human, isolation: None };
    let (printer, config) = match set_up(&common, rules_folder(&arguments.file), console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    match allow(arguments, &config) {
        Ok(lines) => {
            for line in lines {
                writeln!(console.stdout, "{}", escape(&line))?;
            }
            Ok(Exit::Ok)
        }
        Err(finding) => {
            refuse(&[finding], &printer, console)?;
            Ok(Exit::RuleErrors)
        }
    }
}

fn allow(arguments: &PluginAllowArguments, config: &HostConfig) -> Result<Vec<String>, Finding> {
    let name = arguments.file.to_string_lossy();
    let plugin = inspect(&arguments.file, &name, &plugins::settings(config))?;
    let settings = plugins::settings(config);
    if let Err(finding) = standing(&plugin, &arguments.file, &settings)
        && matches!(finding.slug(), "plugin::denied" | "plugin::wrong_list")
    {
        return Err(finding.in_file(&*name));
    }
    let list = config.allow_list().ok_or_else(|| {
        Finding::error("plugin::unwritable", "there is no place for the list of plugins")
            .with_help("set `HOME`, or name a file with `allow-list` in `[plugins]` of the host's configuration")
    })?;
    let level = if arguments.native { Level::Native } else { Level::Process };
    AllowList::allow(&list, &plugin, level, arguments.allow_downgrade)?;
    let manifest = plugin.manifest();
    Ok(vec![
        format!("allowed {manifest} at level {}, SHA-256 {}", level.as_str(), plugin.hash()),
        format!("recorded in {}", list.display()),
        format!("bind it with a rule: {}://0.0.0.0/SERVICE", manifest.name),
    ])
}
