//! The call that a command is asked to route or to make: service, consumer, arguments, attachments.

use crate::cli::call_target::CallTarget;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::diagnostics::nearest;
use crate::rpc::RpcInvocation;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::Value;
use crate::rpc::keys;
use crate::source::cases::Argument;
use crate::source::cases::Case;

const CONSUMER_PROTOCOL: &str = "consumer";
const CONSUMER_HOST: &str = "127.0.0.1";
const CONSUMER_APPLICATION: &str = "pointsman";
/// How many services a message lists.
const SERVICES_LISTED: usize = 20;

/// A call, complete.
#[derive(Debug)]
pub(crate) struct RequestedCall {
    pub(crate) service: ServiceKey,
    pub(crate) consumer: Url,
    pub(crate) invocation: RpcInvocation<'static>,
}

// === impl RequestedCall ===

impl RequestedCall {
    /// Puts the call together; `services` are those that providers offer, in order.
    ///
    /// # Errors
    ///
    /// All that is wrong with the arguments.
    pub(crate) fn read(target: &CallTarget, services: &[ServiceKey]) -> Result<Self, Vec<Finding>> {
        let (service, consumer) = parties(target.service.as_deref(), target.consumer.as_deref(), services)?;
        let invocation = read_invocation(target, &service)?;
        Ok(Self { service, consumer, invocation })
    }

    /// Puts the call of a case together.
    ///
    /// # Errors
    ///
    /// The case names a service or a consumer that cannot be.
    pub(crate) fn of_case(case: &Case, services: &[ServiceKey]) -> Result<Self, Vec<Finding>> {
        let (service, consumer) = parties(case.service.as_deref(), case.consumer.as_deref(), services)?;
        let mut invocation = RpcInvocation::new(service.as_str().to_owned(), case.call.method.clone());
        for Argument { parameter_type, value } in &case.call.arguments {
            invocation = invocation.with_argument(parameter_type.clone(), value.clone());
        }
        for (key, value) in &case.call.attachments {
            invocation = invocation.with_attachment(key.clone(), value.clone());
        }
        Ok(Self { service, consumer, invocation })
    }
}

/// Who is called and who calls, from what is told of both.
fn parties(
    service: Option<&str>,
    consumer: Option<&str>,
    services: &[ServiceKey],
) -> Result<(ServiceKey, Url), Vec<Finding>> {
    let given = consumer.map(read_consumer).transpose().map_err(|finding| vec![finding])?;
    let asked = service.map(|text| read_service(text, services));
    let contradictions = given.as_ref().map(|url| contradictions(url, asked.as_ref())).unwrap_or_default();
    if !contradictions.is_empty() {
        return Err(contradictions);
    }
    let service = choose_service(asked, given.as_ref(), services).map_err(|finding| vec![finding])?;
    let consumer = complete(given.as_ref(), &service).map_err(|finding| vec![finding])?;
    Ok((service, consumer))
}

/// Reads `--consumer`. The text is the finding's source, so that what is secret in it is known when it is told.
fn read_consumer(text: &str) -> Result<Url, Finding> {
    Url::parse(text).map_err(|error| {
        let origin = Origin::whole(SourceText::new("--consumer", text));
        Finding::error("call::wrong_consumer", format!("the consumer: {error}"))
            .with_help("write `consumer://HOST/INTERFACE?application=NAME`")
            .at(&origin, error.offset().min(text.len())..text.len(), "here")
    })
}

/// The service `text`: the one that is printed so, else the one that a provider offers, a `/` being the group's first.
fn read_service(text: &str, services: &[ServiceKey]) -> ServiceKey {
    if let Some(printed) = services.iter().find(|service| service.as_str() == text) {
        return printed.clone();
    }
    let (key, without_group) = (ServiceKey::parse(text), ServiceKey::parse_without_group(text));
    let is_offered = |key: &ServiceKey| services.iter().any(|service| service.interface() == key.interface());
    if !is_offered(&key) && is_offered(&without_group) { without_group } else { key }
}

/// What `--service` and the consumer URL do not agree on.
fn contradictions(consumer: &Url, asked: Option<&ServiceKey>) -> Vec<Finding> {
    let part = |name: &'static str, asked: Option<&str>, seen: Option<&str>| match (asked, seen) {
        (Some(asked), Some(seen)) if asked != seen => Some((name, asked.to_owned(), seen.to_owned())),
        _ => None,
    };
    let side = part(keys::SIDE, Some("consumer"), consumer.non_empty_parameter(keys::SIDE));
    let service = asked.map(|asked| {
        [
            part(keys::INTERFACE, Some(asked.interface()), consumer.service_interface()),
            part(keys::GROUP, asked.group(), consumer.non_empty_parameter(keys::GROUP)),
            part(keys::VERSION, asked.version(), consumer.non_empty_parameter(keys::VERSION)),
        ]
    });
    let found = side.into_iter().chain(service.into_iter().flatten().flatten());
    found
        .map(|(name, asked, seen)| {
            let message = format!("expected the consumer's {name} `{asked}`, found `{seen}`");
            Finding::error("call::contradiction", message).with_help(format!("leave `{name}` out of one of the two"))
        })
        .collect()
}

/// The service asked for, else the consumer's, else the only one there is.
fn choose_service(
    asked: Option<ServiceKey>,
    consumer: Option<&Url>,
    services: &[ServiceKey],
) -> Result<ServiceKey, Finding> {
    let Some(first) = services.first() else {
        let finding = Finding::error("call::no_provider", "no provider to route to");
        return Err(finding.with_help("write provider URLs into `providers.txt`"));
    };
    let of_consumer = consumer.and_then(Url::service_key);
    let service = match (asked, of_consumer) {
        // Group and version may stand in either.
        (Some(asked), of_consumer) => {
            let of_consumer = of_consumer.as_ref();
            let group = asked.group().or(of_consumer.and_then(ServiceKey::group));
            let version = asked.version().or(of_consumer.and_then(ServiceKey::version));
            ServiceKey::new(group, asked.interface(), version)
        }
        (None, Some(of_consumer)) => of_consumer,
        (None, None) if services.len() == 1 => first.clone(),
        (None, None) => {
            let finding = Finding::error("call::service_needed", format!("which service? {}", list(services)));
            return Err(finding.with_help(format!("for example `--service {first}`")));
        }
    };
    if services.iter().any(|provider| service.accepts(provider)) {
        return Ok(service);
    }
    let same_interface = services.iter().find(|other| other.interface() == service.interface());
    let near = || nearest(service.as_str(), services.iter().map(ServiceKey::as_str)).map(str::to_owned);
    let help = match same_interface.map(ToString::to_string).or_else(near) {
        Some(near) => format!("did you mean `--service {near}`?"),
        None => format!("for example `--service {first}`"),
    };
    let message = format!("no provider offers `{service}`; {}", list(services));
    Err(Finding::error("call::unknown_service", message).with_help(help))
}

fn list(services: &[ServiceKey]) -> String {
    let mut names: Vec<String> = services.iter().take(SERVICES_LISTED).map(|key| format!("`{key}`")).collect();
    if services.len() > SERVICES_LISTED {
        names.push(format!("{} more", services.len() - SERVICES_LISTED));
    }
    format!("the folder has {}", names.join(", "))
}

/// The consumer's URL with what is missing: protocol, host, path, `application`, `side`, group, version.
fn complete(given: Option<&Url>, service: &ServiceKey) -> Result<Url, Finding> {
    let part = |read: fn(&Url) -> Option<&str>| given.and_then(read);
    let mut text = format!("{}://", part(Url::protocol).unwrap_or(CONSUMER_PROTOCOL));
    if let Some(username) = part(Url::username) {
        text.push_str(username);
        if let Some(password) = part(Url::password) {
            text.push(':');
            text.push_str(password);
        }
        text.push('@');
    }
    text.push_str(part(Url::address).unwrap_or(CONSUMER_HOST));
    text.push('/');
    text.push_str(part(Url::path).unwrap_or(service.interface()));
    let query = given.and_then(|url| url.as_str().split_once('?')).map_or("", |(_, query)| query);
    let additions = [
        (keys::APPLICATION, Some(CONSUMER_APPLICATION)),
        (keys::SIDE, Some("consumer")),
        (keys::GROUP, service.group()),
        (keys::VERSION, service.version()),
    ];
    let mut separator = '?';
    if !query.is_empty() {
        text.push(separator);
        text.push_str(query);
        separator = '&';
    }
    for (key, value) in additions {
        let Some(value) = value.filter(|_| given.is_none_or(|url| url.non_empty_parameter(key).is_none())) else {
            continue;
        };
        text.push(separator);
        separator = '&';
        text.push_str(key);
        text.push('=');
        text.push_str(value);
    }
    Url::parse(&text).map_err(|error| Finding::error("call::wrong_consumer", format!("the consumer: {error}")))
}

fn read_invocation(target: &CallTarget, service: &ServiceKey) -> Result<RpcInvocation<'static>, Vec<Finding>> {
    let mut findings = Vec::new();
    let mut invocation = RpcInvocation::new(service.as_str().to_owned(), target.method.clone());
    if target.types.len() > target.arguments.len() {
        let (types, values) = (target.types.len(), target.arguments.len());
        let finding = Finding::error("call::too_many_types", format!("{types} types for {values} arguments"));
        findings.push(finding.with_help("give one `-a` for each type"));
    }
    for (index, text) in target.arguments.iter().enumerate() {
        let (likely_type, value) = read_argument(text);
        let java_type = target.types.get(index).cloned().unwrap_or_else(|| likely_type.to_owned());
        invocation = invocation.with_argument(java_type, value);
    }
    for attachment in &target.attachments {
        match attachment.split_once('=').filter(|(key, _)| !key.is_empty()) {
            Some((key, value)) => invocation = invocation.with_attachment(key.to_owned(), value.to_owned()),
            None => {
                // What stands there may be a secret that lost its key.
                let problem = if attachment.contains('=') { "no key in front of the `=`" } else { "no `=`" };
                let message = format!("expected `key=value` after `-A`, found {problem}");
                let finding = Finding::error("call::wrong_attachment", message);
                findings.push(finding.with_help("for example `-A dubbo.tag=gray`"));
            }
        }
    }
    if findings.is_empty() { Ok(invocation) } else { Err(findings) }
}

/// A value, JSON if it parses, and its type in Java.
fn read_argument(text: &str) -> (&'static str, Value<'static>) {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else {
        return ("java.lang.String", Value::from(text.to_owned()));
    };
    let is_number = json.is_number();
    let value = Value::from_json(json);
    // Beyond 64 bits the value has the digits as text.
    let java_type = if is_number && value.as_text().is_some() { "java.math.BigInteger" } else { value.java_type() };
    (java_type, value)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::Arguments;
    use crate::cli::args::Command;
    use crate::rpc::Invocation as _;

    const SERVICES: [&str; 2] = ["com.shop.CartService", "gray/com.shop.OrderService:1.0"];

    fn read(line: &str, services: &[&str]) -> Result<RequestedCall, Vec<Finding>> {
        let args = ["pointsman", "route", "shop", "-m", "create"].into_iter().chain(line.split_whitespace());
        let Command::Route(arguments) = Arguments::try_parse_from(args).unwrap().command else { unreachable!() };
        let services: Vec<ServiceKey> = services.iter().map(|text| ServiceKey::parse(text)).collect();
        RequestedCall::read(&arguments.call, &services)
    }

    #[test]
    fn a_service_with_a_context_path_can_be_named() {
        let services = ["dubbo://h1:1/context/path?version=1.0.0", "dubbo://h1:1/other?version=1.0.0"]
            .map(|url| Url::parse(url).unwrap().service_key().unwrap());
        for (service, consumer) in [
            ("context/path:1.0.0", ""),
            ("context/path:*", ""),
            ("context/path:1.0.0", "consumer://127.0.0.1/context/path"),
            ("context/path", "consumer://127.0.0.1/context/path?version=1.0.0"),
        ] {
            let mut args = vec!["pointsman", "route", "shop", "-m", "create", "--service", service];
            args.extend(["--consumer", consumer].into_iter().filter(|_| !consumer.is_empty()));
            let Command::Route(arguments) = Arguments::try_parse_from(args).unwrap().command else { unreachable!() };
            let call = RequestedCall::read(&arguments.call, &services).unwrap();
            assert!(call.service.accepts(&services[0]), "{service} {consumer}");
            assert_eq!((call.service.group(), call.consumer.path()), (None, Some("context/path")), "{service}");
        }
    }

    #[test]
    fn the_only_service_need_not_be_named() {
        let call = read("", &["gray/com.shop.OrderService:1.0"]).unwrap();
        assert_eq!(call.service.as_str(), "gray/com.shop.OrderService:1.0");
        assert_eq!(
            call.consumer.as_str(),
            "consumer://127.0.0.1/com.shop.OrderService?application=pointsman&side=consumer&group=gray&version=1.0"
        );
    }

    #[test]
    fn a_consumer_keeps_what_it_says() {
        let call = read("--consumer 10.1.0.9?application=web&interface=com.shop.CartService", &SERVICES).unwrap();
        assert_eq!(
            call.consumer.as_str(),
            "consumer://10.1.0.9/com.shop.CartService?application=web&interface=com.shop.CartService&side=consumer"
        );
    }

    #[test]
    fn what_is_wrong_with_a_call_is_told() {
        for (line, slug, help) in [
            ("", "call::service_needed", "for example `--service com.shop.CartService`"),
            (
                "--service com.shop.OrderService",
                "call::unknown_service",
                "did you mean `--service gray/com.shop.OrderService:1.0`?",
            ),
            (
                "--service com.shop.CartServise",
                "call::unknown_service",
                "did you mean `--service com.shop.CartService`?",
            ),
            (
                "--service com.shop.CartService --consumer consumer://h/com.shop.OrderService",
                "call::contradiction",
                "leave `interface` out of one of the two",
            ),
            (
                "--consumer consumer://h/com.shop.CartService?side=provider",
                "call::contradiction",
                "leave `side` out of one of the two",
            ),
            ("--consumer ://h", "call::wrong_consumer", "write `consumer://HOST/INTERFACE?application=NAME`"),
            ("--service com.shop.CartService -A tag", "call::wrong_attachment", "for example `-A dubbo.tag=gray`"),
            ("--service com.shop.CartService --types int", "call::too_many_types", "give one `-a` for each type"),
        ] {
            let findings = read(line, &SERVICES).unwrap_err();
            let [finding] = findings.as_slice() else { unreachable!("{line}: {findings:?}") };
            assert_eq!((finding.slug(), finding.help_text()), (slug, Some(help)), "{line}");
        }
    }

    #[test]
    fn an_argument_is_json_if_it_parses() {
        let call = read(
            "--service com.shop.CartService -a 42 -a -1 -a abc -a [1] -a 9223372036854775808 --types int",
            &SERVICES,
        )
        .unwrap();
        let arguments: Vec<_> = (0..5)
            .map(|index| {
                let text = call.invocation.argument(index).unwrap().text().into_owned();
                (text, call.invocation.parameter_type(index).unwrap())
            })
            .collect();
        let expected = [
            ("42", "int"),
            ("-1", "long"),
            ("abc", "java.lang.String"),
            ("[1]", "java.util.List"),
            ("9223372036854775808", "java.math.BigInteger"),
        ];
        assert_eq!(arguments, expected.map(|(text, java_type)| (text.to_owned(), java_type)));
    }
}
