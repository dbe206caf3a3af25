//! The command: installs the log, runs, exits with the code. Started with the argument of a worker, it is one.

use std::env;
use std::io;
use std::io::BufWriter;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use pointsman::cli::Console;
use pointsman::cli::run;
#[cfg(target_os = "linux")]
use pointsman::worker;
use tracing_subscriber::EnvFilter;

/// What is logged, as `tracing-subscriber` filters it; nothing without it.
const LOG: &str = "POINTSMAN_LOG";

/// Counts in workers only; elsewhere it is the system's.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: worker::CountingAllocator = worker::CountingAllocator;

/// The worker of a build that has nothing to run: it refuses every part.
#[cfg(target_os = "linux")]
struct NoService;

#[cfg(target_os = "linux")]
impl worker::Service for NoService {
    fn install(&mut self, _: worker::PartId, _: worker::PartBytes<'_>) -> Result<(), Vec<u8>> {
        Err(b"this build has no service for it".to_vec())
    }

    fn forget(&mut self, _: worker::PartId) {}

    fn run(&mut self, _: &[worker::PartId], _: &[u8], _: &worker::RunLimits) -> Vec<u8> {
        Vec::new()
    }
}

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if env::args_os().nth(1).is_some_and(|argument| argument == worker::WORKER_ARGUMENT) {
        return worker::serve(|| Box::new(NoService));
    }
    if env::var_os(LOG).is_some() {
        tracing_subscriber::fmt().with_env_filter(EnvFilter::from_env(LOG)).with_writer(io::stderr).init();
    }
    let is_plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_coloured = io::stdout().is_terminal() && !is_plain;
    let (mut stdout, mut stderr) = (BufWriter::new(io::stdout().lock()), io::stderr().lock());
    let console = Console::new(&mut stdout, &mut stderr);
    let mut console = if is_coloured { console.with_colour() } else { console };
    run(env::args_os(), &mut console).into()
}
