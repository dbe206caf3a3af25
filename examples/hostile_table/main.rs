//! Writes the table of `docs/security.md`: what each hostile script comes to, in a worker and inline.
//!
//! `cargo run --example hostile_table [FOLDER]`; the folder has `js`, `lua` and `rhai` in it, `tests/hostile` if none is
//! named. Inline runs happen in a child of their own that is killed after two seconds.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "an example may stop at the first surprise"
)]

#[cfg(target_os = "linux")]
mod figures;
#[cfg(target_os = "linux")]
mod inline;
#[cfg(target_os = "linux")]
#[allow(dead_code, reason = "tests use the rest of it")]
#[path = "../../tests/sandbox/stage.rs"]
mod stage;
#[cfg(target_os = "linux")]
mod table;
#[cfg(target_os = "linux")]
mod workers;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: pointsman::worker::CountingAllocator = pointsman::worker::CountingAllocator;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [pointsman::worker::WORKER_ARGUMENT, ..] => return pointsman::runtime::serve_host(),
        [inline::ARGUMENT, engine, name, folder] => inline::run(engine, name, folder.as_ref()),
        [folder] => table::write(folder.as_ref()),
        _ => table::write(&stage::folder()),
    }
    std::process::ExitCode::SUCCESS
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("worker processes are for Linux");
}
