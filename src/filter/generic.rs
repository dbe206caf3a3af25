//! Makes generic calls plain ones.

use crate::rpc::Filter;
use crate::rpc::Invocation as _;
use crate::rpc::RpcContext;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcInvocation;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::Value;
use crate::rpc::keys;

/// Turns `$invoke(method, types, arguments)` into a call of the method, as `GenericFilter` does. A service whose URL says
/// `generic=true` answers `$invoke` itself, as a `GenericService`.
///
/// Values have no classes here, so `generic=true` and `generic=raw.return` are one. A call that is written in another way
/// (`gson`, `nativejava`, `bean`, `protobuf-json`) is refused.
#[derive(Debug, Clone, Copy)]
pub struct GenericFilter {
    is_generic_service: bool,
}

// === impl GenericFilter ===

impl GenericFilter {
    /// The filter's name.
    pub const NAME: &str = "generic";

    /// The filter of `service`.
    #[must_use]
    pub fn new(service: &Url) -> Self {
        let is_true = |text: &str| text.eq_ignore_ascii_case("true");
        Self { is_generic_service: service.parameter(keys::GENERIC).is_some_and(is_true) }
    }
}

impl Filter for GenericFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn before(&self, context: &mut RpcContext<'_>, _: &Url) -> Step {
        if self.is_generic_service || !context.is_generic() || context.argument_count() != 3 {
            return Step::Pass(0);
        }
        match plain_call(context) {
            Ok(call) => {
                context.replace_call(call);
                Step::Pass(0)
            }
            Err(error) => Step::Answer(Err(error)),
        }
    }
}

fn plain_call(context: &RpcContext<'_>) -> Result<RpcInvocation<'static>, RpcError> {
    let form = context.attachment(keys::GENERIC).unwrap_or_default().trim();
    if !["", "true", "raw.return"].iter().any(|known| form.eq_ignore_ascii_case(known)) {
        return Err(refused(format!("expected a generic call of the form `true` or `raw.return`, found `{form}`")));
    }
    let method = context.argument(0).and_then(Value::as_text).map(str::trim).filter(|method| !method.is_empty());
    let method =
        method.ok_or_else(|| refused("expected a method's name as first argument of a generic call".into()))?;
    let types = list(context, 1)?;
    let values = list(context, 2)?;
    if let (Some(types), Some(values)) = (types, values)
        && types.len() != values.len()
    {
        let (types, values) = (types.len(), values.len());
        return Err(refused(format!("expected as many arguments as types for `{method}`, found {values} and {types}")));
    }
    let mut call = RpcInvocation::new(context.service().to_owned(), method.to_owned());
    let count = values.or(types).map_or(0, <[_]>::len);
    for index in 0..count {
        let value = values.and_then(|values| values.get(index)).unwrap_or(&Value::Null);
        let written = types.and_then(|types| types.get(index)).and_then(Value::as_text);
        call = call.with_argument(written.unwrap_or(value.java_type()).to_owned(), value.clone().into_owned());
    }
    Ok(call)
}

/// The list at `index`; none where it is null.
fn list<'a>(context: &'a RpcContext<'_>, index: usize) -> Result<Option<&'a [Value<'a>]>, RpcError> {
    match context.argument(index) {
        Some(Value::List(values)) => Ok(Some(values)),
        Some(Value::Null) | None => Ok(None),
        Some(_) => Err(refused(format!("expected a list as argument {index} of a generic call, counted from 0"))),
    }
}

fn refused(message: String) -> RpcError {
    RpcError::new(RpcErrorKind::Serialization, message)
}
