//! Names in a manifest that a rule's configuration completes.

use std::collections::BTreeMap;

/// A rule's own parameters, decoded: what reaches the plugin as its configuration.
pub(crate) type Configuration = BTreeMap<String, String>;

/// `name` with every `{key}` replaced by the rule's parameter `key`, and `{key=default}` by it or the default.
///
/// # Errors
///
/// The key that the rule lacks.
pub(crate) fn complete(name: &str, configuration: &Configuration) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), name);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inside, behind)) = after.split_once('}') else { break };
        out.push_str(before);
        let (key, default) = inside.split_once('=').map_or((inside, None), |(key, default)| (key, Some(default)));
        match configuration.get(key).map(String::as_str).or(default) {
            Some(value) => out.push_str(value),
            None => return Err(key.to_owned()),
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_completed_by_the_rule_and_else_by_their_default() {
        let rule = Configuration::from([("key".to_owned(), "zone".to_owned())]);
        for (name, expected) in [
            ("region", Ok("region")),
            ("{key}", Ok("zone")),
            ("{key=area}", Ok("zone")),
            ("{other=area}", Ok("area")),
            ("x-{key}-{other=}", Ok("x-zone-")),
            ("{other}", Err("other")),
            ("{open", Ok("{open")),
        ] {
            assert_eq!(complete(name, &rule), expected.map(str::to_owned).map_err(str::to_owned), "{name}");
        }
    }
}
