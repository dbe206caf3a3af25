//! The names that a manifest declares, completed by a configuration as the host does it.

/// Names, or all of them.
#[derive(Debug)]
pub(super) struct Declared {
    names: Vec<String>,
    has_all: bool,
    /// Keys that the configuration lacks.
    pub(super) missing: Vec<String>,
}

// === impl Declared ===

impl Declared {
    pub(super) fn new(names: &[&str], config: &[(String, String)]) -> Self {
        let mut declared = Self { names: Vec::new(), has_all: names.contains(&"*"), missing: Vec::new() };
        for name in names {
            match complete(name, config) {
                Ok(name) => declared.names.push(name),
                Err(key) => declared.missing.push(key),
            }
        }
        declared
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.has_all || self.names.iter().any(|declared| declared == name)
    }

    pub(super) fn into_names(self) -> Vec<String> {
        self.names
    }
}

/// Every `{key}` and `{key=default}` replaced; the key that the configuration lacks.
fn complete(name: &str, config: &[(String, String)]) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), name);
    while let Some((before, key, default, behind)) = split(rest) {
        out.push_str(before);
        let value = config.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str());
        out.push_str(value.or(default).ok_or(key)?);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

/// The keys in `{key}` and `{key=default}`.
pub(super) fn config_keys<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut keys = Vec::new();
    for name in names {
        let mut rest = *name;
        while let Some((_, key, _, behind)) = split(rest) {
            if !keys.contains(&key) {
                keys.push(key);
            }
            rest = behind;
        }
    }
    keys
}

/// What is before the first braces, the key and the default in them, and what is behind.
fn split(name: &str) -> Option<(&str, &str, Option<&str>, &str)> {
    let (before, after) = name.split_once('{')?;
    let (inside, behind) = after.split_once('}')?;
    let (key, default) = inside.split_once('=').map_or((inside, None), |(key, default)| (key, Some(default)));
    Some((before, key, default, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_completed_as_the_host_does_it() {
        let config = [("key".to_owned(), "zone".to_owned())];
        for (name, expected) in [
            ("region", Ok("region")),
            ("{key}", Ok("zone")),
            ("{key=area}", Ok("zone")),
            ("x-{key}-{other=}", Ok("x-zone-")),
            ("{other=area}", Ok("area")),
            ("{other}", Err("other")),
            ("{open", Ok("{open")),
        ] {
            assert_eq!(complete(name, &config), expected.map(str::to_owned).map_err(str::to_owned), "`{name}`");
        }
        assert_eq!(config_keys(&["{a}-{b=1}", "{a}", "c"]), ["a", "b"]);
        let declared = Declared::new(&["{key}", "{none}", "*"], &config);
        assert!(declared.contains("anything") && declared.missing == ["none"]);
    }
}
