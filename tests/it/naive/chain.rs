//! All documents of a call, in the order of their phases.

use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;

use super::Shares;
use super::World;
use super::affinity::Affinity;
use super::condition::Conditions;
use super::document::Place;
use super::merged;
use super::tag;
use super::tag::Tags;
use crate::support::naive::Reading;
use crate::vectors::engine::Placed;
use crate::vectors::engine::Role;

/// Whether a document of this role and place is asked in a phase.
type Phase = (Role, fn(&Placed<'_>, &World) -> bool);

/// Routes one call. The tag router is there if `documents` has a place for it, with or without a text.
pub(crate) fn route(
    world: &World,
    call: &RpcInvocation<'static>,
    documents: &[Placed<'_>],
    reading: Reading,
) -> Shares {
    let mut shares: Shares = vec![((0..world.invokers.len()).collect(), 1.0)];
    let phases: [Phase; 6] = [
        (Role::Tag, is_of_provider),
        (Role::Condition, is_of_service),
        (Role::Condition, |placed, world| !is_of_consumer(placed, world) && is_of_provider(placed, world)),
        (Role::Condition, is_of_consumer),
        (Role::Affinity, is_of_service),
        (Role::Affinity, |placed, world| is_of_consumer(placed, world) || is_of_provider(placed, world)),
    ];
    for (role, is_meant) in phases {
        for placed in documents.iter().filter(|placed| placed.role == role && is_meant(placed, world)) {
            let routed = shares.into_iter().flat_map(|(candidates, share)| {
                let next = step(placed, world, call, &candidates, reading);
                next.into_iter().map(move |(kept, of_it)| (kept, of_it * share))
            });
            shares = merged(routed);
        }
    }
    shares
}

fn step(
    placed: &Placed<'_>,
    world: &World,
    call: &RpcInvocation<'static>,
    candidates: &[usize],
    reading: Reading,
) -> Shares {
    let place = Place { before: placed.before, text: placed.text };
    let all = || vec![(candidates.to_vec(), 1.0)];
    match placed.role {
        _ if candidates.is_empty() => all(),
        Role::Tag => vec![(tag::route(place.in_force(reading, Tags::read).as_ref(), world, call, candidates), 1.0)],
        Role::Condition => {
            place.in_force(reading, Conditions::read).map_or_else(all, |it| it.route(world, call, candidates))
        }
        Role::Affinity => {
            let is_of_service = placed.scope == "service";
            let read = if is_of_service { Affinity::read_of_service } else { Affinity::read };
            let rule = place.in_force(reading, read);
            rule.map_or_else(all, |it| vec![(it.route(world, call, candidates), 1.0)])
        }
        Role::Script => all(),
    }
}

fn is_of_service(placed: &Placed<'_>, world: &World) -> bool {
    placed.scope == "service" && world.service == placed.key
}

fn is_of_consumer(placed: &Placed<'_>, world: &World) -> bool {
    placed.scope == "application" && world.consumer.parameter("application") == Some(placed.key)
}

/// All providers of a world are of one application.
fn is_of_provider(placed: &Placed<'_>, world: &World) -> bool {
    let application = |url: &Url| {
        let remote = url.parameter("remote.application").or_else(|| url.parameter("application"));
        remote.map(str::to_owned)
    };
    placed.scope == "application" && world.invokers.first().and_then(application).as_deref() == Some(placed.key)
}
