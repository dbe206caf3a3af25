//! The example shop is what it says it is.

use std::collections::BTreeSet;
use std::path::Path;

use pointsman::rpc::Url;
use pointsman::source::folder::FolderContents;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::RuleKind;
use pointsman::source::folder::load;

fn shop() -> FolderContents {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/shop"), &FolderOptions::default())
}

fn values(contents: &FolderContents, key: &str) -> BTreeSet<String> {
    contents.providers().filter_map(|url| url.parameter(key)).map(str::to_owned).collect()
}

#[test]
fn the_shop_has_nothing_wrong() {
    assert!(shop().findings().is_empty(), "{:?}", shop().findings());
}

#[test]
fn the_shop_has_five_services_and_forty_providers_in_three_regions() {
    let shop = shop();
    let services: BTreeSet<_> = shop.providers().filter_map(Url::service_interface).collect();
    let names = ["CartService", "CatalogService", "OrderService", "PaymentService", "UserService"];
    assert_eq!(services, names.map(|name| format!("com.shop.{name}")).iter().map(String::as_str).collect());
    assert_eq!(shop.providers().count(), 40);
    assert_eq!(values(&shop, "region"), ["beijing", "hangzhou", "shanghai"].map(str::to_owned).into());
    assert_eq!(values(&shop, "env"), ["gray", "stable"].map(str::to_owned).into());
    assert_eq!(shop.providers().filter(|url| url.protocol() == Some("mock")).count(), 1);
}

#[test]
fn the_shop_has_twelve_rules_of_every_kind() {
    let shop = shop();
    let rules: Vec<_> = shop.entries().collect();
    assert_eq!(rules.len(), 12);
    let count = |kind: RuleKind| rules.iter().filter(|rule| rule.kind() == kind).count();
    assert_eq!((count(RuleKind::Condition), count(RuleKind::RouteUrl)), (9, 3));
    assert!(rules.iter().all(|rule| rule.name().is_some()), "every rule has a name of its own");
    let protocols: BTreeSet<_> = rules.iter().filter_map(|rule| rule.to_url().protocol().map(str::to_owned)).collect();
    assert_eq!(protocols, ["condition", "route"].map(str::to_owned).into());
    for part in ["$region", "attachments[", "arguments[0]", "~", "find*", "=> false", "host ="] {
        assert!(rules.iter().any(|rule| rule.text().contains(part)), "a rule with `{part}`");
    }
    for (key, value) in [("force", "true"), ("dialect", "v3"), ("priority", "100"), ("application", "shop-app")] {
        assert!(rules.iter().any(|rule| rule.to_url().parameter(key) == Some(value)), "a rule with {key}={value}");
    }
}
