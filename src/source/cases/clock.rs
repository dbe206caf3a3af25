//! Moments as people write them.

use jiff::Timestamp;

/// A moment in the form of RFC 3339; it needs a zone's offset, or `Z`.
///
/// ```
/// use pointsman::source::cases::read_time;
/// assert_eq!(read_time("2026-11-30T23:30:00+08:00"), read_time("2026-11-30T15:30:00Z"));
/// assert_eq!(read_time("2026-11-30T23:30:00"), None);
/// ```
#[must_use]
pub fn read_time(text: &str) -> Option<Timestamp> {
    // The library reads more forms than people expect: `20261130T2330+08`, `2026-11-30 23:30+08:00[Asia/Shanghai]`.
    let bytes = text.as_bytes();
    let is_long_form = bytes.get(4) == Some(&b'-') && bytes.get(10) == Some(&b'T') && !text.contains('[');
    text.parse().ok().filter(|_| is_long_form)
}
