//! The arguments of `pointsman fmt`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::printing::PrintingArguments;

const EXAMPLES: &str = "\
Examples:
  pointsman fmt shop
  pointsman fmt shop/rules/gray.yaml shop/rules/orders.rules
  pointsman fmt shop --check
  pointsman fmt - < gray.yaml

Exit codes: 0 done, 1 a file would change (--check) or cannot be written, 2 wrong arguments,
4 a file has errors and stays as it is";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FmtArguments {
    /// Rules folders, or single files of one; `-` reads a document from standard input and prints it
    #[arg(required = true, value_name = "FOLDER|FILE|-")]
    pub(crate) paths: Vec<PathBuf>,
    /// Change nothing; tell what would change, and end with 1 if anything would
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) printing: PrintingArguments,
}
