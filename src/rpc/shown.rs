//! A URL as it is shown to code that the host does not trust: without secrets.

use crate::rpc::Url;
use crate::rpc::keys;

/// What stands for a password.
const STARS: &str = "******";
/// Where the `w` of `password` stands.
const RARE: usize = 4;

/// A URL as scripts and plugins may see it. One from which user and password cannot be cut keeps its place, and shows its address.
pub(crate) fn shown(url: &Url) -> Url {
    let address = || Url::parse(url.address().unwrap_or_default()).ok();
    let bare = url.without_credentials().and_then(without_passwords);
    bare.or_else(address).unwrap_or_else(|| url.clone())
}

fn mentions_password(query: &str) -> bool {
    // PERF: of the word's letters `w` is the rarest, so nearly every byte is passed over (`plugin/providers`).
    let is_word = |at: usize| {
        let start = at.checked_sub(RARE);
        let found = start.and_then(|start| query.as_bytes().get(start..start + keys::PASSWORD.len()));
        found.is_some_and(|found| found.eq_ignore_ascii_case(keys::PASSWORD.as_bytes()))
    };
    memchr::memchr2_iter(b'w', b'W', query.as_bytes()).any(is_word)
}

/// The URL with stars for passwords among its parameters: what a worker does not have, nobody takes from it.
fn without_passwords(url: Url) -> Option<Url> {
    let text = url.as_str();
    let Some((head, query)) = text.split_once('?').filter(|(_, query)| mentions_password(query)) else {
        return Some(url);
    };
    let mut masked = format!("{head}?");
    for piece in query.split_inclusive(['&', ';']) {
        // As the host masks what it prints, whatever the case.
        let is_password = |key: &str| {
            let own = key.rsplit_once('.').map_or(key, |(_, own)| own);
            own.eq_ignore_ascii_case(keys::PASSWORD)
        };
        match piece.split_once('=').filter(|(key, _)| is_password(key)) {
            Some((key, value)) => {
                let separator = value.get(value.trim_end_matches(['&', ';']).len()..).unwrap_or_default();
                masked.extend([key, "=", STARS, separator]);
            }
            None => masked.push_str(piece),
        }
    }
    Url::parse(&masked).ok()
}
