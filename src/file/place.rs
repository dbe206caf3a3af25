//! What the part of a `file:` URL in front of its `?` says: the file, and for which consumer the rule is.

use std::borrow::Cow;
use std::net::IpAddr;

use percent_encoding::percent_decode_str;

use crate::rpc::Url;
use crate::rpc::keys;

/// The host that files have where a host is written for its own sake.
const LOCALHOST: &str = "localhost";

/// The file that a URL names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Decoded; relative to the rules folder unless it begins with a slash or a drive.
    pub(crate) path: String,
    /// The consumer's address.
    pub(crate) host: String,
}

// === impl Place ===

impl Place {
    /// Reads it; none without a path, or if the decoded path is no UTF-8.
    ///
    /// `file:///a/b` and `file:/a/b` are absolute, `file://a/b` is relative. An address in front of the path is the
    /// consumer's, as in every rule URL.
    pub(crate) fn of(url: &Url) -> Option<Self> {
        let host = url.host().filter(|host| !host.eq_ignore_ascii_case(LOCALHOST));
        let consumer = host.filter(|host| is_address(host));
        let relative = host.filter(|_| consumer.is_none());
        let path = match (relative, url.path()) {
            (Some(first), Some(rest)) => Cow::Owned(format!("{first}/{rest}")),
            (Some(only), None) => Cow::Borrowed(only),
            (None, Some(path)) if has_drive(path) => Cow::Borrowed(path),
            (None, Some(path)) => Cow::Owned(format!("/{path}")),
            (None, None) => return None,
        };
        let path = percent_decode_str(&path).decode_utf8().ok()?.into_owned();
        Some(Self { path, host: consumer.unwrap_or(keys::ANY_HOST).to_owned() })
    }

    /// What follows the last dot of the file's name.
    pub(crate) fn suffix(&self) -> Option<&str> {
        let name = self.path.rsplit(['/', '\\']).next()?;
        name.rsplit_once('.').map(|(_, suffix)| suffix).filter(|suffix| !suffix.is_empty())
    }
}

fn is_address(host: &str) -> bool {
    host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok()
}

/// `d:/…`, where there are drives.
fn has_drive(path: &str) -> bool {
    let mut chars = path.chars();
    cfg!(windows) && chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_file_and_a_consumer() {
        for (text, path, host) in [
            ("file:///path/route.js?router=script", "/path/route.js", "0.0.0.0"),
            ("file:/path/route.js", "/path/route.js", "0.0.0.0"),
            ("file:///d:/path/to/route.js", "/d:/path/to/route.js", "0.0.0.0"),
            ("file:///a b/r%C3%B6ute.js", "/a b/röute.js", "0.0.0.0"),
            ("file:///a%20b/100%.js", "/a b/100%.js", "0.0.0.0"),
            ("file://route.js", "route.js", "0.0.0.0"),
            ("file://lib/js/route.js?x=1", "lib/js/route.js", "0.0.0.0"),
            ("file://localhost/path/route.js", "/path/route.js", "0.0.0.0"),
            ("file://10.20.3.3/path/route.js", "/path/route.js", "10.20.3.3"),
        ] {
            let place = Place::of(&Url::parse(text).unwrap()).unwrap();
            assert_eq!(place, Place { path: path.to_owned(), host: host.to_owned() }, "{text}");
        }
        assert_eq!(Place::of(&Url::parse("file:///?router=script").unwrap()), None);
        assert_eq!(Place::of(&Url::parse("file:///a%FF.js").unwrap()), None);
    }

    #[test]
    fn a_suffix_is_that_of_the_name() {
        for (text, suffix) in
            [("file:///a.b/route.js", Some("js")), ("file:///a.b/route", None), ("file:///route.", None)]
        {
            assert_eq!(Place::of(&Url::parse(text).unwrap()).unwrap().suffix(), suffix, "{text}");
        }
    }
}
