//! What a case says.

use jiff::Timestamp;

use crate::rpc::Value;
use crate::source::cases::Want;

/// Which keys a case may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseKind {
    /// A case of a rules folder.
    Folder,
    /// A case that brings its own rule and providers, and may speak of positions.
    Table,
}

/// A call, and what must come of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Case {
    /// What the case shows; once in a file.
    pub note: String,
    /// The file.
    pub file: String,
    /// The line at which the case begins, counted from 1.
    pub line: usize,
    /// The service; the folder's only one without this.
    pub service: Option<String>,
    /// The consumer's URL or a part of it, as `--consumer` takes it.
    pub consumer: Option<String>,
    /// The call.
    pub call: Call,
    /// The time at which it is made.
    pub clock: Option<Timestamp>,
    /// The seed of random draws.
    pub seed: Option<u64>,
    /// What must come of it.
    pub want: Want,
    /// What a case of the kind [`CaseKind::Table`] brings along.
    pub table: Option<Table>,
}

/// The call of a case.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Call {
    /// The method.
    pub method: String,
    /// The arguments in order.
    pub arguments: Vec<Argument>,
    /// The attachments in order.
    pub attachments: Vec<(String, String)>,
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Its type, as Java names it.
    pub parameter_type: String,
    /// Its value.
    pub value: Value<'static>,
}

/// The rule and the providers of a case that needs no folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// What routes.
    pub rule: TableRule,
    /// The providers' URLs.
    pub invokers: Vec<String>,
    /// `dialect` of the conditions.
    pub dialect: Option<String>,
    /// `force` of the conditions.
    pub force: bool,
    /// `priority` of the conditions.
    pub priority: Option<i32>,
}

/// What routes in a [`Table`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableRule {
    /// Conditions and route URLs.
    Texts(Vec<String>),
    /// The script of this name, in every language that it is written in.
    Script(String),
}
