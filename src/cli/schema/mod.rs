//! `pointsman schema`: what YAML files of a rules folder look like, for editors.

mod command;

pub(super) use command::SchemaArguments;
pub(super) use command::run;
