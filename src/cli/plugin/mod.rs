//! `pointsman plugin`: making, looking at, allowing plugins.

mod allow;
mod file;
mod list;
mod project;
mod sdk;

use std::io;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::PluginCommand;

pub(crate) fn run(command: &PluginCommand, console: &mut Console<'_>) -> io::Result<Exit> {
    match command {
        PluginCommand::New(arguments) => project::run(arguments, console),
        PluginCommand::Inspect(arguments) => file::inspect(arguments, console),
        PluginCommand::Verify(arguments) => file::verify(arguments, console),
        PluginCommand::Allow(arguments) => allow::run(arguments, console),
        PluginCommand::List(arguments) => list::run(arguments, console),
    }
}
