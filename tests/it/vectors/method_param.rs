//! `method-param`: a parameter of one method, and the plain parameter, with a default.

use pointsman::rpc::Url;
use serde_json::json;

use super::reader::Vectors;
use super::report::Report;
use super::report::Verdict;

#[test]
fn method_parameters_are_looked_up_as_in_dubbo_3() {
    let Some(vectors) = Vectors::load("method-param") else { return };
    let mut report = Report::new("method-param");
    for row in &vectors.rows {
        let url = Url::parse(row.text("text")).unwrap();
        let (method, key, default) = (row.get("method").as_str(), row.text("key"), row.get("default").as_str());
        // Without a method only the plain parameter is left.
        let of_method = method.map_or(url.parameter(key), |method| url.method_parameter(method, key));
        let ours = json!({
            "method": of_method.filter(|value| !value.is_empty()).or(default),
            "plain": url.non_empty_parameter(key).or(default),
        });
        report.add([match row.get("java33") {
            theirs if *theirs == ours => Verdict::Plain,
            theirs => {
                Verdict::Failed(format!("{} `{url}` {method:?} {key} {default:?}: {theirs}, ours {ours}", row.id()))
            }
        }]);
    }
    report.finish(0);
}
