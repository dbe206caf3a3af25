//! The plugin that the documentation shows compiles as it is, where `unsafe` is forbidden as well.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]

use pointsman_plugin::*;
#[rustfmt::skip]
struct AreaCode { key: String }
#[rustfmt::skip]
impl Router for AreaCode {
    type Snapshot = Index;
    fn new(config: &Config) -> Result<Self, String> { Ok(Self { key: config.get("key").unwrap_or("areaCode").into() }) }
    fn snapshot(&self, providers: &Blob) -> Result<Index, String> { Ok(providers.index_by(&self.key)) }
    fn route(&self, index: &Index, call: &Call, keep: &mut Selection) -> Result<Verdict, String> {
        let Some(area) = call.attachment(&self.key).or_else(|| call.consumer(&self.key)) else { return Ok(Verdict::Pass) };
        keep.retain(index.get(area));       // empty + force=false -> the host keeps all
        Ok(Verdict::Use)
    }
}
pointsman_plugin!(AreaCode, name = "areaCode", inputs = { attachments: ["{key}"], consumer: ["{key}"] });

const PROVIDERS: [&str; 2] = [
    "dubbo://10.0.0.1:20880/com.shop.OrderService?areaCode=010",
    "dubbo://user:secret@10.0.0.2:20880/com.shop.OrderService?areaCode=021",
];

#[test]
fn the_callers_area_is_kept() {
    let harness = testing::plugin::<AreaCode>().config("key", "areaCode").providers(PROVIDERS);
    let kept = harness.clone().call(testing::call("create").attachment("areaCode", "021")).route().unwrap();
    assert_eq!(kept.positions(), [1]);
    assert_eq!(kept.urls(), ["dubbo://10.0.0.2:20880/com.shop.OrderService?areaCode=021"]);
    let kept = harness.clone().consumer("consumer://10.0.0.9/S?areaCode=010").route().unwrap();
    assert_eq!((kept.positions(), kept.verdict()), (&[0][..], Verdict::Use));
    let kept = harness.clone().candidates([1]).route().unwrap();
    assert_eq!((kept.positions(), kept.verdict()), (&[1][..], Verdict::Pass));
}

#[test]
fn any_input_is_taken() {
    testing::samples(500).for_each(|data| testing::fuzz::<AreaCode>(&data));
}
