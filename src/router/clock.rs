//! What time it is: a value that is handed down, so that tests and replays set it.

use std::cmp::Ordering;
use std::fmt;
use std::hash::Hash;
use std::hash::Hasher;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::Zoned;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde::Serialize;

/// Tells the time.
pub trait Clock: Send + Sync + fmt::Debug {
    /// This moment.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// A clock that stands still; for tests and replays.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

/// A time zone by its name in the IANA database; equal names are equal zones.
#[derive(Clone, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub struct Zone {
    name: Arc<str>,
    zone: TimeZone,
}

/// How finely a router looks at the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ClockGranularity {
    /// The day of the week, 1 for Monday to 7 for Sunday.
    Weekday,
    /// The hour, 0 to 23.
    Hour,
    /// The minute of the hour, 0 to 59.
    Minute,
    /// Finer: never memoised.
    Instant,
}

// === impl ClockGranularity ===

impl ClockGranularity {
    /// Reads a part of the time that repeats: `weekday`, `hour`, `minute`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Weekday, Self::Hour, Self::Minute].into_iter().find(|granularity| granularity.as_str() == text)
    }
}

// === impl SystemClock ===

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

// === impl FixedClock ===

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

// === impl Zone ===

impl Zone {
    /// Coordinated universal time.
    #[must_use]
    pub fn utc() -> Self {
        Self { name: "UTC".into(), zone: TimeZone::UTC }
    }

    /// The zone called `name`, such as `Asia/Shanghai`; none if there is no such zone.
    ///
    /// ```
    /// use pointsman::router::Zone;
    /// assert!(Zone::find("Asia/Shanghai").is_some() && Zone::find("Asia/Shanghia").is_none());
    /// ```
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let zone = TimeZone::get(name).ok()?;
        Some(Self { name: name.into(), zone })
    }

    /// The names of all zones.
    #[must_use]
    pub fn names() -> Vec<String> {
        jiff::tz::db().available().map(|name| name.as_str().to_owned()).collect()
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What clocks on the wall show there at `moment`.
    #[must_use]
    pub fn at(&self, moment: Timestamp) -> Zoned {
        moment.to_zoned(self.zone.clone())
    }
}

impl From<Zone> for String {
    fn from(zone: Zone) -> Self {
        zone.name.as_ref().to_owned()
    }
}

/// Names that no zone has are UTC; whoever takes names from people asks [`Zone::find`].
impl From<String> for Zone {
    fn from(name: String) -> Self {
        Self::find(&name).unwrap_or_else(Self::utc)
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Zone {}

impl PartialOrd for Zone {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Zone {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(&other.name)
    }
}

impl Hash for Zone {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

// === impl ClockGranularity ===

impl ClockGranularity {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Weekday => "weekday",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Instant => "instant",
        }
    }

    /// The part of `moment` that is looked at.
    #[must_use]
    pub fn of(self, moment: &Zoned) -> i64 {
        match self {
            Self::Weekday => moment.weekday().to_monday_one_offset().into(),
            Self::Hour => moment.hour().into(),
            Self::Minute => moment.minute().into(),
            Self::Instant => moment.timestamp().as_millisecond(),
        }
    }
}
