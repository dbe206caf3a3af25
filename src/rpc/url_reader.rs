//! Reading the text: first what stands before the `?`, then the parameters.

use std::hash::BuildHasher;

use hashbrown::HashSet;
use memchr::memchr;
use memchr::memchr2_iter;
use memchr::memmem;
use memchr::memrchr;

use crate::rpc::Url;
use crate::rpc::UrlError;
use crate::rpc::keys;
use crate::rpc::url::Parameter;
use crate::rpc::url::Span;
use crate::rpc::url::UrlData;

fn span(start: usize, end: usize) -> Span {
    // `Url::MAX_BYTES` fits; a span beyond `u32` cannot come up.
    Span { start: u32::try_from(start).unwrap_or(u32::MAX), end: u32::try_from(end).unwrap_or(u32::MAX) }
}

/// Reads all that stands before the `?`, in the order of `URLStrParser.parseURLBody`.
pub(crate) fn parse_body(text: &str, body_end: usize) -> Result<UrlData, UrlError> {
    let bytes = text.as_bytes();
    let body = bytes.get(..body_end).unwrap_or_default();
    let mut end = memchr(b'#', body).unwrap_or(body_end);

    let (protocol, mut start) = protocol_of(body)?;
    let path_at = body.get(start..end).and_then(|rest| memchr(b'/', rest)).map(|at| start + at);
    let mut path = Span::default();
    if let Some(at) = path_at {
        let slashes = bytes.get(at..end).unwrap_or_default().iter().take_while(|byte| **byte == b'/').count();
        path = span(at + slashes, end);
        end = at;
    }
    let authority = |from: usize| bytes.get(from..end).unwrap_or_default();

    let (mut username, mut password) = (Span::default(), Span::default());
    if let Some(at) = memrchr(b'@', authority(start)).map(|at| start + at).filter(|at| *at > 0) {
        match bytes.get(start..at).and_then(|user| memchr(b':', user)) {
            Some(colon) => {
                username = span(start, start + colon);
                password = span(start + colon + 1, at);
            }
            None => username = span(start, at),
        }
        start = at + 1;
    }

    let (host, port) = host_and_port(text, body.len(), start, end)?;
    let address = span(start, end);
    let rewritten_address = rewrite_address(text, host, address, port);
    let address = if port == 0 { host } else { address };
    Ok(UrlData {
        text: text.into(),
        protocol,
        username,
        password,
        host,
        path,
        address,
        rewritten_address,
        port,
        hash: Url::text_hasher().hash_one(text),
        parameters: Box::default(),
    })
}

/// The protocol's span and where the rest begins: after `://`, or after the colon of `file:/a/b`.
fn protocol_of(body: &[u8]) -> Result<(Span, usize), UrlError> {
    for (separator, consumed) in [("://", 3), (":/", 1)] {
        match memmem::find(body, separator.as_bytes()) {
            Some(0) => return Err(UrlError::MissingProtocol { separator }),
            Some(at) => return Ok((span(0, at), at + consumed)),
            None => {}
        }
    }
    Ok((Span::default(), 0))
}

/// Splits `host:port` at the last colon; a scoped IPv6 address and a bracketed one without a port have none.
fn host_and_port(text: &str, body_length: usize, start: usize, end: usize) -> Result<(Span, u32), UrlError> {
    let authority = text.as_bytes().get(start..end).unwrap_or_default();
    let Some(colon) = memrchr(b':', authority) else { return Ok((span(start, end), 0)) };
    let is_scoped = memrchr(b'%', authority).is_some_and(|percent| percent > colon);
    let is_bracketed = authority.starts_with(b"[") && authority.ends_with(b"]");
    let at = start + colon;
    if at == 0 || at + 1 >= body_length || is_scoped || is_bracketed {
        return Ok((span(start, end), 0));
    }
    let found = text.get(at + 1..end).unwrap_or_default();
    match found.parse::<i32>() {
        Ok(port @ 1..) if at == start => Err(UrlError::MissingHost { port: port.unsigned_abs(), offset: at }),
        Ok(port) => Ok((span(start, at), u32::try_from(port).unwrap_or(0))),
        Err(_) => Err(UrlError::InvalidPort { found: found.to_owned(), offset: at + 1 }),
    }
}

fn rewrite_address(text: &str, host: Span, address: Span, port: u32) -> Option<Box<str>> {
    let spelled = text.get(host.end as usize + 1..address.end as usize)?;
    let canonical = port.to_string();
    if port == 0 || spelled == canonical {
        return None;
    }
    let host = text.get(host.start as usize..host.end as usize).unwrap_or_default();
    Some(format!("{host}:{canonical}").into_boxed_str())
}

/// Up to here the keys before a `default.k` are gone through; beyond, they are kept in a set.
const MAX_SCANNED_KEYS: usize = 32;

/// The parameters read so far.
struct Parameters<'a> {
    text: &'a str,
    list: Vec<Parameter>,
    // Empty until a `default.k` comes after `MAX_SCANNED_KEYS`; then the keys of the first `keys_of` entries.
    keys: HashSet<&'a str>,
    keys_of: usize,
}

/// Reads `key=value&…` as `URLStrParser.addParam` does: further `=` belong to the value, leading ones are dropped.
pub(crate) fn parse_parameters(text: &str, from: usize) -> Box<[Parameter]> {
    let bytes = text.as_bytes();
    let Some(query) = bytes.get(from..).filter(|query| !query.is_empty()) else { return Box::default() };
    // PERF: one allocation of the right size (`runtime/rebuild` reads every provider).
    let list = Vec::with_capacity(memchr2_iter(b'&', b';', query).count() + 1);
    let mut parameters = Parameters { text, list, keys: HashSet::new(), keys_of: 0 };
    let mut start = from;
    let ends = memchr2_iter(b'&', b';', query).map(|at| from + at).chain(std::iter::once(bytes.len()));
    for end in ends {
        parameters.push(start, end);
        start = end + 1;
    }
    parameters.list.into_boxed_slice()
}

impl Parameters<'_> {
    fn push(&mut self, start: usize, end: usize) {
        let item = self.text.as_bytes().get(start..end).unwrap_or_default();
        let start = start + item.iter().take_while(|byte| **byte == b'=').count();
        if start >= end {
            return;
        }
        let item = self.text.as_bytes().get(start..end).unwrap_or_default();
        let value = memchr(b'=', item).map_or(end, |at| start + at) + 1;
        let Span { start: key, end } = span(start, end);
        let value = span(value, value).start;
        let parameter = Parameter { key, value, end };
        self.list.push(parameter);
        let name = key_of(self.text, parameter);
        if let Some(plain) = name.strip_prefix(keys::DEFAULT_PREFIX).filter(|plain| !self.has(plain)) {
            self.list.push(Parameter { key: key + (name.len() - plain.len()) as u32, value, end });
        }
    }

    /// Whether a parameter `key` was read.
    fn has(&mut self, key: &str) -> bool {
        let text = self.text;
        if self.list.len() <= MAX_SCANNED_KEYS {
            return self.list.iter().any(|parameter| key_of(text, *parameter) == key);
        }
        let added = self.list.get(self.keys_of..).unwrap_or_default();
        self.keys.extend(added.iter().map(|parameter| key_of(text, *parameter)));
        self.keys_of = self.list.len();
        self.keys.contains(key)
    }
}

fn key_of(text: &str, parameter: Parameter) -> &str {
    text.get(parameter.key as usize..(parameter.value as usize).saturating_sub(1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::rpc::Url;

    #[test]
    fn printing_gives_what_was_read() {
        for text in ["", "dubbo", "file:/a/b", "dubbo://u:p@h:1//a?b&=c;default.d=1#x", "fe80::1%en0", "a=b?c=d"] {
            assert_eq!(Url::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_bracketed_host_needs_no_port() {
        let url = Url::parse("dubbo://[::1]/a").unwrap();
        assert_eq!((url.host(), url.port(), url.address()), (Some("[::1]"), None, Some("[::1]")));
    }

    #[test]
    fn an_odd_spelling_of_the_port_is_read_as_its_number() {
        let url = Url::parse("dubbo://h:007/a").unwrap();
        assert_eq!((url.port(), url.raw("port"), url.address()), (Some(7), Some("7"), Some("h:7")));
    }

    #[test]
    fn a_wrong_port_is_an_error_with_its_place() {
        let error = Url::parse("dubbo://h:x1/a").unwrap_err();
        assert_eq!(
            (error.offset(), error.to_string().as_str()),
            (10, "expected a port number after the last `:` of the address, found `x1`")
        );
    }

    #[test]
    fn debug_output_never_shows_a_password() {
        assert!(!format!("{:?}", Url::parse("dubbo://u:secret@h:1/a").unwrap()).contains("secret"));
    }

    #[test]
    fn a_url_that_lists_its_methods_has_no_parameters_of_another() {
        let listing = Url::parse("dubbo://h:1/S?methods=find,save&find.timeout=3&load.timeout=2&timeout=1").unwrap();
        assert_eq!(listing.method_parameter("find", "timeout"), Some("3"));
        assert_eq!(listing.method_parameter("load", "timeout"), Some("1"));
        assert_eq!(Url::parse("dubbo://h:1/S?a.b.c=3").unwrap().method_parameter("a.b", "c"), None);
    }

    #[test]
    fn a_port_without_a_host_is_an_error_with_its_place() {
        let error = Url::parse("dubbo://u@:20880/a").unwrap_err();
        assert_eq!((error.offset(), error.to_string().as_str()), (10, "expected a host before the port `20880`"));
        assert_eq!(Url::parse("dubbo://:0/a").unwrap().address(), None);
    }

    #[test]
    fn a_default_is_found_absent_or_present_among_few_and_among_many() {
        for others in [0, 30, 31, 32, 33, 5_000] {
            let others: String = (0..others).map(|index| format!("&k{index}=1&default.k{index}=2")).collect();
            let url =
                Url::parse(&format!("dubbo://h:1/S?a=1{others}&default.a=2&default.b=3&default.b=4&b=5")).unwrap();
            assert_eq!((url.parameter("a"), url.parameter("b")), (Some("1"), Some("5")));
            assert_eq!(url.parameters().filter(|(key, _)| *key == "b").count(), 2);
            assert!(url.parameters().filter(|(key, _)| key.starts_with('k')).all(|(_, value)| value == "1"));
        }
    }

    #[test]
    fn a_megabyte_of_defaults_is_read_once() {
        let query: Vec<String> = (0..70_000).map(|index| format!("default.k{index}=1")).collect();
        let url = Url::parse(&format!("dubbo://h:1/S?{}", query.join("&"))).unwrap();
        assert!(url.as_str().len() > 1 << 20);
        assert_eq!(url.parameters().count(), 140_000);
        assert_eq!(url.parameter("k69999"), Some("1"));
    }
}
