//! One rule, one call, a list: what is left of the list, as a test writes it.

use pointsman::condition::Dialect;
use pointsman::rpc::Invocation;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;

use super::compiled;
use super::naive;
use super::naive::BuildFailure;
use super::naive::Question;
use super::naive::Reading;

/// The consumer of the field cases.
pub(crate) const C1: &str = "consumer://10.0.0.1/com.ex.BarService";
/// Another consumer.
pub(crate) const C2: &str = "consumer://10.0.0.2/com.ex.BarService";
/// The first provider of the field cases.
pub(crate) const P1: &str = "dubbo://10.0.1.1:20880/com.ex.BarService";
/// The second.
pub(crate) const P2: &str = "dubbo://10.0.1.2:20880/com.ex.BarService";
/// The third, on another port.
pub(crate) const P3: &str = "dubbo://10.0.1.3:20881/com.ex.BarService";

/// A rule and where it is tried.
#[derive(Clone)]
pub(crate) struct Routing<'a> {
    rule: &'a str,
    dialect: Dialect,
    force: bool,
    consumer: &'a str,
    providers: Vec<String>,
    call: RpcInvocation<'a>,
}

/// A rule of `v3`, without force, for a call of `find` from C1 with P1, P2 and P3.
pub(crate) fn rule(rule: &str) -> Routing<'_> {
    let providers = [P1, P2, P3].map(str::to_owned).to_vec();
    let call = RpcInvocation::new("com.ex.BarService", "find");
    Routing { rule, dialect: Dialect::V3, force: false, consumer: C1, providers, call }
}

/// A call of `method`.
pub(crate) fn call(method: &str) -> RpcInvocation<'_> {
    RpcInvocation::new("com.ex.BarService", method)
}

impl<'a> Routing<'a> {
    pub(crate) fn v2(self) -> Self {
        Self { dialect: Dialect::V2, ..self }
    }

    pub(crate) fn forced(self) -> Self {
        Self { force: true, ..self }
    }

    pub(crate) fn from(self, consumer: &'a str) -> Self {
        Self { consumer, ..self }
    }

    pub(crate) fn to(self, providers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { providers: providers.into_iter().map(Into::into).collect(), ..self }
    }

    pub(crate) fn calling(self, call: RpcInvocation<'a>) -> Self {
        Self { call, ..self }
    }

    /// The positions kept, the first provider being 1 as in P1; the same whichever way it is computed.
    pub(crate) fn kept(&self) -> Vec<usize> {
        let kept = self.answer().unwrap_or_else(|BuildFailure| panic!("`{}` does not load", self.rule));
        kept.into_iter().map(|at| at + 1).collect()
    }

    /// Whether the rule loads.
    pub(crate) fn loads(&self) -> bool {
        self.answer().is_ok()
    }

    fn answer(&self) -> Result<Vec<usize>, BuildFailure> {
        let Self { rule, dialect, force, consumer, providers, call } = self;
        let reading = Reading::Strict;
        let question = Question { rule, dialect: *dialect, reading, force: *force, enabled: true };
        let consumer = Url::parse(consumer).unwrap();
        let providers: Vec<Url> = providers.iter().map(|text| Url::parse(text).unwrap()).collect();
        let call: &dyn Invocation = call;
        let answer = naive::route(question, &consumer, &providers, call);
        assert_eq!(compiled::route(question, &consumer, &providers, call), answer, "`{rule}` {dialect}");
        answer
    }
}
