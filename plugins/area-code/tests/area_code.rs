//! Calls stay in their area.
#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]

use pointsman_area_code::AreaCode;
use pointsman_plugin::Verdict;
use pointsman_plugin::testing;

fn shop() -> testing::Harness<AreaCode> {
    testing::plugin::<AreaCode>().providers([
        "dubbo://10.0.0.1:20880/com.shop.OrderService?areaCode=010&zone=a",
        "dubbo://10.0.0.2:20880/com.shop.OrderService?areaCode=021&zone=b",
        "dubbo://10.0.0.3:20880/com.shop.OrderService?zone=b",
        "dubbo://10.0.0.4:20880/com.shop.OrderService?areaCode=021",
    ])
}

#[test]
fn the_callers_area_is_kept() {
    let kept = shop().call(testing::call("create").attachment("areaCode", "021")).route().unwrap();
    assert_eq!(kept.positions(), [1, 3]);
    assert_eq!(kept.explanations(), ["2 providers in area `021`"]);
}

#[test]
fn the_consumers_area_counts_where_the_call_has_none() {
    let shop = shop().consumer("consumer://10.0.0.9/com.shop.OrderService?areaCode=010");
    assert_eq!(shop.clone().route().unwrap().positions(), [0]);
    let kept = shop.call(testing::call("create").attachment("areaCode", "021")).route().unwrap();
    assert_eq!(kept.positions(), [1, 3]);
}

#[test]
fn a_call_without_an_area_goes_anywhere() {
    let kept = shop().route().unwrap();
    assert_eq!((kept.verdict(), kept.positions()), (Verdict::Pass, &[0, 1, 2, 3][..]));
}

#[test]
fn an_area_without_providers_keeps_nobody_and_the_host_keeps_all() {
    let kept = shop().call(testing::call("create").attachment("areaCode", "999")).route().unwrap();
    assert_eq!((kept.verdict(), kept.positions()), (Verdict::Use, &[][..]));
}

#[test]
fn the_rule_may_name_another_key() {
    let kept = shop().config("key", "zone").call(testing::call("create").attachment("zone", "b")).route().unwrap();
    assert_eq!(kept.positions(), [1, 2]);
}

#[test]
fn routers_before_have_narrowed_the_list() {
    let call = testing::call("create").attachment("areaCode", "021");
    assert_eq!(shop().candidates([0, 3]).call(call).route().unwrap().positions(), [3]);
}

#[test]
fn any_input_is_taken() {
    testing::samples(5_000).for_each(|data| testing::fuzz::<AreaCode>(&data));
}
