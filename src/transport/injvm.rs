//! `injvm://`: services that are exported and called in the same process.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use tokio::runtime::Handle;

use crate::rpc::Answer;
use crate::rpc::AppResponse;
use crate::rpc::Exporter;
use crate::rpc::Invocation as _;
use crate::rpc::InvokeMode;
use crate::rpc::Invoker;
use crate::rpc::Protocol;
use crate::rpc::RpcContext;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcInvocation;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::Value;
use crate::rpc::contained_future;

/// Exported services by service key, as in Dubbo: the address plays no part. A clone is the same process' world, and one
/// made anew another.
#[derive(Debug, Clone, Default)]
pub struct InjvmProtocol {
    exported: Exported,
}

type Exported = Arc<RwLock<HashMap<ServiceKey, Arc<dyn Invoker>>>>;

/// Calls whatever is exported under its service key at the moment of the call.
#[derive(Debug)]
struct InjvmInvoker {
    url: Url,
    key: ServiceKey,
    exported: Exported,
}

#[derive(Debug)]
struct InjvmExporter {
    key: ServiceKey,
    invoker: Arc<dyn Invoker>,
    exported: Exported,
}

// === impl InjvmProtocol ===

impl InjvmProtocol {
    /// The protocol's name.
    pub const NAME: &str = "injvm";
}

impl Protocol for InjvmProtocol {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn refer(&self, provider: &Url) -> Result<Arc<dyn Invoker>, RpcError> {
        let key = key_of(provider)?;
        Ok(Arc::new(InjvmInvoker { url: provider.clone(), key, exported: self.exported.clone() }))
    }

    fn export(&self, invoker: Arc<dyn Invoker>) -> Result<Box<dyn Exporter>, RpcError> {
        let key = key_of(invoker.url())?;
        let mut exported = self.exported.write();
        if exported.contains_key(&key) {
            return Err(RpcError::new(RpcErrorKind::Unknown, format!("`{key}` is exported already")));
        }
        exported.insert(key.clone(), invoker.clone());
        Ok(Box::new(InjvmExporter { key, invoker, exported: self.exported.clone() }))
    }
}

fn key_of(url: &Url) -> Result<ServiceKey, RpcError> {
    url.service_key().ok_or_else(|| {
        RpcError::new(RpcErrorKind::Unknown, format!("`{url}` names no service; expected an interface or a path"))
    })
}

// === impl InjvmInvoker ===

impl Invoker for InjvmInvoker {
    fn url(&self) -> &Url {
        &self.url
    }

    fn is_available(&self) -> bool {
        self.exported.read().get(&self.key).is_some_and(Invoker::is_available)
    }

    fn invoke<'a>(&'a self, context: &'a RpcContext<'_>) -> Answer<'a> {
        let Some(invoker) = self.exported.read().get(&self.key).cloned() else {
            let message = format!("`{}` is not exported in this process", self.key);
            return Answer::ready(Err(RpcError::new(RpcErrorKind::Network, message)));
        };
        match (context.mode, Handle::try_current()) {
            (InvokeMode::OneWay, Ok(runtime)) => {
                runtime.spawn(send(invoker, context.to_owned_invocation()));
                Answer::ready(Ok(AppResponse::new(Value::Null)))
            }
            _ => Answer::later(async move { invoker.invoke(context).await }),
        }
    }
}

/// A call that is on its way by itself: nobody waits for its answer, and no deadline of a caller's ends it.
async fn send(invoker: Arc<dyn Invoker>, invocation: RpcInvocation<'static>) {
    let context = RpcContext::new(&invocation).with_mode(InvokeMode::OneWay);
    let answer = contained_future("a one-way call", async { invoker.invoke(&context).await }).await;
    if let Err(error) = answer.and_then(|result| result) {
        tracing::warn!(service = invocation.service(), %error, "a one-way call failed");
    }
}

// === impl InjvmExporter ===

impl Exporter for InjvmExporter {
    fn invoker(&self) -> &Arc<dyn Invoker> {
        &self.invoker
    }
}

impl Drop for InjvmExporter {
    fn drop(&mut self) {
        self.exported.write().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::FunctionInvoker;

    fn greeting() -> Arc<dyn Invoker> {
        let url = Url::parse("injvm://127.0.0.1/com.shop.Greeter?version=1.0").unwrap();
        Arc::new(FunctionInvoker::new(url, |context| {
            let name = context.argument(0).map(|name| name.text().into_owned()).unwrap_or_default();
            Ok(AppResponse::new(format!("hello {name}")))
        }))
    }

    #[test]
    fn what_is_exported_is_called_and_what_is_no_longer_is_not() {
        let protocol = InjvmProtocol::default();
        let referred = protocol.refer(&Url::parse("injvm://x/com.shop.Greeter?version=1.0").unwrap()).unwrap();
        assert!(!referred.is_available());
        let exporter = protocol.export(greeting()).unwrap();
        assert!(referred.is_available());
        let call = RpcInvocation::new("com.shop.Greeter", "greet").with_argument("java.lang.String", "you");
        let context = RpcContext::new(&call);
        let answer = pollster::block_on(referred.invoke(&context)).unwrap();
        assert_eq!(answer, AppResponse::new("hello you"));
        drop(exporter);
        let error = pollster::block_on(referred.invoke(&context)).unwrap_err();
        assert_eq!(error.kind(), RpcErrorKind::Network);
        assert_eq!(error.message(), "`com.shop.Greeter:1.0` is not exported in this process");
    }

    #[test]
    fn a_service_is_exported_once_and_needs_a_name() {
        let protocol = InjvmProtocol::default();
        let _exporter = protocol.export(greeting()).unwrap();
        assert!(protocol.export(greeting()).unwrap_err().message().contains("exported already"));
        let nameless = protocol.refer(&Url::parse("injvm://127.0.0.1").unwrap()).unwrap_err();
        assert!(nameless.message().contains("names no service"), "{nameless}");
        assert!(InjvmProtocol::default().export(greeting()).is_ok(), "another world");
    }
}
