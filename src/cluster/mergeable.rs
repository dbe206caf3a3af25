//! `mergeable`: every group is asked, and their answers become one.

use crate::cluster::Cluster;
use crate::cluster::ClusterCall;
use crate::cluster::Picked;
use crate::cluster::Tried;
use crate::cluster::failover::Failover;
use crate::cluster::join::join;
use crate::rpc::Answer;
use crate::rpc::AppResponse;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;
use crate::rpc::Value;
use crate::rpc::keys;

/// Asks one provider of each group and merges what they answer, as `MergeableClusterInvoker`: lists are put one behind the
/// other, maps are united, numbers are added up. Without `merger` it is `failover`.
///
/// One group that fails fails the call; what business code threw in a group is the answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mergeable;

// === impl Mergeable ===

impl Mergeable {
    /// The policy's name.
    pub const NAME: &str = "mergeable";

    async fn run(call: &ClusterCall<'_>) -> RpcResult {
        let all = call.all().await?;
        let is_merging =
            all.first().is_some_and(|picked| picked.options().merger.as_deref().is_some_and(|it| it != "false"));
        if !is_merging {
            return Failover.invoke(call).await;
        }
        let chosen = one_of_each_group(all, call);
        let mut tried = Tried::default();
        chosen.iter().for_each(|picked| picked.take_down(&mut tried));
        let numbered = chosen.iter().zip(0..);
        let attempts = numbered.map(|(picked, number)| Box::pin(call.try_once(picked, number, false)) as _).collect();
        let mut answers: Vec<Option<RpcResult>> = chosen.iter().map(|_| None).collect();
        join(attempts, |number, result: RpcResult| {
            if let Some(place) = answers.get_mut(number) {
                *place = Some(result);
            }
            false
        })
        .await;
        let merged = merge(answers.into_iter().flatten());
        merged.map_err(|error| tried.failure(Self::NAME, call.site, call.invocation, error))
    }
}

impl Cluster for Mergeable {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn invoke<'a>(&'a self, call: &'a ClusterCall<'a>) -> Answer<'a> {
        Answer::later(Self::run(call))
    }
}

/// The first provider of each group that can be reached, else the first.
fn one_of_each_group(all: Vec<Picked>, call: &ClusterCall<'_>) -> Vec<Picked> {
    let states = call.site.directory().states();
    let group = |picked: &Picked| picked.url().parameter(keys::GROUP).unwrap_or_default().to_owned();
    let mut chosen: Vec<Picked> = Vec::new();
    for picked in all {
        match chosen.iter_mut().find(|other| group(other) == group(&picked)) {
            None => chosen.push(picked),
            Some(other) if !states.is_available(other.id) && states.is_available(picked.id) => *other = picked,
            Some(_) => {}
        }
    }
    chosen
}

/// All answers as one; a failure or an exception among them is the answer.
fn merge(results: impl Iterator<Item = RpcResult>) -> RpcResult {
    let mut merged: Option<Value<'static>> = None;
    for result in results {
        let response = result?;
        if response.outcome().is_err() {
            return Ok(response);
        }
        let Ok(value) = response.into_outcome() else { continue };
        merged = Some(match merged {
            None | Some(Value::Null) => value,
            Some(before) => merge_two(before, value)?,
        });
    }
    Ok(AppResponse::new(merged.unwrap_or(Value::Null)))
}

fn merge_two(one: Value<'static>, other: Value<'static>) -> Result<Value<'static>, RpcError> {
    Ok(match (one, other) {
        (one, Value::Null) => one,
        (Value::List(mut one), Value::List(other)) => {
            one.extend(other);
            Value::List(one)
        }
        (Value::Map(mut one), Value::Map(other)) => {
            for (key, value) in other {
                match one.iter_mut().find(|(name, _)| *name == key) {
                    Some(entry) => entry.1 = value,
                    None => one.push((key, value)),
                }
            }
            Value::Map(one)
        }
        (Value::Int(one), Value::Int(other)) => Value::Int(one.saturating_add(other)),
        (Value::Double(one), Value::Double(other)) => Value::Double(one + other),
        (one, other) => {
            let message = format!("answers of groups cannot be merged: {} and {}", one.java_type(), other.java_type());
            return Err(RpcError::new(RpcErrorKind::Unknown, message));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(json: &[serde_json::Value]) -> Result<String, String> {
        let results = json.iter().map(|json| Ok(AppResponse::new(Value::from_json(json.clone()))));
        let merged = merge(results).map_err(|error| error.message().to_owned())?;
        Ok(merged.outcome().unwrap().text().into_owned())
    }

    #[test]
    fn lists_maps_and_numbers_are_merged_and_different_types_are_an_error() {
        use serde_json::json;
        assert_eq!(merged(&[json!([1]), json!(null), json!([2, 3])]).unwrap(), "[1, 2, 3]");
        assert_eq!(merged(&[json!({"a": 1, "b": 1}), json!({"b": 2})]).unwrap(), "{a=1, b=2}");
        assert_eq!(merged(&[json!(1), json!(2)]).unwrap(), "3");
        assert_eq!(merged(&[]).unwrap(), "null");
        let error = merged(&[json!([1]), json!("x")]).unwrap_err();
        assert_eq!(error, "answers of groups cannot be merged: java.util.List and java.lang.String");
    }
}
