//! `route --record`: a call and its answer become a case.

use std::fs;
use std::fs::OpenOptions;
use std::io;
use std::io::Write as _;
use std::path::Path;
use std::path::PathBuf;

use jiff::Timestamp;

use crate::cli::args::RouteArguments;
use crate::cli::cases::judge::addresses;
use crate::cli::engine;
use crate::cli::explanation::Explanation;
use crate::cli::masking;
use crate::cli::requested_call::RequestedCall;
use crate::diagnostics::Finding;
use crate::diagnostics::Mask;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::router::Clock as _;
use crate::router::SystemClock;
use crate::rpc::Invocation as _;
use crate::rpc::Value;
use crate::runtime::RuleSet;
use crate::source::cases::Argument;
use crate::source::cases::Call;
use crate::source::cases::Case;
use crate::source::cases::CaseKind;
use crate::source::cases::MAX_CASES_BYTES;
use crate::source::cases::Want;
use crate::source::cases::WantedProviders;
use crate::source::cases::read_case_file;
use crate::source::cases::read_cases;
use crate::source::cases::write_case;

/// A case that lacks its answer yet.
#[derive(Debug)]
pub(crate) struct Recording {
    path: PathBuf,
    /// What stands in the file.
    before: SourceText,
    cases: usize,
    case: Case,
}

// === impl Recording ===

impl Recording {
    /// Makes ready to record `call`, if the arguments say so: all that can go wrong before there is an answer goes wrong
    /// here. Where answers may depend on the time, the case has one.
    ///
    /// # Errors
    ///
    /// The file is no file of cases, a case of that note stands in it, or the call holds something secret.
    pub(crate) fn begin(
        arguments: &RouteArguments,
        call: &RequestedCall,
        rules: &RuleSet,
        mask: &Mask,
    ) -> Result<Option<Self>, Vec<Finding>> {
        let Some(path) = &arguments.record else { return Ok(None) };
        let secrets = secrets(arguments, call, mask);
        if !secrets.is_empty() {
            return Err(secrets);
        }
        let before = existing(path).map_err(|finding| vec![*finding])?;
        let (cases, findings) = read_cases(&before, CaseKind::Folder);
        if findings.iter().any(|finding| finding.severity() == Severity::Error) {
            return Err(findings);
        }
        let note = choose_note(arguments, call, &cases).map_err(|finding| vec![*finding])?;
        let clock = arguments.clock.or_else(|| engine::may_read_clock(rules).then(this_second));
        let case = case_of(arguments, call, note, clock);
        Ok(Some(Self { path: path.clone(), before, cases: cases.len(), case }))
    }

    /// The time at which the call must be made, if the case has one.
    pub(crate) fn clock(&self) -> Option<Timestamp> {
        self.case.clock
    }

    /// Adds the case with its answer to the file, and gives its note.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or no case can stand at its end.
    pub(crate) fn end(mut self, explanation: &Explanation) -> Result<String, Box<Finding>> {
        self.case.seed = Some(explanation.seed).filter(|seed| *seed != 0);
        let addresses = addresses(explanation);
        let is_nobody = addresses.is_empty();
        self.case.want.providers =
            Some(if is_nobody { WantedProviders::Nobody } else { WantedProviders::Addresses(addresses) });
        let addition = self.addition().ok_or_else(|| Box::new(self.cannot_append()))?;
        append(&self.path, &addition).map_err(|error| Box::new(unwritable(&self.path, &error)))?;
        Ok(self.case.note)
    }

    /// What must be added to the file so that reading it gives the cases that it has, and this one.
    fn addition(&self) -> Option<String> {
        let text = self.before.text();
        let case = write_case(&self.case);
        let line_end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        // A list in brackets, or one that is indented, does not go on in the first column: a new document begins.
        ["", "---\n"].into_iter().map(|separator| format!("{line_end}{separator}{case}")).find(|addition| {
            let source = SourceText::new(self.before.name(), format!("{text}{addition}"));
            let (cases, findings) = read_cases(&source, CaseKind::Folder);
            let is_last = |last: &Case| Case { file: String::new(), line: 0, ..last.clone() } == self.case;
            findings.is_empty()
                && cases.len() == self.cases + 1
                && cases.last().is_some_and(is_last)
                && source.text().len() as u64 <= MAX_CASES_BYTES
        })
    }

    fn cannot_append(&self) -> Finding {
        Finding::error("cases::cannot_append", "the case cannot stand at the end of this file")
            .with_help("record into another file")
            .in_file(self.before.name())
    }
}

/// The call as a case that wants nothing yet.
fn case_of(arguments: &RouteArguments, call: &RequestedCall, note: String, clock: Option<Timestamp>) -> Case {
    let invocation = &call.invocation;
    let argument = |(value, at): (&Value<'static>, usize)| Argument {
        parameter_type: invocation.parameter_type(at).unwrap_or_default().to_owned(),
        value: value.clone(),
    };
    Case {
        note,
        file: String::new(),
        line: 0,
        service: Some(call.service.to_string()),
        consumer: arguments.call.consumer.clone(),
        call: Call {
            method: arguments.call.method.clone(),
            arguments: invocation.arguments().iter().zip(0..).map(argument).collect(),
            attachments: invocation.attachments().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        },
        clock,
        seed: None,
        want: Want::default(),
        table: None,
    }
}

/// Now, in whole seconds: nobody reads more, and rules do not either.
fn this_second() -> Timestamp {
    Timestamp::from_second(SystemClock.now().as_second()).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// What stands in the file at `path`; nothing where there is none.
fn existing(path: &Path) -> Result<SourceText, Box<Finding>> {
    let name = path.to_string_lossy().into_owned();
    let has_suffix = path.extension().is_some_and(|suffix| suffix == "yaml" || suffix == "yml");
    if !has_suffix {
        let finding = Finding::error("cases::wrong_suffix", "expected a file of cases, which ends in `.yaml`");
        return Err(Box::new(finding.with_help("for example `--record shop/tests/calls.yaml`").in_file(name)));
    }
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(SourceText::new(name, "")),
        _ => read_case_file(path, &name),
    }
}

fn choose_note(arguments: &RouteArguments, call: &RequestedCall, cases: &[Case]) -> Result<String, Box<Finding>> {
    let taken = |note: &str| cases.iter().find(|case| case.note == note);
    match &arguments.note {
        Some(note) => match taken(note) {
            Some(case) => {
                let message = format!("the case at {}:{} has this note", case.file, case.line);
                Err(Box::new(Finding::error("cases::duplicate_note", message).with_help("give another `--note`")))
            }
            None => Ok(note.clone()),
        },
        // One of so many numbers is free.
        None => {
            let numbered = |number: usize| format!("{}.{} {number}", call.service, arguments.call.method);
            let mut notes = (1..=cases.len() + 1).map(numbered);
            Ok(notes.find(|note| taken(note).is_none()).unwrap_or_else(|| numbered(cases.len() + 2)))
        }
    }
}

/// What of the call no file may show.
fn secrets(arguments: &RouteArguments, call: &RequestedCall, mask: &Mask) -> Vec<Finding> {
    let consumer = arguments.call.consumer.as_deref().map(|url| !masking::hidden_in_url(url, mask).is_empty());
    let texts =
        arguments.call.arguments.iter().zip(1..).map(|(text, number)| (format!("argument {number}"), text.as_str()));
    let texts = texts.chain(arguments.note.as_deref().map(|note| ("the note".to_owned(), note)));
    let texts = texts.filter(|(_, text)| !mask.hidden(text).is_empty()).map(|(what, _)| what);
    let attachments = call.invocation.attachments();
    let attachments = attachments.filter(|(key, value)| mask.hides(key) || !mask.hidden(value).is_empty());
    let consumer = consumer.unwrap_or_default().then(|| "the consumer".to_owned());
    let found = consumer.into_iter().chain(texts).chain(attachments.map(|(key, _)| format!("the attachment `{key}`")));
    found
        .map(|what| {
            Finding::error("cases::secret", format!("{what} holds something secret, and the file would show it"))
                .with_help("record the call without it; nothing was written")
        })
        .collect()
}

fn append(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    // One write at the end of the file: what stands there is never touched.
    OpenOptions::new().create(true).append(true).open(path)?.write_all(text.as_bytes())
}

fn unwritable(path: &Path, error: &io::Error) -> Finding {
    Finding::error("cases::unwritable", format!("cannot write it: {}", error.kind()))
        .with_help("let the user who runs this write it")
        .in_file(path.to_string_lossy())
}
