//! Facts about a run that its events do not show.

use crate::run::RunHeader;
use serde::Serialize;
use suffrage_algorithms::{Algorithm, Parameters, Property};
use suffrage_model::Phase;
use suffrage_simulator::{Outcome, TimedViolation};

/// Facts about a run that its events do not show.
#[derive(Default, Serialize)]
pub(super) struct RunFacts {
    pub(super) command: Option<String>,
    /// Lines about the algorithm and the conditions: a word and what it is.
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) bound: Option<BoundFact>,
    /// For each kind of messages whether it belongs to the announcement.
    pub(super) announces: Vec<String>,
    /// The properties that were broken, and how.
    pub(super) broken: Vec<(String, String)>,
    /// The number of events before the ones that can be repeated without end.
    pub(super) loop_start: Option<usize>,
    pub(super) outcome: String,
    /// The invariants of the algorithm, where the run is held to them.
    pub(super) invariants: Vec<CheckedInvariant>,
}

/// An invariant of the algorithm.
#[derive(Serialize)]
pub(super) struct CheckedInvariant {
    name: &'static str,
    /// What it says, in the words of the algorithm's file.
    says: &'static str,
    /// The tick at which it is broken first.
    broken: Option<u64>,
}

/// The invariants of an algorithm. Each holds in the run, or is broken at a tick.
pub(super) fn held(algorithm: &Algorithm, outcome: &Outcome) -> Vec<CheckedInvariant> {
    let broken = |name| {
        let of = |breach: &&TimedViolation| breach.violation.property == Property::Invariant(name);
        outcome.violations.iter().find(of).map(|breach| breach.at)
    };
    let names = algorithm.invariants().into_iter();
    names
        .map(|name| CheckedInvariant {
            name,
            says: algorithm.statement(name).unwrap_or_default(),
            broken: broken(name),
        })
        .collect()
}

/// What theory allows.
#[derive(Serialize)]
pub(super) struct BoundFact {
    formula: String,
    sign: &'static str,
    messages: u64,
}

impl RunFacts {
    pub(super) fn of(header: &RunHeader, outcome: &Outcome) -> Self {
        let algorithm = Algorithm::named(&header.algorithm);
        let claims = algorithm.map(|algorithm| &algorithm.claims);
        let nodes = u64::from(header.wiring.nodes());
        // As long as it is not over, more may wake.
        let initiators = match &header.initiators {
            _ if !outcome.unfinished => outcome.woken,
            None => nodes,
            Some(some) => some.len() as u64,
        };
        let parameters = Parameters::new(nodes, header.wiring.links(), initiators);
        let diameter = || header.wiring.diameter().into();
        let bound = claims.map(|claims| BoundFact {
            formula: claims.formula(),
            sign: claims.guarantee().sign(),
            messages: {
                let known = claims.identified(parameters, header.ids.iter().copied());
                claims.bound(&claims.measured(known, &diameter))
            },
        });
        let announces = outcome.messages.by_kind().map(|(kind, _)| kind);
        let announces = announces.filter(|kind| kind.phase == Phase::Announcement);
        let links = header.wiring.links();
        let mut facts = vec![
            ("algorithm", header.algorithm.clone()),
            ("network", header.network.clone()),
            ("size", format!("{nodes} nodes, {links} links")),
            ("schedule", header.schedule.clone()),
            (
                "initiators",
                match &header.initiators {
                    None => "all".to_owned(),
                    Some(some) => format!("{} of {nodes}", some.len()),
                },
            ),
            ("seed", header.seed.to_string()),
        ];
        if let Some(claims) = claims {
            facts.push(("who wins", claims.rule.words().to_owned()));
        }
        if !header.faults.is_empty() {
            let faults: Vec<_> = header.faults.iter().map(ToString::to_string).collect();
            facts.push(("faults", faults.join(", ")));
        }
        let broken = outcome.violations.iter().map(|breach| {
            let violation = &breach.violation;
            (violation.property.name().to_owned(), violation.detail.clone())
        });
        let mut broken: Vec<_> = broken.collect();
        if let Some(breaks) = header.breaks.as_ref().filter(|_| broken.is_empty()) {
            broken.push((breaks.property.clone(), breaks.detail.clone()));
        }
        let total = outcome.messages.total();
        Self {
            command: header.command.clone(),
            facts,
            bound,
            announces: announces.map(|kind| kind.name.to_owned()).collect(),
            broken,
            loop_start: header.loop_start,
            invariants: Vec::new(),
            outcome: match &outcome.leader {
                Some(leader) => {
                    format!(
                        "node {} with id {} leads, after {total} messages",
                        leader.node, leader.id
                    )
                }
                None if outcome.unfinished => format!("not over, after {total} messages"),
                None => format!("no leader, after {total} messages"),
            },
        }
    }
}
