//! The facts of one election: its settings, its result and its cost.

use super::{as_texts as as_faults, stages::Stages};
use crate::flags::{self, Initiators as Asked, PortOrder, WakeUps};
use crate::number::Decimal;
use crate::plan::{Plan, Setup};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use suffrage::algorithms::{Claims, Guarantee, Problem, Property, Rule, Violation};
use suffrage::model::{Id, Phase};
use suffrage::networks::Topology;
use suffrage::runtime::Medium;
use suffrage::simulator::{Fault, Outcome, TimedViolation};
use suffrage_parallel::memory;

/// One election. Its keys, in this order, are those of the JSON report.
#[derive(Clone, Debug, Serialize)]
pub struct Facts {
    pub(crate) algorithm: &'static str,
    /// The reason for the algorithm, if none was asked for.
    pub choice: Option<String>,
    /// Why the algorithm fails, if it is kept as a warning.
    pub(crate) faulty: Option<&'static str>,
    pub(crate) network: Network,
    /// Whether no network was named.
    #[serde(skip)]
    pub by_default: bool,
    pub(crate) seed: u64,
    pub(crate) schedule: Arrivals,
    pub(crate) ports: PortOrder,
    pub(crate) ids: String,
    /// The capacity of links; `None` if unbounded.
    pub(crate) capacity: Option<u32>,
    #[serde(serialize_with = "as_faults")]
    pub(crate) faults: Vec<Fault>,
    pub(crate) initiators: Initiators,
    pub(crate) leader: Option<Leader>,
    pub(crate) agreed: bool,
    /// Whether the leader has no name that the others could know.
    #[serde(skip)]
    pub(crate) anonymous: bool,
    pub(crate) halted: bool,
    pub(crate) messages: Messages,
    pub(crate) bits: u128,
    pub(crate) time: Time,
    pub(crate) causal_depth: u32,
    pub(crate) busiest: Busiest,
    /// The peak number of messages in transit; `None` if not all are observed.
    pub(crate) peak_in_flight: Option<u64>,
    pub(crate) late: u64,
    pub(crate) lost: u64,
    pub(crate) bound: Bound,
    /// What theory allows of time; `None` where nothing is claimed, or the claim does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time_bound: Option<TimeBound>,
    /// The rounds or levels, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rounds: Option<Stages>,
    /// The invariants that were checked in every configuration; `None` if that was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) invariants: Option<Vec<&'static str>>,
    pub(crate) violations: Vec<Broken>,
    /// The command that reproduces the violations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replay: Option<String>,
    /// The number of deliveries after which the run was stopped, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) interrupted_after: Option<u64>,
    /// Whether the replayed recording ended before the election.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unfinished: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timing: Option<Timing>,
}

/// A time: of the simulator's clock, or of the wall clock.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Time {
    Ticks(u64),
    Seconds(f64),
}

/// The arrivals of messages.
#[derive(Clone, Debug)]
pub(crate) enum Arrivals {
    /// By a schedule of the simulator.
    Simulated(flags::Timing),
    /// Over real links of this medium.
    Real {
        medium: Medium,
        /// Whether each node was an operating-system process.
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

/// A setting of the flags or of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chosen<T> {
    /// Set by flags, or by default.
    Asked(T),
    /// Set by the recording.
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Network {
    /// What it is, as a ring.
    pub kind: String,
    /// The number of nodes.
    pub nodes: u64,
    /// The number of links.
    pub links: u64,
    /// Its specification, or its file.
    pub source: String,
    /// What a person should know about it.
    pub notes: Vec<String>,
}

/// The initiators.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Initiators {
    /// The choice: `all`, a number, a list, or `recorded`.
    pub(crate) chosen: Chosen<Asked>,
    /// The number of chosen initiators.
    pub(crate) count: u64,
    /// Their wake-up times.
    pub(crate) wake: Chosen<WakeUps>,
    /// The number of those that woke before a message reached them: the `k` of the bound.
    pub(crate) woken: u64,
}

/// The leader.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Leader {
    pub(crate) node: u64,
    pub(crate) id: u64,
    pub(crate) label: Option<String>,
    /// The identity as written in its file, if that is not the decimal number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) written: Option<String>,
}

/// The messages sent.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Messages {
    pub(crate) total: u64,
    pub(crate) election: u64,
    pub(crate) announcement: u64,
    /// The counts by kind, in the algorithm's order.
    #[serde(serialize_with = "as_map")]
    pub(crate) by_kind: Vec<(&'static str, u64)>,
}

/// The busiest node.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Busiest {
    pub(crate) node: u64,
    pub(crate) label: Option<String>,
    pub(crate) messages: u64,
}

/// The bound of the theory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Bound {
    pub(crate) formula: String,
    /// Whether every schedule takes exactly this number.
    pub(crate) exact: bool,
    /// The sense in which it holds, in words, if no single election is held to it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) guarantee: Option<String>,
    pub(crate) messages: u64,
    /// The ratio of sent to allowed messages; `None` if none are allowed.
    pub(crate) ratio: Option<Decimal>,
}

/// What theory allows of time, if every message takes at most one unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TimeBound {
    pub(crate) formula: String,
    /// The time that it took.
    pub(crate) units: u64,
    /// The time that is allowed.
    pub(crate) most: u64,
    pub(crate) ratio: Option<Decimal>,
}

/// Returns the sense in which the bound on messages holds, in words, if no single election is held to
/// it.
pub(crate) fn by_chance(claims: &Claims) -> Option<String> {
    let guarantee = claims.guarantee();
    (!guarantee.is_sure()).then(|| guarantee.words().to_owned())
}

impl Bound {
    /// The sense in which it holds as a sign, such as "=" or "≤".
    pub(crate) fn sign(&self) -> &'static str {
        let sure = if self.exact { Guarantee::Exactly } else { Guarantee::AtMost };
        let by_chance = [Guarantee::Expected, Guarantee::WithHighProbability];
        let said = |guarantee: &Guarantee| self.guarantee.as_deref() == Some(guarantee.words());
        by_chance.into_iter().find(said).unwrap_or(sure).sign()
    }
}

impl TimeBound {
    pub(crate) fn new(claim: &suffrage::algorithms::Time, units: u64, most: u64) -> Self {
        let ratio = Decimal::ratio(units.into(), most.into());
        Self { formula: claim.formula(), units, most, ratio }
    }
}

/// A property that was broken.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Broken {
    pub(crate) property: Property,
    pub(crate) at: Time,
    pub(crate) detail: String,
}

/// The time and memory of the run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Timing {
    pub(crate) wall_seconds: f64,
    pub(crate) messages_per_second: Option<u64>,
    /// The peak memory of the program so far; `None` if the system does not tell.
    pub(crate) peak_bytes: Option<u64>,
    /// The number of links that a real election opened; `None` for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) links_opened: Option<u64>,
}

pub(crate) fn anonymous(claims: &Claims) -> bool {
    matches!(claims.rule, Rule::Chance | Rule::MonteCarlo) && claims.problem == Problem::Implicit
}

/// The claim about time, and its value, by the number of initiators and the winner.
pub type TimeBoundOf<'a> =
    dyn Fn(u64, Option<Id>) -> Option<(suffrage::algorithms::Time, u64)> + 'a;

/// What the facts of a run are drawn from, beside its setup and its outcome.
pub struct Ground<'a> {
    /// The network.
    pub network: Network,
    /// The seed.
    pub seed: u64,
    /// The number of chosen initiators.
    pub initiators: u64,
    /// The bound on messages where this many processes start.
    pub bound: &'a dyn Fn(u64) -> u64,
    /// The claim about time, and its value where this many processes start and this one wins.
    pub time_bound: &'a TimeBoundOf<'a>,
    /// The name of a node.
    pub label: &'a dyn Fn(u64) -> Option<String>,
    /// The identity of a node as its file has it, where that is not its number in decimal.
    pub written: &'a dyn Fn(u64) -> Option<String>,
}

impl Facts {
    /// The facts of a run of this election.
    #[must_use]
    pub fn of(setup: &Setup, plan: &Plan, outcome: &Outcome) -> Self {
        let topology = &plan.site.topology;
        let ground = Ground {
            network: Network::of(topology),
            seed: plan.experiment.seed,
            initiators: plan.initiators,
            bound: &|woken| plan.bound(woken),
            time_bound: &|woken, winner| {
                plan.time_bound(woken, winner).map(|(claim, most)| (*claim, most))
            },
            label: &|node| topology.label(node as u32).map(str::to_owned),
            written: &|node| setup.written(plan.site, node as u32),
        };
        Self::on(ground, setup, outcome)
    }

    /// The facts of a run on a network that is elsewhere.
    #[must_use]
    pub fn on(ground: Ground<'_>, setup: &Setup, outcome: &Outcome) -> Self {
        let (conditions, algorithm) = (&setup.conditions, setup.algorithm);
        let recorded = matches!(conditions.schedule, flags::Timing::Recorded(_));
        let total = outcome.messages.total();
        let most = (ground.bound)(outcome.woken);
        Self {
            algorithm: algorithm.name,
            choice: None,
            faulty: algorithm.faulty(),
            network: ground.network.with(setup.id_notes()),
            by_default: false,
            seed: ground.seed,
            schedule: Arrivals::Simulated(conditions.schedule.clone()),
            ports: conditions.ports,
            ids: conditions.ids.clone(),
            capacity: conditions.capacity.0,
            faults: conditions.faults.clone(),
            initiators: Initiators {
                chosen: Chosen::unless(recorded, conditions.initiators.clone().unwrap_or_default()),
                count: ground.initiators,
                wake: Chosen::unless(recorded, conditions.wake.unwrap_or_default()),
                woken: outcome.woken,
            },
            leader: outcome.leader.map(|leader| Leader {
                node: leader.node,
                id: leader.id.get(),
                label: (ground.label)(leader.node),
                written: (ground.written)(leader.node),
            }),
            agreed: outcome.agreed,
            anonymous: anonymous(&algorithm.claims),
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
                label: (ground.label)(outcome.busiest.node),
                messages: outcome.busiest.messages,
            },
            peak_in_flight: Some(outcome.peak_in_flight),
            late: outcome.late,
            lost: outcome.lost,
            bound: Bound {
                formula: algorithm.claims.formula(),
                exact: algorithm.claims.is_exact(),
                guarantee: by_chance(&algorithm.claims),
                messages: most,
                ratio: Decimal::ratio(total.into(), most.into()),
            },
            time_bound: (ground.time_bound)(outcome.woken, outcome.leader.map(|leader| leader.id))
                .zip(outcome.units)
                .map(|((claim, most), units)| TimeBound::new(&claim, units, most)),
            rounds: outcome.stages.clone().map(Stages::from),
            invariants: conditions.invariants.then(|| algorithm.invariants()),
            violations: outcome.violations.iter().map(Broken::of).collect(),
            replay: (!outcome.violations.is_empty()).then(|| setup.command(ground.seed)),
            unfinished: outcome.unfinished,
            interrupted_after: outcome.interrupted.then_some(outcome.delivered),
            timing: None,
        }
    }

    /// Adds the time of the run, and its memory.
    pub fn time_it(&mut self, seconds: f64) {
        self.timing = Some(Timing::of(self.messages.total, seconds));
    }

    /// Whether a property was broken.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        !self.violations.is_empty()
    }
}

impl Network {
    pub(crate) fn of(topology: &Topology) -> Self {
        Self {
            kind: topology.kind().to_owned(),
            nodes: topology.nodes().into(),
            links: topology.links(),
            source: topology.source().to_owned(),
            notes: topology.notes().iter().map(ToString::to_string).collect(),
        }
    }

    pub(crate) fn with(mut self, notes: impl Iterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }
}

impl Broken {
    pub(crate) fn of(breach: &TimedViolation) -> Self {
        let Violation { property, detail } = breach.violation.clone();
        Self { property, at: Time::Ticks(breach.at), detail }
    }
}

impl Timing {
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

/// Serializes pairs as an object, in order.
pub(super) fn as_map<S: Serializer>(
    pairs: &Vec<(&'static str, u64)>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().copied())
}
