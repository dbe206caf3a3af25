//! What a file has beyond the findings that are kept of it.

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::source::folder::MAX_FINDINGS_PER_FILE;

/// The slug of the finding that counts the rest.
pub(crate) const MORE_FINDINGS: &str = "folder::more_findings";

/// How many findings of one file were left out, by weight.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    errors: usize,
    warnings: usize,
    infos: usize,
}

// === impl LeftOut ===

impl LeftOut {
    /// Counts findings that are left out now.
    pub(crate) fn count(&mut self, findings: &[&Finding]) {
        for finding in findings {
            match finding.severity() {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Info => self.infos += 1,
            }
        }
    }

    /// Adds what another load left out.
    pub(crate) fn add(&mut self, other: Self) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.infos += other.infos;
    }

    /// One finding for all, as heavy as the heaviest.
    pub(crate) fn to_finding(&self, file: &str) -> Finding {
        let parts = [(self.errors, "error"), (self.warnings, "warning"), (self.infos, "remark")];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} more {word}{}", if count == 1 { "" } else { "s" }))
            .collect();
        let severity = match self {
            Self { errors: 1.., .. } => Severity::Error,
            Self { warnings: 1.., .. } => Severity::Warning,
            _ => Severity::Info,
        };
        Finding::new(MORE_FINDINGS, severity, format!("and {} in this file", parts.join(", ")))
            .with_help(format!("mend those that are shown first: they are {MAX_FINDINGS_PER_FILE} of a file"))
            .in_file(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Origin;
    use crate::diagnostics::SourceText;
    use crate::source::folder::FileKind;
    use crate::source::folder::FolderContents;
    use crate::source::folder::LoadedFile;
    use crate::source::folder::parsed::Parsed;
    use crate::source::folder::providers::read_providers;

    fn providers(text: &str) -> FolderContents {
        providers_of("providers.txt", text)
    }

    fn providers_of(path: &str, text: &str) -> FolderContents {
        let mut findings = Vec::new();
        let urls = read_providers(&SourceText::new("providers.txt", text), &mut findings);
        let file = LoadedFile::new("providers.txt".to_owned(), path.into(), FileKind::Providers)
            .with(Parsed { providers: urls, ..Parsed::default() }.into());
        FolderContents::new(vec![file], findings)
    }

    #[test]
    fn four_megabytes_of_bad_providers_give_as_many_findings_as_a_person_reads() {
        let contents = providers(&"dubbo://h:x/S\n".repeat(300_000));
        let findings = contents.findings();
        assert_eq!(findings.len(), MAX_FINDINGS_PER_FILE + 1);
        let lines: Vec<_> = findings.iter().filter_map(Finding::line_and_column).collect();
        assert_eq!((lines.first(), lines.last()), (Some(&(1, 11)), Some(&(200, 11))));
        let more = findings.last().unwrap();
        assert_eq!(more.message(), "and 299800 more errors in this file");
        assert_eq!(
            (more.severity(), more.file(), more.place().is_none()),
            (Severity::Error, Some("providers.txt"), true)
        );
        assert!(contents.files().iter().all(LoadedFile::is_broken));
    }

    #[test]
    fn an_error_after_many_warnings_is_kept() {
        let contents = providers(&format!("{}dubbo://h:x/S\n", "dubbo://h:1/S\n".repeat(300)));
        let slugs: Vec<_> = contents.findings().iter().rev().take(2).map(Finding::slug).collect();
        assert_eq!(slugs, [MORE_FINDINGS, "providers::wrong_url"]);
        let more = contents.findings().last().unwrap();
        assert_eq!((more.message(), more.severity()), ("and 100 more warnings in this file", Severity::Warning));
    }

    #[test]
    fn findings_that_come_later_are_counted_with_the_rest() {
        let mut contents = providers(&"dubbo://h:1/S\n".repeat(300));
        let origin = Origin::whole(SourceText::new("providers.txt", "a"));
        contents.add_findings([Finding::error("providers::wrong_url", "late").at(&origin, 0..1, "here")]);
        let further = format!("{}{}", "\n".repeat(400), "dubbo://h:1/S\n".repeat(300));
        contents.append(providers_of("other/providers.txt", &further));
        assert_eq!(contents.findings().len(), MAX_FINDINGS_PER_FILE + 1);
        assert!(contents.findings().iter().any(|finding| finding.message() == "late"));
        assert_eq!(contents.findings().last().unwrap().message(), "and 399 more warnings in this file");
    }
}
