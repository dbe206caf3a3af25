//! `pointsman convert`: condition rules in another form.

use std::io;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use clap::ValueEnum;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::check::folders_of;
use crate::cli::check::refuse;
use crate::cli::check::set_up;
use crate::cli::printing::PrintingArguments;
use crate::cli::stdin::is_stdin;
use crate::cli::stdin::read_stdin;
use crate::diagnostics::Finding;
use crate::diagnostics::SourceText;
use crate::disk::read_text;
use crate::source::convert::Converted;
use crate::source::convert::Target;
use crate::source::convert::convert;
use crate::source::folder::FileKind;
use crate::source::folder::MAX_FILE_BYTES;

const EXAMPLES: &str = "\
Examples:
  pointsman convert shop/rules/orders.rules --to v3.0 > orders.yaml
  pointsman convert orders.yaml --to v3.1
  pointsman convert 'condition://0.0.0.0/com.shop.OrderService?rule=%3D%3E+region%3D%24region' --to v3.0
  pointsman convert orders.yaml --to route-url --lossy

Exit codes: 0 done, 1 something would be lost (nothing is printed without --lossy) or the file
cannot be read, 2 wrong arguments, 4 the file has errors";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertArguments {
    /// A file of rules or of rule documents, a route URL, or `-` for standard input
    #[arg(value_name = "FILE|URL|-")]
    file: PathBuf,
    /// The form that is asked for
    #[arg(long, value_enum, value_name = "FORM")]
    to: Form,
    /// Print what there is, even if a part of a rule or a whole one is lost
    #[arg(long)]
    lossy: bool,
    #[command(flatten)]
    printing: PrintingArguments,
}

/// The forms of condition rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// `condition://…`, one a line of a `*.rules` file
    RouteUrl,
    /// A document whose conditions are texts
    #[value(name = "v3.0")]
    V30,
    /// A document whose conditions have `from` and `to`
    #[value(name = "v3.1")]
    V31,
}

pub(crate) fn run(arguments: &ConvertArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let is_file = !is_stdin(&arguments.file) && !is_url(&arguments.file);
    let folders = if is_file { folders_of(&arguments.file) } else { Vec::new() };
    let (printer, _) = match set_up(&arguments.printing.common(), folders.into_iter(), console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    let (source, kind) = match read(&arguments.file) {
        Ok(read) => read,
        Err(finding) => {
            refuse(&[*finding], &printer, console)?;
            return Ok(Exit::Failed);
        }
    };
    let target = match arguments.to {
        Form::RouteUrl => Target::RouteUrl,
        Form::V30 => Target::V3_0,
        Form::V31 => Target::V3_1,
    };
    match convert(&source, kind, target) {
        None => {
            refuse(&[wrong_file(source.name())], &printer, console)?;
            Ok(Exit::Usage)
        }
        Some(Err(findings)) => {
            refuse(&findings, &printer, console)?;
            Ok(Exit::RuleErrors)
        }
        Some(Ok(converted)) => {
            let is_printed = converted.is_whole() || arguments.lossy;
            let Converted { text, findings } = converted;
            // The answer is a file; what there is to say stands beside it.
            printer.findings(&findings, console.stderr)?;
            if is_printed {
                write!(console.stdout, "{text}")?;
                return Ok(Exit::Ok);
            }
            writeln!(console.stderr, "error: nothing is printed, since something would be lost; `--lossy` prints it")?;
            Ok(Exit::Failed)
        }
    }
}

/// The text, and how it is to be read.
fn read(path: &Path) -> Result<(SourceText, FileKind), Box<Finding>> {
    if is_stdin(path) {
        let source = read_stdin()?;
        let kind = if is_document(source.text()) { FileKind::Document } else { FileKind::Rules };
        return Ok((source, kind));
    }
    let name = path.to_string_lossy();
    if is_url(path) {
        return Ok((SourceText::new("URL", &*name), FileKind::Rules));
    }
    let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_of_providers = FileKind::of("", &file_name) != FileKind::Unknown;
    let kind = if is_of_providers { FileKind::Unknown } else { FileKind::of("rules", &file_name) };
    if !matches!(kind, FileKind::Rules | FileKind::Document) {
        return Ok((SourceText::new(&*name, ""), kind));
    }
    Ok((read_text(path, &name, MAX_FILE_BYTES)?, kind))
}

fn is_url(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains("://"))
}

/// Whether a text is YAML with keys, which no line of `*.rules` looks like.
fn is_document(text: &str) -> bool {
    let is_key = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    text.lines().any(|line| {
        let field = line.split_once(':').filter(|(_, rest)| rest.is_empty() || rest.starts_with([' ', '\t']));
        field.is_some_and(|(key, _)| is_key(key))
    })
}

fn wrong_file(name: &str) -> Finding {
    Finding::error("convert::wrong_file", "expected a file of rules or of rule documents")
        .with_help("`*.rules`, `*.yaml` and `*.yml` of a rules folder can be converted")
        .in_file(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_keys_is_a_document() {
        for (text, expected) in [
            ("scope: service\n", true),
            ("# why\n---\nconditions:\n", true),
            ("condition://0.0.0.0/a?rule=x\n", false),
            ("@service com.shop.OrderService:1.0.0\nmethod=a => host=10.0.0.1:20880\n", false),
            ("a=b: => c=d\n", false),
            ("", false),
        ] {
            assert_eq!(is_document(text), expected, "{text}");
        }
    }
}
