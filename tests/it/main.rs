//! What users see: one binary, one module a topic.

mod cli;
mod folder;
mod shop;
