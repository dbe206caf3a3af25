//! `pattern`: whether a value matches a pattern, with a consumer URL to look placeholders up in or without.

use pointsman::condition::Dialect;
use pointsman::condition::Pattern;
use pointsman::condition::Side;
use pointsman::rpc::Url;
use serde_json::json;

use super::reader::Vectors;
use super::report::Report;
use super::report::Verdict;

#[test]
fn patterns_match_as_in_dubbo() {
    let Some(vectors) = Vectors::load("pattern") else { return };
    let mut report = Report::new("pattern");
    for row in &vectors.rows {
        let (pattern, value) = (row.text("pattern"), row.text("value"));
        let consumer = row.get("param_url").as_str().map(|text| Url::parse(text).unwrap());
        // Without a URL nothing is looked up, as on the `when` side; ranges are another kind of pattern.
        let side = if consumer.is_some() { Side::Then } else { Side::When };
        let read = Pattern::parse(pattern, side, Dialect::V2).unwrap();
        let ours = consumer.map_or(read.clone(), |consumer| read.resolve(&consumer)).is_match(value);
        let verdict = |column| match row.get(column) {
            theirs if *theirs == json!(ours) => Verdict::Plain,
            theirs => Verdict::Failed(format!("{} `{pattern}` on `{value}`: {column} {theirs}, ours {ours}", row.id())),
        };
        report.add(["java27", "java33"].map(verdict));
    }
    report.finish(0);
}
