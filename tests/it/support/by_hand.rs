//! Routing by a parsed rule with the crate's own matching, pair by pair: what the compiled engine speeds up.

use std::borrow::Cow;

use pointsman::condition::Dialect;
use pointsman::condition::Pair;
use pointsman::condition::Rule;
use pointsman::condition::Subject;
use pointsman::condition::Then;
use pointsman::condition::parse;
use pointsman::condition::parse_as_dubbo;
use pointsman::diagnostics::Origin;
use pointsman::diagnostics::SourceText;
use pointsman::rpc::Invocation;
use pointsman::rpc::Url;

use super::naive::BuildFailure;
use super::naive::Question;
use super::naive::Reading;

/// As [`super::naive::route`].
pub(crate) fn route(
    question: Question<'_>,
    consumer: &Url,
    providers: &[Url],
    call: &dyn Invocation,
) -> Result<Vec<usize>, BuildFailure> {
    let all = 0..providers.len();
    if !question.enabled {
        return Ok(all.collect());
    }
    let origin = Origin::whole(SourceText::new("case.rules", question.rule));
    let read = match question.reading {
        Reading::Strict => parse,
        Reading::AsDubbo => parse_as_dubbo,
    };
    let rule: Rule = read(question.rule, question.dialect, &origin).map_err(|_| BuildFailure)?;
    let dialect = rule.dialect();
    if !rule.when().pairs().iter().all(|pair| pair.accepts(of_call(pair, consumer, call, dialect).as_deref(), dialect))
    {
        return Ok(all.collect());
    }
    let Then::Pairs(pairs) = rule.then() else { return Ok(Vec::new()) };
    let pairs: Vec<Pair> = pairs.iter().map(|pair| pair.resolve(consumer)).collect();
    let is_kept = |provider: &Url| {
        let accepts = |pair: &Pair| {
            let is_parameter = *pair.key().subject() == Subject::Parameter;
            pair.accepts(provider.raw(pair.key().as_str()).filter(|_| is_parameter), dialect)
        };
        !pairs.is_empty() && pairs.iter().all(accepts)
    };
    let kept: Vec<usize> = all.clone().filter(|at| is_kept(&providers[*at])).collect();
    Ok(if kept.is_empty() && !question.force { all.collect() } else { kept })
}

fn of_call<'a>(pair: &Pair, consumer: &'a Url, call: &'a dyn Invocation, dialect: Dialect) -> Option<Cow<'a, str>> {
    match pair.key().subject() {
        Subject::Method if dialect == Dialect::V2 => Some(Cow::Borrowed(call.method())),
        Subject::Method => Some(Cow::Borrowed(call.target_method())),
        Subject::Argument(index) => call.argument(*index).map(|value| value.text()),
        Subject::Attachment(name) => call.attachment(name).map(Cow::Borrowed),
        Subject::Parameter => consumer.raw(pair.key().as_str()).map(Cow::Borrowed),
        _ => None,
    }
}
