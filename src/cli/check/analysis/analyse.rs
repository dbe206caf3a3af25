//! All analyses, one after the other.

use crate::chain::PriorityOrder;
use crate::cli::check::analysis::analysed_rule::AnalysedRule;
use crate::cli::check::analysis::destinations;
use crate::cli::check::analysis::differences;
use crate::cli::check::analysis::impossible;
use crate::cli::check::analysis::nobody;
use crate::cli::check::analysis::providers::Providers;
use crate::cli::check::analysis::shadowed;
use crate::cli::check::analysis::strangers;
use crate::cli::check::analysis::tags;
use crate::diagnostics::Finding;
use crate::runtime::RuleSet;
use crate::source::folder::FolderContents;

/// What the rules of a folder without errors cannot do.
pub(crate) fn analyse(contents: &FolderContents, compiled: &RuleSet, order: PriorityOrder) -> Vec<Finding> {
    let rules = AnalysedRule::of_folder(contents, compiled);
    let providers = Providers::of(contents);
    let mut findings = Vec::new();
    for rule in rules.iter().filter(|rule| rule.header.is_enabled) {
        let reached = providers.reached_by(&rule.header.scope);
        let impossible = impossible::find(rule);
        if impossible.is_empty() {
            findings.extend(nobody::find(rule, &reached, &providers));
        }
        findings.extend(impossible);
        findings.extend(strangers::find_rule(rule, &reached, &providers));
        findings.extend(destinations::find(rule, &reached, &providers));
    }
    findings.extend(shadowed::find(&rules, order));
    findings.extend(rules.iter().flat_map(differences::find_rule));
    for document in contents.documents().filter(|document| document.is_enabled()) {
        findings.extend(tags::find(document, &providers));
        findings.extend(strangers::find_document(document, &providers));
        findings.extend(differences::find_document(document));
    }
    findings
}
