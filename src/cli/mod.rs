//! The command `pointsman`: one file a subcommand.
//!
//! [`run`] reads arguments, does the work and writes to the [`Console`] it is given; it ends in an [`Exit`] and never
//! ends the process. Everything printed is masked and escaped. `docs/cli.md` tells commands, codes and JSON.

mod args;
mod call;
mod call_target;
mod cases;
mod check;
mod compare;
mod completions;
mod console;
mod convert;
mod deny;
mod diff;
mod engine;
mod exit;
mod explanation;
mod fmt;
mod history;
mod init;
mod interruption;
mod man;
mod masking;
mod output;
#[cfg(all(feature = "plugins", target_os = "linux"))]
mod plugin;
#[cfg(all(feature = "plugins", target_os = "linux"))]
mod plugins;
mod printing;
mod requested_call;
mod revision;
mod route;
mod run;
mod schema;
mod scripts;
mod status;
mod stdin;
mod test;
mod watch;
mod width;

pub use console::Console;
pub use exit::Exit;
pub use run::run;
