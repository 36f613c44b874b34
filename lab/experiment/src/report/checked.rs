//! The result of exploring a family of elections.

use super::election::{ClaimedBound, TimeBound};
use crate::check::FamilyDescription;
use crate::number::Decimal;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use suffrage_algorithms::{Claims, Property, Violation};
use suffrage_checker::{
    CheckReport, ExactCosts, Execution, Expectations, ExpectedExtremes, Extremes, FaultBudget,
    Incomplete, Instance, Wake,
};
use suffrage_figures::run::Run;
use suffrage_model::{Kind, Phase, Port};

/// The result of an exploration. Its keys are those of the JSON report.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The name of the algorithm.
    pub algorithm: &'static str,
    /// The family in words.
    pub family: String,
    /// Notes on its network and identities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Identities as written in their file, if that is not the decimal number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub written: BTreeMap<u64, String>,
    /// The number of nodes.
    pub nodes: u32,
    /// When initiators start.
    #[serde(serialize_with = "as_wake")]
    pub wake: Wake,
    /// The number of messages that a link holds.
    pub capacity: Option<u32>,
    /// The faults.
    #[serde(serialize_with = "as_faults")]
    pub faults: FaultBudget,
    /// Whether nothing was reduced.
    pub full: bool,
    /// The invariants that were checked in every explored configuration.
    pub invariants: Vec<&'static str>,
    /// The number of instances that were covered.
    pub instances: u64,
    /// The number of instances that were explored themselves; the others are parts of these, or isomorphic.
    pub explored: u64,
    /// The number of instances of the family.
    pub of: u64,
    /// The number of configurations.
    pub states: u64,
    /// The largest number of configurations of an instance.
    pub largest: u64,
    /// The number of steps between configurations.
    pub transitions: u64,
    /// The number of configurations without a further step.
    pub terminal: u64,
    /// The messages sent.
    pub messages: Option<CountRange>,
    /// The messages of each phase.
    pub by_phase: Option<PhaseRanges>,
    /// The messages of each kind.
    pub by_kind: Option<Vec<CheckedKind>>,
    /// The messages in the longest causal chain.
    pub causal_depth: Option<DepthRange>,
    /// The time, where something is claimed of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<LongestTime>,
    /// What is expected over the random choices, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chances: Option<ReportedChances>,
    /// The number of instances with an execution that can go on forever.
    #[serde(skip_serializing_if = "is_zero")]
    pub endless: u64,
    /// The bound on messages; `None` where nothing is claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<NearestToBound>,
    /// The identities that can win.
    pub winners: Vec<u64>,
    /// The number of instances that break a property.
    pub failing: u64,
    /// The verdict.
    pub verdict: ExplorationVerdict,
    /// An execution that breaks a property.
    pub counterexample: Option<ShownCounterexample>,
    /// The instance with the costliest execution.
    pub worst_case: Option<CheckedInstance>,
    /// The costliest execution.
    #[serde(skip)]
    pub worst_run: Option<Run>,
}

/// The verdict of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExplorationVerdict {
    /// Every property holds.
    Holds,
    /// A property is broken.
    Broken,
    /// It was stopped.
    Interrupted,
    /// The memory was used up.
    OutOfMemory,
}

/// The least and the greatest of a number.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CountRange {
    /// The least.
    pub min: u64,
    /// The greatest.
    pub max: u64,
}

/// The range of the causal depth; the least is left out if finding it takes too much memory.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DepthRange {
    /// The least.
    pub min: Option<u64>,
    /// The greatest.
    pub max: u64,
}

/// The greatest time, where it is known, and the claim.
#[derive(Clone, Debug, Serialize)]
pub struct LongestTime {
    /// The greatest time.
    pub greatest: Option<u64>,
    /// Whether the claim is decided. It is not if the greatest time is not known, and the causal depth, which no time
    /// exceeds, is greater than the claim.
    pub decided: bool,
    /// Where elections come nearest to the claim, by their causal depths where the greatest time is
    /// not known.
    pub bound: TimeBound,
}

/// The messages of each phase.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PhaseRanges {
    /// Those of the election.
    pub election: CountRange,
    /// Those that announce the leader.
    pub announcement: CountRange,
}

/// The messages of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedKind {
    /// Its name.
    pub kind: &'static str,
    /// Its phase.
    #[serde(serialize_with = "as_phase")]
    pub phase: Phase,
    /// The messages.
    pub messages: CountRange,
}

/// The bound, and the elections that come nearest to it.
#[derive(Clone, Debug, Serialize)]
pub struct NearestToBound {
    /// The claim.
    #[serde(flatten)]
    pub claim: ClaimedBound,
    /// The bound of the nearest election.
    pub messages: Option<u64>,
    /// The most messages that it sends, or those that are expected where chance decides.
    pub most: Option<NearestCost>,
    /// The ratio of both.
    pub ratio: Option<Decimal>,
}

/// The cost of the election that comes nearest to a bound.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum NearestCost {
    /// The most messages of an instance without chance.
    Most(u64),
    /// The messages that are expected, on the dearest schedule.
    Expected(Decimal),
}

impl Display for NearestCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Most(most) => write!(f, "{most}"),
            Self::Expected(expected) => write!(f, "{expected}"),
        }
    }
}

impl NearestToBound {
    /// The claim, and the election of an exploration that comes nearest to it.
    fn of(claims: &Claims, report: &CheckReport) -> Self {
        let counted = report.nearest.map(|(most, of)| {
            (NearestCost::Most(most), of, Decimal::ratio(most.into(), of.into()))
        });
        let expected = report.nearest_expectation.map(|(expected, of)| {
            let ratio = (of > 0).then(|| Decimal::near(expected / of as f64));
            (NearestCost::Expected(Decimal::near(expected)), of, ratio)
        });
        let both = [expected, counted].into_iter().flatten();
        let nearest = both.reduce(|one, other| if other.2 > one.2 { other } else { one });
        Self {
            claim: ClaimedBound::of(claims.stated(), Some(claims.is_exact())),
            messages: nearest.map(|(_, of, _)| of),
            most: nearest.map(|(most, ..)| most),
            ratio: nearest.and_then(|(.., ratio)| ratio),
        }
    }
}

/// An instance of a family.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckedInstance {
    /// Its number in the family.
    pub number: u64,
    /// The identities.
    pub ids: Vec<u64>,
    /// The initiators.
    pub initiators: Vec<u32>,
    /// The links.
    pub links: Vec<(u32, u32)>,
}

/// An execution that breaks a property.
#[derive(Clone, Debug, Serialize)]
pub struct ShownCounterexample {
    /// The property.
    pub property: Property,
    /// What happens.
    pub detail: String,
    /// The number of its steps.
    pub steps: usize,
    /// Whether none is shorter.
    pub shortest: bool,
    /// The instance.
    pub instance: CheckedInstance,
    /// The execution.
    pub run: Option<Run>,
}

/// What is expected over the random choices: the least and the greatest over all schedules.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReportedChances {
    /// The messages.
    pub messages: ExpectedRange,
    /// Those of the election.
    pub election: ExpectedRange,
    /// Those that announce the leader.
    pub announcement: ExpectedRange,
    /// The probability that exactly one process leads in the end.
    pub elected: ExpectedRange,
}

/// The least and the greatest expected value.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ExpectedRange {
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl From<Extremes> for CountRange {
    fn from(Extremes { min, max }: Extremes) -> Self {
        Self { min, max }
    }
}

impl From<ExpectedExtremes> for ExpectedRange {
    fn from(ExpectedExtremes { min, max }: ExpectedExtremes) -> Self {
        Self { min, max }
    }
}

impl From<Expectations> for ReportedChances {
    fn from(of: Expectations) -> Self {
        Self {
            messages: of.messages.into(),
            election: of.by_phase[0].into(),
            announcement: of.by_phase[1].into(),
            elected: of.elected.into(),
        }
    }
}

impl ShownCounterexample {
    fn of(algorithm: &str, report: &CheckReport, command: Option<&String>) -> Option<Self> {
        let (number, found) = report.counterexample.as_ref()?;
        let Violation { property, detail } = found.violation.clone();
        Some(Self {
            property,
            detail,
            steps: found.execution.moves.len(),
            shortest: found.shortest,
            instance: CheckedInstance::new(*number, &report.family.get(*number)),
            run: Some(run_of(algorithm, &found.execution, Some(&found.violation), command)),
        })
    }
}

/// The run of an execution that was found by this command.
pub(crate) fn run_of(
    algorithm: &str,
    found: &Execution,
    broken: Option<&Violation>,
    command: Option<&String>,
) -> Run {
    let mut run = Run::of_execution(algorithm, found, broken.map(Into::into));
    run.header.command = command.cloned();
    run
}

impl Checked {
    /// The result of an exploration of this family. `command` is named by its runs.
    pub(crate) fn of(
        algorithm: &'static str,
        claims: Option<&Claims>,
        FamilyDescription { words, notes, written }: FamilyDescription,
        (full, invariants): (bool, Vec<&'static str>),
        report: &CheckReport,
        command: Option<&String>,
    ) -> Self {
        let (costs, family) = (report.costs.as_ref(), &report.family);
        let verdict = match report.incomplete {
            _ if report.failing > 0 => ExplorationVerdict::Broken,
            Some(Incomplete::OutOfMemory(_)) => ExplorationVerdict::OutOfMemory,
            Some(Incomplete::Stopped) => ExplorationVerdict::Interrupted,
            Some(Incomplete::Violated) | None => ExplorationVerdict::Holds,
        };
        let longest = claims.and_then(|claims| claims.time).zip(costs.zip(report.longest));
        let worst = report.worst.as_ref();
        Self {
            algorithm,
            family: words,
            notes,
            written,
            nodes: family.nodes(),
            wake: family.wake,
            capacity: family.capacity,
            faults: family.faults,
            full,
            invariants,
            instances: report.instances,
            explored: report.explored,
            of: report.of,
            states: report.states,
            largest: report.largest,
            transitions: report.transitions,
            terminal: report.terminal,
            messages: costs.map(|costs| costs.messages.into()),
            by_phase: costs.map(|costs| PhaseRanges {
                election: costs.by_phase[0].into(),
                announcement: costs.by_phase[1].into(),
            }),
            by_kind: costs.map(kinds),
            causal_depth: costs
                .map(|costs| DepthRange { min: costs.least_depth, max: costs.greatest_depth }),
            time: longest.map(|(claim, (costs, (units, most)))| LongestTime {
                greatest: costs.greatest_time,
                decided: costs.greatest_time.is_some() || units <= most,
                bound: TimeBound::new(&claim, units, most),
            }),
            chances: report.chances.map(ReportedChances::from),
            endless: report.endless,
            bound: claims.map(|claims| NearestToBound::of(claims, report)),
            winners: report.winners.iter().map(|id| id.get()).collect(),
            failing: report.failing,
            verdict,
            counterexample: ShownCounterexample::of(algorithm, report, command),
            worst_case: worst
                .map(|worst| CheckedInstance::new(worst.instance, &family.get(worst.instance))),
            worst_run: worst.map(|worst| run_of(algorithm, &worst.execution, None, command)),
        }
    }

    /// A run that breaks a property, or else one with the most messages.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        match &self.counterexample {
            Some(counterexample) => counterexample.run.as_ref(),
            None => self.worst_run.as_ref(),
        }
    }
}

impl CheckedInstance {
    pub(crate) fn new(number: u64, instance: &Instance) -> Self {
        let wiring = &instance.wiring;
        let mut links: Vec<(u32, u32)> = (0..wiring.nodes())
            .flat_map(|node| {
                let ends = (0..wiring.degree(node)).map(Port);
                ends.map(move |port| (node, wiring.across(node, port).node))
            })
            .filter(|(from, to)| from <= to)
            .collect();
        links.sort_unstable();
        links.dedup();
        Self {
            number,
            ids: instance.ids.iter().map(|id| id.get()).collect(),
            initiators: instance.initiators.clone(),
            links,
        }
    }
}

fn kinds(costs: &ExactCosts) -> Vec<CheckedKind> {
    let kind = |(kind, extremes): &(&'static Kind, Extremes)| CheckedKind {
        kind: kind.name,
        phase: kind.phase,
        messages: (*extremes).into(),
    };
    costs.by_kind.iter().map(kind).collect()
}

/// Faults in the words of flags.
pub fn fault_words(faults: &FaultBudget) -> impl Iterator<Item = String> {
    let counted = [("loss", faults.loss), ("duplicate", faults.duplicate), ("crash", faults.crash)];
    let counted = counted.into_iter().filter(|&(_, count)| count > 0);
    let fifo = faults.no_fifo.then(|| "no-fifo".to_owned());
    fifo.into_iter().chain(counted.map(|(name, count)| format!("{name}:{count}")))
}

pub(super) fn as_faults<S: Serializer>(faults: &FaultBudget, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(fault_words(faults))
}

fn as_wake<S: Serializer>(wake: &Wake, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match wake {
        Wake::AnyTime | Wake::AnyTimeOrNever => "any",
        Wake::AtStart => "start",
    })
}

fn as_phase<S: Serializer>(phase: &Phase, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match phase {
        Phase::Election => "election",
        Phase::Synchronizer => "synchronizer",
        Phase::Announcement => "announcement",
    })
}
