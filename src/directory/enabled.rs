//! Providers that an operator has switched off.

use crate::rpc::Provider;
use crate::rpc::keys;

/// Whether a provider may be called: its parameter `disabled`, else `enabled`, as in `RegistryDirectory.toInvokers`.
#[must_use]
pub fn is_enabled(provider: &Provider) -> bool {
    let is = |key: &str, word: &str| provider.raw(key).map(|value| value.eq_ignore_ascii_case(word));
    match is(keys::DISABLED, "true") {
        Some(is_disabled) => !is_disabled,
        None => is(keys::ENABLED, "false") != Some(true),
    }
}
