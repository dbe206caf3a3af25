//! From arguments to a subcommand.

use std::ffi::OsString;
use std::io;

use clap::Parser as _;
use clap::error::ContextKind;
use clap::error::ContextValue;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::Arguments;
use crate::cli::args::Command;
use crate::cli::call;
use crate::cli::check;
use crate::cli::completions;
use crate::cli::convert;
use crate::cli::diff;
use crate::cli::fmt;
use crate::cli::history;
use crate::cli::init;
use crate::cli::man;
use crate::cli::route;
use crate::cli::schema;
use crate::cli::status;
use crate::cli::test;
use crate::cli::watch;
use crate::diagnostics::Mask;
use crate::source::config::HostConfig;

/// Runs the command with `args`, the program's name first.
///
/// ```
/// use pointsman::cli::{Console, Exit, run};
/// let (mut out, mut log) = (Vec::new(), Vec::new());
/// let exit = run(["pointsman", "--version"].map(Into::into), &mut Console::new(&mut out, &mut log));
/// assert_eq!((exit, out.starts_with(b"pointsman ")), (Exit::Ok, true));
/// ```
pub fn run(args: impl IntoIterator<Item = OsString>, console: &mut Console<'_>) -> Exit {
    match dispatch(args, console).and_then(|exit| console.flush().map(|()| exit)) {
        Ok(exit) => exit,
        // Whoever reads has enough: `pointsman check … | head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Ok,
        Err(error) => {
            // Where not even this can be written, the exit code is all there is.
            let _ = writeln!(console.stderr, "error: cannot write the answer: {error}");
            Exit::Failed
        }
    }
}

fn dispatch(args: impl IntoIterator<Item = OsString>, console: &mut Console<'_>) -> io::Result<Exit> {
    let arguments = match Arguments::try_parse_from(args) {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => {
            write!(console.stderr, "{}", masked(error))?;
            return Ok(Exit::Usage);
        }
        Err(error) => {
            write!(console.stdout, "{}", error.render())?;
            return Ok(Exit::Ok);
        }
    };
    match arguments.command {
        Command::Route(arguments) => route::run(&arguments, console),
        Command::Call(arguments) => call::run(&arguments, console),
        Command::Check(arguments) => check::run(&arguments, console),
        Command::Test(arguments) => test::run(&arguments, console),
        Command::Watch(arguments) => watch::run(&arguments, console),
        Command::Status(arguments) => status::run(&arguments, console),
        Command::History(arguments) => history::history(&arguments, console),
        Command::Rollback(arguments) => history::rollback(&arguments, console),
        Command::Diff(arguments) => diff::run(&arguments, console),
        Command::Init(arguments) => init::run(&arguments, console),
        Command::Fmt(arguments) => fmt::run(&arguments, console),
        Command::Convert(arguments) => convert::run(&arguments, console),
        Command::Schema(arguments) => schema::run(&arguments, console),
        Command::Completions(arguments) => completions::run(&arguments, console),
        Command::Man(arguments) => man::run(&arguments, console),
        #[cfg(all(feature = "plugins", target_os = "linux"))]
        Command::Plugin { command } => crate::cli::plugin::run(&command, console),
    }
}

/// What is wrong with the arguments, without the secrets that stand in them.
fn masked(mut error: clap::Error) -> String {
    // No rules folder is known yet, so only the user's and the system's list counts.
    let names = HostConfig::load(None, None).map(|config| config.mask).unwrap_or_default();
    let mask = Mask::new(names);
    let found: Vec<(ContextKind, String)> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, mask.text(text).into_owned())),
            _ => None,
        })
        .collect();
    for (kind, text) in found {
        error.insert(kind, ContextValue::String(text));
    }
    let text = error.render().to_string();
    text.split_inclusive('\n').map(|line| mask.message(line.trim_end_matches('\n')).into_owned() + "\n").collect()
}
