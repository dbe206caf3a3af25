//! A worker program whose service does what the request says: answers, and everything a worker must not do.
//!
//! `echo TEXT`, `parts`, `spin`, `work MS`, `sleep MS`, `allocate MIB`, `hold MIB`, `large BYTES`, `abort`, `overflow`,
//! `exit`, `panic TEXT`, `read PATH`, `connect`, `fork`, `thread`, `environment`, `terminal`. It shows how a program
//! becomes a worker, and the tests of the pool use it.
#![allow(
    clippy::print_stdout,
    clippy::exit,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "misbehaving is what this program is for"
)]

#[cfg(target_os = "linux")]
use std::process::ExitCode;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: pointsman::worker::CountingAllocator = pointsman::worker::CountingAllocator;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == pointsman::worker::WORKER_ARGUMENT) {
        return pointsman::worker::serve(|| Box::new(misbehaviour::Echo::default()));
    }
    println!("a host starts this program as its worker");
    ExitCode::FAILURE
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod misbehaviour {
    use std::collections::BTreeMap;
    use std::hint::black_box;
    use std::net::TcpStream;
    use std::process::Command;
    use std::time::Duration;
    use std::time::Instant;

    use pointsman::worker::PartBytes;
    use pointsman::worker::PartId;
    use pointsman::worker::RunLimits;
    use pointsman::worker::Service;

    /// Keeps parts as they are and does what a request says.
    #[derive(Default)]
    pub(crate) struct Echo {
        parts: BTreeMap<PartId, Vec<u8>>,
    }

    impl Service for Echo {
        fn install(&mut self, part: PartId, bytes: PartBytes<'_>) -> Result<(), Vec<u8>> {
            match &*bytes {
                b"reject" => return Err(b"rejected".to_vec()),
                b"abort" => std::process::abort(),
                b"spin" => spin(Duration::MAX),
                _ => {}
            }
            self.parts.insert(part, bytes.to_vec());
            Ok(())
        }

        fn forget(&mut self, part: PartId) {
            self.parts.remove(&part);
        }

        fn run(&mut self, parts: &[PartId], request: &[u8], limits: &RunLimits) -> Vec<u8> {
            let text = String::from_utf8_lossy(request);
            let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
            let number = || rest.parse::<usize>().unwrap_or_default();
            match word {
                "echo" => return rest.as_bytes().to_vec(),
                "parts" => return self.describe(parts),
                "spin" => spin(if rest == "politely" { limits.cpu } else { Duration::MAX }),
                "work" => spin(Duration::from_millis(number() as u64)),
                "sleep" => std::thread::sleep(Duration::from_millis(number() as u64)),
                "allocate" => return allocate(number()),
                "hold" => return black_box(vec![1_u8; number() << 20]).len().to_string().into_bytes(),
                "large" => return vec![b'x'; number()],
                "abort" => std::process::abort(),
                "overflow" => return overflow(1).to_string().into_bytes(),
                "exit" => std::process::exit(0),
                "panic" => std::panic::panic_any(rest.to_owned()),
                "read" => return told(&std::fs::read(rest)),
                "connect" => return told(&TcpStream::connect("127.0.0.1:9")),
                "fork" => return told(&Command::new("/bin/true").spawn()),
                "environment" => return format!("{:?}", std::env::vars_os().collect::<Vec<_>>()).into_bytes(),
                "thread" => return told(&std::thread::Builder::new().spawn(|| ())),
                "terminal" => println!("nobody reads this"),
                _ => return b"what?".to_vec(),
            }
            b"done".to_vec()
        }
    }

    impl Echo {
        fn describe(&self, parts: &[PartId]) -> Vec<u8> {
            let mut words: Vec<String> = parts
                .iter()
                .map(|part| {
                    self.parts.get(part).map_or("?".to_owned(), |bytes| String::from_utf8_lossy(bytes).into_owned())
                })
                .collect();
            words.push(self.parts.len().to_string());
            words.push(std::process::id().to_string());
            words.join(" ").into_bytes()
        }
    }

    /// Uses the processor for so long.
    fn spin(time: Duration) {
        let start = Instant::now();
        while start.elapsed() < time {
            black_box(start);
        }
    }

    /// Grows by small steps.
    fn allocate(mebibytes: usize) -> Vec<u8> {
        let mut held = Vec::new();
        for _ in 0..mebibytes * 16 {
            held.push(black_box(vec![1_u8; 64 << 10]));
        }
        held.len().to_string().into_bytes()
    }

    #[expect(unconditional_recursion, reason = "it is to overflow its stack")]
    fn overflow(depth: u64) -> u64 {
        let frame = black_box([depth; 128]);
        let next = frame.first().map_or(0, |depth| depth + 1);
        overflow(next) + frame.last().copied().unwrap_or_default()
    }

    fn told<T, E: std::fmt::Display>(result: &Result<T, E>) -> Vec<u8> {
        match result {
            Ok(_) => b"allowed".to_vec(),
            Err(error) => format!("refused: {error}").into_bytes(),
        }
    }
}
