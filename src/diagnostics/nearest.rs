//! The known name that a misspelt one most likely meant.

/// The nearest of `known` to `name`, if one is near enough to be worth naming.
///
/// ```
/// assert_eq!(pointsman::diagnostics::nearest("prority", ["force", "priority"]), Some("priority"));
/// assert_eq!(pointsman::diagnostics::nearest("region", ["force", "priority"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let longest_edit = (name.chars().count() / 3).max(1);
    let lower = name.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= longest_edit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
