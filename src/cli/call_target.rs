//! The options that say what is called: service, method, arguments, attachments, and who calls.

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

/// What is called, as it was written.
#[derive(Debug, Args)]
pub(crate) struct CallTarget {
    /// The service, `group/interface:version`; else the consumer's, else the folder's only one
    #[arg(long, value_name = "SERVICE")]
    pub(crate) service: Option<String>,
    /// The consumer's URL; missing parts are completed
    #[arg(long, value_name = "URL")]
    pub(crate) consumer: Option<String>,
    /// The method that is called
    #[arg(short = 'm', long, value_name = "METHOD", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) method: String,
    /// An argument of the call: JSON if it parses, else text; repeat it for each
    #[arg(short = 'a', long = "arg", value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,
    /// The types of the arguments, as Java names them
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(crate) types: Vec<String>,
    /// An attachment of the call; repeat it for each
    #[arg(short = 'A', long = "attachment", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub(crate) attachments: Vec<String>,
}
