//! What came of a call, held against what was wanted.

use std::collections::BTreeSet;

use crate::cli::cases::Difference;
use crate::cli::check::plural;
use crate::cli::explanation::Explanation;
use crate::cli::explanation::Rule;
use crate::cli::explanation::Step;
use crate::diagnostics::Finding;
use crate::diagnostics::nearest;
use crate::rpc::Url;
use crate::source::cases::Want;
use crate::source::cases::WantedProviders;

/// Where an answer is not as wanted; `rules` are those that a name may mean.
pub(crate) fn judge(want: &Want, answer: &Result<Explanation, Vec<Finding>>, rules: &[&Rule]) -> Vec<Difference> {
    match (answer, &want.error) {
        (Ok(explanation), None) => {
            let providers = want.providers.as_ref().and_then(|wanted| of_providers(wanted, explanation));
            providers.into_iter().chain(of_rules(want, explanation, rules)).collect()
        }
        (Ok(explanation), Some(error)) => vec![difference(format!("the error `{error}`"), told_kept(explanation))],
        (Err(findings), Some(error)) => {
            let is_it = |finding: &Finding| finding.slug() == error || finding.message().contains(error.as_str());
            let is_wanted = findings.iter().any(is_it);
            let told = || difference(format!("the error `{error}`"), told_errors(findings));
            if is_wanted { Vec::new() } else { vec![told()] }
        }
        (Err(findings), None) => vec![difference("an answer".to_owned(), told_errors(findings))],
    }
}

/// The addresses of the providers left, each once, in the order of the list.
pub(crate) fn addresses(explanation: &Explanation) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let urls = explanation.kept.iter().filter_map(|text| Url::parse(text).ok());
    let addresses = urls.filter_map(|url| url.address().map(str::to_owned));
    addresses.filter(|address| seen.insert(address.clone())).collect()
}

fn of_providers(wanted: &WantedProviders, explanation: &Explanation) -> Option<Difference> {
    let kept = explanation.kept.len();
    let (is_so, text) = match wanted {
        WantedProviders::Addresses(wanted) => {
            let came = addresses(explanation);
            let (one, other): (BTreeSet<&String>, BTreeSet<&String>) = (wanted.iter().collect(), came.iter().collect());
            (one == other, wanted.join(", "))
        }
        WantedProviders::Count(count) => (kept == *count, plural(*count, "provider")),
        WantedProviders::All => {
            let removing = explanation.steps.iter().any(|step| step.is_deciding() && step.file.is_some());
            (!removing && kept > 0, "that no rule removes anybody".to_owned())
        }
        WantedProviders::Nobody => (kept == 0, "nobody".to_owned()),
        // Only tables have positions, and they are not run here.
        WantedProviders::Positions(positions) => (false, format!("the positions {positions:?}")),
    };
    let came = match wanted {
        WantedProviders::Count(_) => plural(kept, "provider"),
        WantedProviders::All => format!("{} of {}", kept, plural(explanation.total, "provider")),
        _ => told_kept(explanation),
    };
    (!is_so).then(|| difference(text, came))
}

fn of_rules(want: &Want, explanation: &Explanation, rules: &[&Rule]) -> Vec<Difference> {
    let deciding: Vec<&Step> = explanation.steps.iter().filter(|step| step.is_deciding()).collect();
    let has_decided = |name: &str| deciding.iter().any(|step| step.is_called(name));
    let told = || match deciding.as_slice() {
        [] => "decided by no rule".to_owned(),
        steps => format!("decided by {}", steps.iter().map(|step| step.title()).collect::<Vec<_>>().join(", ")),
    };
    let mut differences = Vec::new();
    for (names, is_wanted) in [(&want.decided_by, true), (&want.not_by, false)] {
        for name in names {
            let wanted = format!("{}decided by `{name}`", if is_wanted { "" } else { "not " });
            let is_known = rules.iter().any(|rule| rule.is_called(name))
                || explanation.steps.iter().any(|step| step.is_called(name));
            if !is_known {
                differences.push(difference(wanted, unknown_rule(name, rules)));
            } else if has_decided(name) != is_wanted {
                differences.push(difference(wanted, told()));
            }
        }
    }
    differences
}

fn unknown_rule(name: &str, rules: &[&Rule]) -> String {
    let names = rules.iter().flat_map(|rule| [rule.name.as_deref(), Some(rule.file.as_str())]).flatten();
    match nearest(name, names) {
        Some(near) => format!("no rule of this name; did you mean `{near}`?"),
        None => "no rule of this name".to_owned(),
    }
}

fn told_kept(explanation: &Explanation) -> String {
    let addresses = addresses(explanation);
    if addresses.is_empty() { "nobody".to_owned() } else { addresses.join(", ") }
}

fn told_errors(findings: &[Finding]) -> String {
    let told = findings.iter().map(|finding| format!("{}: {}", finding.slug(), finding.message()));
    told.collect::<Vec<_>>().join("; ")
}

fn difference(wanted: String, came: String) -> Difference {
    Difference { wanted, came }
}
