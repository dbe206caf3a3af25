//! The filters that come with the crate, with the orders that `@Activate` gives them in Dubbo.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::filter::AccessLogFile;
use crate::filter::AccessLogFilter;
use crate::filter::Activation;
use crate::filter::ActiveLimitFilter;
use crate::filter::ConsumerContextFilter;
use crate::filter::EchoFilter;
use crate::filter::ExceptionFilter;
use crate::filter::ExecuteLimitFilter;
use crate::filter::FilterDefinition;
use crate::filter::GenericFilter;
use crate::filter::LoadReportFilter;
use crate::filter::ProviderContextFilter;
use crate::filter::Side;
use crate::filter::TimeoutFilter;
use crate::filter::TokenCheckFilter;
use crate::filter::TokenSenderFilter;
use crate::filter::TpsLimitFilter;
use crate::router::Clock;
use crate::rpc::Filter;
use crate::rpc::RpcError;
use crate::rpc::Url;
use crate::rpc::keys;

/// One file for all services that write into it.
#[derive(Debug, Default)]
struct AccessLogFiles {
    open: Mutex<HashMap<PathBuf, std::sync::Weak<AccessLogFile>>>,
}

/// All of them; `clock` dates lines.
pub(super) fn definitions(clock: &Arc<dyn Clock>) -> Vec<FilterDefinition> {
    let consumer = [
        of(ConsumerContextFilter::NAME, ConsumerContextFilter::new).order(i32::MIN),
        of(ActiveLimitFilter::NAME, |url| ActiveLimitFilter::new(url.clone())),
        of(TokenSenderFilter::NAME, |_| TokenSenderFilter),
    ];
    let clock_of_load = Arc::clone(clock);
    let provider = [
        of(LoadReportFilter::NAME, move |_| LoadReportFilter::new(Arc::clone(&clock_of_load))).order(i32::MIN),
        of(EchoFilter::NAME, |_| EchoFilter).order(-110_000),
        of(GenericFilter::NAME, GenericFilter::new).order(-20_000),
        access_log(Arc::clone(clock)).activation(Activation::Parameter(keys::ACCESSLOG)),
        of(ExceptionFilter::NAME, |_| ExceptionFilter),
        of(ExecuteLimitFilter::NAME, |url| ExecuteLimitFilter::new(url.clone()))
            .activation(Activation::Parameter(keys::EXECUTES)),
        of(TimeoutFilter::NAME, |_| TimeoutFilter::default()),
        of(TokenCheckFilter::NAME, TokenCheckFilter::new).activation(Activation::Parameter(keys::TOKEN)),
        of(TpsLimitFilter::NAME, TpsLimitFilter::new).activation(Activation::Parameter(keys::TPS)),
        // Last, not first as in Dubbo: the `before` of the others still sees what it hides.
        of(ProviderContextFilter::NAME, |_| ProviderContextFilter).order(i32::MAX),
    ];
    let consumer = consumer.into_iter().map(|definition| definition.on(Side::Consumer));
    consumer.chain(provider.into_iter().map(|definition| definition.on(Side::Provider))).collect()
}

fn of<F: Filter + 'static>(name: &str, create: impl Fn(&Url) -> F + Send + Sync + 'static) -> FilterDefinition {
    FilterDefinition::new(name, move |url| Ok(Arc::new(create(url))))
}

fn access_log(clock: Arc<dyn Clock>) -> FilterDefinition {
    let files = AccessLogFiles::default();
    FilterDefinition::new(AccessLogFilter::NAME, move |url| {
        let file = AccessLogFilter::path(url).map(|path| files.open(path)).transpose()?;
        Ok(Arc::new(AccessLogFilter::new(url, file, Arc::clone(&clock))))
    })
}

// === impl AccessLogFiles ===

impl AccessLogFiles {
    fn open(&self, path: PathBuf) -> Result<Arc<AccessLogFile>, RpcError> {
        let mut open = self.open.lock();
        if let Some(file) = open.get(&path).and_then(std::sync::Weak::upgrade) {
            return Ok(file);
        }
        let file = Arc::new(AccessLogFile::append_to(&path)?);
        open.retain(|_, file| file.strong_count() > 0);
        open.insert(path, Arc::downgrade(&file));
        Ok(file)
    }
}
