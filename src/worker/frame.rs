//! The words that host and worker exchange: `u32` length of what follows, `u8` kind, payload. All numbers little-endian.
//!
//! Lengths are checked before anything is allocated for them, on both sides. The figures of a run are laid out by hand:
//! they are read and written on every call.

use std::time::Duration;

use serde::Deserialize;
use serde::Serialize;

use crate::worker::PartId;
use crate::worker::RunLimits;
use crate::worker::confinement::Confinement;

/// Bytes before the payload: length and kind.
pub(super) const HEADER: usize = 5;

/// The most a worker reads in one frame; larger payloads come as shared memory.
pub(super) const TO_WORKER_LIMIT: usize = 16 << 20;

/// The most the host reads in one frame: an answer over 1,000,000 providers, a position each, and 1 MiB of words.
pub(super) const TO_HOST_LIMIT: usize = (1 << 20) + 4 * 1_000_000;

/// The most a worker takes in as shared memory.
pub(super) const SHARED_LIMIT: u64 = 1 << 30;

/// Changes whenever a frame changes.
pub(super) const PROTOCOL: u32 = 1;

/// What a worker exits with when it could not read what the host wrote.
pub(super) const EXIT_PROTOCOL: i32 = 71;

/// What a worker exits with when it could not be confined.
pub(super) const EXIT_CONFINEMENT: i32 = 72;

/// What a worker exits with when it stopped at its memory limit or told of a panic.
pub(super) const EXIT_TOLD: i32 = 73;

/// What a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    // To the host.
    Hello = 1,
    Installed = 2,
    Rejected = 3,
    Answer = 4,
    Memory = 5,
    Panicked = 6,
    /// An answer of a worker that is unfit for another run.
    LastAnswer = 7,
    // To the worker.
    InstallBytes = 16,
    InstallShared = 17,
    Forget = 18,
    Run = 19,
}

/// The first words of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) build: String,
    pub(super) confinement: Confinement,
}

/// The figures before the bytes of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures {
    /// Processor time of the run.
    pub(super) cpu: Duration,
    /// Processor time of the worker since it started.
    pub(super) total_cpu: Duration,
    /// The most the run held at a time.
    pub(super) peak: u64,
}

/// Reads numbers off the front of a payload.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

// === impl Kind ===

impl Kind {
    pub(super) fn of(byte: u8) -> Option<Kind> {
        Some(match byte {
            1 => Kind::Hello,
            2 => Kind::Installed,
            3 => Kind::Rejected,
            4 => Kind::Answer,
            5 => Kind::Memory,
            6 => Kind::Panicked,
            7 => Kind::LastAnswer,
            16 => Kind::InstallBytes,
            17 => Kind::InstallShared,
            18 => Kind::Forget,
            19 => Kind::Run,
            _ => return None,
        })
    }
}

// === impl Figures ===

impl Figures {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        put_u64(out, nanoseconds(self.cpu));
        put_u64(out, nanoseconds(self.total_cpu));
        put_u64(out, self.peak);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Figures> {
        let cpu = Duration::from_nanos(from.u64()?);
        let total_cpu = Duration::from_nanos(from.u64()?);
        Some(Figures { cpu, total_cpu, peak: from.u64()? })
    }
}

// === impl Reader ===

impl<'a> Reader<'a> {
    pub(super) fn u32(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*number))
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    pub(super) fn rest(self) -> &'a [u8] {
        self.0
    }
}

/// Length and kind at the front of `bytes`; nothing while they are not all there. The kind is checked later.
pub(super) fn header(bytes: &[u8]) -> Option<(usize, u8)> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*length) as usize, *rest.first()?))
}

/// Begins a frame; what is pushed after it, up to [`finish`], is its payload.
pub(super) fn begin(out: &mut Vec<u8>, kind: Kind) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0, 0, 0, 0, kind as u8]);
    start
}

/// Fills in the length of the frame that began at `start`.
pub(super) fn finish(out: &mut [u8], start: usize) {
    let length = u32::try_from(out.len().saturating_sub(start + HEADER)).unwrap_or(u32::MAX);
    if let Some(place) = out.get_mut(start..start + 4) {
        place.copy_from_slice(&length.to_le_bytes());
    }
}

/// Writes one whole frame.
pub(super) fn write(out: &mut Vec<u8>, kind: Kind, payload: &[u8]) {
    let start = begin(out, kind);
    out.extend_from_slice(payload);
    finish(out, start);
}

pub(super) fn write_hello(out: &mut Vec<u8>, hello: &Hello) {
    let start = begin(out, Kind::Hello);
    out.extend_from_slice(&PROTOCOL.to_le_bytes());
    if let Ok(words) = postcard::to_allocvec(hello) {
        out.extend_from_slice(&words);
    }
    finish(out, start);
}

/// The protocol a worker speaks and, if it is ours, its words.
pub(super) fn read_hello(payload: &[u8]) -> Option<(u32, Option<Hello>)> {
    let mut reader = Reader(payload);
    let protocol = reader.u32()?;
    let hello = if protocol == PROTOCOL { postcard::from_bytes(reader.rest()).ok() } else { None };
    Some((protocol, hello))
}

pub(super) fn write_run(
    out: &mut Vec<u8>,
    parts: impl ExactSizeIterator<Item = PartId>,
    request: &[u8],
    limits: &RunLimits,
) {
    let start = begin(out, Kind::Run);
    put_u64(out, nanoseconds(limits.cpu));
    put_u64(out, nanoseconds(limits.wall));
    put_u64(out, limits.memory_bytes);
    out.extend_from_slice(&u32::try_from(parts.len()).unwrap_or(u32::MAX).to_le_bytes());
    parts.for_each(|part| put_u64(out, part.0));
    out.extend_from_slice(request);
    finish(out, start);
}

/// The limits, the parts (into `parts`) and the request of a run.
pub(super) fn read_run<'a>(payload: &'a [u8], parts: &mut Vec<PartId>) -> Option<(RunLimits, &'a [u8])> {
    let mut reader = Reader(payload);
    let cpu = Duration::from_nanos(reader.u64()?);
    let wall = Duration::from_nanos(reader.u64()?);
    let memory_bytes = reader.u64()?;
    parts.clear();
    for _ in 0..reader.u32()? {
        parts.push(PartId(reader.u64()?));
    }
    Some((RunLimits { cpu, wall, memory_bytes }, reader.rest()))
}

pub(super) fn put_u64(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
