//! Whether one side accepts all that another one accepts, as far as the texts tell.

use crate::condition::Dialect;
use crate::condition::Pair;
use crate::condition::Pattern;

/// Whether every pair of `wide` is implied by a pair of `narrow`: what `narrow` accepts, `wide` accepts too.
pub(super) fn side_covers(wide: &[Pair], narrow: &[Pair], dialect: Dialect) -> bool {
    wide.iter().all(|wide| narrow.iter().any(|narrow| pair_covers(wide, narrow, dialect)))
}

fn pair_covers(wide: &Pair, narrow: &Pair, dialect: Dialect) -> bool {
    if wide == narrow {
        return true;
    }
    let is_opaque =
        |pair: &Pair| is_bare(pair) || pair.matches().iter().chain(pair.mismatches()).any(|one| !is_plain(one));
    if wide.key() != narrow.key() || is_opaque(wide) || is_opaque(narrow) {
        return false;
    }
    let texts: Vec<&str> = narrow.matches().iter().filter_map(literal).collect();
    if !texts.is_empty() && texts.len() == narrow.matches().len() {
        let accepted = texts.into_iter().filter(|text| narrow.accepts(Some(text), dialect));
        return accepted.into_iter().all(|text| wide.accepts(Some(text), dialect));
    }
    let covered_by = |patterns: &[Pattern], one: &Pattern| patterns.iter().any(|wide| pattern_covers(wide, one));
    let takes_in = match (wide.matches(), narrow.matches()) {
        ([], _) => true,
        // Under `v2` a key that is absent passes where there are only `!=` values.
        (_, []) => false,
        (wide, narrow) => narrow.iter().all(|one| covered_by(wide, one)),
    };
    takes_in && wide.mismatches().iter().all(|one| covered_by(narrow.mismatches(), one))
}

/// Whether no value can pass a pair: each of its `=` values is one of those that `!=` refuses.
pub(super) fn is_impossible(pair: &Pair) -> bool {
    let is_refused = |one: &Pattern| pair.mismatches().iter().any(|other| pattern_covers(other, one));
    !pair.matches().is_empty() && pair.matches().iter().all(is_refused)
}

/// Whether `wide` matches each value that `narrow` matches.
fn pattern_covers(wide: &Pattern, narrow: &Pattern) -> bool {
    if wide == narrow {
        return true;
    }
    match (wide, narrow) {
        (Pattern::NoRange { .. } | Pattern::Placeholder(_), _)
        | (_, Pattern::NoRange { .. } | Pattern::Placeholder(_)) => false,
        (Pattern::Any, _) => true,
        (wide, Pattern::Literal(text)) => wide.is_match(text),
        (Pattern::Prefix(wide), Pattern::Prefix(narrow) | Pattern::Affix { prefix: narrow, .. }) => {
            narrow.starts_with(&**wide)
        }
        (Pattern::Suffix(wide), Pattern::Suffix(narrow) | Pattern::Affix { suffix: narrow, .. }) => {
            narrow.ends_with(&**wide)
        }
        (Pattern::Range { low, high }, Pattern::Range { low: from, high: to }) => {
            let is_below = low.is_none_or(|low| from.is_some_and(|from| low <= from));
            is_below && high.is_none_or(|high| to.is_some_and(|to| to <= high))
        }
        _ => false,
    }
}

fn literal(pattern: &Pattern) -> Option<&str> {
    match pattern {
        Pattern::Literal(text) => Some(text),
        _ => None,
    }
}

fn is_bare(pair: &Pair) -> bool {
    pair.matches().is_empty() && pair.mismatches().is_empty()
}

/// Whether a pattern says all by itself.
fn is_plain(pattern: &Pattern) -> bool {
    !matches!(pattern, Pattern::Placeholder(_) | Pattern::NoRange { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::Reading;
    use crate::condition::parse_when;
    use crate::diagnostics::Origin;
    use crate::diagnostics::SourceText;

    fn pairs(text: &str, dialect: Dialect) -> Vec<Pair> {
        let origin = Origin::whole(SourceText::new("a", text));
        parse_when(text, dialect, Reading::Strict, &origin).unwrap().0.pairs().to_vec()
    }

    #[test]
    fn a_side_covers_what_is_narrower_and_nothing_that_may_not_be() {
        for (wide, narrow, expected) in [
            ("", "host=a", true),
            ("host=a", "", false),
            ("host=a", "host=a", true),
            ("host=a,b", "host=b", true),
            ("host=a", "host=a,b", false),
            ("host=10.*", "host=10.1.*", true),
            ("host=10.1.*", "host=10.*", false),
            ("host=*", "host=*x*y", true),
            ("host=*y", "host=x*y", true),
            ("host=*", "host!=a", false),
            ("host!=a", "host=b", true),
            ("host!=a", "host=a,b", false),
            ("host!=a", "host!=a,c", true),
            ("host!=a,c", "host!=a", false),
            ("host!=a", "host!=a*", true),
            ("host!=a*", "host!=a", false),
            ("host=a*&host!=ab", "host=ac", true),
            ("host=a*&host!=ab", "host=a*", false),
            ("host=a", "host=a&method=m", true),
            ("host=a&method=m", "host=a", false),
            ("attachments[n]=1~10", "attachments[n]=2~9", true),
            ("attachments[n]=2~", "attachments[n]=1~", false),
            ("attachments[n]=1~", "attachments[n]=2~9", true),
            ("attachments[n]=1~10", "attachments[n]=5", true),
            ("method=a", "methods=a", false),
        ] {
            let (wide_side, narrow_side) = (pairs(wide, Dialect::V3), pairs(narrow, Dialect::V3));
            assert_eq!(side_covers(&wide_side, &narrow_side, Dialect::V3), expected, "`{wide}` over `{narrow}`");
        }
    }

    #[test]
    fn a_pair_is_impossible_only_if_every_value_is_refused() {
        for (text, expected) in [
            ("host=a&host!=a", true),
            ("host=a,b&host!=a", false),
            ("host=a,b&host!=a,b", true),
            ("host=10.1.*&host!=10.*", true),
            ("host=10.*&host!=10.1.*", false),
            ("host=a&host!=*", true),
            ("host!=a", false),
            ("attachments[n]=2~9&attachments[n]!=1~10", true),
        ] {
            assert_eq!(is_impossible(&pairs(text, Dialect::V3)[0]), expected, "{text}");
        }
    }
}
