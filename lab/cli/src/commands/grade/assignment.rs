//! The assignments of the course, and what points are for.

use suffrage::algorithms::{Algorithm, Bound, Claims, Parameters, Property};
use suffrage::experiment::own::{NETWORKS, lasting};
use suffrage::tenure::exploration::{Budget, UNLIMITED};
use suffrage::tenure::model::Term;
use suffrage::tenure::simulation::promises::Promise;

/// An assignment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assignment {
    pub(super) number: u32,
    pub(super) title: &'static str,
    /// What a process may be told.
    pub(super) knows: &'static [&'static str],
    pub(super) assigned: Assigned,
}

/// What is to be written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Assigned {
    Election(AssignedElection),
    /// Leaders among members that crash; with what may happen among one member, two, and so on.
    Leadership(&'static [Budget]),
}

/// An election with the claims of an algorithm of the catalogue.
#[derive(Clone, Copy, Debug)]
pub(super) struct AssignedElection {
    /// The name of the algorithm whose network, winner and bounds count.
    pub(super) algorithm: &'static str,
    /// The largest network that is explored.
    pub(super) nodes: u32,
    /// How a family of a larger network than three is chosen.
    pub(super) family: Larger,
    /// The most messages, of the election and its announcement together.
    bound: fn(&Parameters) -> u64,
    /// The same as a formula, where it is meant on average.
    average: Option<&'static str>,
}

/// What is explored of networks of more than three nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Larger {
    /// Every order of the identities and every set of initiators.
    Orders,
    /// Every network up to isomorphism, with every set of initiators.
    Shapes,
    /// A path with ascending identities, with every set of initiators: no process knows the largest sooner than it must.
    Path,
}

/// The assignments that exist, by the lessons to which they belong.
pub(super) const ASSIGNMENTS: [Assignment; 8] = [
    Assignment {
        number: 1,
        title: "one way around a ring (Chang and Roberts)",
        knows: &["id"],
        assigned: Assigned::Election(AssignedElection {
            algorithm: "chang-roberts",
            nodes: 6,
            family: Larger::Orders,
            bound: |of| row("chang-roberts").claims.bound(of),
            average: None,
        }),
    },
    Assignment {
        number: 2,
        title: "no identities (Fokkink and Pang)",
        knows: &["size"],
        assigned: Assigned::Election(AssignedElection {
            algorithm: "fokkink-pang-a",
            nodes: 3,
            family: Larger::Orders,
            bound: |of| of.nodes.saturating_mul(5),
            average: Some("5 n"),
        }),
    },
    Assignment {
        number: 3,
        title: "both ways around a ring (Franklin)",
        knows: &["id"],
        assigned: Assigned::Election(AssignedElection {
            algorithm: "franklin",
            nodes: 4,
            family: Larger::Orders,
            bound: |of| row("franklin").claims.bound(of),
            average: None,
        }),
    },
    Assignment {
        number: 4,
        title: "everybody knows everybody (all to all)",
        knows: &["id", "degree"],
        assigned: Assigned::Election(AssignedElection {
            algorithm: "all-to-all",
            nodes: 3,
            family: Larger::Orders,
            bound: |of| row("all-to-all").claims.bound(of),
            average: None,
        }),
    },
    Assignment {
        number: 5,
        title: "a wave in a tree",
        knows: &["id", "degree"],
        assigned: Assigned::Election(AssignedElection {
            algorithm: "tree-wave",
            nodes: 5,
            family: Larger::Shapes,
            bound: |of| row("tree-wave").claims.bound(of),
            average: None,
        }),
    },
    Assignment {
        number: 6,
        title: "any network (echo with extinction)",
        knows: &["id", "degree"],
        assigned: Assigned::Election(AssignedElection {
            algorithm: "echo-extinction",
            nodes: 3,
            family: Larger::Shapes,
            bound: |of| row("echo-extinction").claims.bound(of),
            average: None,
        }),
    },
    Assignment {
        number: 7,
        title: "rounds (flood max over a synchronizer)",
        knows: &["id", "degree", "size"],
        assigned: Assigned::Election(AssignedElection {
            algorithm: "flood-max",
            nodes: 4,
            family: Larger::Path,
            bound: |of| of.links.saturating_mul(2).saturating_mul(of.nodes.saturating_sub(1)),
            average: None,
        }),
    },
    Assignment {
        number: 8,
        title: "leases: one leader among members that crash",
        knows: &["id", "size"],
        assigned: Assigned::Leadership(&[within(7, 2), within(7, 1), within(6, 1)]),
    },
];

/// What may happen: these numbers of alarms and crashes, and whatever may happen to messages.
const fn within(rings: u8, crashes: u8) -> Budget {
    Budget {
        terms: Term(u64::MAX),
        tenures: UNLIMITED,
        rings,
        under_way: UNLIMITED,
        losses: UNLIMITED,
        overtakings: UNLIMITED,
        duplicates: UNLIMITED,
        crashes,
        lost_records: 0,
        departures: 0,
        changes: 0,
    }
}

impl Assignment {
    /// The assignment of this number.
    pub(super) fn of(number: u32) -> Option<&'static Self> {
        ASSIGNMENTS.iter().find(|assignment| assignment.number == number)
    }

    /// What `network` of the class is.
    pub(super) fn network(&self) -> &'static str {
        let Assigned::Election(task) = self.assigned else { return "members" };
        let class = task.algorithm().network;
        NETWORKS.iter().find(|(_, other)| *other == class).map_or("", |(name, _)| name)
    }

    /// Returns what points are for. Where chance decides who wins, no winner is judged, and messages have its points.
    pub(super) fn criteria(&self) -> Vec<Criterion> {
        let all = CRITERIA.into_iter();
        match self.assigned {
            Assigned::Leadership(_) => LEADERSHIP_CRITERIA.to_vec(),
            Assigned::Election(AssignedElection { average: None, .. }) => all.collect(),
            Assigned::Election(_) => all
                .filter(|criterion| criterion.name != "winner")
                .map(|of| Criterion {
                    points: if of.name == "messages" { 30 } else { of.points },
                    ..of
                })
                .collect(),
        }
    }
}

impl AssignedElection {
    /// The algorithm whose network, winner and bounds count.
    pub(super) fn algorithm(&self) -> &'static Algorithm {
        row(self.algorithm)
    }

    /// What is claimed of a submission. How its messages are divided into those of the election and those of the
    /// announcement is its own affair.
    pub(super) fn claims(&self) -> Claims {
        let of = &self.algorithm().claims;
        let election = match self.average {
            Some(formula) => Bound::expected(formula, self.bound),
            None => Bound::at_most(lasting(&of.stated().formula), self.bound),
        };
        Claims { rule: of.rule, problem: of.problem, election, ..Claims::UNANNOUNCED }
    }
}

/// The algorithm of this name.
///
/// # Panics
/// If there is none.
fn row(name: &str) -> &'static Algorithm {
    Algorithm::named(name).expect("assignments are for algorithms of the catalogue")
}

/// What points are for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Criterion {
    pub(super) name: &'static str,
    pub(super) points: u32,
    /// What must hold in an election.
    pub(super) properties: &'static [Property],
    /// What must hold among members that crash.
    pub(super) promises: &'static [Promise],
}

/// What points are for, from what matters most.
pub(super) const CRITERIA: [Criterion; 4] = [
    Criterion {
        name: "safety",
        points: 40,
        properties: &[
            Property::AtMostOneLeader,
            Property::IrrevocableStatus,
            Property::Agreement,
            Property::PossibleMessages,
            Property::ExistingPorts,
        ],
        promises: &[],
    },
    Criterion {
        name: "termination",
        points: 30,
        properties: &[
            Property::ExactlyOneLeader,
            Property::EveryoneHalted,
            Property::Termination,
            Property::SilentEnding,
        ],
        promises: &[],
    },
    Criterion { name: "winner", points: 15, properties: &[Property::WinnerByRule], promises: &[] },
    Criterion {
        name: "messages",
        points: 15,
        properties: &[Property::MessageBound],
        promises: &[],
    },
];

/// What points are for where members crash.
pub(super) const LEADERSHIP_CRITERIA: [Criterion; 3] = [
    Criterion { name: "exclusive", points: 40, properties: &[], promises: &[Promise::One] },
    Criterion { name: "fencing", points: 40, properties: &[], promises: &[Promise::EverNewer] },
    Criterion { name: "progress", points: 20, properties: &[], promises: &[Promise::Soon] },
];
