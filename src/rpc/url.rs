//! A Dubbo URL: `protocol://username:password@host:port/path?key=value&…`, read as it stands.
//!
//! Reading follows Dubbo Java 3.3 (`URLStrParser`): every part may be missing, hosts are not checked, values are not
//! decoded, `;` separates parameters like `&`, a `#` ends the part before the `?`. Differences: `docs/differences.md`.
//!
//! The `url` crate could not serve for the whole: it refuses `fe80::1%en0` and texts without a scheme, lower-cases
//! hosts, drops repeated keys' order and rewrites `file:/a/b`; its query iterator decodes, and nothing here may be
//! decoded. `percent-encoding` serves for the one value that is: [`Url::parameter_decoded`].
//!
//! A `Url` is the text plus spans into it, behind one [`Arc`]: a clone is a counter, printing is the text itself.

use std::fmt;
use std::hash::BuildHasher;
use std::hash::Hash;
use std::hash::Hasher;
use std::str::FromStr;
use std::sync::Arc;

use memchr::memchr;
use percent_encoding::percent_decode_str;

use crate::rpc::ServiceKey;
use crate::rpc::UrlError;
use crate::rpc::keys;
use crate::rpc::url_reader::parse_body;
use crate::rpc::url_reader::parse_parameters;

/// An immutable URL; cheap to clone, compared by text.
#[derive(Clone)]
pub struct Url(Arc<UrlData>);

#[derive(Clone, Copy, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// One `key=value`; the key ends one byte before the value starts.
#[derive(Clone, Copy)]
pub(crate) struct Parameter {
    pub(crate) key: u32,
    pub(crate) value: u32,
    pub(crate) end: u32,
}

pub(crate) struct UrlData {
    pub(crate) text: Box<str>,
    pub(crate) protocol: Span,
    pub(crate) username: Span,
    pub(crate) password: Span,
    pub(crate) host: Span,
    pub(crate) path: Span,
    pub(crate) address: Span,
    // Only where the text spells the port another way than its number is written (`:007`).
    pub(crate) rewritten_address: Option<Box<str>>,
    pub(crate) port: u32,
    pub(crate) hash: u64,
    // INVARIANT: the last entry of a key is the one in force; `default.k` is followed by `k` where that was absent.
    pub(crate) parameters: Box<[Parameter]>,
}

// === impl Url ===

impl Url {
    /// The longest text that is read: 16 MiB.
    pub const MAX_BYTES: usize = 16 << 20;

    /// Reads a URL.
    ///
    /// # Errors
    ///
    /// A text that starts with `://`, a port that is no 32-bit integer or has no host before it, or a text beyond [`Url::MAX_BYTES`].
    ///
    /// ```
    /// let url = pointsman::rpc::Url::parse("dubbo://10.0.0.1:20880/com.shop.OrderService?region=hangzhou")?;
    /// assert_eq!(url.host(), Some("10.0.0.1"));
    /// assert_eq!(url.parameter("region"), Some("hangzhou"));
    /// # Ok::<(), pointsman::rpc::UrlError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        if text.len() > Self::MAX_BYTES {
            return Err(UrlError::TooLong { found: text.len() });
        }
        let body_end = memchr(b'?', text.as_bytes()).unwrap_or(text.len());
        let mut data = parse_body(text, body_end)?;
        data.parameters = parse_parameters(text, body_end + 1);
        Ok(Self(Arc::new(data)))
    }

    /// The text as it was read.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// The protocol, if there is one.
    #[must_use]
    pub fn protocol(&self) -> Option<&str> {
        self.part(self.0.protocol)
    }

    /// The user in front of the host.
    #[must_use]
    pub fn username(&self) -> Option<&str> {
        self.part(self.0.username)
    }

    /// The password in front of the host.
    #[must_use]
    pub fn password(&self) -> Option<&str> {
        self.part(self.0.password)
    }

    /// The same URL without user and password; none if it cannot be told where they end.
    ///
    /// ```
    /// let url = pointsman::rpc::Url::parse("dubbo://ann:secret@10.0.0.1:20880/S?a=b").unwrap();
    /// assert_eq!(url.without_credentials().unwrap().as_str(), "dubbo://10.0.0.1:20880/S?a=b");
    /// ```
    #[must_use]
    pub fn without_credentials(&self) -> Option<Self> {
        let (username, password) = (self.0.username, self.0.password);
        let start = match (username.start == username.end, password.start == password.end) {
            (true, true) => return Some(self.clone()),
            (true, false) => password.start.saturating_sub(1),
            (false, _) => username.start,
        };
        let (head, tail) = (self.0.text.get(..start as usize)?, self.0.text.get(self.0.address.start as usize..)?);
        let stripped = Self::parse(&format!("{head}{tail}")).ok()?;
        (stripped.username().is_none() && stripped.password().is_none()).then_some(stripped)
    }

    /// The host; brackets of an IPv6 address stay.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        self.part(self.0.host)
    }

    /// The port; a URL without one, or with one that is not positive, has none.
    #[must_use]
    pub fn port(&self) -> Option<u32> {
        (self.0.port > 0).then_some(self.0.port)
    }

    /// The path without leading slashes.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.part(self.0.path)
    }

    /// `host:port`, or the host alone without a port.
    #[must_use]
    pub fn address(&self) -> Option<&str> {
        self.0.rewritten_address.as_deref().or_else(|| self.part(self.0.address))
    }

    /// The port as text, for comparison with rules; none without a port.
    #[must_use]
    pub fn port_text(&self) -> Option<&str> {
        self.port().and(self.address()).and_then(|address| address.rsplit(':').next())
    }

    /// The query's parameter `key` as it stands, without decoding. `default.k` sets `k` when that is absent.
    #[must_use]
    pub fn parameter(&self, key: &str) -> Option<&str> {
        let (text, key) = (self.0.text.as_bytes(), key.as_bytes());
        // PERF: length and first byte tell most keys apart; rebuilding an index reads every provider (`runtime/rebuild`).
        let is_it = |parameter: &&Parameter| {
            let (start, end) = (parameter.key as usize, (parameter.value as usize).saturating_sub(1));
            end.wrapping_sub(start) == key.len()
                && (key.is_empty() || text.get(start) == key.first())
                && text.get(start..end) == Some(key)
        };
        self.0.parameters.iter().rev().find(is_it).map(|parameter| self.value(*parameter))
    }

    /// [`Url::parameter`], an empty value counting as absent.
    #[must_use]
    pub fn non_empty_parameter(&self, key: &str) -> Option<&str> {
        self.parameter(key).filter(|value| !value.is_empty())
    }

    /// The value of `key`, or `default` when it is absent or empty.
    #[must_use]
    pub fn parameter_or<'a>(&'a self, key: &str, default: &'a str) -> &'a str {
        self.non_empty_parameter(key).unwrap_or(default)
    }

    /// The value of `key` decoded as form data: `+` is a blank, `%` starts an escape; a wrong escape stays as it is.
    ///
    /// # Errors
    ///
    /// The decoded bytes are no UTF-8.
    pub fn parameter_decoded(&self, key: &str) -> Option<Result<String, std::str::Utf8Error>> {
        self.parameter(key).map(|raw| {
            let blanks = raw.replace('+', " ");
            percent_decode_str(&blanks).decode_utf8().map(|text| text.into_owned())
        })
    }

    /// The parameter `key` of method `method`: `method.key`, then `key`, then `default.key`. A URL that lists its
    /// `methods` has no parameters of another one.
    ///
    /// ```
    /// let url = pointsman::rpc::Url::parse("dubbo://h:1/S?find.timeout=3&timeout=1")?;
    /// assert_eq!(url.method_parameter("find", "timeout"), Some("3"));
    /// assert_eq!(url.method_parameter("save", "timeout"), Some("1"));
    /// # Ok::<(), pointsman::rpc::UrlError>(())
    /// ```
    #[must_use]
    pub fn method_parameter(&self, method: &str, key: &str) -> Option<&str> {
        self.own_method_parameter(method, key).or_else(|| self.parameter(key))
    }

    /// `method.key` alone, where it is not empty and the URL may have it.
    pub(crate) fn own_method_parameter(&self, method: &str, key: &str) -> Option<&str> {
        let strict = self.parameters().filter(|(name, _)| {
            name.strip_prefix(method).and_then(|rest| rest.strip_prefix('.')).is_some_and(|rest| rest == key)
        });
        let strict = strict.last().map(|(_, value)| value).filter(|value| !value.is_empty());
        strict.filter(|_| self.has_method(method))
    }

    /// Whether `method` may have parameters of its own, as in `URLParam.initMethodParameters`: the URL lists it among its
    /// `methods`; without such a list, a name ends at the first dot.
    fn has_method(&self, method: &str) -> bool {
        match self.non_empty_parameter(keys::METHODS) {
            None => !method.is_empty() && !method.contains('.'),
            Some(methods) => {
                let methods = methods.trim_end_matches(',');
                !methods.is_empty() && methods.split(',').any(|one| one == method)
            }
        }
    }

    /// A part of the URL (`protocol`, `username`, `password`, `host`, `port`, `path`, `address`) or else a parameter.
    ///
    /// This is what a condition rule compares. The URL's own parts win over parameters of the same name; a URL without
    /// a port has no key `port`.
    #[must_use]
    pub fn raw(&self, key: &str) -> Option<&str> {
        let part = match key {
            keys::PROTOCOL => self.protocol(),
            keys::USERNAME => self.username(),
            keys::PASSWORD => self.password(),
            keys::HOST => self.host(),
            keys::PATH => self.path(),
            keys::ADDRESS => self.address(),
            keys::PORT => self.port_text(),
            _ => None,
        };
        part.or_else(|| self.parameter(key))
    }

    /// All parameters in the order of the text, repeats included; the last of a key is the one in force.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> + '_ {
        self.0.parameters.iter().map(|parameter| {
            let key = self.slice(parameter.key, parameter.value.saturating_sub(1));
            (key, self.value(*parameter))
        })
    }

    /// The interface: the parameter `interface` if it is not empty, else the path.
    #[must_use]
    pub fn service_interface(&self) -> Option<&str> {
        self.non_empty_parameter(keys::INTERFACE).or_else(|| self.path())
    }

    /// `group/interface:version`; none without an interface, except that a path of a lone `/` is an empty interface
    /// where there is a group or a version, as in Dubbo.
    #[must_use]
    pub fn service_key(&self) -> Option<ServiceKey> {
        let (group, version) = (self.non_empty_parameter(keys::GROUP), self.non_empty_parameter(keys::VERSION));
        let has_slash = self.0.path.end > 0;
        let is_named = has_slash && (group.is_some() || version.is_some());
        let interface = self.service_interface().or(is_named.then_some(""))?;
        Some(ServiceKey::new(group, interface, version))
    }

    /// A hash of the text, computed once when it was read.
    #[must_use]
    pub fn text_hash(&self) -> u64 {
        self.0.hash
    }

    /// The hasher behind [`Url::text_hash`].
    pub(crate) fn text_hasher() -> impl BuildHasher {
        foldhash::fast::FixedState::with_seed(0)
    }

    /// Whether two handles share one URL in memory.
    #[must_use]
    pub fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn part(&self, span: Span) -> Option<&str> {
        (span.end > span.start).then(|| self.slice(span.start, span.end))
    }

    fn value(&self, parameter: Parameter) -> &str {
        self.slice(parameter.value.min(parameter.end), parameter.end)
    }

    fn slice(&self, start: u32, end: u32) -> &str {
        self.0.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

impl FromStr for Url {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        Self::parse(text)
    }
}

impl PartialEq for Url {
    fn eq(&self, other: &Self) -> bool {
        self.ptr_eq(other) || (self.0.hash == other.0.hash && self.0.text == other.0.text)
    }
}

impl Eq for Url {}

impl Hash for Url {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Prints the text without user and password.
impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.username(), self.address()) {
            (Some(_), address) => write!(f, "Url({}://***@{}/…)", self.protocol().unwrap_or(""), address.unwrap_or("")),
            (None, _) => write!(f, "Url({:?})", self.as_str()),
        }
    }
}
