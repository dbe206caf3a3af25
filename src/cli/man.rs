//! `pointsman man`: manual pages, made of the help of the commands.

use std::fs;
use std::io;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use clap::Command;
use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::Arguments;
use crate::diagnostics::escape;

const EXAMPLES: &str = "\
Examples:
  pointsman man | man -l -
  pointsman man ~/.local/share/man/man1

Exit codes: 0 done, 1 a page cannot be written, 2 wrong arguments";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArguments {
    /// The folder for the pages, one a command; without it the main page is printed
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ManArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let mut command = Arguments::command();
    command.build();
    let Some(folder) = &arguments.folder else {
        Man::new(command).render(console.stdout)?;
        return Ok(Exit::Ok);
    };
    let mut pages = Vec::new();
    add_pages(&command, &mut pages);
    let shown = folder.to_string_lossy();
    match pages.iter().try_for_each(|page| write(folder, page)) {
        Ok(()) => {
            writeln!(console.stdout, "wrote {} pages into {}", pages.len(), escape(&shown))?;
            Ok(Exit::Ok)
        }
        Err(error) => {
            writeln!(console.stderr, "error: cannot write the pages into `{}`: {error}", escape(&shown))?;
            Ok(Exit::Failed)
        }
    }
}

/// The commands that have a page: all but `help`, each under the name of those above it.
fn add_pages(command: &Command, pages: &mut Vec<Command>) {
    pages.push(command.clone());
    let shown = command.get_subcommands().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set());
    shown.for_each(|inner| add_pages(inner, pages));
}

fn write(folder: &Path, page: &Command) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let man = Man::new(page.clone());
    let mut text = Vec::new();
    man.render(&mut text)?;
    fs::write(folder.join(man.get_filename()), text)
}
