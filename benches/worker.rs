//! Worker processes: what a run costs over the service's own time, and a new worker's first answer.
//!
//! Run under `taskset -c 0` for the figures of one core. This program is its own worker.
#![cfg_attr(target_os = "linux", allow(clippy::unwrap_used, reason = "a bench reports by panicking"))]

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: pointsman::worker::CountingAllocator = pointsman::worker::CountingAllocator;

#[cfg(target_os = "linux")]
mod measured {
    use std::hint::black_box;

    use criterion::Criterion;
    use criterion::criterion_group;
    use pointsman::worker::Job;
    use pointsman::worker::PartBytes;
    use pointsman::worker::PartId;
    use pointsman::worker::Pool;
    use pointsman::worker::PoolSettings;
    use pointsman::worker::RunLimits;
    use pointsman::worker::Service;

    pub(crate) struct Echo;

    impl Service for Echo {
        fn install(&mut self, _: PartId, _: PartBytes<'_>) -> Result<(), Vec<u8>> {
            Ok(())
        }

        fn forget(&mut self, _: PartId) {}

        fn run(&mut self, _: &[PartId], request: &[u8], _: &RunLimits) -> Vec<u8> {
            request.to_vec()
        }
    }

    fn settings() -> PoolSettings {
        let mut settings = PoolSettings::new("/proc/self/exe");
        settings.workers = 1;
        settings
    }

    fn run(criterion: &mut Criterion) {
        let pool = Pool::start(settings()).unwrap();
        let mut group = criterion.benchmark_group("worker/run");
        for bytes in [16_usize, 1024, 64 << 10] {
            let job = Job::new("bench", vec![1; bytes]);
            group.bench_function(format!("waiting/{bytes}"), |bencher| {
                bencher.iter(|| black_box(pool.run(job.clone()).wait().unwrap()));
            });
            group.bench_function(format!("future/{bytes}"), |bencher| {
                bencher.iter(|| black_box(pollster::block_on(pool.run(job.clone())).unwrap()));
            });
        }
        group.finish();
    }

    fn start(criterion: &mut Criterion) {
        criterion.bench_function("worker/start/first_answer_and_stop", |bencher| {
            bencher.iter(|| {
                let pool = Pool::start(settings()).unwrap();
                black_box(pool.run(Job::new("bench", vec![1; 1024])).wait().unwrap())
            });
        });
    }

    criterion_group!(benches, run, start);
}

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == pointsman::worker::WORKER_ARGUMENT) {
        return pointsman::worker::serve(|| Box::new(measured::Echo));
    }
    measured::benches();
    criterion::Criterion::default().configure_from_args().final_summary();
    std::process::ExitCode::SUCCESS
}

#[cfg(not(target_os = "linux"))]
fn main() {}
