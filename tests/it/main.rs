//! The integration tests: one binary, one module for each thing that users or the design promise.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test reports by panicking"
)]

mod balance_consistent_hash;
mod balance_random;
mod balance_round_robin;
mod balance_states;
mod call;
mod cases;
mod chain;
mod check_analysis;
mod check_documents;
mod check_output;
mod cli;
mod codes;
mod condition;
mod condition_field_cases;
mod condition_properties;
mod conformance;
mod convert;
mod diff;
mod document_slips;
mod documents;
mod documents_withstand;
mod equivalence;
mod file_rules;
mod findings;
mod fmt;
mod folder;
mod history;
mod last_good;
mod layers;
mod manual;
mod naive;
mod repository;
mod runtime;
mod schema;
#[cfg(feature = "boa")]
mod script_boa;
mod script_command;
mod script_documents;
mod script_hostile;
mod script_javascript;
mod script_reachable;
#[cfg(feature = "rhai")]
mod script_rhai;
mod script_router;
mod script_shapes;
mod scripts;
mod shop;
mod support;
mod tidy;
mod vectors;
mod watch;
mod watch_command;
#[cfg(target_os = "linux")]
mod worker;
#[cfg(target_os = "linux")]
mod worker_faults;
#[cfg(target_os = "linux")]
mod worker_pool;
mod workload;
