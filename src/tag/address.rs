//! The forms in which a tag rule writes addresses.

use std::net::IpAddr;

/// The addresses that one text stands for: `host`, `host:port`, `host:*`, `*:port`, `0.0.0.0:port` (every host), a net
/// `10.0.0.0/8`, and segments with `*` or `a-b` (`10.1.*.*`, `10.1.2.1-30:20880`). IPv6 with a port stands in brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressPattern {
    host: HostPattern,
    /// None is any.
    port: Option<u16>,
}

/// The hosts that one text stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostPattern {
    Any,
    Ip(IpAddr),
    Net { address: IpAddr, bits: u8 },
    Segments4([Segment; 4]),
    Segments6([Segment; 8]),
    Name(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Segment {
    Any,
    Range(u16, u16),
}

// === impl AddressPattern ===

impl AddressPattern {
    /// Reads a pattern; none for a text that can be no address.
    ///
    /// ```
    /// use pointsman::tag::AddressPattern;
    /// let pattern = AddressPattern::parse("10.1.2.1-30:20880").unwrap();
    /// assert!(pattern.is_match("10.1.2.7", 20880) && !pattern.is_match("10.1.2.31", 20880));
    /// assert!(AddressPattern::parse("10.1.2").is_none());
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (host, port) = split_port(text.trim())?;
        let has_port = port.is_some();
        let port = match port {
            None | Some("*") => None,
            Some(port) => Some(port.parse().ok().filter(|_| port.bytes().all(|byte| byte.is_ascii_digit()))?),
        };
        let host = HostPattern::parse(host)?;
        // Without a port `0.0.0.0` is an address like any other.
        let is_any_host = has_port && host == HostPattern::Ip(IpAddr::from([0, 0, 0, 0]));
        Some(Self { host: if is_any_host { HostPattern::Any } else { host }, port })
    }

    /// Whether a provider at `host` and `port` is meant; names are compared as texts.
    #[must_use]
    pub fn is_match(&self, host: &str, port: u16) -> bool {
        self.port.is_none_or(|wanted| wanted == port) && self.host.is_match(host)
    }

    /// The hosts that are meant, whatever the port.
    pub(crate) const fn host(&self) -> &HostPattern {
        &self.host
    }

    /// Whether it means nobody: the lower end of a range is above its upper end.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.host.is_empty()
    }

    /// The port that is meant; none for any.
    pub(crate) const fn port(&self) -> Option<u16> {
        self.port
    }

    /// Whether it stands for exactly one address, written as providers write theirs; port 0 is also no port.
    pub(crate) const fn is_plain(&self) -> bool {
        matches!((&self.host, self.port), (HostPattern::Ip(IpAddr::V4(_)), Some(1..)))
    }
}

// === impl HostPattern ===

impl HostPattern {
    fn parse(text: &str) -> Option<Self> {
        if text == "*" || text == "*.*.*.*" {
            return Some(Self::Any);
        }
        if let Some((address, bits)) = text.split_once('/') {
            let (address, bits) = (address.parse::<IpAddr>().ok()?, bits.parse::<u8>().ok()?);
            let width = if address.is_ipv4() { 32 } else { 128 };
            return (bits <= width).then_some(Self::Net { address, bits });
        }
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(Self::Ip(address));
        }
        if text.contains(':') {
            return segments(text, ':', 16, 0xffff).map(Self::Segments6);
        }
        if let Some(segments) = segments(text, '.', 10, 255) {
            return Some(Self::Segments4(segments));
        }
        is_name(text).then(|| Self::Name(text.to_owned()))
    }

    fn is_match(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Name(name) => name == host,
            _ => ip_of(host).is_some_and(|ip| self.is_ip(ip)),
        }
    }

    /// Whether an address is meant; names mean none.
    pub(crate) fn is_ip(&self, ip: IpAddr) -> bool {
        match (self, ip) {
            (Self::Any, _) => true,
            (Self::Ip(wanted), _) => ip == *wanted,
            (Self::Net { address, bits }, _) => is_in_net(ip, *address, *bits),
            (Self::Segments4(segments), IpAddr::V4(ip)) => fit(segments, ip.octets().map(u16::from)),
            (Self::Segments6(segments), IpAddr::V6(ip)) => fit(segments, ip.segments()),
            _ => false,
        }
    }

    /// The lowest and the highest address that can be meant; none where addresses of both kinds can be, or names.
    pub(crate) fn bounds(&self) -> Option<(IpAddr, IpAddr)> {
        match self {
            Self::Any | Self::Name(_) | Self::Net { address: IpAddr::V6(_), .. } => None,
            Self::Ip(ip) => Some((*ip, *ip)),
            Self::Net { address: IpAddr::V4(net), bits } => {
                let hosts = u32::MAX.checked_shr(u32::from(*bits)).unwrap_or(0);
                let net = u32::from(*net);
                Some((IpAddr::from((net & !hosts).to_be_bytes()), IpAddr::from((net | hosts).to_be_bytes())))
            }
            Self::Segments4(segments) => {
                let ends = segments.map(|segment| segment.ends(u16::from(u8::MAX)));
                let octets = |end: fn((u16, u16)) -> u16| ends.map(|ends| u8::try_from(end(ends)).unwrap_or(u8::MAX));
                Some((IpAddr::from(octets(|ends| ends.0)), IpAddr::from(octets(|ends| ends.1))))
            }
            Self::Segments6(segments) => {
                let ends = segments.map(|segment| segment.ends(u16::MAX));
                Some((IpAddr::from(ends.map(|ends| ends.0)), IpAddr::from(ends.map(|ends| ends.1))))
            }
        }
    }

    /// Whether no address can be meant: the lower end of a range is above its upper end.
    pub(crate) fn is_empty(&self) -> bool {
        let is_inverted = |segment: &Segment| matches!(segment, Segment::Range(from, to) if from > to);
        match self {
            Self::Segments4(segments) => segments.iter().any(is_inverted),
            Self::Segments6(segments) => segments.iter().any(is_inverted),
            _ => false,
        }
    }
}

impl Segment {
    /// The least and the greatest number that it means.
    const fn ends(self, most: u16) -> (u16, u16) {
        match self {
            Self::Any => (0, most),
            Self::Range(from, to) => (from, to),
        }
    }
}

/// The address that a provider's host is; none for a name.
pub(crate) fn ip_of(host: &str) -> Option<IpAddr> {
    host.trim_matches(['[', ']']).split('%').next().unwrap_or_default().parse().ok()
}

/// Host and port; none for a bracket without its end.
fn split_port(text: &str) -> Option<(&str, Option<&str>)> {
    if let Some(rest) = text.strip_prefix('[') {
        let (host, after) = rest.split_once(']')?;
        return match after.strip_prefix(':') {
            Some(port) => Some((host, Some(port))),
            None => after.is_empty().then_some((host, None)),
        };
    }
    match text.split_once(':') {
        // More than one colon without brackets: IPv6, which cannot have a port then.
        Some((_, rest)) if rest.contains(':') => Some((text, None)),
        Some((host, port)) => Some((host, Some(port))),
        None => Some((text, None)),
    }
}

/// `N` segments, each a number, `*` or `a-b`.
fn segments<const N: usize>(text: &str, separator: char, radix: u32, most: u16) -> Option<[Segment; N]> {
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.chars().all(|c| c.is_digit(radix));
        u16::from_str_radix(text, radix).ok().filter(|number| is_number && *number <= most)
    };
    let segment = |text: &str| match text.split_once('-') {
        _ if text == "*" => Some(Segment::Any),
        Some((from, to)) => Some(Segment::Range(number(from)?, number(to)?)),
        None => number(text).map(|number| Segment::Range(number, number)),
    };
    let segments: Vec<Segment> = text.split(separator).map(segment).collect::<Option<_>>()?;
    segments.try_into().ok()
}

fn fit<const N: usize>(segments: &[Segment; N], values: [u16; N]) -> bool {
    segments.iter().zip(values).all(|(segment, value)| match segment {
        Segment::Any => true,
        Segment::Range(from, to) => (*from..=*to).contains(&value),
    })
}

fn is_in_net(ip: IpAddr, net: IpAddr, bits: u8) -> bool {
    let (ip, net, width) = match (ip, net) {
        (IpAddr::V4(ip), IpAddr::V4(net)) => (u128::from(u32::from(ip)), u128::from(u32::from(net)), 32),
        (IpAddr::V6(ip), IpAddr::V6(net)) => (u128::from(ip), u128::from(net), 128),
        (IpAddr::V4(ip), IpAddr::V6(net)) => (u128::from(ip.to_ipv6_mapped()), u128::from(net), 128),
        (IpAddr::V6(_), IpAddr::V4(_)) => return false,
    };
    let shift = width - u32::from(bits);
    shift >= 128 || ip >> shift == net >> shift
}

/// A host's name; digits and dots alone are an address that went wrong.
fn is_name(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    !text.is_empty() && text.chars().all(is_word) && !text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_all_that_a_pattern_means() {
        let hosts =
            ["0.0.0.0", "10.0.0.0", "10.0.1.7", "10.0.1.255", "10.1.0.1", "255.255.255.255", "::", "2001:db8::7"];
        for text in [
            "10.0.1.7",
            "10.0.1.0/24",
            "10.0.1.9/0",
            "10.0.1.7/32",
            "10.*.*.1-9",
            "10.0.0-1.*",
            "2001:db8::/32",
            "2001:db8:0:0:0:0:0:1-9",
            "::/0",
            "10.0.9-1.*",
        ] {
            let pattern = HostPattern::parse(text).unwrap();
            for ip in hosts.map(|host| host.parse::<IpAddr>().unwrap()) {
                let is_within = pattern.bounds().is_none_or(|(lowest, highest)| lowest <= ip && ip <= highest);
                assert!(is_within || !pattern.is_ip(ip), "{text} {ip}");
            }
        }
    }

    #[test]
    fn every_form_means_what_it_says() {
        for (pattern, host, port, expected) in [
            ("10.0.1.1:20880", "10.0.1.1", 20880, true),
            ("10.0.1.1:20880", "10.0.1.1", 20881, false),
            ("10.0.1.1", "10.0.1.1", 1, true),
            ("10.0.1.1:*", "10.0.1.1", 1, true),
            ("*:20880", "10.0.1.1", 20880, true),
            ("*:20880", "::1", 20880, true),
            ("*:20880", "10.0.1.1", 20881, false),
            ("0.0.0.0:20881", "10.0.1.1", 20881, true),
            ("0.0.0.0", "10.0.1.1", 20881, false),
            ("*.*.*.*:20881", "10.0.1.1", 20881, true),
            ("10.0.1.0/24", "10.0.1.9", 1, true),
            ("10.0.1.0/24", "10.0.2.9", 1, false),
            ("10.0.1.0/24:20880", "10.0.1.9", 20880, true),
            ("0.0.0.0/0", "10.0.1.9", 1, true),
            ("10.0.1.1-5:20880", "10.0.1.5", 20880, true),
            ("10.0.1.1-5:20880", "10.0.1.6", 20880, false),
            ("10.1.*.*", "10.1.200.3", 1, true),
            ("[2001:db8::1]:20882", "2001:db8:0:0:0:0:0:1", 20882, true),
            ("[2001:db8::1]:20882", "[2001:db8::1]", 20882, true),
            ("2001:db8::1", "2001:db8::1", 5, true),
            ("2001:db8:0:0:0:0:0:*", "2001:db8::7", 5, true),
            ("2001:db8::/32", "2001:db8::7", 5, true),
            ("pay.example:20880", "pay.example", 20880, true),
            ("pay.example", "pay.example.org", 20880, false),
            (" 10.0.1.1:20880 ", "10.0.1.1", 20880, true),
        ] {
            let pattern = AddressPattern::parse(pattern).unwrap_or_else(|| panic!("{pattern}"));
            assert_eq!(pattern.is_match(host, port), expected, "{pattern:?} on {host}:{port}");
        }
    }

    #[test]
    fn what_can_be_no_address_is_none() {
        for text in ["", "10.0.1", "10.0.1.1:x", "10.0.1.1:70000", "10.0.1.300", "[::1", "10.0.1.1/33", "a b", "10.*.1"]
        {
            assert_eq!(AddressPattern::parse(text), None, "`{text}`");
        }
    }
}
