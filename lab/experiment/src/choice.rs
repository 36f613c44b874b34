//! The choice of an algorithm, and whether it is correct on the network.

use crate::conditions::{Conditions, PortOrder, ScheduleChoice};
use crate::error::Error;
use crate::initiators;
use crate::number::grouped;
use std::sync::Arc;
use suffrage_algorithms::{Algorithm, CATALOGUE, Group, Parameters};
use suffrage_model::{NetworkClass, Timing};
use suffrage_networks::{Ports, Topology};
use suffrage_population::experiment::NamedProtocol;
use suffrage_population::protocols::SelfTerminating;
use suffrage_simulator::{Pace, Schedule};

/// The algorithm of the catalogue that suits a network best, and the alternatives.
///
/// ```
/// use suffrage_experiment::choice::Choice;
/// use suffrage_networks::{Ports, Spec};
///
/// let ring = "ring:100".parse::<Spec>()?.build(1)?;
/// let choice = Choice::best(&ring, Ports::Rotation, 100).ok_or("no algorithm fits")?;
/// assert_eq!(choice.algorithm.name, "higham-przytycka");
/// assert_eq!(choice.bound, 1084);
/// let rivals: Vec<_> = choice.rivals.iter().map(|rival| rival.algorithm.name).collect();
/// assert_eq!(rivals[0], "peterson");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Choice {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The most messages that it sends on this network.
    pub bound: u64,
    /// The other algorithms that fit, the one with the smallest bound first.
    pub rivals: Vec<Rival>,
}

/// An algorithm that fits a network, too.
#[derive(Clone, Copy)]
pub struct Rival {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The most messages that it sends on the network.
    pub bound: u64,
}

impl Choice {
    /// Chooses, of the correct algorithms that fit a network whose ports are numbered in this way,
    /// the one with the smallest bound for this number of initiators, and identities from 1 on; of
    /// several the first in the catalogue. Returns `None` if none fits.
    #[must_use]
    pub fn best(topology: &Topology, ports: Ports, initiators: u64) -> Option<Self> {
        let parameters = Parameters::new(topology.nodes().into(), topology.links(), initiators);
        let rival = |algorithm: &'static Algorithm| Rival {
            algorithm,
            bound: algorithm.claims.bound(&parameters),
        };
        let mut rivals: Vec<Rival> = fitting(topology, ports).map(rival).collect();
        rivals.sort_by_key(|rival| rival.bound);
        if rivals.is_empty() {
            return None;
        }
        let Rival { algorithm, bound } = rivals.remove(0);
        Some(Self { algorithm, bound, rivals })
    }

    /// Why this algorithm, in a sentence.
    #[must_use]
    pub fn reason(&self) -> String {
        let most = |bound: u64, algorithm: &Algorithm| {
            let words = if algorithm.claims.is_exact() { "exactly" } else { "at most" };
            format!("{words} {}", grouped(bound))
        };
        match self.rivals.first() {
            None => "it is the only one that fits this network".to_owned(),
            Some(next) => format!(
                "of the {} that fit it has the smallest bound, {} messages; next is {} with {}",
                self.rivals.len() + 1,
                most(self.bound, self.algorithm),
                next.algorithm.name,
                most(next.bound, next.algorithm),
            ),
        }
    }
}

/// Returns the correct algorithms of the catalogue that fit a network whose ports are numbered in
/// this way.
pub fn fitting(
    topology: &Topology,
    ports: Ports,
) -> impl Iterator<Item = &'static Algorithm> + use<'_> {
    CATALOGUE.iter().filter(move |algorithm| fits(algorithm, topology, ports))
}

/// Returns whether an algorithm fits a network whose ports are numbered in this way.
#[must_use]
pub fn fits(algorithm: &Algorithm, topology: &Topology, ports: Ports) -> bool {
    topology.fits(algorithm.network)
        && (ports == Ports::Rotation || !algorithm.network.is_oriented())
}

/// Returns whether an algorithm fits all of these networks.
#[must_use]
pub fn fits_all(algorithm: &Algorithm, networks: &[Arc<Topology>], ports: PortOrder) -> bool {
    networks.iter().all(|network| fits(algorithm, network, ports.ports()))
}

/// The correct algorithms for the networks of a group that fit all of these networks, and can be held under
/// these conditions: those that draw at random among them and, where messages take one tick, those in
/// rounds.
#[must_use]
pub fn of_group(
    group: &Group,
    networks: &[Arc<Topology>],
    conditions: &Conditions,
) -> Vec<&'static Algorithm> {
    let ticks = matches!(conditions.schedule, ScheduleChoice::Rule(Schedule::Rounds(Pace::Unit)));
    let in_rounds = ticks && conditions.capacity.0.is_none();
    let together = networks.iter().all(|network| {
        let nodes = network.nodes().into();
        initiators::at_once(conditions, nodes) == nodes
    });
    let can_be_held = |algorithm: &&Algorithm| match algorithm.timing {
        Timing::Asynchronous => true,
        Timing::Rounds => in_rounds,
        Timing::SimultaneousRounds => in_rounds && together,
    };
    let of_group = Algorithm::correct().filter(|algorithm| group.has(algorithm));
    let fits = |algorithm: &&Algorithm| fits_all(algorithm, networks, conditions.ports);
    of_group.filter(can_be_held).filter(fits).collect()
}

/// The algorithm of a name.
///
/// # Errors
/// If there is none: suggests similar names.
pub fn by_name(name: &str) -> Result<&'static Algorithm, Error> {
    Algorithm::named(name).ok_or_else(|| {
        let lower = name.to_lowercase();
        // A form is near to a name only if a form is meant.
        let mut near: Vec<(f64, &str)> = Algorithm::rows()
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
            _ if is_of_agents(name) => {
                format!("it is for agents that meet in pairs: `suffrage population {name}`")
            }
            _ if name.contains(['.', ':', '/']) => "--topology names a network".to_owned(),
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

/// Returns whether a protocol of populations has this name.
fn is_of_agents(name: &str) -> bool {
    let all = [
        NamedProtocol::KnownBounds,
        NamedProtocol::Epidemic { printed: false },
        NamedProtocol::SelfTerminating(SelfTerminating::default()),
        NamedProtocol::Anonymous,
        NamedProtocol::TwoWayEpidemic,
    ];
    all.iter().any(|protocol| protocol.name() == name)
}

/// The network in the form that the algorithm wants.
pub(crate) fn fit(
    algorithm: &str,
    network: NetworkClass,
    topology: Arc<Topology>,
    ports: PortOrder,
) -> Result<Topology, Error> {
    let others = || {
        let fitting = fitting(&topology, ports.ports());
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
