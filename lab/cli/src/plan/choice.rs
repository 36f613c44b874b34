//! Which algorithm, and whether it is correct on the network.

use super::initiators;
use crate::error::Error;
use crate::flags::{Conditions, PortOrder, Timing};
use crate::number::grouped;
use std::sync::Arc;
use suffrage::algorithms::{Algorithm, Group};
use suffrage::choice;
use suffrage::model::{NetworkClass, Timing as Needs};
use suffrage::networks::Topology;
use suffrage::simulator::{Pace, Schedule};

/// The best algorithm for a network.
pub(crate) struct Choice {
    pub(crate) algorithm: &'static Algorithm,
    /// Why this one, in a sentence.
    pub(crate) reason: String,
}

impl Choice {
    /// Of the correct algorithms that fit, the one with the smallest bound; of several the first
    /// in the catalogue.
    pub(crate) fn best(
        topology: &Topology,
        ports: PortOrder,
        initiators: u64,
    ) -> Result<Self, Error> {
        let best = choice::Choice::best(topology, ports.ports(), initiators)
            .ok_or_else(|| Error::new("no algorithm of the catalogue fits this network"))?;
        let most = |bound: u64, algorithm: &Algorithm| {
            let words = if algorithm.claims.is_exact() { "exactly" } else { "at most" };
            format!("{words} {}", grouped(bound))
        };
        let reason = match best.rivals.first() {
            None => "it is the only one that fits this network".to_owned(),
            Some(next) => format!(
                "of the {} that fit it has the smallest bound, {} messages; next is {} with {}",
                best.rivals.len() + 1,
                most(best.bound, best.algorithm),
                next.algorithm.name,
                most(next.bound, next.algorithm),
            ),
        };
        Ok(Self { algorithm: best.algorithm, reason })
    }
}

pub(crate) fn fits_all(
    algorithm: &Algorithm,
    networks: &[Arc<Topology>],
    ports: PortOrder,
) -> bool {
    networks.iter().all(|network| choice::fits(algorithm, network, ports.ports()))
}

/// The correct algorithms for the networks of a group that fit all of these networks, and can be held under
/// these conditions: those that draw at random among them and, where messages take one tick, those in
/// rounds.
pub(crate) fn of_group(
    group: &Group,
    networks: &[Arc<Topology>],
    conditions: &Conditions,
) -> Vec<&'static Algorithm> {
    let ticks = matches!(conditions.schedule, Timing::Rule(Schedule::Rounds(Pace::Unit)));
    let in_rounds = ticks && conditions.capacity.0.is_none();
    let together = networks.iter().all(|network| {
        let nodes = network.nodes().into();
        initiators::at_once(conditions, nodes) == nodes
    });
    let can_be_held = |algorithm: &&Algorithm| match algorithm.timing {
        Needs::Asynchronous => true,
        Needs::Rounds => in_rounds,
        Needs::SimultaneousRounds => in_rounds && together,
    };
    let of_group = Algorithm::correct().filter(|algorithm| group.has(algorithm));
    let fits = |algorithm: &&Algorithm| fits_all(algorithm, networks, conditions.ports);
    of_group.filter(can_be_held).filter(fits).collect()
}

/// The algorithm of a name.
///
/// # Errors
/// If there is none: with the names that are near.
pub fn by_name(name: &str) -> Result<&'static Algorithm, Error> {
    Algorithm::named(name).ok_or_else(|| {
        let lower = name.to_lowercase();
        // A form is near to a name only if a form is meant.
        let mut near: Vec<(f64, &str)> = Algorithm::all()
            .filter(|row| row.form.is_none() || lower.contains('@'))
            .map(|row| (strsim::jaro_winkler(&lower, row.name), row.name))
            .filter(|&(likeness, _)| likeness > 0.75)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        let form = lower.rsplit_once('-').map(|(base, form)| format!("{base}@{form}"));
        let hint = match near.as_slice() {
            _ if form.as_deref().is_some_and(|form| Algorithm::named(form).is_some()) => {
                format!("the form is called `{}`", form.unwrap_or_default())
            }
            _ if name.contains(['.', ':', '/']) => "networks are named by --topology".to_owned(),
            [] => "`suffrage algorithms` lists them all".to_owned(),
            near => {
                let names: Vec<_> =
                    near.iter().take(3).map(|(_, name)| format!("`{name}`")).collect();
                format!("did you mean {}?", names.join(" or "))
            }
        };
        Error::new(format!("there is no algorithm `{}`; {hint}", name.escape_debug()))
    })
}

/// The network in the form that the algorithm wants.
pub(super) fn fit(
    algorithm: &str,
    network: NetworkClass,
    topology: Arc<Topology>,
    conditions: &Conditions,
) -> Result<Topology, Error> {
    let ports = conditions.ports;
    let others = || {
        let fitting = choice::fitting(&topology, ports.ports());
        let names: Vec<_> = fitting.map(|fitting| fitting.name).collect();
        format!("algorithms that fit: {}", names.join(", "))
    };
    if network.is_oriented() && ports == PortOrder::Random && topology.fits(network) {
        return Err(Error::new(format!(
            "{algorithm} needs a sense of direction, which --ports random hides; use --ports rotation\n  {}",
            others()
        )));
    }
    let others = if topology.fits(network) { String::new() } else { others() };
    Arc::unwrap_or_clone(topology)
        .fit(network)
        .map_err(|misfit| Error::new(format!("{algorithm}: {misfit}\n  {others}")))
}
