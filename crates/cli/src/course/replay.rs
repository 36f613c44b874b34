//! A course, run step by step in the simulator.

use super::Course;
use crate::diagram::Diagram;
use crate::error::Error;
use crate::report::{Sheet, grouped};
use serde::{Serialize, Serializer};
use std::sync::Arc;
use suffrage::algorithms::Property;
use suffrage::process::Id;
use suffrage::simulator::{
    Event, Experiment, Fault, Observer, Outcome, Recording, Schedule, SimulationError, Wakes,
    Watch, simulate,
};
use suffrage::topology::wiring::{Adjacency, Wiring};

/// What came of a course. As JSON its keys, in this order, are those of the report.
#[derive(Serialize)]
pub(crate) struct Replayed {
    pub(crate) algorithm: &'static str,
    pub(crate) nodes: u32,
    #[serde(serialize_with = "as_numbers")]
    pub(crate) ids: Vec<Id>,
    pub(crate) capacity: Option<u32>,
    pub(crate) faults: Vec<String>,
    pub(crate) steps: usize,
    /// How many steps come before those that are said to go around.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) around: Option<usize>,
    /// The property that the course is to break.
    #[serde(serialize_with = "as_name")]
    pub(crate) property: Option<Property>,
    pub(crate) detail: String,
    /// Whether it did; `None` where it is to break none, or one that is not judged.
    pub(crate) reproduced: Option<bool>,
    /// Whether more could have happened after its last step.
    pub(crate) unfinished: bool,
    pub(crate) leader: Option<Leader>,
    pub(crate) messages: u64,
    #[serde(serialize_with = "as_map")]
    pub(crate) by_kind: Vec<(&'static str, u64)>,
    pub(crate) causal_depth: u32,
    pub(crate) late: u64,
    pub(crate) lost: u64,
    pub(crate) violations: Vec<Broken>,
    /// The space-time diagram, for people.
    #[serde(skip)]
    pub(crate) diagram: String,
}

#[derive(Serialize)]
pub(crate) struct Leader {
    pub(crate) node: u32,
    pub(crate) id: u64,
}

#[derive(Serialize)]
pub(crate) struct Broken {
    pub(crate) property: &'static str,
    /// The step after which it was broken.
    pub(crate) step: u64,
    pub(crate) detail: String,
}

impl Course {
    /// Runs the course in the simulator, from its first step to its last; an observer sees it.
    pub(crate) fn replay(&self, observer: Option<&mut dyn Observer>) -> Result<Replayed, Error> {
        self.replay_by(observer, |experiment, watch| simulate(self.algorithm, experiment, watch))
    }

    /// The same, with this simulation.
    pub(super) fn replay_by(
        &self,
        observer: Option<&mut dyn Observer>,
        simulate: impl FnOnce(&Experiment<'_>, Watch<'_>) -> Result<Outcome, SimulationError>,
    ) -> Result<Replayed, Error> {
        let adjacency =
            Adjacency::from_ends(&self.network).map_err(|error| Error::of("`network`", error))?;
        let wiring = Wiring::stored(adjacency);
        // A step is a tick: what the simulator says of ticks is said of steps.
        let steps = (1..).zip(self.steps.iter().copied()).collect();
        let mut recording = Recording::new("course".into(), steps).with_coins(self.coins.clone());
        let mut faults = Vec::new();
        if let Some(before) = self.around {
            recording = recording.that_goes_around(before);
            // Where messages overtake, their order on a link is no matter.
            faults.extend(self.faults.no_fifo.then_some(Fault::NoFifo));
        }
        let faultless = faults.is_empty() && !recording.has_faults();
        let experiment = Experiment {
            wakes: Wakes::At(Vec::new()),
            schedule: Schedule::Replay(Arc::new(recording)),
            capacity: self.capacity,
            faults,
            ..Experiment::new(&wiring, &self.ids)
        };
        let mut both = Both { diagram: Diagram::new(&wiring, &self.ids), observer };
        let watch = Watch { observer: Some(&mut both), ..Watch::default() };
        let outcome =
            simulate(&experiment, watch).map_err(|error| Error::new(error.to_string()))?;
        Ok(self.account(&outcome, faultless, both.diagram.text()))
    }

    fn account(&self, outcome: &Outcome, faultless: bool, diagram: String) -> Replayed {
        // The catalogue claims these for networks without faults, where alone the simulator looks.
        let claimed = |property: &Property| {
            use Property::{MessageBound, SilentEnding, WinnerByRule};
            matches!(property, MessageBound | SilentEnding | WinnerByRule)
        };
        let judged = |property: &Property| faultless || !claimed(property);
        let broken = |property: Property| {
            outcome.violations.iter().any(|breach| breach.violation.property == property)
        };
        let violations = outcome.violations.iter().map(|breach| Broken {
            property: breach.violation.property.name(),
            step: breach.at,
            detail: breach.violation.detail.clone(),
        });
        Replayed {
            algorithm: self.algorithm.name,
            nodes: self.ids.len() as u32,
            ids: self.ids.clone(),
            capacity: self.capacity,
            faults: self.faults.words(),
            steps: self.steps.len(),
            around: self.around,
            property: self.property,
            detail: self.detail.clone(),
            reproduced: self.property.filter(judged).map(broken),
            unfinished: outcome.unfinished,
            leader: outcome.leader.map(|leader| Leader { node: leader.node, id: leader.id.get() }),
            messages: outcome.messages.total(),
            by_kind: outcome.messages.by_kind().map(|(kind, count)| (kind.name, count)).collect(),
            causal_depth: outcome.causal_depth,
            late: outcome.late,
            lost: outcome.lost,
            violations: violations.collect(),
            diagram,
        }
    }
}

impl Replayed {
    /// The diagram and the verdict, for people.
    pub(crate) fn text(&self) -> String {
        let what = match self.property {
            Some(property) => format!("a course that breaks {property}"),
            None => "a course".to_owned(),
        };
        let es = if self.nodes == 1 { "" } else { "es" };
        let nodes = format!("{} process{es}", self.nodes);
        let mut sheet = Sheet::titled(&format!("{} on {nodes}: {what}", self.algorithm));
        if !self.detail.is_empty() {
            sheet.line("found", &self.detail);
        }
        let capacity = self.capacity.map(|most| format!("links of capacity {most}"));
        let conditions: Vec<_> =
            capacity.into_iter().chain(self.faults.iter().map(|f| format!("fault {f}"))).collect();
        if !conditions.is_empty() {
            sheet.line("conditions", &conditions.join(", "));
        }
        if !(self.detail.is_empty() && conditions.is_empty()) {
            sheet.plain("");
        }
        sheet.plain(&self.diagram);
        self.verdict(&mut sheet);
        sheet.into_text()
    }

    fn verdict(&self, sheet: &mut Sheet) {
        let leader = match &self.leader {
            Some(leader) => format!("p{}, id {}", leader.node, leader.id),
            None => "none".to_owned(),
        };
        sheet.line("leader", &leader);
        let kinds = self.by_kind.iter().filter(|(_, count)| *count > 0);
        let kinds: Vec<_> =
            kinds.map(|(kind, count)| format!("{kind} {}", grouped(*count))).collect();
        let kinds =
            if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
        sheet.line("messages", &format!("{}{kinds}", grouped(self.messages)));
        let chain = format!("{}, the longest causal chain", grouped(self.causal_depth));
        sheet.line("causal depth", &chain);
        for (name, count) in [("late", self.late), ("lost", self.lost)] {
            if count > 0 {
                sheet.line(name, &grouped(count));
            }
        }
        if let Some(before) = self.around {
            sheet.line("loop", &format!("from step {} to step {}", before + 1, self.steps));
        }
        if self.unfinished {
            sheet.line(
                "end",
                "the course ends where more could happen: what must hold in the end is not judged",
            );
        }
        sheet.plain("");
        if self.violations.is_empty() {
            sheet.plain("Every property held.");
        }
        for Broken { property, step, detail } in &self.violations {
            sheet.plain(&format!("BROKEN: {property} at step {}", grouped(*step)));
            sheet.wrapped(detail);
        }
        match (self.property, self.reproduced) {
            (Some(property), Some(false)) => sheet
                .plain(&format!("NOT REPRODUCED: the course is to break {property}, and did not.")),
            (Some(property), None) => sheet.plain(&format!(
                "NOT JUDGED: {property} is claimed for networks without faults alone."
            )),
            _ => {}
        }
    }
}

/// The diagram, and another observer beside it.
struct Both<'a> {
    diagram: Diagram,
    observer: Option<&'a mut dyn Observer>,
}

impl Observer for Both<'_> {
    fn event(&mut self, at: u64, clock: u32, event: &Event<'_>) {
        self.diagram.event(at, clock, event);
        if let Some(observer) = &mut self.observer {
            observer.event(at, clock, event);
        }
    }
}

fn as_numbers<S: Serializer>(ids: &[Id], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(ids.iter().map(|id| id.get()))
}

fn as_name<S: Serializer>(property: &Option<Property>, to: S) -> Result<S::Ok, S::Error> {
    property.map(Property::name).serialize(to)
}

/// Pairs as an object, in their order.
fn as_map<S: Serializer>(pairs: &[(&'static str, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().copied())
}
