//! One election as facts: what was asked, what came of it, what it cost.

use super::as_texts as as_faults;
use crate::flags::{self, Initiators as Asked, PortOrder, WakeUps};
use crate::memory;
use crate::number::Decimal;
use crate::plan::{Plan, Setup};
use serde::{Serialize, Serializer};
use std::fmt;
use suffrage::algorithms::{Property, Violation};
use suffrage::process::Phase;
use suffrage::runtime::Medium;
use suffrage::simulator::{Breach, Fault, Outcome};
use suffrage::topology::Topology;

/// One election. Its keys, in this order, are those of the JSON report.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Facts {
    pub(crate) algorithm: &'static str,
    /// Why this algorithm, where nobody asked for one.
    pub(crate) choice: Option<String>,
    /// Why the algorithm fails, for one that is kept as a warning.
    pub(crate) faulty: Option<&'static str>,
    pub(crate) network: Network,
    /// Nobody named a network.
    #[serde(skip)]
    pub(crate) by_default: bool,
    pub(crate) seed: u64,
    pub(crate) schedule: Arrivals,
    pub(crate) ports: PortOrder,
    pub(crate) ids: String,
    /// `None` for any number.
    pub(crate) capacity: Option<u32>,
    #[serde(serialize_with = "as_faults")]
    pub(crate) faults: Vec<Fault>,
    pub(crate) initiators: Initiators,
    pub(crate) leader: Option<Leader>,
    pub(crate) agreed: bool,
    pub(crate) halted: bool,
    pub(crate) messages: Messages,
    pub(crate) bits: u128,
    pub(crate) time: Time,
    pub(crate) causal_depth: u32,
    pub(crate) busiest: Busiest,
    /// `None` where nobody sees all messages.
    pub(crate) peak_in_flight: Option<u64>,
    pub(crate) late: u64,
    pub(crate) lost: u64,
    pub(crate) bound: Bound,
    /// The invariants to which every configuration was held; `None` where nobody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) invariants: Option<Vec<&'static str>>,
    pub(crate) violations: Vec<Broken>,
    /// The command that shows the violations again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replay: Option<String>,
    /// The run was stopped after so many deliveries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) interrupted_after: Option<u64>,
    /// The recording that was replayed ended before the election.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unfinished: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timing: Option<Timing>,
}

/// A time: of a simulator's clock, or of the wall's.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Time {
    Ticks(u64),
    Seconds(f64),
}

/// When messages arrived.
#[derive(Clone, Debug)]
pub(crate) enum Arrivals {
    /// As a schedule of the simulator says.
    Simulated(flags::Timing),
    /// When links of this medium brought them.
    Real {
        medium: Medium,
        /// Each node was a process of the operating system.
        processes: bool,
    },
}

impl fmt::Display for Arrivals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Simulated(schedule) => schedule.fmt(f),
            Self::Real { medium, processes } => {
                let name = match medium {
                    Medium::Tcp => "tcp",
                    Medium::Tls => "tls",
                    Medium::Channels => "channels",
                };
                write!(f, "real ({name}{})", if *processes { ", a process a node" } else { "" })
            }
        }
    }
}

impl Serialize for Arrivals {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// What flags ask for, where no recording says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chosen<T> {
    /// By flags, or by default.
    Asked(T),
    /// By the recording.
    Recorded,
}

impl<T> Chosen<T> {
    fn unless(recorded: bool, flag: T) -> Self {
        if recorded { Self::Recorded } else { Self::Asked(flag) }
    }
}

impl<T: fmt::Display> Serialize for Chosen<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Asked(flag) => to.collect_str(flag),
            Self::Recorded => to.serialize_str("recorded"),
        }
    }
}

/// The network.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Network {
    pub(crate) kind: String,
    pub(crate) nodes: u32,
    pub(crate) links: u64,
    pub(crate) source: String,
    pub(crate) notes: Vec<String>,
}

/// Who started.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Initiators {
    /// As it was asked for: `all`, a number, a list, or `recorded`.
    pub(crate) chosen: Chosen<Asked>,
    /// How many were to start.
    pub(crate) count: u64,
    /// When.
    pub(crate) wake: Chosen<WakeUps>,
    /// How many did, before a message reached them: the `k` of the bound.
    pub(crate) woken: u64,
}

/// Who leads.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Leader {
    pub(crate) node: u32,
    pub(crate) id: u64,
    pub(crate) label: Option<String>,
    /// The identity as its file has it, where that is not its number in decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) written: Option<String>,
}

/// What was sent.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Messages {
    pub(crate) total: u64,
    pub(crate) election: u64,
    pub(crate) announcement: u64,
    /// In the algorithm's order.
    #[serde(serialize_with = "as_map")]
    pub(crate) by_kind: Vec<(&'static str, u64)>,
}

/// Who had most to do.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Busiest {
    pub(crate) node: u32,
    pub(crate) label: Option<String>,
    pub(crate) messages: u64,
}

/// What theory allows.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Bound {
    pub(crate) formula: String,
    /// Whether it is exactly so much on every schedule.
    pub(crate) exact: bool,
    pub(crate) messages: u64,
    /// Sent over allowed; `None` where nothing is to be sent.
    pub(crate) ratio: Option<Decimal>,
}

/// A property that was broken.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Broken {
    pub(crate) property: Property,
    pub(crate) at: Time,
    pub(crate) detail: String,
}

/// What the run took here and now.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Timing {
    pub(crate) wall_seconds: f64,
    pub(crate) messages_per_second: Option<u64>,
    /// The most memory that the program has had so far; `None` where the system does not say.
    pub(crate) peak_bytes: Option<u64>,
    /// Of a real election, the links that were opened; `None` of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) links_opened: Option<u64>,
}

impl Facts {
    /// The facts of a run.
    pub(crate) fn of(setup: &Setup, plan: &Plan, outcome: &Outcome) -> Self {
        let conditions = &setup.conditions;
        let recorded = plan.recording().is_some();
        let total = outcome.messages.total();
        let most = plan.bound(outcome.woken);
        Self {
            algorithm: plan.algorithm.name,
            choice: None,
            faulty: plan.algorithm.faulty,
            network: Network::of(&plan.site.topology).with(setup.id_notes()),
            by_default: false,
            seed: plan.experiment.seed,
            schedule: Arrivals::Simulated(conditions.schedule.clone()),
            ports: conditions.ports,
            ids: conditions.ids.clone(),
            capacity: conditions.capacity.0,
            faults: conditions.faults.clone(),
            initiators: Initiators {
                chosen: Chosen::unless(recorded, conditions.initiators.clone().unwrap_or_default()),
                count: plan.initiators,
                wake: Chosen::unless(recorded, conditions.wake.unwrap_or_default()),
                woken: outcome.woken,
            },
            leader: outcome.leader.map(|leader| Leader {
                node: leader.node,
                id: leader.id.get(),
                label: plan.site.topology.label(leader.node).map(str::to_owned),
                written: setup.written(plan.site, leader.node),
            }),
            agreed: outcome.agreed,
            halted: outcome.halted,
            messages: Messages {
                total,
                election: outcome.messages.of(Phase::Election),
                announcement: outcome.messages.of(Phase::Announcement),
                by_kind: outcome
                    .messages
                    .by_kind()
                    .map(|(kind, count)| (kind.name, count))
                    .collect(),
            },
            bits: outcome.messages.bits(),
            time: Time::Ticks(outcome.time),
            causal_depth: outcome.causal_depth,
            busiest: Busiest {
                node: outcome.busiest.node,
                label: plan.site.topology.label(outcome.busiest.node).map(str::to_owned),
                messages: outcome.busiest.messages,
            },
            peak_in_flight: Some(outcome.peak_in_flight),
            late: outcome.late,
            lost: outcome.lost,
            bound: Bound {
                formula: plan.algorithm.claims.formula(),
                exact: plan.algorithm.claims.is_exact(),
                messages: most,
                ratio: Decimal::ratio(total.into(), most.into()),
            },
            invariants: conditions.invariants.then(|| plan.algorithm.invariants()),
            violations: outcome.violations.iter().map(Broken::of).collect(),
            replay: (!outcome.violations.is_empty()).then(|| setup.command(plan.experiment.seed)),
            unfinished: outcome.unfinished,
            interrupted_after: outcome.interrupted.then_some(outcome.delivered),
            timing: None,
        }
    }
}

impl Network {
    pub(crate) fn of(topology: &Topology) -> Self {
        Self {
            kind: topology.kind().to_owned(),
            nodes: topology.nodes(),
            links: topology.links(),
            source: topology.source().to_owned(),
            notes: topology.notes().iter().map(ToString::to_string).collect(),
        }
    }

    /// The network with more notes.
    pub(crate) fn with(mut self, notes: impl Iterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }
}

impl Broken {
    pub(crate) fn of(breach: &Breach) -> Self {
        let Violation { property, detail } = breach.violation.clone();
        Self { property, at: Time::Ticks(breach.at), detail }
    }
}

impl Timing {
    /// So many messages in so many seconds.
    pub(crate) fn of(messages: u64, seconds: f64) -> Self {
        let rate = messages as f64 / seconds;
        Self {
            wall_seconds: seconds,
            messages_per_second: rate.is_finite().then_some(rate as u64),
            peak_bytes: memory::peak(),
            links_opened: None,
        }
    }
}

/// Pairs as an object, in their order.
pub(super) fn as_map<S: Serializer>(
    pairs: &Vec<(&'static str, u64)>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().copied())
}
