//! The report of one election: its settings, its result and its cost.

use super::stages::StageTable;
use crate::conditions::{Initiators, PortOrder, ScheduleChoice, WakeUps};
use crate::election::{Instance, Prepared};
use crate::number::{Decimal, count, grouped};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use suffrage_algorithms::{
    BoundStanding, Claims, Formula, Guarantee, Problem, Property, Rule, Time, Violation,
};
use suffrage_model::{Id, Kind, Phase};
use suffrage_networks::Topology;
use suffrage_parallel::memory;
use suffrage_simulator::{Fault, Outcome, TimedViolation};

/// One election. Its keys, in this order, are those of the JSON report.
#[derive(Clone, Debug, Serialize)]
pub struct ElectionReport {
    /// The name of the algorithm.
    pub algorithm: &'static str,
    /// The reason for the algorithm, if none was asked for.
    pub choice: Option<String>,
    /// Why the algorithm fails, if it is kept as a warning.
    pub faulty: Option<&'static str>,
    /// The network.
    pub network: NetworkSummary,
    /// Whether no network was named.
    #[serde(skip)]
    pub by_default: bool,
    /// The seed.
    pub seed: u64,
    /// When messages arrive.
    pub schedule: Arrivals,
    /// The numbering of the ports.
    pub ports: PortOrder,
    /// The identities.
    pub ids: String,
    /// The capacity of links; `None` if unbounded.
    pub capacity: Option<u32>,
    /// The faults of the network.
    #[serde(serialize_with = "super::as_texts")]
    pub faults: Vec<Fault>,
    /// Who starts.
    pub initiators: InitiatorSummary,
    /// The leader, if there is exactly one.
    pub leader: Option<ElectedLeader>,
    /// Whether all know the leader.
    pub agreed: bool,
    /// Whether the leader has no name that the others could know.
    #[serde(skip)]
    pub anonymous: bool,
    /// Whether all have halted.
    pub halted: bool,
    /// The messages sent.
    pub messages: MessageCounts,
    /// Their bits.
    pub bits: u128,
    /// The time.
    pub time: MeasuredTime,
    /// The messages in the longest causal chain.
    pub causal_depth: u32,
    /// The node that sent and received the most.
    pub busiest: BusiestNode,
    /// The peak number of messages in transit; `None` if not all are observed.
    pub peak_in_flight: Option<u64>,
    /// The messages that reached processes that had halted.
    pub late: u64,
    /// The messages that were lost.
    pub lost: u64,
    /// The bound on messages.
    pub bound: MessageBound,
    /// The bound on time; `None` if there is no claim, or it does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_bound: Option<TimeBound>,
    /// The rounds or levels, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<StageTable>,
    /// The invariants that were checked in every configuration; `None` if that was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invariants: Option<Vec<&'static str>>,
    /// The properties that were broken.
    pub violations: Vec<BrokenProperty>,
    /// The command that reproduces the violations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// The number of deliveries after which the run was stopped, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupted_after: Option<u64>,
    /// Whether the replayed recording ended before the election.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// The time and memory of the run, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timing: Option<RunTiming>,
}

/// A time: of the simulator's clock, or of the wall clock.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MeasuredTime {
    /// Ticks of the simulator.
    Ticks(u64),
    /// Seconds.
    Seconds(f64),
}

/// The arrivals of messages.
#[derive(Clone, Debug)]
pub enum Arrivals {
    /// By a schedule of the simulator.
    Simulated(ScheduleChoice),
    /// Over real links of this medium.
    Real {
        /// Its name: `tcp`, `tls` or `channels`.
        medium: &'static str,
        /// Whether each node was an operating-system process.
        processes: bool,
    },
}

impl fmt::Display for Arrivals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Simulated(schedule) => schedule.fmt(f),
            Self::Real { medium, processes } => {
                write!(f, "real ({medium}{})", if *processes { ", a process a node" } else { "" })
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
pub enum Setting<T> {
    /// Set by flags, or by default.
    Asked(T),
    /// Set by the recording.
    Recorded,
}

impl<T> Setting<T> {
    fn unless(recorded: bool, flag: T) -> Self {
        if recorded { Self::Recorded } else { Self::Asked(flag) }
    }
}

impl<T: fmt::Display> Serialize for Setting<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Asked(flag) => to.collect_str(flag),
            Self::Recorded => to.serialize_str("recorded"),
        }
    }
}

/// The network.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NetworkSummary {
    /// Its kind.
    pub kind: String,
    /// The number of nodes.
    pub nodes: u64,
    /// The number of links.
    pub links: u64,
    /// Its name.
    pub source: String,
    /// Notes about it for people.
    pub notes: Vec<String>,
}

/// The initiators.
#[derive(Clone, Debug, Serialize)]
pub struct InitiatorSummary {
    /// The choice: `all`, a number, a list, or `recorded`.
    pub chosen: Setting<Initiators>,
    /// The number of chosen initiators.
    pub count: u64,
    /// Their wake-up times.
    pub wake: Setting<WakeUps>,
    /// The number of those that woke before a message reached them: the `k` of the bound.
    pub woken: u64,
}

/// The leader.
#[derive(Clone, Debug, Serialize)]
pub struct ElectedLeader {
    /// Its number.
    pub node: u64,
    /// Its identity.
    pub id: u64,
    /// Its name, if nodes have names.
    pub label: Option<String>,
    /// The identity as written in its file, if that is not the decimal number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
}

/// The messages sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MessageCounts {
    /// All.
    pub total: u64,
    /// Those of the election.
    pub election: u64,
    /// Those that announce the leader.
    pub announcement: u64,
    /// Those of a synchronizer, if the algorithm runs under one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synchronizer: Option<u64>,
    /// The counts by kind, in the algorithm's order.
    #[serde(serialize_with = "as_map", deserialize_with = "of_map")]
    pub by_kind: Vec<(String, u64)>,
}

impl MessageCounts {
    /// Adds up the messages of these kinds.
    #[must_use]
    pub fn of(counts: impl Iterator<Item = (&'static Kind, u64)> + Clone) -> Self {
        let sum = |phase| {
            counts.clone().filter(|(kind, _)| kind.phase == phase).map(|(_, count)| count).sum()
        };
        Self {
            total: counts.clone().map(|(_, count)| count).sum(),
            election: sum(Phase::Election),
            announcement: sum(Phase::Announcement),
            synchronizer: counts
                .clone()
                .any(|(kind, _)| kind.phase == Phase::Synchronizer)
                .then(|| sum(Phase::Synchronizer)),
            by_kind: counts.clone().map(|(kind, count)| (kind.name.to_owned(), count)).collect(),
        }
    }

    /// The messages of the kind of this name.
    #[must_use]
    pub fn sent(&self, kind: &str) -> u64 {
        self.by_kind.iter().find(|(name, _)| name == kind).map_or(0, |(_, count)| *count)
    }
}

/// The busiest node.
#[derive(Clone, Debug, Serialize)]
pub struct BusiestNode {
    /// Its number.
    pub node: u64,
    /// Its name, if nodes have names.
    pub label: Option<String>,
    /// The messages sent.
    pub messages: u64,
}

/// A claim about costs, as reports have it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClaimedBound {
    /// The formula.
    pub formula: String,
    /// Whether every schedule takes exactly this number, if the report says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// The condition that determines other variables of the formula than those of the network.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub condition: String,
    /// The sense in which it holds, if it does not apply to a single election.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guarantee: Option<Guarantee>,
    /// The ground on which it is claimed; left out if the catalogue proves it.
    #[serde(default, skip_serializing_if = "BoundStanding::is_proved")]
    pub standing: BoundStanding,
}

impl ClaimedBound {
    /// The claim of this formula, and whether it is exact, if the report is to say so.
    #[must_use]
    pub fn of(claim: Formula, exact: Option<bool>) -> Self {
        let Formula { formula, condition, guarantee, standing } = claim;
        let guarantee = Some(guarantee).filter(|guarantee| !guarantee.is_sure());
        Self { formula, exact, condition, guarantee, standing }
    }

    /// The claim as a value to print.
    #[must_use]
    pub fn stated(&self) -> Formula {
        let sure = if self.exact == Some(true) { Guarantee::Exactly } else { Guarantee::AtMost };
        Formula {
            formula: self.formula.clone(),
            condition: self.condition.clone(),
            guarantee: self.guarantee.unwrap_or(sure),
            standing: self.standing,
        }
    }
}

/// The bound of the theory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MessageBound {
    /// The claim.
    #[serde(flatten)]
    pub claim: ClaimedBound,
    /// The messages sent.
    pub messages: u64,
    /// The ratio of sent to allowed messages; `None` if none are allowed.
    pub ratio: Option<Decimal>,
}

/// The bound on time, if every message takes at most one unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TimeBound {
    /// The claim.
    #[serde(flatten)]
    pub claim: ClaimedBound,
    /// The time that it took.
    pub units: u64,
    /// The time that is allowed.
    pub most: u64,
    /// The ratio of taken to allowed time; `None` if none is allowed.
    pub ratio: Option<Decimal>,
}

impl MessageBound {
    /// The bound of the claims, and the ratio of sent to allowed messages.
    #[must_use]
    pub fn of(claims: &Claims, messages: u64, ratio: Option<Decimal>) -> Self {
        let claim = ClaimedBound::of(claims.stated(), Some(claims.is_exact()));
        Self { claim, messages, ratio }
    }
}

impl TimeBound {
    /// The claim, and what was taken and allowed.
    #[must_use]
    pub fn new(claim: &Time, units: u64, most: u64) -> Self {
        let ratio = Decimal::ratio(units.into(), most.into());
        Self { claim: ClaimedBound::of(claim.stated(), None), units, most, ratio }
    }
}

/// A property that was broken.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BrokenProperty {
    /// The property.
    pub property: Property,
    /// When it was broken.
    pub at: MeasuredTime,
    /// A description of the event.
    pub detail: String,
}

/// The time and memory of the run.
#[derive(Clone, Debug, Serialize)]
pub struct RunTiming {
    /// The seconds that it took.
    pub wall_seconds: f64,
    /// The messages in a second.
    pub messages_per_second: Option<u64>,
    /// The peak memory of the program so far; `None` if the system does not tell.
    pub peak_bytes: Option<u64>,
    /// The number of links that a real election opened; `None` for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links_opened: Option<u64>,
}

/// Whether the leader has no name that the others could know.
pub fn anonymous(claims: &Claims) -> bool {
    matches!(claims.rule, Rule::Chance | Rule::MonteCarlo) && claims.problem == Problem::Implicit
}

/// The claim about time, and its value, by the number of initiators and the winner.
pub type TimeBoundOf<'a> = dyn Fn(u64, Option<Id>) -> Option<(Time, u64)> + 'a;

/// The sources of the facts of a run, in addition to its `Prepared` and its outcome.
pub struct ReportBasis<'a> {
    /// The network.
    pub network: NetworkSummary,
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

/// The messages that an algorithm's bound counts: all except those of a synchronizer.
pub(super) fn claimed_messages(outcome: &Outcome) -> u64 {
    outcome.messages.total() - outcome.messages.of(Phase::Synchronizer)
}

impl ElectionReport {
    /// Creates it from what was found.
    pub fn of(prepared: &Prepared, instance: &Instance, outcome: &Outcome) -> Self {
        let topology = &instance.site.topology;
        let ground = ReportBasis {
            network: NetworkSummary::of(topology),
            seed: instance.seed(),
            initiators: instance.initiators,
            bound: &|woken| instance.bound(woken),
            time_bound: &|woken, winner| {
                instance.time_bound(woken, winner).map(|(claim, most)| (*claim, most))
            },
            label: &|node| topology.label(node as u32).map(str::to_owned),
            written: &|node| prepared.written(&instance.site, node as u32),
        };
        Self::on(ground, prepared, outcome)
    }

    /// Whether it broke no property.
    #[must_use]
    pub const fn is_good(&self) -> bool {
        self.violations.is_empty() && !self.unfinished
    }

    /// The report of an election, from its parts.
    pub fn on(ground: ReportBasis<'_>, prepared: &Prepared, outcome: &Outcome) -> Self {
        let (conditions, algorithm) = (&prepared.conditions, prepared.algorithm);
        let recorded = matches!(conditions.schedule, ScheduleChoice::Recorded(_));
        let total = claimed_messages(outcome);
        let most = (ground.bound)(outcome.woken);
        Self {
            algorithm: algorithm.name,
            choice: None,
            faulty: algorithm.faulty(),
            network: ground.network.with(prepared.id_notes()),
            by_default: false,
            seed: ground.seed,
            schedule: Arrivals::Simulated(conditions.schedule.clone()),
            ports: conditions.ports,
            ids: conditions.ids.clone(),
            capacity: conditions.capacity.0,
            faults: conditions.faults.clone(),
            initiators: InitiatorSummary {
                chosen: Setting::unless(
                    recorded,
                    conditions.initiators.clone().unwrap_or_default(),
                ),
                count: ground.initiators,
                wake: Setting::unless(recorded, conditions.wake.unwrap_or_default()),
                woken: outcome.woken,
            },
            leader: outcome.leader.map(|leader| ElectedLeader {
                node: leader.node,
                id: leader.id.get(),
                label: (ground.label)(leader.node),
                written: (ground.written)(leader.node),
            }),
            agreed: outcome.agreed,
            anonymous: anonymous(&algorithm.claims),
            halted: outcome.halted,
            messages: MessageCounts::of(outcome.messages.by_kind()),
            bits: outcome.messages.bits(),
            time: MeasuredTime::Ticks(outcome.time),
            causal_depth: outcome.causal_depth,
            busiest: BusiestNode {
                node: outcome.busiest.node,
                label: (ground.label)(outcome.busiest.node),
                messages: outcome.busiest.messages,
            },
            peak_in_flight: Some(outcome.peak_in_flight),
            late: outcome.late,
            lost: outcome.lost,
            bound: MessageBound::of(
                &algorithm.claims,
                most,
                Decimal::ratio(total.into(), most.into()),
            ),
            time_bound: (ground.time_bound)(outcome.woken, outcome.leader.map(|leader| leader.id))
                .zip(outcome.units)
                .map(|((claim, most), units)| TimeBound::new(&claim, units, most)),
            rounds: outcome.stages.clone().map(StageTable::from),
            invariants: conditions.invariants.then(|| algorithm.invariants()),
            violations: outcome.violations.iter().map(BrokenProperty::of).collect(),
            replay: (!outcome.violations.is_empty()).then(|| prepared.command(ground.seed)),
            unfinished: outcome.unfinished,
            interrupted_after: outcome.interrupted.then_some(outcome.delivered),
            timing: None,
        }
    }
}

impl NetworkSummary {
    /// Creates it from what was found.
    pub fn of(topology: &Topology) -> Self {
        Self {
            kind: topology.kind().to_owned(),
            nodes: topology.nodes().into(),
            links: topology.links(),
            source: topology.source().to_owned(),
            notes: topology.notes().iter().map(ToString::to_string).collect(),
        }
    }

    /// The same with further notes.
    pub fn with(mut self, notes: impl Iterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }
}

impl BrokenProperty {
    /// Creates it from what was found.
    pub fn of(breach: &TimedViolation) -> Self {
        Self::at(MeasuredTime::Ticks(breach.at), breach.violation.clone())
    }

    /// A property that was broken at this time.
    #[must_use]
    pub fn at(at: MeasuredTime, Violation { property, detail }: Violation) -> Self {
        Self { property, at, detail }
    }
}

impl RunTiming {
    /// Creates it from what was found.
    pub fn of(messages: u64, seconds: f64) -> Self {
        let rate = messages as f64 / seconds;
        Self {
            wall_seconds: seconds,
            messages_per_second: rate.is_finite().then_some(rate as u64),
            peak_bytes: memory::peak(),
            links_opened: None,
        }
    }
}

impl MeasuredTime {
    /// The value for people.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Ticks(ticks) => count(ticks, "tick").into_owned(),
            Self::Seconds(seconds) => format!("{seconds:.6} s"),
        }
    }

    /// The instant for people.
    #[must_use]
    pub fn instant(self) -> String {
        match self {
            Self::Ticks(tick) => format!("tick {}", grouped(tick)),
            Self::Seconds(seconds) => format!("{seconds:.6} s"),
        }
    }
}

impl ElectedLeader {
    /// The value for people.
    #[must_use]
    pub fn text(&self) -> String {
        let id = self.written.clone().unwrap_or_else(|| self.id.to_string());
        match &self.label {
            Some(label) => format!("{label} (node {}, id {id})", self.node),
            None => format!("node {}, id {id}", self.node),
        }
    }
}

impl TimeBound {
    /// The value for people.
    #[must_use]
    pub fn text(&self) -> String {
        let (units, most) = (grouped(self.units), count(self.most, "unit"));
        let ratio = self.ratio.map(|ratio| format!(" ({ratio})")).unwrap_or_default();
        format!("{}; taken: {units}{ratio}", self.claim.stated().with_value(most))
    }

    /// The claim, and where elections of many come nearest to it.
    #[must_use]
    pub fn nearest(&self) -> String {
        let Self { units, most, .. } = self;
        let ratio = self.ratio.map(|ratio| format!(" ({ratio})")).unwrap_or_default();
        let nearest = format!("{} of {}{ratio}", grouped(units), grouped(most));
        format!("{}; nearest: {nearest}", self.claim.stated().sentence())
    }
}

impl MessageBound {
    /// The value for people.
    #[must_use]
    pub fn text(&self) -> String {
        let ratio = self.ratio.map(|ratio| format!("; sent / bound = {ratio}")).unwrap_or_default();
        format!("{}{ratio}", self.claim.stated().with_value(grouped(self.messages)))
    }
}

/// Serializes pairs as an object, in order.
/// # Errors
/// If the serializer fails.
pub fn as_map<K: Serialize, V: Serialize, S: Serializer>(
    pairs: &[(K, V)],
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

/// Reads an object as pairs, in order.
pub(crate) fn of_map<'de, V: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<(String, V)>, D::Error> {
    struct PairsVisitor<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for PairsVisitor<V> {
        type Value = Vec<(String, V)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }
    from.deserialize_map(PairsVisitor(PhantomData))
}
