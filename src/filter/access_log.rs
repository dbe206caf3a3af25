//! Writes down who calls.

use std::path::PathBuf;
use std::sync::Arc;

use crate::filter::AccessLogFile;
use crate::filter::access_line::line;
use crate::filter::activation::is_set;
use crate::router::Clock;
use crate::rpc::Filter;
use crate::rpc::RpcContext;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::keys;

/// `accesslog`: a line for every call, when it comes in. `true` and `default` emit an event of the target
/// `pointsman.access`, anything else is a file that lines are appended to. As `AccessLogFilter`.
#[derive(Debug)]
pub struct AccessLogFilter {
    service: String,
    file: Option<Arc<AccessLogFile>>,
    clock: Arc<dyn Clock>,
}

// === impl AccessLogFilter ===

impl AccessLogFilter {
    /// The filter's name.
    pub const NAME: &str = "accesslog";

    /// The filter of `service`: lines go into `file`, or become events without one.
    #[must_use]
    pub fn new(service: &Url, file: Option<Arc<AccessLogFile>>, clock: Arc<dyn Clock>) -> Self {
        let service = service.service_key().map(|key| key.to_string()).unwrap_or_default();
        Self { service, file, clock }
    }

    /// The file that `service` names.
    #[must_use]
    pub fn path(service: &Url) -> Option<PathBuf> {
        let text = service.parameter_decoded(keys::ACCESSLOG)?.ok()?;
        let is_default = ["true", "default"].iter().any(|word| text.eq_ignore_ascii_case(word));
        (is_set(&text) && !is_default).then(|| PathBuf::from(text))
    }
}

impl Filter for AccessLogFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn before(&self, context: &mut RpcContext<'_>, _: &Url) -> Step {
        let line = || line(self.clock.now(), &self.service, context);
        match &self.file {
            Some(file) => file.write(line()),
            // The line is made only if somebody listens.
            None => tracing::info!(target: "pointsman.access", call = line(), "called"),
        }
        Step::Pass(0)
    }
}
