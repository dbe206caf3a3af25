//! Names of URL parameters and attachments, spelled as Dubbo spells them.

/// The consumer's or provider's application.
pub const APPLICATION: &str = "application";
/// The application that exported a provider, as the consumer sees it; before [`APPLICATION`] when both are there.
pub const REMOTE_APPLICATION: &str = "remote.application";
/// The service's interface; the path when absent.
pub const INTERFACE: &str = "interface";
/// The service's group.
pub const GROUP: &str = "group";
/// The service's version.
pub const VERSION: &str = "version";
/// `provider` or `consumer`.
pub const SIDE: &str = "side";
/// What a registered URL is: `providers`, `consumers`, `routers`, `configurators`.
pub const CATEGORY: &str = "category";
/// [`CATEGORY`] of a rule.
pub const ROUTERS: &str = "routers";
/// Whether a registered URL goes with the one who registered it.
pub const DYNAMIC: &str = "dynamic";
/// Whether a rule is active.
pub const ENABLED: &str = "enabled";
/// The other spelling of [`ENABLED`].
pub const ENABLE: &str = "enable";
/// Whether an empty result of a rule stands.
pub const FORCE: &str = "force";
/// Whether a rule is evaluated on every call; kept and shown, without effect on answers.
pub const RUNTIME: &str = "runtime";
/// Order of rules inside a phase.
pub const PRIORITY: &str = "priority";
/// The rule's text, percent-encoded.
pub const RULE: &str = "rule";
/// The script's language.
pub const TYPE: &str = "type";
/// A label for logs and explanations.
pub const NAME: &str = "name";
/// The name of a router factory; in a consumer URL, the routers to add and to take away.
pub const ROUTER: &str = "router";
/// Ours: what a failing router means (`pass`, `empty`, `fail`).
pub const ON_ERROR: &str = "on-error";
/// Ours: the dialect of a condition rule (`v2`, `v3`).
pub const DIALECT: &str = "dialect";
/// Ours: the engine of a script.
pub const ENGINE: &str = "engine";
/// Ours: a lower limit for a script.
pub const DEADLINE: &str = "deadline";
/// Ours: the zone in which a script sees the time.
pub const TIMEZONE: &str = "timezone";
/// The weight of a provider.
pub const WEIGHT: &str = "weight";
/// How long a provider warms up, in milliseconds.
pub const WARMUP: &str = "warmup";
/// When a provider started, in milliseconds since 1970.
pub const TIMESTAMP: &str = "timestamp";
/// When a provider started, as the consumer sees it; before [`TIMESTAMP`] when both are there.
pub const REMOTE_TIMESTAMP: &str = "remote.timestamp";
/// The policy that picks one of the candidates.
pub const LOADBALANCE: &str = "loadbalance";
/// How many points of the ring an address has under `consistenthash`.
pub const HASH_NODES: &str = "hash.nodes";
/// Which arguments the key of `consistenthash` is made of.
pub const HASH_ARGUMENTS: &str = "hash.arguments";
/// Ours: what `consistenthash` bounds (`false`, `true`, `active`).
pub const HASH_BOUNDED: &str = "hash.bounded";
/// The invoked method, as a key of a condition.
pub const METHOD: &str = "method";
/// The other spelling of [`METHOD`].
pub const METHODS: &str = "methods";
/// Prefix of a parameter that stands in for an absent one.
pub const DEFAULT_PREFIX: &str = "default.";
/// A wildcard for services, groups, versions and parameters.
pub const ANY: &str = "*";
/// The host that stands for every host.
pub const ANY_HOST: &str = "0.0.0.0";
/// The tag of a call, a consumer or a provider.
pub const TAG: &str = "dubbo.tag";
/// Whether a call may go to nobody but the providers of its tag.
pub const FORCE_TAG: &str = "dubbo.force.tag";
/// The generic call.
pub const INVOKE: &str = "$invoke";
/// The generic call without waiting.
pub const INVOKE_ASYNC: &str = "$invokeAsync";
/// Attachment that asks for mock providers.
pub const NEED_MOCK: &str = "invocation.need.mock";
/// Protocol of a mock provider.
pub const MOCK_PROTOCOL: &str = "mock";
/// Names that are parts of the URL itself, not of its query.
pub const PROTOCOL: &str = "protocol";
/// The user in front of the host.
pub const USERNAME: &str = "username";
/// The password in front of the host.
pub const PASSWORD: &str = "password";
/// The host.
pub const HOST: &str = "host";
/// The port.
pub const PORT: &str = "port";
/// The path, without its leading slash.
pub const PATH: &str = "path";
/// The names that are parts of the URL itself.
pub const URL_PARTS: [&str; 6] = [PROTOCOL, USERNAME, PASSWORD, HOST, PORT, PATH];
/// `host:port`.
pub const ADDRESS: &str = "address";
/// The release of Dubbo that a provider was built with.
pub const RELEASE: &str = "release";
/// The version of the protocol that a provider speaks.
pub const DUBBO: &str = "dubbo";
/// The policy that stands between a call and its attempts.
pub const CLUSTER: &str = "cluster";
/// How long an attempt may take, in milliseconds.
pub const TIMEOUT: &str = "timeout";
/// Attempts after the first.
pub const RETRIES: &str = "retries";
/// How many providers `forking` asks at once.
pub const FORKS: &str = "forks";
/// From which share of failures on `broadcast` fails, in percent.
pub const BROADCAST_FAIL_PERCENT: &str = "broadcast.fail.percent";
/// Whether calls stay with the provider that answered last.
pub const STICKY: &str = "sticky";
/// What answers instead of a provider, and when.
pub const MOCK: &str = "mock";
/// How the answers of groups become one.
pub const MERGER: &str = "merger";
/// Ours: how many retries a call may cause on average.
pub const RETRY_BUDGET: &str = "retry.budget";
/// Whether a provider may not be called; before [`ENABLED`] when both are there.
pub const DISABLED: &str = "disabled";
/// Filters to add and to take away, on either side.
pub const FILTER: &str = "filter";
/// [`FILTER`] of consumers alone.
pub const REFERENCE_FILTER: &str = "reference.filter";
/// [`FILTER`] of providers alone.
pub const SERVICE_FILTER: &str = "service.filter";
/// How many calls of a method a consumer may have under way at one provider.
pub const ACTIVES: &str = "actives";
/// How many calls of a method a provider serves at a time.
pub const EXECUTES: &str = "executes";
/// How many calls a provider takes within [`TPS_INTERVAL`].
pub const TPS: &str = "tps";
/// How long [`TPS`] counts, in milliseconds.
pub const TPS_INTERVAL: &str = "tps.interval";
/// What a caller must know to be served; as parameter and as attachment.
pub const TOKEN: &str = "token";
/// `lb_adaptive`, the attachment by which a consumer asks for a provider's load, and in which it is told.
pub const LB_ADAPTIVE: &str = "lb_adaptive";
/// Whether, or into which file, calls are written down.
pub const ACCESSLOG: &str = "accesslog";
/// Whether a service answers `$invoke` itself; as attachment, how a generic call is written.
pub const GENERIC: &str = "generic";
/// The call that asks whether somebody is there.
pub const ECHO: &str = "$echo";
