//! `pointsman completions`: what a shell needs to complete commands and options.

use std::io;

use clap::Args;
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::Arguments;

const EXAMPLES: &str = "\
Examples:
  pointsman completions bash > ~/.local/share/bash-completion/completions/pointsman
  pointsman completions zsh > \"${fpath[1]}/_pointsman\"
  pointsman completions fish > ~/.config/fish/completions/pointsman.fish

Exit codes: 0 done, 1 failed, 2 wrong arguments";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(arguments: &CompletionsArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    // `generate` panics where it cannot write; a text can always be written to.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "pointsman", &mut script);
    console.stdout.write_all(&script)?;
    Ok(Exit::Ok)
}
