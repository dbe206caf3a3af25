//! From a subcommand of `pointsman plugin` to the file that does it.

use std::io;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::PluginCommand;
use crate::cli::plugin::allow;
use crate::cli::plugin::file;
use crate::cli::plugin::list;
use crate::cli::plugin::project;

pub(crate) fn run(command: &PluginCommand, console: &mut Console<'_>) -> io::Result<Exit> {
    match command {
        PluginCommand::New(arguments) => project::run(arguments, console),
        PluginCommand::Inspect(arguments) => file::inspect(arguments, console),
        PluginCommand::Verify(arguments) => file::verify(arguments, console),
        PluginCommand::Allow(arguments) => allow::run(arguments, console),
        PluginCommand::List(arguments) => list::run(arguments, console),
    }
}
