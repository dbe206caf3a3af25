//! Addresses as a tag lists them: exact, by pattern, by range, or a network.

use std::net::Ipv4Addr;
use std::net::Ipv6Addr;

/// Whether an entry such as `10.1.*.*:20880` means the provider at `host` and `port` (0: none). Names are not resolved.
pub(crate) fn matches_address(entry: &str, host: &str, port: u32) -> bool {
    let entry = entry.trim();
    if entry == "*" || entry == "*.*.*.*" {
        return true;
    }
    let host = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    let v6 = host.parse::<Ipv6Addr>().ok();
    let (pattern, wanted_port) = split(entry, v6.is_some());
    if wanted_port.is_some_and(|wanted| wanted != "*" && wanted != port.to_string()) {
        return false;
    }
    if pattern == "*" || (pattern == "0.0.0.0" && wanted_port.is_some()) {
        return true;
    }
    if let Some((network, bits)) = pattern.split_once('/') {
        return bits.parse().is_ok_and(|bits| is_inside(network, bits, host));
    }
    match (host.parse::<Ipv4Addr>(), v6) {
        (Ok(v4), _) => matches_v4(pattern, v4),
        (_, Some(v6)) => matches_v6(pattern, v6),
        _ => pattern == host,
    }
}

/// The host's part and the port's. An address of IPv6 has a port behind brackets only.
fn split(entry: &str, is_v6: bool) -> (&str, Option<&str>) {
    let bracketed = entry.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    if let Some((host, rest)) = bracketed {
        return match rest.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            None if rest.is_empty() => (host, None),
            None => (entry, None),
        };
    }
    match entry.rsplit_once(':') {
        // Behind the bits of a network: `10.1.0.0/16:20880`, `fd00::/8:20880`.
        Some((network, port)) if network.contains('/') => (network, Some(port)),
        Some(_) if entry.contains('/') => (entry, None),
        Some((host, port)) if host == "*" => (host, Some(port)),
        Some((host, port)) if host == "0.0.0.0" => (host, Some(port)),
        Some(_) if !is_v6 => entry.split_once(':').map_or((entry, None), |(host, port)| (host, Some(port))),
        _ => (entry, None),
    }
}

fn matches_v4(pattern: &str, host: Ipv4Addr) -> bool {
    let parts: Vec<&str> = pattern.split('.').collect();
    if parts.len() != 4 {
        return false;
    }
    let is_plain = !pattern.contains(['*', '-']);
    parts.iter().zip(host.octets()).all(|(part, octet)| matches_part(part, u32::from(octet), 10, is_plain))
}

fn matches_v6(pattern: &str, host: Ipv6Addr) -> bool {
    if !pattern.contains(['*', '-']) {
        return pattern.parse() == Ok(host);
    }
    let parts: Vec<&str> = pattern.split(':').collect();
    parts.len() == 8
        && parts.iter().zip(host.segments()).all(|(part, segment)| matches_part(part, u32::from(segment), 16, false))
}

/// `*`, a number, or `a-b`. Leading zeros count for nothing where the whole pattern is plain numbers.
fn matches_part(part: &str, value: u32, radix: u32, is_plain: bool) -> bool {
    let number = |text: &str| u32::from_str_radix(text, radix).ok();
    let is_written_so = |text: &str| if radix == 10 { text == value.to_string() } else { text == format!("{value:x}") };
    match part.split_once('-') {
        _ if part == "*" || is_written_so(part) => true,
        Some((low, high)) => {
            matches!((number(low), number(high)), (Some(low), Some(high)) if low <= value && value <= high)
        }
        None => (is_plain || value == 0) && number(part) == Some(value),
    }
}

fn is_inside(network: &str, bits: u32, host: &str) -> bool {
    if let (Ok(network), Ok(host)) = (network.parse::<Ipv4Addr>(), host.parse::<Ipv4Addr>()) {
        let shift = 32_u32.saturating_sub(bits);
        return u64::from(network.to_bits()) >> shift == u64::from(host.to_bits()) >> shift;
    }
    if let (Ok(network), Ok(host)) = (network.parse::<Ipv6Addr>(), host.parse::<Ipv6Addr>()) {
        let shift = 128_u32.saturating_sub(bits);
        return network.to_bits().checked_shr(shift) == host.to_bits().checked_shr(shift);
    }
    false
}
