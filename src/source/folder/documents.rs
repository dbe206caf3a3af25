//! What the documents of a folder have to do with one another.

use hashbrown::HashMap;

use crate::diagnostics::Finding;
use crate::rule::Document;
use crate::rule::DocumentKind;
use crate::rule::DocumentScope;
use crate::source::folder::LoadedFile;

/// How many others a finding names: a folder may have thousands of one key.
const MAX_NAMED: usize = 3;

/// A finding for each document that has kind and key of another one: nobody could say which counts.
pub(crate) fn two_of_a_key(files: &[LoadedFile]) -> Vec<Finding> {
    let mut by_key: HashMap<(DocumentKind, DocumentScope, &str), Vec<&Document>> = HashMap::new();
    for document in files.iter().flat_map(LoadedFile::documents) {
        // A plugin's router may be asked for more than once; each document is a rule of its own.
        if document.kind() != DocumentKind::Plugin {
            let key = (document.kind(), document.scope(), document.key());
            by_key.entry(key).or_default().push(document);
        }
    }
    let mut findings: Vec<Finding> = by_key
        .into_values()
        .filter(|documents| documents.len() > 1)
        .flat_map(|documents| together(&documents))
        .collect();
    findings.sort_by(|one, other| one.message().cmp(other.message()));
    findings
}

fn together(documents: &[&Document]) -> Vec<Finding> {
    let place = |document: &Document| {
        let origin = document.origin();
        format!("{}:{}", origin.source().name(), origin.line())
    };
    let finding = |document: &&Document| {
        let others = documents.iter().filter(|other| !std::ptr::eq(**other, *document));
        let mut others: Vec<String> = others.take(MAX_NAMED).map(|other| place(other)).collect();
        let unnamed = documents.len().saturating_sub(MAX_NAMED + 1);
        if unnamed > 0 {
            others.push(format!("{unnamed} more places"));
        }
        let (kind, scope, key) = (document.kind(), document.scope().as_str(), document.key());
        let message = format!("the {kind} document of the {scope} `{key}` stands at {} too", others.join(" and "));
        let help = "Dubbo keeps one document under a key: make one of them";
        Finding::error("rule::duplicate_document", message).with_help(help).at(document.origin(), 0..0, "this document")
    };
    documents.iter().map(finding).collect()
}
