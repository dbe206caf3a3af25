//! Just enough of a URL: `protocol://user@host:port/path?key=value`, nothing decoded.

use pointsman_plugin_api::write::ProvidersWriter;
use pointsman_plugin_api::write::Row;
use pointsman_plugin_api::write::TooLarge;

use crate::testing::declared::Declared;

/// A URL and its parts.
#[derive(Debug)]
pub(super) struct Url<'a> {
    host: Option<&'a str>,
    port: u16,
    protocol: Option<&'a str>,
    path: Option<&'a str>,
    parameters: Vec<(&'a str, &'a str)>,
    without_user: String,
}

// === impl Url ===

impl<'a> Url<'a> {
    pub(super) fn split(text: &'a str) -> Self {
        let (protocol, rest) = text.split_once("://").map_or((None, text), |(protocol, rest)| (Some(protocol), rest));
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) =
            place.split_once('/').map_or((place, None), |(authority, path)| (authority, Some(path)));
        let address = authority.rsplit_once('@').map_or(authority, |(_, address)| address);
        let port = address.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
        let (host, port) = port.unwrap_or((address, 0));
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let scheme = protocol.map(|protocol| format!("{protocol}://")).unwrap_or_default();
        let user = authority.len() - address.len();
        Self {
            host: Some(host).filter(|host| !host.is_empty()),
            port,
            protocol,
            path: path.filter(|path| !path.is_empty()),
            parameters: pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect(),
            without_user: scheme + rest.get(user..).unwrap_or_default(),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.without_user
    }

    /// Adds it to a list of providers.
    pub(super) fn write<'b>(&'b self, writer: &mut ProvidersWriter<'b>) -> Result<(), TooLarge> {
        let weight = self.parameters.iter().rev().find(|(key, _)| *key == "weight");
        let row = Row {
            host: self.host,
            port: self.port,
            protocol: self.protocol,
            path: self.path,
            url: Some(&self.without_user),
            weight: weight.and_then(|(_, value)| value.parse().ok()).unwrap_or(100),
        };
        writer.push(&row, self.parameters.iter().copied())
    }

    /// Adds what is declared of it, as the consumer.
    pub(super) fn write_declared<'b>(
        &'b self,
        declared: &Declared,
        writer: &mut ProvidersWriter<'b>,
    ) -> Result<(), TooLarge> {
        let parameters = self.parameters.iter().copied().filter(|(key, _)| declared.contains(key));
        writer.push(&Row { weight: 100, ..Row::default() }, parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_split_without_decoding() {
        let whole = Url::split("dubbo://u:p@[::1]:20880/com.shop.Orders?a=%20&b&c=d=e&");
        assert_eq!((whole.protocol, whole.host, whole.port), (Some("dubbo"), Some("[::1]"), 20_880));
        assert_eq!(
            (whole.path, whole.text()),
            (Some("com.shop.Orders"), "dubbo://[::1]:20880/com.shop.Orders?a=%20&b&c=d=e&")
        );
        assert_eq!(whole.parameters, [("a", "%20"), ("b", ""), ("c", "d=e")]);
        let bare = Url::split("10.0.0.1?x=/y@z:1");
        assert_eq!((bare.protocol, bare.host, bare.port, bare.path), (None, Some("10.0.0.1"), 0, None));
        assert_eq!((bare.parameters.as_slice(), bare.text()), (&[("x", "/y@z:1")][..], "10.0.0.1?x=/y@z:1"));
    }
}
