//! The key of a service in the ways in which people and configuration centres write it.

use crate::rpc::ServiceKey;

/// A key, and how it was written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WrittenKey {
    /// `group/interface:version`, or `interface:version:group` with both colons or some of them.
    Usual(ServiceKey),
    /// `group:interface:version`, as old manuals have it; nobody else reads that.
    Old(ServiceKey),
}

/// Reads the key of a service; none where no interface stands in it.
pub(crate) fn read_service_key(text: &str) -> Option<WrittenKey> {
    let usual = |key: ServiceKey| (!key.interface().is_empty()).then_some(WrittenKey::Usual(key));
    if text.contains('/') {
        return usual(ServiceKey::parse(text));
    }
    let mut parts = text.split(':');
    let (first, second, third) = (parts.next()?, parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    if parts.next().is_some() {
        return None;
    }
    // An interface has dots and begins like a word; a version begins with a digit.
    let is_interface = |text: &str| text.contains('.') && text.starts_with(|c: char| c.is_alphabetic());
    if is_interface(second) && !first.contains('.') {
        return Some(WrittenKey::Old(ServiceKey::new(Some(first), second, Some(third))));
    }
    usual(ServiceKey::new(Some(third), first, Some(second)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_names_the_same_service() {
        for (text, expected) in [
            ("com.shop.OrderService", "com.shop.OrderService"),
            ("com.shop.OrderService::", "com.shop.OrderService"),
            ("com.shop.OrderService:1.0.0", "com.shop.OrderService:1.0.0"),
            ("com.shop.OrderService:1.0.0:", "com.shop.OrderService:1.0.0"),
            ("com.shop.OrderService:1.0.0:gray", "gray/com.shop.OrderService:1.0.0"),
            ("com.shop.OrderService::gray", "gray/com.shop.OrderService"),
            ("gray/com.shop.OrderService:1.0.0", "gray/com.shop.OrderService:1.0.0"),
            ("OrderService:1.0.0:gray", "gray/OrderService:1.0.0"),
        ] {
            assert_eq!(read_service_key(text), Some(WrittenKey::Usual(ServiceKey::parse(expected))), "{text}");
        }
        let old = ServiceKey::parse("gray/com.shop.OrderService:1.0.0");
        assert_eq!(read_service_key("gray:com.shop.OrderService:1.0.0"), Some(WrittenKey::Old(old)));
        assert_eq!([":1.0.0", "", "a:b:c:d"].map(read_service_key), [None, None, None]);
    }
}
