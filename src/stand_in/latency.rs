//! How long an answer takes, and how times are written.

use std::time::Duration;

use crate::router::mix;

/// The longest time that can be written: an hour.
const LONGEST: Duration = Duration::from_secs(3_600);
/// The units and their nanoseconds; those that end like another stand in front of it.
const UNITS: [(&str, f64); 3] = [("us", 1e3), ("ms", 1e6), ("s", 1e9)];

/// How long an answer takes: any time between two, drawn for each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Latency {
    least: Duration,
    most: Duration,
}

// === impl Latency ===

impl Latency {
    /// The same time for every call.
    #[must_use]
    pub const fn fixed(time: Duration) -> Self {
        Self { least: time, most: time }
    }

    /// A time from `least` to `most`; none if they stand the wrong way round.
    #[must_use]
    pub fn between(least: Duration, most: Duration) -> Option<Self> {
        (least <= most).then_some(Self { least, most })
    }

    /// Reads `5ms` or `2ms..8ms`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use pointsman::stand_in::Latency;
    /// let latency = Latency::read("2ms..1.5s").unwrap();
    /// assert_eq!((latency.least(), latency.most()), (Duration::from_millis(2), Duration::from_millis(1_500)));
    /// assert_eq!(Latency::read("8ms..2ms"), None);
    /// ```
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        match text.split_once("..") {
            Some((least, most)) => Self::between(read_duration(least)?, read_duration(most)?),
            None => read_duration(text).map(Self::fixed),
        }
    }

    /// The least.
    #[must_use]
    pub const fn least(self) -> Duration {
        self.least
    }

    /// The most.
    #[must_use]
    pub const fn most(self) -> Duration {
        self.most
    }

    /// The time that the random number `random` gives; every one of the range is as likely as another.
    pub(super) fn draw(self, random: u64) -> Duration {
        // No time is longer than an hour, so its nanoseconds fit.
        let range = u64::try_from((self.most - self.least).as_nanos()).unwrap_or(u64::MAX);
        let share = (u128::from(mix(random)) * u128::from(range.saturating_add(1))) >> 64;
        self.least + Duration::from_nanos(share as u64)
    }
}

/// Reads a time: a number with `us`, `ms` or `s`, at most an hour; none of what is no such time.
#[must_use]
pub fn read_duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let (number, nanos) = UNITS.iter().find_map(|(unit, nanos)| Some((text.strip_suffix(unit)?, nanos)))?;
    let is_number = number.starts_with(|c: char| c.is_ascii_digit());
    let number = number.trim_end().parse::<f64>().ok().filter(|_| is_number)?;
    let time = Duration::try_from_secs_f64(number * nanos / 1e9).ok()?;
    (time <= LONGEST).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_with_a_unit() {
        for (text, micros) in [
            ("250us", Some(250)),
            ("5ms", Some(5_000)),
            (" 5 ms ", Some(5_000)),
            ("1.5s", Some(1_500_000)),
            ("0s", Some(0)),
            ("3600s", Some(3_600_000_000)),
            ("3601s", None),
            ("5", None),
            ("5m", None),
            ("-5ms", None),
            ("infs", None),
            ("ms", None),
            ("1e3ms", Some(1_000_000)),
            ("1e999s", None),
        ] {
            assert_eq!(read_duration(text), micros.map(Duration::from_micros), "`{text}`");
        }
    }

    #[test]
    fn a_drawn_time_stays_in_its_range_and_reaches_both_ends() {
        let latency = Latency::read("2ms..8ms").unwrap();
        let drawn: Vec<Duration> = (0..1_000).map(|random| latency.draw(random)).collect();
        assert!(drawn.iter().all(|time| (latency.least()..=latency.most()).contains(time)));
        let (least, most) = (drawn.iter().min().unwrap(), drawn.iter().max().unwrap());
        assert!(*least < Duration::from_micros(2_100) && *most > Duration::from_micros(7_900), "{least:?} {most:?}");
        assert_eq!(Latency::read("5ms").unwrap().draw(7), Duration::from_millis(5));
    }
}
