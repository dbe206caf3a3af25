//! `rules/*.yaml`: rule documents.

use std::sync::Arc;

use crate::condition::Reading;
use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::disk::ContentHash;
use crate::rule::Document;
use crate::rule::DocumentOptions;
use crate::rule::DocumentPlace;
use crate::rule::DocumentRule;
use crate::rule::read_documents;
use crate::source::folder::FileKind;
use crate::source::folder::FolderContents;
use crate::source::folder::LoadedFile;
use crate::source::folder::RuleEntry;
use crate::source::folder::RuleKind;
use crate::source::folder::parsed::Parsed;

/// The rules of a file and the documents that they stand in; what is wrong goes to `findings`.
pub(crate) fn read_document_file(
    source: &SourceText,
    options: DocumentOptions<'_>,
    findings: &mut Vec<Finding>,
) -> (Vec<RuleEntry>, Vec<Document>) {
    let (documents, found) = read_documents(source, options);
    findings.extend(found);
    let mut entries = Vec::new();
    for document in &documents {
        match document.rules() {
            Ok(rules) => entries.extend(rules.into_iter().map(entry)),
            Err(error) => {
                let message = format!("the document makes no rule: {error}");
                let finding = Finding::new("rule::wrong_value", Severity::Error, message);
                findings.push(finding.with_help("look at `key` and `name`").at(
                    document.origin(),
                    0..0,
                    "this document",
                ));
            }
        }
    }
    (entries, documents)
}

/// Documents that a configuration centre keeps, as contents that rules can be compiled from: each is a file of its own.
#[must_use]
pub fn read_placed(
    documents: impl IntoIterator<Item = (DocumentPlace, SourceText)>,
    reading: Reading,
) -> FolderContents {
    let mut findings = Vec::new();
    let read = |(place, source): (DocumentPlace, SourceText)| {
        let (entries, documents) =
            read_document_file(&source, DocumentOptions { place: Some(&place), reading }, &mut findings);
        let name = source.name().to_owned();
        let parsed = Parsed { entries, documents, ..Parsed::default() };
        let mut file = LoadedFile::new(name.clone(), name.into(), FileKind::Document).with(parsed.into());
        file.set_hash(Some(ContentHash::of(source.text().as_bytes())));
        file
    };
    let files = documents.into_iter().map(read).collect();
    FolderContents::new(files, findings)
}

fn entry(rule: DocumentRule) -> RuleEntry {
    let DocumentRule { url, text, origin, bytes, name, placement, is_copy } = rule;
    RuleEntry {
        url,
        text: text.into(),
        line: origin.line(),
        // A finding about the rule as a whole is shown at its text.
        line_origin: origin.clone(),
        line_bytes: bytes,
        origin,
        kind: RuleKind::Document,
        name: name.map(Arc::from),
        placement: Some(placement),
        is_copy,
    }
}
