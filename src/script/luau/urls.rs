//! Parts of URLs as rules see them.

use std::borrow::Cow;

use crate::rpc::Url;

/// A part of a URL.
#[derive(Debug)]
pub(super) enum Part<'a> {
    Text(Cow<'a, str>),
    Number(u32),
}

/// What stands for a password.
pub(super) const STARS: &str = "******";
/// The parameter that is never shown.
const PASSWORD: &str = "password";

/// The part of `url` called `name`; `host.lua` lists the names.
pub(super) fn part<'a>(url: &'a Url, name: &str) -> Option<Part<'a>> {
    let text = match name {
        "port" => return url.port().map(Part::Number),
        "host" => url.host(),
        "address" => url.address(),
        "path" => url.path(),
        "protocol" => url.protocol(),
        "interface" | "service" => url.service_interface(),
        "group" => url.non_empty_parameter("group"),
        "version" => url.non_empty_parameter("version"),
        "service_key" => return url.service_key().map(|key| Part::Text(Cow::Owned(key.to_string()))),
        "text" => return Some(Part::Text(shown(url))),
        _ => None,
    };
    text.map(|text| Part::Text(Cow::Borrowed(text)))
}

/// The parameter `key` of `url`.
pub(super) fn parameter<'a>(url: &'a Url, key: &str) -> Option<&'a str> {
    url.parameter(key).map(|value| masked(key, value))
}

/// `value`, or stars where `key` says that it is a password.
pub(super) fn masked<'a>(key: &str, value: &'a str) -> &'a str {
    if key == PASSWORD || key.strip_suffix(PASSWORD).is_some_and(|head| head.ends_with('.')) { STARS } else { value }
}

/// The text of `url` with stars for a password among its parameters.
fn shown(url: &Url) -> Cow<'_, str> {
    let text = url.as_str();
    let Some((head, query)) = text.split_once('?').filter(|(_, query)| query.contains(PASSWORD)) else {
        return Cow::Borrowed(text);
    };
    let piece = |piece: &str| {
        let end = piece.find(['&', ';']).unwrap_or(piece.len());
        let (pair, separator) = piece.split_at_checked(end).unwrap_or((piece, ""));
        match pair.split_once('=') {
            Some((key, value)) => format!("{key}={}{separator}", masked(key, value)),
            None => piece.to_owned(),
        }
    };
    let query: String = query.split_inclusive(['&', ';']).map(piece).collect();
    Cow::Owned(format!("{head}?{query}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_among_the_parameters_is_stars_everywhere() {
        let url = Url::parse("dubbo://h:1/S?a=1&password=x;b=2&default.password=y&c").unwrap();
        assert_eq!(shown(&url), "dubbo://h:1/S?a=1&password=******;b=2&default.password=******&c");
        assert_eq!((parameter(&url, "password"), parameter(&url, "a")), (Some(STARS), Some("1")));
    }
}
