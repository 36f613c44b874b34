//! The result of exploring a family, as serializable facts and as text.

use super::chances::ReportedChances;
use super::sheet::Sheet;
use crate::error::Error;
use crate::terminal::Emphasis;
use crate::trace;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use suffrage::algorithms::{Claims, Property};
use suffrage::checker::{
    self, CheckReport, ExactCosts, Extremes, Family, FaultBudget, Incomplete, Wake,
};
use suffrage::experiment::check::FamilyDescription;
use suffrage::experiment::number::{Decimal, count, grouped};
use suffrage::experiment::report::{TimeBound, by_chance};
use suffrage::model::Phase;
use suffrage::run::Run;

/// The result of an exploration. Its keys are those of the JSON report.
#[derive(Serialize)]
pub(crate) struct Checked {
    algorithm: &'static str,
    /// The family in words.
    family: String,
    /// Notes on its network and identities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Identities as written in their file, if that is not the decimal number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    written: BTreeMap<u64, String>,
    nodes: u32,
    #[serde(serialize_with = "as_wake")]
    wake: Wake,
    capacity: Option<u32>,
    #[serde(serialize_with = "as_faults")]
    faults: FaultBudget,
    full: bool,
    /// The invariants that were checked in every explored configuration.
    invariants: Vec<&'static str>,
    instances: u64,
    explored: u64,
    of: u64,
    states: u64,
    largest: u64,
    transitions: u64,
    terminal: u64,
    messages: Option<Range>,
    by_phase: Option<ByPhase>,
    by_kind: Option<Vec<CheckedKind>>,
    causal_depth: Option<Depth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Longest>,
    /// What is expected over the random choices, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    chances: Option<ReportedChances>,
    /// The number of instances with an execution that can go on forever.
    #[serde(skip_serializing_if = "is_zero")]
    endless: u64,
    /// `None` where nothing is claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<NearestToBound>,
    winners: Vec<u64>,
    failing: u64,
    verdict: ExplorationVerdict,
    counterexample: Option<ShownCounterexample>,
    worst_case: Option<CheckedInstance>,
}

/// The verdict of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum ExplorationVerdict {
    Holds,
    Broken,
    Interrupted,
    OutOfMemory,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Range {
    min: u64,
    max: u64,
}

/// The range of the causal depth; the least is left out if finding it takes too much memory.
#[derive(Clone, Copy, Debug, Serialize)]
struct Depth {
    min: Option<u64>,
    max: u64,
}

/// The greatest time, where it is known, and the claim.
#[derive(Clone, Debug, Serialize)]
struct Longest {
    greatest: Option<u64>,
    /// Where elections come nearest to the claim, by their causal depths where the greatest time is
    /// not known.
    bound: TimeBound,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct ByPhase {
    election: Range,
    announcement: Range,
}

#[derive(Clone, Debug, Serialize)]
struct CheckedKind {
    kind: &'static str,
    #[serde(serialize_with = "as_phase")]
    phase: Phase,
    messages: Range,
}

/// The bound, and the elections that come nearest to it.
#[derive(Clone, Debug, Serialize)]
struct NearestToBound {
    formula: String,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    guarantee: Option<String>,
    messages: Option<u64>,
    most: Option<u64>,
    ratio: Option<Decimal>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CheckedInstance {
    number: u64,
    ids: Vec<u64>,
    initiators: Vec<u32>,
    links: Vec<(u32, u32)>,
}

#[derive(Serialize)]
struct ShownCounterexample {
    property: Property,
    detail: String,
    steps: usize,
    shortest: bool,
    instance: CheckedInstance,
    run: Option<Run>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl From<Extremes> for Range {
    fn from(Extremes { min, max }: Extremes) -> Self {
        Self { min, max }
    }
}

impl ShownCounterexample {
    fn of(algorithm: &'static str, report: &CheckReport) -> Option<Self> {
        let (number, found) = report.counterexample.as_ref()?;
        Some(Self {
            property: found.violation.property,
            detail: found.violation.detail.clone(),
            steps: found.execution.moves.len(),
            shortest: found.shortest,
            instance: CheckedInstance::of(*number, &report.family),
            run: Some(trace::found(algorithm, &found.execution, Some(&found.violation))),
        })
    }
}

impl Checked {
    pub(crate) fn of(
        algorithm: &'static str,
        claims: Option<&Claims>,
        family: &Family,
        FamilyDescription { words, notes, written }: FamilyDescription,
        full: bool,
        invariants: Vec<&'static str>,
        report: &CheckReport,
    ) -> Self {
        let costs = report.costs.as_ref();
        let verdict = match report.incomplete {
            _ if report.failing > 0 => ExplorationVerdict::Broken,
            Some(Incomplete::OutOfMemory(_)) => ExplorationVerdict::OutOfMemory,
            Some(Incomplete::Stopped) => ExplorationVerdict::Interrupted,
            Some(Incomplete::Violated) | None => ExplorationVerdict::Holds,
        };
        let nearest = report.nearest;
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
            by_phase: costs.map(|costs| ByPhase {
                election: costs.by_phase[0].into(),
                announcement: costs.by_phase[1].into(),
            }),
            by_kind: costs.map(kinds),
            causal_depth: costs
                .map(|costs| Depth { min: costs.least_depth, max: costs.greatest_depth }),
            time: claims.and_then(|claims| claims.time).zip(costs.zip(report.longest)).map(
                |(claim, (costs, (units, most)))| Longest {
                    greatest: costs.greatest_time,
                    bound: TimeBound::new(&claim, units, most),
                },
            ),
            chances: report.chances.map(ReportedChances::from),
            endless: report.endless,
            bound: claims.map(|claims| NearestToBound {
                formula: claims.formula(),
                exact: claims.is_exact(),
                guarantee: by_chance(claims),
                messages: nearest.map(|(_, bound)| bound),
                most: nearest.map(|(most, _)| most),
                ratio: nearest.and_then(|(most, of)| Decimal::ratio(most.into(), of.into())),
            }),
            winners: report.winners.iter().map(|id| id.get()).collect(),
            failing: report.failing,
            verdict,
            counterexample: ShownCounterexample::of(algorithm, report),
            worst_case: report
                .worst
                .as_ref()
                .map(|worst| CheckedInstance::of(worst.instance, &report.family)),
        }
    }

    pub(crate) fn run(&self, report: &CheckReport) -> Option<Run> {
        match &self.counterexample {
            Some(counterexample) => counterexample.run.clone(),
            None => {
                let worst = report.worst.as_ref()?;
                Some(trace::found(self.algorithm, &worst.execution, None))
            }
        }
    }

    /// Formats the report for people, with a diagram of the run if a property is broken.
    pub(crate) fn text(&self, run: Option<&Run>) -> Result<String, Error> {
        let mut sheet = Sheet::titled(&format!("{}: {}", self.algorithm, self.family));
        for (note, name) in
            self.notes.iter().zip(std::iter::once("note").chain(std::iter::repeat("")))
        {
            sheet.line(name, note);
        }
        let mut conditions = vec![match self.wake {
            Wake::AtStart => "all wake before anything else happens".to_owned(),
            Wake::AnyTime => "each wakes at any moment".to_owned(),
        }];
        match self.capacity {
            Some(1) => conditions.push("links hold one message".to_owned()),
            Some(most) => conditions.push(format!("links hold {most} messages")),
            None => {}
        }
        conditions.extend(fault_words(&self.faults).map(|fault| format!("fault {fault}")));
        sheet.line("conditions", &conditions.join("; "));
        let counted =
            self.faults != FaultBudget { no_fifo: self.faults.no_fifo, ..FaultBudget::default() };
        let how = match self.full || counted {
            true => "every configuration",
            false => "as many configurations as are enough for every schedule",
        };
        let of = match self.instances == self.of {
            true => format!("all {}", count(self.of, "instance")),
            false => format!("{} of {}", grouped(self.instances), count(self.of, "instance")),
        };
        sheet.line("explored", &format!("{of}, {how}"));
        if self.explored < self.instances {
            sheet.line(
                "  of these",
                &format!("{} themselves; the others are isomorphic", grouped(self.explored)),
            );
        }
        sheet.line(
            "configurations",
            &format!(
                "{} (at most {} in an instance), {}, {}",
                grouped(self.states),
                grouped(self.largest),
                count(self.transitions, "step"),
                count(self.terminal, "end")
            ),
        );
        if !self.invariants.is_empty() {
            let names = self.invariants.join(", ");
            sheet.line("invariants", &format!("in every configuration explored: {names}"));
        }
        sheet.plain("");
        self.cost(&mut sheet);
        if !self.winners.is_empty() {
            let winners: Vec<String> = self.winners.iter().map(|id| self.spelled(*id)).collect();
            sheet.line("can win", &format!("id {}", winners.join(", ")));
        }
        self.end(&mut sheet);
        let mut text = sheet.into_text();
        if let (Some(_), Some(run)) = (&self.counterexample, run) {
            text.push('\n');
            text.push_str(&trace::drawn(run)?);
        }
        Ok(text)
    }

    fn cost(&self, sheet: &mut Sheet) {
        if let Some(messages) = self.messages {
            sheet.line("messages", &range(messages));
        }
        if let Some(ByPhase { election, announcement }) = self.by_phase {
            sheet.line("  election", &range(election));
            sheet.line("  announcement", &range(announcement));
        }
        if let Some(kinds) = &self.by_kind {
            let of = |kind: &CheckedKind| format!("{} {}", kind.kind, range(kind.messages));
            sheet.line("  by kind", &kinds.iter().map(of).collect::<Vec<_>>().join(", "));
        }
        if let Some(chances) = &self.chances {
            chances.say(sheet);
            if let Some(NearestToBound { guarantee: Some(words), formula, .. }) = &self.bound {
                sheet.line("bound", &format!("{words} {formula}"));
            }
        }
        if let Some(Depth { min, max }) = self.causal_depth {
            let text = match min {
                Some(min) => range(Range { min, max }),
                None => format!("at most {}", grouped(max)),
            };
            sheet.line("causal depth", &text);
        }
        if let Some(Longest { greatest, bound }) = &self.time {
            let text = match greatest {
                Some(units) => format!("at most {}", count(*units, "unit")),
                None if self.leaves_time_open() => "no unit more than the causal depth, which \
                     exceeds the bound; --full finds the time"
                    .to_owned(),
                None => "no unit more than the causal depth".to_owned(),
            };
            sheet.line("time", &text);
            sheet.line("  bound", &bound.nearest());
        }
        if let Some(NearestToBound { formula, exact, most, messages, ratio, .. }) = &self.bound
            && let (Some(most), Some(bound), Some(ratio)) = (most, messages, ratio)
        {
            let sign = if *exact { "=" } else { "at most" };
            sheet.line("bound", &format!("{sign} {formula}; nearest: {most} of {bound} ({ratio})"));
        }
        if let Some(worst) = &self.worst_case {
            sheet.line("dearest", &worst.words(&self.written));
        }
    }

    /// Returns whether the bound on time is not decided: the greatest time is not known, and the
    /// causal depth, which it does not exceed, is greater than the bound.
    fn leaves_time_open(&self) -> bool {
        let open = |time: &Longest| time.greatest.is_none() && time.bound.units > time.bound.most;
        self.time.as_ref().is_some_and(open)
    }

    fn spelled(&self, id: u64) -> String {
        self.written.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    fn end(&self, sheet: &mut Sheet) {
        sheet.plain("");
        let Some(counterexample) = &self.counterexample else {
            let text = match self.verdict {
                ExplorationVerdict::Holds if self.leaves_time_open() => {
                    "every property holds on every schedule; the bound on time is not decided"
                }
                ExplorationVerdict::Holds if self.endless > 0 => {
                    "every property holds on every schedule; elections end with probability 1, as \
                     long as every message is delivered"
                }
                ExplorationVerdict::Holds if self.faults == FaultBudget::default() => {
                    "every property holds on every schedule"
                }
                ExplorationVerdict::Holds => {
                    "safe on every schedule: never two leaders, no decision taken back"
                }
                ExplorationVerdict::Interrupted => "no property is broken on what was explored",
                ExplorationVerdict::Broken | ExplorationVerdict::OutOfMemory => {
                    "no property is broken on what was explored; the memory is used up"
                }
            };
            return sheet.line("verdict", text);
        };
        sheet.emphasized(
            "BROKEN",
            &format!("{}: {}", counterexample.property, counterexample.detail),
            Emphasis::Broken,
        );
        let what = match counterexample.shortest {
            true => "no execution with fewer steps breaks a property",
            false => "other executions may have fewer steps",
        };
        let steps = count(counterexample.steps as u64, "step");
        sheet.line("execution", &format!("{steps}; {what}"));
        sheet.line("on", &counterexample.instance.words(&self.written));
        if self.failing > 1 || self.instances == self.of && self.of > 1 {
            let (failing, of) = (grouped(self.failing), count(self.instances, "instance"));
            sheet.line("failing", &format!("{failing} of {of}"));
        }
    }
}

impl CheckedInstance {
    fn of(number: u64, family: &Family) -> Self {
        Self::new(number, &family.get(number))
    }

    pub(super) fn new(number: u64, instance: &checker::Instance) -> Self {
        let wiring = &instance.wiring;
        let mut links: Vec<(u32, u32)> = (0..wiring.nodes())
            .flat_map(|node| {
                let ends = (0..wiring.degree(node)).map(suffrage::model::Port);
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

    /// Describes the instance, with identities as they are written.
    pub(super) fn words(&self, written: &BTreeMap<u64, String>) -> String {
        let ids =
            self.ids.iter().map(|id| written.get(id).cloned().unwrap_or_else(|| id.to_string()));
        let list = |numbers: &mut dyn Iterator<Item = u64>| {
            numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
        };
        let nodes = self.ids.len();
        // The links of these two need no list.
        let complete = self.links.len() == nodes * (nodes - 1) / 2;
        let next = |node: u32| (node + 1) % nodes as u32;
        let mut ring: Vec<(u32, u32)> =
            (0..nodes as u32).map(|node| (node.min(next(node)), node.max(next(node)))).collect();
        ring.sort_unstable();
        ring.dedup();
        let mut text = format!(
            "instance {}: ids {}, initiators {}",
            grouped(self.number + 1),
            ids.collect::<Vec<_>>().join(" "),
            list(&mut self.initiators.iter().map(|&node| node.into())),
        );
        if !complete && self.links != ring {
            let links = self.links.iter().map(|(a, b)| format!("{a}-{b}"));
            text.push_str(&format!(", links {}", links.collect::<Vec<_>>().join(" ")));
        }
        text
    }
}

fn range(Range { min, max }: Range) -> String {
    match min == max {
        true => grouped(min),
        false => format!("{} to {}", grouped(min), grouped(max)),
    }
}

fn kinds(costs: &ExactCosts) -> Vec<CheckedKind> {
    let kind = |(kind, extremes): &(&'static suffrage::model::Kind, Extremes)| CheckedKind {
        kind: kind.name,
        phase: kind.phase,
        messages: (*extremes).into(),
    };
    costs.by_kind.iter().map(kind).collect()
}

pub(super) fn fault_words(faults: &FaultBudget) -> impl Iterator<Item = String> {
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
        Wake::AnyTime => "any",
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
