//! A file that lines are appended to without waiting for the disk.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Receiver;
use std::sync::mpsc::SyncSender;
use std::sync::mpsc::sync_channel;
use std::thread::JoinHandle;

use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;

/// How much is written at once.
const BATCH_BYTES: usize = 64 << 10;

/// Lines on their way into a file. A thread of its own writes them; when it does not keep up, lines are left out and
/// counted. When this is dropped, the thread writes what it has and ends.
#[derive(Debug)]
pub struct AccessLogFile {
    lines: SyncSender<String>,
    left_out: Arc<AtomicU64>,
    #[cfg_attr(not(test), expect(dead_code, reason = "only tests wait for the writer's end"))]
    writer: JoinHandle<()>,
}

// === impl AccessLogFile ===

impl AccessLogFile {
    /// How many lines may wait for the writer.
    pub const QUEUE: usize = 8_192;

    /// Opens `path` for lines at its end, and makes it if it is not there.
    ///
    /// # Errors
    ///
    /// It cannot be opened, or there can be no thread more.
    pub fn append_to(path: &Path) -> Result<Self, RpcError> {
        let refused = |error: std::io::Error| {
            let message = format!("cannot write the access log `{}`: {error}", path.display());
            RpcError::new(RpcErrorKind::Unknown, message).caused_by(error)
        };
        let mut file = File::options().create(true).append(true).open(path).map_err(refused)?;
        let (lines, waiting) = sync_channel(Self::QUEUE);
        let left_out = Arc::new(AtomicU64::new(0));
        let (counted, shown) = (Arc::clone(&left_out), path.display().to_string());
        let work = move || write_all(&waiting, &mut file, &counted, &shown);
        let writer = std::thread::Builder::new().name("access-log".to_owned()).spawn(work).map_err(refused)?;
        Ok(Self { lines, left_out, writer })
    }

    /// Hands a line over, or counts it as left out. Never waits.
    pub fn write(&self, line: String) {
        if self.lines.try_send(line).is_err() {
            self.left_out.fetch_add(1, Relaxed);
        }
    }

    /// How many lines were left out so far.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out.load(Relaxed)
    }

    /// Waits until everything is written.
    #[cfg(test)]
    pub(super) fn finish(self) {
        drop(self.lines);
        self.writer.join().unwrap();
    }
}

/// Writes lines until nobody sends any more. Lines that wait together are written together and whole: other writers of
/// the file can only come between lines.
fn write_all(lines: &Receiver<String>, out: &mut dyn Write, left_out: &AtomicU64, path: &str) {
    let (mut batch, mut told) = (String::new(), 0);
    while let Ok(first) = lines.recv() {
        let mut count = 0;
        batch.clear();
        for line in std::iter::once(first).chain(lines.try_iter()) {
            batch.push_str(&line);
            batch.push('\n');
            count += 1;
            if batch.len() >= BATCH_BYTES {
                break;
            }
        }
        if let Err(error) = out.write_all(batch.as_bytes()) {
            // How many of them are on the disk cannot be told.
            left_out.fetch_add(count, Relaxed);
            tracing::warn!(path, %error, "an access log cannot be written");
        }
        let now = left_out.load(Relaxed);
        if now > told {
            tracing::warn!(path, left_out = now, "an access log left lines out");
            told = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails as a full disk does.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_appended_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.log");
        for round in 0..2 {
            let file = AccessLogFile::append_to(&path).unwrap();
            (0..100).for_each(|number| file.write(format!("{round} {number}")));
            file.finish();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let expected: Vec<_> = (0..200).map(|number| format!("{} {}", number / 100, number % 100)).collect();
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
        assert!(
            AccessLogFile::append_to(folder.path()).unwrap_err().message().starts_with("cannot write the access log")
        );
    }

    #[test]
    fn a_line_too_many_is_counted_and_nobody_waits() {
        let (lines, waiting) = sync_channel(2);
        let left_out = Arc::new(AtomicU64::new(0));
        let file = AccessLogFile { lines, left_out: left_out.clone(), writer: std::thread::spawn(|| {}) };
        ["a", "b", "c", "d"].iter().for_each(|line| file.write((*line).to_owned()));
        assert_eq!(file.left_out(), 2);
        file.finish();
        let mut out = Vec::new();
        write_all(&waiting, &mut out, &left_out, "x");
        assert_eq!(out, b"a\nb\n");
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted() {
        let (lines, waiting) = sync_channel(2);
        let left_out = AtomicU64::new(0);
        lines.send("a".to_owned()).unwrap();
        drop(lines);
        write_all(&waiting, &mut Full, &left_out, "x");
        assert_eq!(left_out.load(Relaxed), 1);
    }
}
