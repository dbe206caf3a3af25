//! The command: parses arguments, runs, exits.
fn main() {}
