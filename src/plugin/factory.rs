//! Makes routers of rules whose protocol is a plugin's name.

use std::sync::Arc;

use crate::diagnostics::Finding;
use crate::plugin::DeclaredInputs;
use crate::plugin::PluginHost;
use crate::plugin::loaded::Plugin;
use crate::plugin::names::Configuration;
use crate::plugin::names::complete;
use crate::plugin::providers::ConsumerNames;
use crate::plugin::router::PluginRouter;
use crate::plugin::router::PluginRule;
use crate::router::BuildError;
use crate::router::CallParts;
use crate::router::FactoryContext;
use crate::router::Input;
use crate::router::Inputs;
use crate::router::PARAMETERS;
use crate::router::Phase;
use crate::router::Router;
use crate::router::RouterFactory;
use crate::router::RuleDefinition;
use crate::router::RuleHeader;
use crate::router::Zone;
use crate::rpc::Url;
use crate::rpc::keys;

/// The factory of one plugin.
#[derive(Debug)]
pub(crate) struct PluginRouterFactory {
    pub(crate) host: PluginHost,
    pub(crate) plugin: Arc<Plugin>,
}

// === impl PluginRouterFactory ===

impl RouterFactory for PluginRouterFactory {
    fn protocol(&self) -> &str {
        &self.plugin.manifest.name
    }

    fn create_router(
        &self,
        definition: &RuleDefinition,
        _context: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError> {
        let manifest = &self.plugin.manifest;
        let header = RuleHeader::read(definition, &manifest.name, Phase::Rule)?;
        let configuration = configuration_of(&definition.url)?;
        let wrong = |slug, message: String, help: &str| {
            let finding = Finding::error(slug, message).with_help(help);
            BuildError::from(finding.at(&definition.origin, 0..definition.source_bytes, "in this rule"))
        };
        let declared = Declared::of(&manifest.inputs, &configuration).map_err(|key| {
            let message = format!("expected a parameter `{key}`, which tells {manifest} what to read");
            wrong("plugin::missing_parameter", message, &format!("add `{key}=…` to the rule URL"))
        })?;
        let instance = self.host.instance(&self.plugin, configuration).map_err(|refusal| {
            let message = format!("{manifest} {refusal}");
            wrong("plugin::refused_rule", message, "change the parameters of the rule, or see the plugin's own manual")
        })?;
        let Declared { inputs, mut parts, consumer } = declared;
        parts.deadline = self.host.settings().limits.deadline.into();
        let (header, host, epoch) = (Arc::new(header), self.host.clone(), self.plugin.epoch());
        Ok(Arc::new(PluginRouter::new(PluginRule { header, host, instance, epoch, inputs, parts, consumer })))
    }
}

/// What a rule reads: the manifest's declaration, completed by the rule.
struct Declared {
    inputs: Inputs,
    parts: CallParts,
    consumer: ConsumerNames,
}

// === impl Declared ===

impl Declared {
    fn of(inputs: &DeclaredInputs, configuration: &Configuration) -> Result<Self, String> {
        let complete =
            |names: &[String]| names.iter().map(|name| complete(name, configuration)).collect::<Result<Vec<_>, _>>();
        // `*` is the manifest's to say, not the rule's.
        let plain = |names: &[String]| names.iter().filter(|name| *name != "*").cloned().collect::<Vec<_>>();
        let attachments = complete(&plain(&inputs.attachments))?;
        let mut reads: Vec<Input> = Vec::new();
        if inputs.method {
            reads.push(Input::TargetMethod);
        }
        reads.extend(attachments.into_iter().map(|name| Input::Attachment(name.into())));
        reads.extend(inputs.arguments.iter().map(|index| Input::Argument(*index)));
        reads.extend(inputs.clock.iter().map(|granularity| Input::Now(*granularity, Zone::utc())));
        let parts = CallParts {
            inputs: reads.iter().cloned().collect(),
            has_all_attachments: inputs.has_all_attachments(),
            has_seed: inputs.random,
            has_time: inputs.now,
            deadline: None,
        };
        let mut answers = if inputs.is_unmemoisable() { Inputs::all() } else { Inputs::declared(reads) };
        answers.random = inputs.random;
        let has_all = inputs.consumer.iter().any(|name| name == "*");
        let consumer = if has_all { ConsumerNames::All } else { ConsumerNames::These(complete(&inputs.consumer)?) };
        Ok(Self { inputs: answers, parts, consumer })
    }
}

/// The rule URL's own parameters, decoded; those that every rule may have are the host's business, but for `rule`.
fn configuration_of(url: &Url) -> Result<Configuration, BuildError> {
    let is_own = |key: &str| {
        let plain = key.strip_prefix(keys::DEFAULT_PREFIX).unwrap_or(key);
        key == keys::RULE || !PARAMETERS.contains(&plain)
    };
    let decoded = |key: &str| match url.parameter_decoded(key) {
        Some(Ok(value)) => Ok((key.to_owned(), value)),
        _ => Err(BuildError::InvalidParameter {
            name: key.to_owned(),
            expected: "percent-encoded UTF-8",
            found: url.parameter(key).unwrap_or_default().to_owned(),
        }),
    };
    url.parameters().map(|(key, _)| key).filter(|key| is_own(key)).map(decoded).collect()
}
