//! Keeps a call in its area: who has the caller's area code is kept, and where nobody has it all are.
//!
//! The area is the attachment `areaCode`, else the consumer's parameter of that name; the rule's `key` names another.
//! A call without an area goes anywhere. "Else all" is the host's part: the rule says `force: false`.

use pointsman_plugin::*;

/// The router, for one rule.
#[derive(Debug)]
pub struct AreaCode {
    key: String,
}

impl Router for AreaCode {
    type Snapshot = Index;

    fn new(config: &Config) -> Result<Self, String> {
        Ok(Self { key: config.get("key").unwrap_or("areaCode").into() })
    }

    fn snapshot(&self, providers: &Blob) -> Result<Index, String> {
        Ok(providers.index_by(&self.key))
    }

    fn route(&self, index: &Index, call: &Call, keep: &mut Selection) -> Result<Verdict, String> {
        let Some(area) = call.attachment(&self.key).or_else(|| call.consumer(&self.key)) else {
            return Ok(Verdict::Pass);
        };
        keep.retain(index.get(area));
        call.explain(|| format!("{} providers in area `{area}`", keep.count()));
        Ok(Verdict::Use)
    }
}

pointsman_plugin!(
    AreaCode,
    name = "areaCode",
    inputs = { attachments: ["{key=areaCode}"], consumer: ["{key=areaCode}"] }
);
