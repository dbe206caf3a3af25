//! The options of `call`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use thiserror::Error;

use crate::cli::args::CommonArguments;
use crate::cli::args::read_clock;
use crate::cli::call_target::CallTarget;
use crate::stand_in::read_duration;

/// The times of so many calls are kept.
const MOST_CALLS: u64 = 10_000_000;
const MOST_AT_A_TIME: u64 = 100_000;

const EXAMPLES: &str = "\
Examples:
  pointsman call shop --service com.shop.CatalogService -m item -a 42
  pointsman call shop --service com.shop.CatalogService -m item --explain
  pointsman call shop --service com.shop.CatalogService -m item --repeat 10000 --concurrency 64
  pointsman call shop -m create --consumer 'consumer://10.1.0.9?cluster=failfast&loadbalance=roundrobin'

Exit codes: 0 every call was answered, 1 one failed, 2 wrong arguments, 3 nobody is left, 4 a rule has errors";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CallArguments {
    /// The rules folder; its `stand-ins.yaml` says how providers behave
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) call: CallTarget,
    /// Call by the files without errors, even if others have some
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Tell what each rule did, whom the load balance chose, and what became of each attempt
    #[arg(long)]
    pub(crate) explain: bool,
    /// Make the call N times, and count what comes of it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_CALLS))]
    pub(crate) repeat: Option<u64>,
    /// Have so many calls under way at a time
    #[arg(long, value_name = "C", requires = "repeat", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MOST_AT_A_TIME))]
    pub(crate) concurrency: u64,
    /// How long a call may take with all its attempts, such as `500ms`; one attempt has its own `timeout` besides
    #[arg(long, value_name = "TIME", value_parser = read_timeout)]
    pub(crate) timeout: Option<Duration>,
    /// Where all draws begin; else by chance. `--explain` and `--repeat` tell it
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
    /// Let the time of stand-ins pass at once, so that the same seed gives the same run
    #[arg(long)]
    pub(crate) virtual_time: bool,
    /// The time at which the calls begin, such as `2026-11-30T22:00:00+08:00`; else the machine's
    #[arg(long, value_name = "TIME", value_parser = read_clock)]
    pub(crate) clock: Option<Timestamp>,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

fn read_timeout(text: &str) -> Result<Duration, WrongTimeout> {
    read_duration(text).filter(|time| !time.is_zero()).ok_or(WrongTimeout)
}

/// No time, or none at all.
#[derive(Debug, Error)]
#[error("expected a time above 0 and up to an hour, such as `500ms` or `2s`")]
struct WrongTimeout;
