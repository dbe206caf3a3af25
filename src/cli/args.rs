//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use clap::Parser;
use clap::Subcommand;
use clap::ValueEnum;
use clap::builder::NonEmptyStringValueParser;
use jiff::Timestamp;
use thiserror::Error;

use crate::cli::call::CallArguments;
use crate::cli::call_target::CallTarget;
use crate::cli::completions::CompletionsArguments;
use crate::cli::convert::ConvertArguments;
use crate::cli::deny::Deny;
use crate::cli::fmt::FmtArguments;
use crate::cli::man::ManArguments;
use crate::cli::schema::SchemaArguments;
use crate::source::cases::read_time;

const EXAMPLES: &str = "\
Examples:
  pointsman init shop
  pointsman check shop
  pointsman route shop -m sayHello --explain
  pointsman test shop

Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 nobody is left, 4 a rule has errors";

const ROUTE_EXAMPLES: &str = "\
Examples:
  pointsman route shop -m create
  pointsman route shop --service com.shop.OrderService -m create --explain
  pointsman route shop -m find -a 42 -a '{\"city\": \"hangzhou\"}' --types long,java.util.Map
  pointsman route shop -m create -A dubbo.tag=gray --format json
  pointsman route shop -m create --consumer 'consumer://10.1.0.9/com.shop.OrderService?region=hangzhou'

Exit codes: 0 somebody may be called, 1 failed, 2 wrong arguments, 3 nobody is left, 4 a rule has errors";

const CHECK_EXAMPLES: &str = "\
Examples:
  pointsman check shop
  pointsman check shop/rules/gray.rules shop/providers.txt
  pointsman check shop --format json

Exit codes: 0 no errors (warnings do not count), 2 wrong arguments, 4 a rule has errors";

const TEST_EXAMPLES: &str = "\
Examples:
  pointsman test shop
  pointsman test shop --filter orders --format plain
  pointsman test shop --fail-under 80 --format junit > cases.xml

Exit codes: 0 every case passed, 1 a case failed, none was run, or too few rules were reached,
2 wrong arguments, 4 a rule or a case has errors";

const WATCH_EXAMPLES: &str = "\
Examples:
  pointsman watch shop
  pointsman watch shop --count 2 --format json

Exit codes: 0 all of the last change is in force, 2 wrong arguments, 4 some of it was rejected";

const STATUS_EXAMPLES: &str = "\
Examples:
  pointsman status shop
  pointsman status shop --format json

Exit codes: 0 all that the folder holds is in force, 1 failed, 2 wrong arguments, 4 some of it is not";

const HISTORY_EXAMPLES: &str = "\
Examples:
  pointsman history shop
  pointsman history shop rules/gray.yaml --diff --limit 5

Exit codes: 0 done, 1 failed, 2 wrong arguments";

const ROLLBACK_EXAMPLES: &str = "\
Examples:
  pointsman rollback shop rules/gray.yaml
  pointsman rollback shop rules/gray.yaml --to 12

Exit codes: 0 done, 1 there is no such version, or it cannot be written, 2 wrong arguments";

const DIFF_EXAMPLES: &str = "\
Examples:
  pointsman diff shop shop-gray
  pointsman diff HEAD~1:shop shop --format json

Exit codes: 0 no call changes, 1 some do, 2 wrong arguments, 4 a rule has errors";

const INIT_EXAMPLES: &str = "\
Examples:
  pointsman init shop
  pointsman route shop -m create --explain";

#[cfg(all(feature = "plugins", target_os = "linux"))]
const PLUGIN_EXAMPLES: &str = "\
Examples:
  pointsman plugin new areacode
  pointsman plugin inspect libareacode.so
  pointsman plugin allow shop/plugins/libareacode.so
  pointsman plugin list shop

Exit codes: 0 done, 1 failed, 2 wrong arguments, 4 a plugin may not be loaded";

/// Decides, for every RPC call, which providers may serve it.
#[derive(Debug, Parser)]
#[command(name = "pointsman", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Route one call through the rules of a folder
    Route(Box<RouteArguments>),
    /// Make calls through the whole path, stand-ins playing the providers
    Call(Box<CallArguments>),
    /// Report everything that is wrong with folders and files
    Check(CheckArguments),
    /// Run the cases of a folder: calls, and the answers they must get
    Test(TestArguments),
    /// Follow a folder and tell what each of its changes does, until interrupted
    Watch(WatchArguments),
    /// Tell what is wanted of a folder, what is in force, and why they differ
    Status(StatusArguments),
    /// List the versions of a folder's files: where from, taken or why not
    History(HistoryArguments),
    /// Write an earlier version of a file back into its folder
    Rollback(RollbackArguments),
    /// Tell what the rules of a second folder would change
    Diff(DiffArguments),
    /// Bring rule texts into their normal form, and leave the rest of a file alone
    Fmt(FmtArguments),
    /// Write condition rules in another form, or tell what would be lost
    Convert(ConvertArguments),
    /// Print the JSON Schema of a folder's YAML files, for editors
    Schema(SchemaArguments),
    /// Write a small folder that works at once
    Init(InitArguments),
    /// Print what a shell needs to complete commands and options
    Completions(CompletionsArguments),
    /// Print the manual page, or write one a command
    Man(ManArguments),
    /// Make, look at and allow routers that come as shared libraries
    #[cfg(all(feature = "plugins", target_os = "linux"))]
    Plugin {
        #[command(subcommand)]
        command: PluginCommand,
    },
}

#[derive(Debug, Args)]
#[command(after_help = ROUTE_EXAMPLES)]
pub(crate) struct RouteArguments {
    /// The rules folder
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) call: CallTarget,
    /// Route by the files without errors, even if others have some
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Tell what each rule did, and why
    #[arg(long)]
    pub(crate) explain: bool,
    /// Route the call N times and count the distinct answers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: Option<u32>,
    /// The time at which the call is made, such as `2026-11-30T22:00:00+08:00`; else the machine's
    #[arg(long, value_name = "TIME", value_parser = read_clock)]
    pub(crate) clock: Option<Timestamp>,
    /// Add the call and its answer to a file of cases, which `test` runs
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// What the recorded case is called; else service, method and a number
    #[arg(long, value_name = "TEXT", requires = "record", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) note: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArguments {
    /// Rules folders, or single files of one
    #[arg(required = true, value_name = "FOLDER|FILE")]
    pub(crate) paths: Vec<PathBuf>,
    /// Count the findings of a number or a name (`PM1301`, `check::shadowed`) as errors, or all `warnings`; may be repeated
    #[arg(long, value_name = "FINDING")]
    pub(crate) deny: Vec<Deny>,
    /// The host's configuration; else the user's or the system's `pointsman/config.toml`
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub(crate) format: CheckFormat,
    /// Where scripts run; `inline` trusts them. Else what the configuration says, else in workers
    #[arg(long, value_enum, value_name = "WHERE")]
    pub(crate) isolation: Option<Isolation>,
}

#[derive(Debug, Args)]
#[command(after_help = TEST_EXAMPLES)]
pub(crate) struct TestArguments {
    /// The rules folder; its cases stand in `tests/*.yaml`
    pub(crate) folder: PathBuf,
    /// Run only cases in whose file or note the text occurs
    #[arg(long, value_name = "TEXT", conflicts_with = "fail_under")]
    pub(crate) filter: Option<String>,
    /// Fail where fewer rules were reached by a case, in percent
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) fail_under: Option<u8>,
    /// Run with the files without errors, even if others have some
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// The host's configuration; else the user's or the system's `pointsman/config.toml`
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Where scripts run; `inline` trusts them. Else what the configuration says, else in workers
    #[arg(long, value_enum, value_name = "WHERE")]
    pub(crate) isolation: Option<Isolation>,
    /// How to print
    #[arg(long, value_enum, default_value_t = TestFormat::Human)]
    pub(crate) format: TestFormat,
}

#[derive(Debug, Args)]
#[command(after_help = WATCH_EXAMPLES)]
pub(crate) struct WatchArguments {
    /// The rules folder; one that is not there yet is followed as soon as it is
    pub(crate) folder: PathBuf,
    /// End after so many reloads, the first reading included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

#[derive(Debug, Args)]
#[command(after_help = STATUS_EXAMPLES)]
pub(crate) struct StatusArguments {
    /// The rules folder
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

#[derive(Debug, Args)]
#[command(after_help = HISTORY_EXAMPLES)]
pub(crate) struct HistoryArguments {
    /// The rules folder
    pub(crate) folder: PathBuf,
    /// Only this file, by its path relative to the folder
    pub(crate) file: Option<String>,
    /// The newest so many records
    #[arg(long, value_name = "N", default_value = "50")]
    pub(crate) limit: NonZeroUsize,
    /// Show what each record changed
    #[arg(long)]
    pub(crate) diff: bool,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

#[derive(Debug, Args)]
#[command(after_help = ROLLBACK_EXAMPLES)]
pub(crate) struct RollbackArguments {
    /// The rules folder
    pub(crate) folder: PathBuf,
    /// The file, by its path relative to the folder
    pub(crate) file: String,
    /// The version, as `history` numbers them; else the newest good one that is not there now
    #[arg(long, value_name = "VERSION")]
    pub(crate) to: Option<u64>,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
pub(crate) struct DiffArguments {
    /// The folder whose rules are in force, or `REVISION:FOLDER` of a git repository
    pub(crate) old: PathBuf,
    /// The folder whose rules would be, or `REVISION:FOLDER`
    pub(crate) new: PathBuf,
    /// Compare the files without errors, even if others have some
    #[arg(long)]
    pub(crate) keep_going: bool,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

#[derive(Debug, Args)]
#[command(after_help = INIT_EXAMPLES)]
pub(crate) struct InitArguments {
    /// The folder to make; it must not hold anything yet
    pub(crate) folder: PathBuf,
}

#[cfg(all(feature = "plugins", target_os = "linux"))]
#[derive(Debug, Subcommand)]
#[command(after_help = PLUGIN_EXAMPLES)]
pub(crate) enum PluginCommand {
    /// Write a project that builds and tests at once, without a network
    New(PluginNewArguments),
    /// Tell what a file is; none of its code runs
    Inspect(PluginFileArguments),
    /// Load a file in a confined process and have it test itself
    Verify(PluginFileArguments),
    /// Record that this host may load a file
    Allow(PluginAllowArguments),
    /// List the plugins of a folder; none of their code runs
    List(PluginListArguments),
}

#[cfg(all(feature = "plugins", target_os = "linux"))]
#[derive(Debug, Args)]
pub(crate) struct PluginNewArguments {
    /// The folder to make; its name becomes the plugin's
    #[arg(value_name = "NAME")]
    pub(crate) folder: PathBuf,
    /// What to write it in
    #[arg(long, value_enum, default_value_t = PluginLanguage::Rust)]
    pub(crate) lang: PluginLanguage,
    /// Take the SDK from the registry instead of writing it beside the project
    #[arg(long)]
    pub(crate) registry: bool,
}

#[cfg(all(feature = "plugins", target_os = "linux"))]
#[derive(Debug, Args)]
pub(crate) struct PluginFileArguments {
    /// The shared library
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) common: PluginCommonArguments,
}

#[cfg(all(feature = "plugins", target_os = "linux"))]
#[derive(Debug, Args)]
pub(crate) struct PluginAllowArguments {
    /// The shared library
    pub(crate) file: PathBuf,
    /// Let it run in the host's own process: faster, and trusted with all that the host may do
    #[arg(long)]
    pub(crate) native: bool,
    /// Let it replace a newer version
    #[arg(long)]
    pub(crate) allow_downgrade: bool,
    /// The host's configuration; else the user's or the system's `pointsman/config.toml`
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[cfg(all(feature = "plugins", target_os = "linux"))]
#[derive(Debug, Args)]
pub(crate) struct PluginListArguments {
    /// The rules folder
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) common: PluginCommonArguments,
}

#[cfg(all(feature = "plugins", target_os = "linux"))]
#[derive(Debug, Args)]
pub(crate) struct PluginCommonArguments {
    /// The host's configuration; else the user's or the system's `pointsman/config.toml`
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// What a plugin is written in.
#[cfg(all(feature = "plugins", target_os = "linux"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PluginLanguage {
    /// Rust, with the SDK
    Rust,
    /// C, with the header
    C,
}

#[derive(Debug, Args)]
pub(crate) struct CommonArguments {
    /// The host's configuration; else the user's or the system's `pointsman/config.toml`
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Where scripts run; `inline` trusts them. Else what the configuration says, else in workers
    #[arg(long, value_enum, value_name = "WHERE")]
    pub(crate) isolation: Option<Isolation>,
}

/// Where scripts run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Isolation {
    /// In supervised processes
    Worker,
    /// On the calling thread: every script is trusted
    Inline,
}

/// How answers and findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Human,
    /// Without drawing, a line a fact
    Plain,
    /// For programs
    Json,
}

/// How findings are printed by `check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people
    Human,
    /// Without drawing, a line a fact
    Plain,
    /// For programs
    Json,
    /// For code scanning: SARIF 2.1.0
    Sarif,
}

/// How the results of cases are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// For people
    Human,
    /// Without drawing, a line a fact
    Plain,
    /// For programs
    Json,
    /// For CI: JUnit's XML
    Junit,
}

// === impl PluginCommonArguments ===

#[cfg(all(feature = "plugins", target_os = "linux"))]
impl PluginCommonArguments {
    /// What it has in common with the other commands.
    pub(crate) fn common(&self) -> CommonArguments {
        CommonArguments { config: self.config.clone(), format: self.format, isolation: None }
    }
}

// === impl CheckArguments ===

impl CheckArguments {
    /// What it has in common with the other commands; what is refused beside SARIF is told as JSON.
    pub(crate) fn common(&self) -> CommonArguments {
        let format = match self.format {
            CheckFormat::Human => Format::Human,
            CheckFormat::Plain => Format::Plain,
            CheckFormat::Json | CheckFormat::Sarif => Format::Json,
        };
        CommonArguments { config: self.config.clone(), format, isolation: self.isolation }
    }
}

// === impl TestArguments ===

impl TestArguments {
    /// What it has in common with the other commands; findings beside XML are told plainly.
    pub(crate) fn common(&self) -> CommonArguments {
        let format = match self.format {
            TestFormat::Human => Format::Human,
            TestFormat::Plain | TestFormat::Junit => Format::Plain,
            TestFormat::Json => Format::Json,
        };
        CommonArguments { config: self.config.clone(), format, isolation: self.isolation }
    }
}

pub(crate) fn read_clock(text: &str) -> Result<Timestamp, WrongClock> {
    read_time(text).ok_or(WrongClock)
}

/// A time without a zone, or none at all.
#[derive(Debug, Error)]
#[error("expected a date and a time with its zone, such as `2026-11-30T22:00:00+08:00` or `2026-11-30T14:00:00Z`")]
pub(crate) struct WrongClock;
