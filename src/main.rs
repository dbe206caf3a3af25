//! The command: installs the log, runs, exits with the code. Started as a worker, it serves its host instead.

use std::env;
use std::io;
use std::io::BufWriter;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use pointsman::cli::Console;
use pointsman::cli::run;
#[cfg(target_os = "linux")]
use tracing_subscriber::EnvFilter;

/// What is logged, as `tracing-subscriber` filters it; nothing without it.
const LOG: &str = "POINTSMAN_LOG";

/// Counts what a run in a worker allocates; in the command itself it only passes on.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: pointsman::worker::CountingAllocator = pointsman::worker::CountingAllocator;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if env::args_os().nth(1).is_some_and(|argument| argument == pointsman::worker::WORKER_ARGUMENT) {
        return pointsman::runtime::serve_host();
    }
    if env::var_os(LOG).is_some() {
        tracing_subscriber::fmt().with_env_filter(EnvFilter::from_env(LOG)).with_writer(io::stderr).init();
    }
    let is_plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_coloured = io::stdout().is_terminal() && !is_plain;
    // Other threads write to the same place when they log: nobody may hold it for long.
    let (mut stdout, mut stderr) = (BufWriter::new(io::stdout().lock()), io::stderr());
    let console = Console::new(&mut stdout, &mut stderr);
    let console = if is_coloured { console.with_colour() } else { console };
    let mut console = if io::stderr().is_terminal() { console.with_progress() } else { console };
    run(env::args_os(), &mut console).into()
}
