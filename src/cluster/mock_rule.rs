//! `mock=…`: what answers instead of a provider, and when.

use thiserror::Error;

use crate::rpc::AppResponse;
use crate::rpc::Exception;
use crate::rpc::Value;

/// What the parameter `mock` asks for, as `MockInvoker` reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct MockRule {
    /// Whether no provider is asked at all; otherwise only a failure is replaced.
    pub is_forced: bool,
    answer: Result<Value<'static>, Exception>,
}

/// A `mock` that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`mock={text}`: expected `return VALUE` or `throw CLASS`, after `force:` or `fail:`; {help}")]
pub struct MockRuleError {
    text: String,
    help: &'static str,
}

// === impl MockRule ===

impl MockRule {
    /// Reads a `mock` parameter; none where it asks for nothing.
    ///
    /// # Errors
    ///
    /// It asks for a class of the consumer's, or is none of the known forms.
    ///
    /// ```
    /// use pointsman::cluster::MockRule;
    /// let rule = MockRule::parse("fail:return [1, 2]").unwrap().unwrap();
    /// assert!(!rule.is_forced);
    /// assert_eq!(rule.response().outcome().unwrap().text(), "[1, 2]");
    /// assert_eq!(MockRule::parse("false"), Ok(None));
    /// ```
    pub fn parse(text: &str) -> Result<Option<Self>, MockRuleError> {
        let written = text.trim();
        let (is_forced, rest) = match written {
            _ if is_word(written, "force") => (true, ""),
            _ if is_word(written, "fail") => (false, ""),
            _ => match (prefix(written, "force:"), prefix(written, "fail:")) {
                (Some(rest), _) => (true, rest.trim()),
                (_, Some(rest)) => (false, rest.trim()),
                _ => (false, written),
            },
        };
        let error = |help| MockRuleError { text: written.to_owned(), help };
        if rest.is_empty() && !written.is_empty() {
            return Err(error("after `force` or `fail` stands what is answered"));
        }
        if rest.is_empty() || is_word(rest, "false") {
            return Ok(None);
        }
        if let Some(value) = prefix(rest, "return") {
            return Ok(Some(Self { is_forced, answer: Ok(read_value(value.trim())) }));
        }
        if let Some(class) = prefix(rest, "throw") {
            let class =
                Some(class.trim()).filter(|class| !class.is_empty()).unwrap_or("org.apache.dubbo.rpc.RpcException");
            let exception =
                Exception { class: class.to_owned(), message: "mocked exception for service degradation.".to_owned() };
            return Ok(Some(Self { is_forced, answer: Err(exception) }));
        }
        Err(error("a mock class of the consumer is no part of this process"))
    }

    /// The answer.
    #[must_use]
    pub fn response(&self) -> AppResponse {
        match &self.answer {
            Ok(value) => AppResponse::new(value.clone()),
            Err(thrown) => AppResponse::threw(thrown.class.clone(), thrown.message.clone()),
        }
    }
}

/// `empty`, `null`, `true`, `false`, a quoted text, JSON, else the text as it stands, as in `MockInvoker.parseMockValue`.
fn read_value(text: &str) -> Value<'static> {
    let quoted = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    match text {
        "" | "null" | "empty" => Value::Null,
        _ => match quoted('\'').or_else(|| quoted('"')) {
            Some(inside) => Value::from(inside.to_owned()),
            None => serde_json::from_str(text).map_or_else(|_| Value::from(text.to_owned()), Value::from_json),
        },
    }
}

fn is_word(text: &str, word: &str) -> bool {
    text.eq_ignore_ascii_case(word)
}

fn prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_the_original_reads_them() {
        for (text, is_forced, shown) in [
            ("force:return null", true, "null"),
            ("force: return true", true, "true"),
            ("fail:return 12", false, "12"),
            ("return 'a b'", false, "a b"),
            ("return plain", false, "plain"),
            ("FORCE:return {\"a\":1}", true, "{a=1}"),
            ("return", false, "null"),
        ] {
            let rule = MockRule::parse(text).unwrap().unwrap();
            assert_eq!((rule.is_forced, &*rule.response().outcome().unwrap().text()), (is_forced, shown), "{text}");
        }
        let thrown = MockRule::parse("force:throw com.shop.Closed").unwrap().unwrap().response();
        assert_eq!(thrown.outcome().unwrap_err().class, "com.shop.Closed");
    }

    #[test]
    fn what_asks_for_nothing_is_no_rule_and_what_cannot_be_followed_is_an_error() {
        assert_eq!((MockRule::parse(""), MockRule::parse("false")), (Ok(None), Ok(None)));
        for text in ["true", "default", "com.shop.OrderServiceMock", "force", "fail:"] {
            let error = MockRule::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`mock={text}`: expected `return VALUE`")), "{error}");
        }
    }
}
