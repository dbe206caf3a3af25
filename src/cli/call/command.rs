//! The subcommand: puts engine, stand-ins and reference together, makes the calls, and prints what came of them.

use std::hash::BuildHasher as _;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use tokio::runtime::Builder;
use tokio::time::Instant;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::Format;
use crate::cli::call::CallArguments;
use crate::cli::call::progress::Progress;
use crate::cli::call::report::Tried;
use crate::cli::check::refuse;
use crate::cli::check::set_up;
use crate::cli::check::stop;
use crate::cli::engine;
use crate::cli::explanation::Explanation;
use crate::cli::interruption::Interruption;
use crate::cli::output::Printer;
use crate::cli::requested_call::RequestedCall;
use crate::cli::route::hint;
use crate::cluster::ClusterCall;
use crate::diagnostics::Finding;
use crate::router::Clock as _;
use crate::router::SystemClock;
use crate::rpc::Invocation as _;
use crate::rpc::Url;
use crate::runtime::Engine;
use crate::runtime::Reference;
use crate::runtime::SelectError;
use crate::runtime::calls::CallCandidates;
use crate::runtime::calls::CallRecord;
use crate::runtime::calls::CallTally;
use crate::runtime::calls::CallTrial;
use crate::runtime::calls::RunningClock;
use crate::runtime::calls::try_calls;
use crate::source::config::HostConfig;
use crate::source::folder::FolderContents;
use crate::source::folder::load;
use crate::source::folder::load_stand_ins;
use crate::stand_in::StandIns;
use crate::transport::StandInProtocol;

/// All that a run is made of.
struct Plan<'a> {
    arguments: &'a CallArguments,
    call: RequestedCall,
    providers: Vec<Url>,
    stand_ins: Arc<StandIns>,
    config: &'a HostConfig,
    seed: u64,
}

// === impl Plan ===

impl Plan<'_> {
    fn trial(&self) -> CallTrial {
        CallTrial {
            calls: self.arguments.repeat.unwrap_or(1),
            concurrency: usize::try_from(self.arguments.concurrency).unwrap_or(1),
            timeout: self.arguments.timeout,
            seed: self.seed,
        }
    }
}

pub(crate) fn run(arguments: &CallArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let folder = std::iter::once(arguments.folder.clone());
    let (printer, config) = match set_up(&arguments.common, folder, console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    let mut contents = load(&arguments.folder, &config.folder_options());
    let rules = engine::compile(&mut contents, &config);
    let loaded = load_stand_ins(&contents);
    contents.add_findings(loaded.findings);
    if let Some(exit) = stop(&contents, arguments.keep_going, &printer, console)? {
        return Ok(exit);
    }
    let plan = match plan(arguments, &contents, loaded.stand_ins, &config) {
        Ok(plan) => plan,
        Err(findings) => {
            refuse(&findings, &printer, console)?;
            return Ok(Exit::Usage);
        }
    };
    // One thread: what is called is played, and in one thread the same seed gives the same order.
    let runtime = Builder::new_current_thread().enable_time().start_paused(arguments.virtual_time).build()?;
    let tried = runtime.block_on(tried(&plan, rules, &printer, console))?;
    // A script may still be asked by somebody whose call is over; nobody waits for that.
    runtime.shutdown_background();
    match tried {
        Ok(tried) => {
            tried.print(arguments, contents.findings(), &printer, console)?;
            if printer.format != Format::Json {
                hint(&arguments.folder, arguments.keep_going, &contents, console)?;
            }
            Ok(tried.exit(arguments))
        }
        Err((exit, findings)) => {
            refuse(&findings, &printer, console)?;
            Ok(exit)
        }
    }
}

fn plan<'a>(
    arguments: &'a CallArguments,
    contents: &FolderContents,
    stand_ins: StandIns,
    config: &'a HostConfig,
) -> Result<Plan<'a>, Vec<Finding>> {
    let call = RequestedCall::read(&arguments.call, &engine::services_of(contents))?;
    let weighted = |url: &Url| stand_ins.weighted(url).unwrap_or_else(|_| url.clone());
    let providers = contents.providers().map(weighted).collect();
    // Short enough to be typed again, and exact in JSON.
    let seed = arguments.seed.unwrap_or_else(|| std::hash::RandomState::new().hash_one(0) & u64::from(u32::MAX));
    Ok(Plan { arguments, call, providers, stand_ins: Arc::new(stand_ins), config, seed })
}

/// How the command ends without an answer, and why.
type Refused = (Exit, Vec<Finding>);

/// Makes the calls, and tells what came of them.
async fn tried(
    plan: &Plan<'_>,
    rules: engine::Compiled,
    printer: &Printer,
    console: &mut Console<'_>,
) -> io::Result<Result<Tried, Refused>> {
    let (engine, reference) = match start(plan, rules) {
        Ok(started) => started,
        Err(refused) => return Ok(Err(refused)),
    };
    // One call is told as it began; many with what they have led to, such as providers set aside or an open breaker.
    let before = if plan.arguments.repeat.is_none() { Some(look(plan, &engine)) } else { None };
    let mut tally = CallTally::default();
    let started = Instant::now();
    let first = make_calls(plan, &reference, &mut tally, console).await?;
    let elapsed_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    let (explanation, candidates) = match before.unwrap_or_else(|| look(plan, &engine)) {
        Ok(found) => found,
        Err(error) => return Ok(Err((Exit::Failed, vec![engine::failed(&error)]))),
    };
    let tried = Tried {
        explanation,
        cluster: reference.cluster().name().to_owned(),
        report: tally.report(&candidates, elapsed_us),
        first,
        seed: plan.seed,
    };
    Ok(Ok(tried.masked(&printer.mask)))
}

/// What rules do with the first attempt of the first call now, and whom they leave.
fn look(plan: &Plan<'_>, engine: &Engine) -> Result<(Explanation, CallCandidates), SelectError> {
    let seed = ClusterCall::route_seed(plan.trial().seed_of(0), 0);
    let found = engine.explain(&plan.call.consumer, &plan.call.invocation, Some(seed))?;
    let candidates = CallCandidates::of(engine, &found, plan.call.invocation.target_method());
    Ok((engine::told(&found, &plan.call), candidates))
}

fn start(plan: &Plan<'_>, rules: engine::Compiled) -> Result<(Engine, Reference), Refused> {
    let began = plan.arguments.clock.unwrap_or_else(|| SystemClock.now());
    let clock = Arc::new(RunningClock::starting_at(began));
    let engine = engine::start_over(rules, plan.providers.clone(), plan.config, Arc::clone(&clock) as _, plan.seed)
        .map_err(|error| (Exit::Failed, error.findings))?;
    let mut reference = Reference::builder(plan.call.service.as_str())
        .consumer(plan.call.consumer.clone())
        .engine(engine.clone())
        .clock(clock)
        .seed(plan.seed);
    for protocol in StandInProtocol::for_all(&plan.providers, &plan.stand_ins, plan.seed) {
        reference = reference.protocol(protocol);
    }
    let reference = reference.build().map_err(|error| {
        let finding = Finding::error("call::failed", error.message().to_owned());
        (Exit::Usage, vec![finding])
    })?;
    Ok((engine, reference))
}

/// Makes the calls, counts them, and gives the first of them back.
async fn make_calls(
    plan: &Plan<'_>,
    reference: &Reference,
    tally: &mut CallTally,
    console: &mut Console<'_>,
) -> io::Result<Option<CallRecord>> {
    let trial = plan.trial();
    // One call that is interrupted has nothing to tell.
    let interruption = if plan.arguments.repeat.is_some() { Interruption::catch()? } else { Interruption::default() };
    let mut progress = console.has_progress.then(|| Progress::of(trial.calls));
    let (mut first, mut written) = (None, Ok(()));
    let over = |record: CallRecord| {
        tally.add(&record);
        if let (Some(progress), Ok(())) = (&mut progress, &written) {
            written = progress.step(console.stderr);
        }
        if record.number == 0 {
            first = Some(record);
        }
        if interruption.has_come() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    try_calls(reference, plan.call.invocation.clone(), trial, over).await;
    written?;
    if let Some(progress) = &progress {
        progress.end(console.stderr)?;
    }
    Ok(first)
}
