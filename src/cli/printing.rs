//! The options of commands that run no rule.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::CommonArguments;
use crate::cli::args::Format;

/// How a command prints that runs no rule.
#[derive(Debug, Args)]
pub(crate) struct PrintingArguments {
    /// The host's configuration, which says what is masked; else the user's or the system's `pointsman/config.toml`
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

// === impl PrintingArguments ===

impl PrintingArguments {
    /// What it has in common with the other commands.
    pub(crate) fn common(&self) -> CommonArguments {
        CommonArguments { config: self.config.clone(), format: self.format, isolation: None }
    }
}
