//! The schemas, and the command that prints them.
//!
//! They accept whatever is read without an error. Keys that nobody reads are warnings in documents, which a schema cannot
//! say: it leaves them open. Whether a text stands in quotes, and what stands in the texts of rules, it does not see.

use std::io;

use clap::Args;
use clap::ValueEnum;

use crate::cli::Console;
use crate::cli::Exit;

const EXAMPLES: &str = "\
Examples:
  pointsman schema > rules.schema.json
  pointsman schema --kind cases > cases.schema.json

The first line of a file names its schema for editors:
  # yaml-language-server: $schema=rules.schema.json

Exit codes: 0 done, 1 failed, 2 wrong arguments";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SchemaArguments {
    /// Which files
    #[arg(long, value_enum, default_value_t = SchemaKind::Documents)]
    kind: SchemaKind,
}

/// The files that a schema is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SchemaKind {
    /// Rule documents: `rules/**/*.yaml`
    Documents,
    /// `providers.yaml`
    Providers,
    /// Cases: `tests/*.yaml`
    Cases,
    /// `stand-ins.yaml`
    StandIns,
}

// === impl SchemaKind ===

impl SchemaKind {
    const fn text(self) -> &'static str {
        match self {
            Self::Documents => include_str!("documents.json"),
            Self::Providers => include_str!("providers.json"),
            Self::Cases => include_str!("cases.json"),
            Self::StandIns => include_str!("stand-ins.json"),
        }
    }
}

pub(crate) fn run(arguments: &SchemaArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    console.stdout.write_all(arguments.kind.text().as_bytes())?;
    Ok(Exit::Ok)
}
