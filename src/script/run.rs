//! One run of a script: what it may see, what it read, and how much of its budget is left.

use std::cell::Cell;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Zoned;

use crate::router::ClockGranularity;
use crate::router::Input;
use crate::router::Limit;
use crate::router::Read;
use crate::router::Selection;
use crate::router::Zone;
use crate::rpc::Value;
use crate::script::CapturedCall;
use crate::script::ProviderTable;
use crate::script::RunError;
use crate::script::RunLimits;
use crate::script::cpu_clock::CpuClock;

/// What an engine's host functions work on while a script runs. Every look at the call is recorded here; all else a
/// script can see is the table, which belongs to the list.
#[derive(Debug)]
pub struct Run {
    table: Arc<ProviderTable>,
    candidates: Selection,
    call: CapturedCall,
    limits: RunLimits,
    moment: Zoned,
    zone: Zone,
    clock: Cell<CpuClock>,
    reads: RefCell<Vec<Input>>,
    columns: RefCell<BTreeSet<String>>,
    impurity: RefCell<Option<Box<str>>>,
    log: RefCell<RunLog>,
    draws: Cell<u64>,
}

/// What a script wrote to the log.
#[derive(Debug, Default)]
struct RunLog {
    lines: Vec<String>,
    bytes: u32,
    left_out: u32,
}

// === impl Run ===

impl Run {
    /// Begins a run; the deadline counts from now.
    #[must_use]
    pub fn start(table: Arc<ProviderTable>, candidates: Selection, call: CapturedCall, limits: RunLimits) -> Self {
        let zone = Zone::find(&call.zone).unwrap_or_else(Zone::utc);
        Self {
            table,
            candidates,
            limits,
            moment: zone.at(call.now()),
            zone,
            call,
            clock: Cell::new(CpuClock::start()),
            reads: RefCell::default(),
            columns: RefCell::default(),
            impurity: RefCell::default(),
            log: RefCell::default(),
            draws: Cell::new(0),
        }
    }

    /// The providers of the list.
    #[must_use]
    pub fn table(&self) -> &Arc<ProviderTable> {
        &self.table
    }

    /// The positions that the script sees as `invokers`, in order.
    #[must_use]
    pub fn candidates(&self) -> &Selection {
        &self.candidates
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &RunLimits {
        &self.limits
    }

    /// The service as the call names it.
    #[must_use]
    pub fn service(&self) -> &str {
        self.record(Input::Service);
        &self.call.service
    }

    /// The method as called.
    #[must_use]
    pub fn method(&self) -> &str {
        self.record(Input::Method);
        &self.call.method
    }

    /// The method that is meant, also by a generic call.
    #[must_use]
    pub fn target_method(&self) -> &str {
        self.record(Input::TargetMethod);
        &self.call.target_method
    }

    /// The attachment `key`.
    #[must_use]
    pub fn attachment(&self, key: &str) -> Option<&str> {
        self.record(Input::Attachment(key.into()));
        self.call.attachments.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// All attachments.
    #[must_use]
    pub fn attachments(&self) -> &[(String, String)] {
        self.record(Input::Attachments);
        &self.call.attachments
    }

    /// All arguments.
    #[must_use]
    pub fn arguments(&self) -> &[Value<'static>] {
        self.record(Input::ArgumentCount);
        (0..self.call.arguments.len()).for_each(|index| self.record(Input::TypedArgument(index)));
        &self.call.arguments
    }

    /// How many arguments there are.
    #[must_use]
    pub fn argument_count(&self) -> usize {
        self.record(Input::ArgumentCount);
        self.call.arguments.len()
    }

    /// The argument at `index`.
    #[must_use]
    pub fn argument(&self, index: usize) -> Option<&Value<'static>> {
        self.record(Input::TypedArgument(index));
        self.call.arguments.get(index)
    }

    /// The types of the parameters, as Java names them.
    #[must_use]
    pub fn parameter_types(&self) -> &[String] {
        self.record(Input::ParameterTypes);
        &self.call.parameter_types
    }

    /// The consumer's URL; it belongs to the binding, so reading it is no input of the call.
    #[must_use]
    pub fn consumer(&self) -> &str {
        &self.call.consumer
    }

    /// A part of the time in the rule's zone; [`ClockGranularity::Instant`] makes the run impure.
    #[must_use]
    pub fn now(&self, granularity: ClockGranularity) -> i64 {
        if granularity == ClockGranularity::Instant {
            self.mark_impure("it read the clock more finely than by the minute");
        } else {
            self.record(Input::Now(granularity, self.zone.clone()));
        }
        granularity.of(&self.moment)
    }

    /// The minutes by which the rule's zone is ahead of UTC now. Makes the run impure.
    #[must_use]
    pub fn zone_offset_minutes(&self) -> i64 {
        self.mark_impure("it read the clock more finely than by the minute");
        i64::from(self.moment.offset().seconds() / 60)
    }

    /// Whether the provider at `position` can be reached.
    #[must_use]
    pub fn is_available(&self, position: usize) -> bool {
        self.record(Input::Availability);
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        self.call.unavailable.binary_search(&position).is_err()
    }

    /// A number from 0 up to 1, without 1, drawn from the call's seed. Makes the run impure.
    #[must_use]
    pub fn random(&self) -> f64 {
        self.mark_impure("it draws by chance");
        let draw = self.draws.replace(self.draws.get() + 1);
        let bits = crate::router::mix(self.call.seed ^ crate::router::mix(draw));
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Writes a line to the log, as far as the run may. Makes the run impure.
    pub fn log(&self, text: &str) {
        self.mark_impure("it writes to the log");
        let mut log = self.log.borrow_mut();
        let room = self.limits.log_bytes.saturating_sub(log.bytes) as usize;
        if room == 0 || log.lines.len() >= self.limits.log_lines as usize {
            log.left_out = log.left_out.saturating_add(1);
            return;
        }
        let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= room).last();
        let line = text.get(..end.unwrap_or(0)).unwrap_or_default().to_owned();
        log.bytes = log.bytes.saturating_add(u32::try_from(line.len()).unwrap_or(u32::MAX).max(1));
        log.lines.push(line);
    }

    /// Says that the provider parameter `key` was looked at; for explanations only.
    pub fn note_column(&self, key: &str) {
        let mut columns = self.columns.borrow_mut();
        if columns.len() < 64 && !columns.contains(key) {
            columns.insert(key.to_owned());
        }
    }

    /// Says why an equal call may come to something else.
    pub fn mark_impure(&self, why: &str) {
        self.impurity.borrow_mut().get_or_insert_with(|| why.into());
    }

    /// Counts from now: making an engine and compiling are no part of a run's time.
    pub(crate) fn restart_clock(&self) {
        self.clock.set(CpuClock::start());
    }

    /// The processor time since the start, in microseconds. Reading it takes about 350 ns.
    #[must_use]
    pub fn used_us(&self) -> u64 {
        self.clock.get().elapsed_us()
    }

    /// Whether the deadline is over; engines ask every some operations. Takes about 30 ns.
    #[must_use]
    pub fn is_overdue(&self) -> bool {
        self.clock.get().has_used(self.limits.deadline)
    }

    /// What has passed on the wall since the start, in microseconds. Takes about 30 ns.
    #[must_use]
    pub fn passed_us(&self) -> u64 {
        u64::try_from(self.clock.get().passed().as_micros()).unwrap_or(u64::MAX)
    }

    /// The error of a run whose deadline is over.
    #[must_use]
    pub fn overdue(&self, line: Option<u32>) -> RunError {
        let allowed = u64::try_from(self.limits.deadline.as_micros()).unwrap_or(u64::MAX);
        RunError::Limit { which: Limit::Deadline, used: self.used_us().max(allowed), allowed, line }
    }

    /// What the run read of the call, in order, with the values of then.
    #[must_use]
    pub fn reads(&self) -> Vec<Read> {
        self.reads.borrow().iter().map(|input| self.call.read(input.clone())).collect()
    }

    /// The inputs that were read, in order.
    #[must_use]
    pub fn inputs(&self) -> Vec<Input> {
        self.reads.borrow().clone()
    }

    /// Why the run is impure, if it is.
    #[must_use]
    pub fn impurity(&self) -> Option<Box<str>> {
        self.impurity.borrow().clone()
    }

    /// The provider parameters that were looked at.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        self.columns.borrow().iter().cloned().collect()
    }

    /// The lines that were logged, and how many more there would have been.
    #[must_use]
    pub fn logged(&self) -> (Vec<String>, u32) {
        let log = self.log.borrow();
        (log.lines.clone(), log.left_out)
    }

    fn record(&self, input: Input) {
        let mut reads = self.reads.borrow_mut();
        // A loop reads the same again and again; what was read before decides nothing anew.
        if reads.last() == Some(&input) || reads.contains(&input) {
            return;
        }
        if reads.len() >= Self::MAX_READS {
            drop(reads);
            self.mark_impure("it read too many parts of the call");
            return;
        }
        reads.push(input);
    }

    /// A run that reads more parts of a call than this is not remembered.
    const MAX_READS: usize = 256;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Limits;

    fn run() -> Run {
        let call = CapturedCall {
            service: "S".to_owned(),
            method: "create".to_owned(),
            target_method: "create".to_owned(),
            parameter_types: vec!["int".to_owned()],
            arguments: vec![Value::Int(7)],
            attachments: vec![("region".to_owned(), "hangzhou".to_owned())],
            consumer: String::new(),
            now_ms: 1_764_541_800_000,
            zone: "Asia/Shanghai".to_owned(),
            seed: 1,
            unavailable: Vec::new(),
        };
        let table = ProviderTable::from_bytes(1, &postcard::to_stdvec(&("S", Vec::<&str>::new())).unwrap()).unwrap();
        Run::start(Arc::new(table), Selection::none(0), call, Limits::default().for_run(0, None))
    }

    #[test]
    fn reads_are_told_in_order_and_once_with_absent_ones() {
        let run = run();
        let _ = (run.attachment("tag"), run.method(), run.attachment("tag"), run.argument(0));
        let reads: Vec<_> = run.reads().into_iter().map(|read| read.value.map(String::from)).collect();
        assert_eq!(reads, [None, Some("create".to_owned()), Some("i7;".to_owned())]);
        assert_eq!(run.impurity(), None);
    }

    #[test]
    fn the_clock_is_an_input_by_the_minute_and_impure_when_finer() {
        let run = run();
        assert_eq!((run.now(ClockGranularity::Hour), run.now(ClockGranularity::Minute)), (6, 30));
        assert_eq!(run.impurity(), None);
        assert_eq!(run.now(ClockGranularity::Instant), 1_764_541_800_000);
        assert!(run.impurity().is_some());
    }

    #[test]
    fn a_log_is_bounded_in_lines_and_bytes() {
        let run = run();
        run.log(&"é".repeat(3_000));
        (0..30).for_each(|_| run.log("x"));
        let (lines, left_out) = run.logged();
        assert_eq!((lines.len(), lines[0].len(), left_out), (1, 4_096, 30));
    }

    #[test]
    fn draws_come_from_the_seed() {
        let (one, other) = (run(), run());
        let draws: Vec<f64> = (0..3).map(|_| one.random()).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)) && draws[0] != draws[1]);
        assert_eq!(draws, (0..3).map(|_| other.random()).collect::<Vec<_>>());
    }
}
