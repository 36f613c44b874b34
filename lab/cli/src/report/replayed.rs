//! The result of a replay, as facts and as text.

use super::sheet::Sheet;
use crate::terminal::Emphasis;
use serde::{Serialize, Serializer};
use suffrage::algorithms::Property;
use suffrage::experiment::number::grouped;
use suffrage::model::Id;
use suffrage::run::{Replay, Run};

/// The result of a replay. Its keys are those of the JSON report.
#[derive(Serialize)]
pub(crate) struct ReplayReport {
    algorithm: String,
    network: String,
    nodes: u32,
    #[serde(serialize_with = "as_numbers")]
    ids: Vec<Id>,
    capacity: Option<u32>,
    faults: Vec<String>,
    steps: usize,
    /// The number of steps before the loop, if the last steps can be repeated forever.
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_start: Option<usize>,
    /// The property that the run breaks according to its file.
    property: Option<String>,
    detail: String,
    /// Whether the run broke that property; `None` if the file names no property, or a property that is not
    /// judged.
    reproduced: Option<bool>,
    /// Whether further steps were possible after its last one.
    pub(crate) unfinished: bool,
    leader: Option<ReplayedLeader>,
    messages: u64,
    #[serde(serialize_with = "suffrage::experiment::report::as_map")]
    by_kind: Vec<(&'static str, u64)>,
    causal_depth: u32,
    late: u64,
    lost: u64,
    pub(crate) violations: Vec<ReplayedViolation>,
    /// The command that made the run.
    #[serde(skip)]
    command: Option<String>,
    /// Whether steps are counted instead of ticks.
    #[serde(skip)]
    untimed: bool,
}

/// The leader.
#[derive(Serialize)]
struct ReplayedLeader {
    node: u64,
    id: u64,
}

/// A property that was broken.
#[derive(Serialize)]
pub(crate) struct ReplayedViolation {
    property: Property,
    /// The step or tick at which it was broken.
    step: u64,
    detail: String,
}

impl ReplayReport {
    pub(crate) fn of(run: &Run, replay: &Replay) -> Self {
        let (header, outcome) = (&run.header, &replay.outcome);
        let violations = outcome.violations.iter().map(|breach| ReplayedViolation {
            property: breach.violation.property,
            step: breach.at,
            detail: breach.violation.detail.clone(),
        });
        Self {
            algorithm: header.algorithm.clone(),
            network: header.network.clone(),
            nodes: header.wiring.nodes(),
            ids: header.ids.clone(),
            capacity: header.capacity,
            faults: header.faults.iter().map(ToString::to_string).collect(),
            steps: run.actions.len(),
            loop_start: header.loop_start,
            property: header.breaks.as_ref().map(|breaks| breaks.property.clone()),
            detail: header.breaks.as_ref().map_or_else(String::new, |breaks| breaks.detail.clone()),
            reproduced: replay.reproduced,
            unfinished: outcome.unfinished,
            leader: outcome
                .leader
                .map(|leader| ReplayedLeader { node: leader.node, id: leader.id.get() }),
            messages: outcome.messages.total(),
            by_kind: outcome.messages.by_kind().map(|(kind, count)| (kind.name, count)).collect(),
            causal_depth: outcome.causal_depth,
            late: outcome.late,
            lost: outcome.lost,
            violations: violations.collect(),
            command: header.command.clone(),
            untimed: run.is_untimed(),
        }
    }

    /// Formats the diagram, or why there is none, and the verdict, for people.
    pub(crate) fn text(&self, diagram: &str) -> String {
        let what = match &self.property {
            Some(property) => format!("a run that breaks {property}"),
            None => "a run".to_owned(),
        };
        let es = if self.nodes == 1 { "" } else { "es" };
        let nodes = format!("{} process{es}", grouped(self.nodes));
        let mut sheet = Sheet::titled(&format!("{} on {nodes}: {what}", self.algorithm));
        if let Some(command) = &self.command {
            sheet.line("command", command);
        }
        if !self.detail.is_empty() {
            sheet.line("found", &self.detail);
        }
        let capacity = self.capacity.map(|most| format!("links of capacity {most}"));
        let conditions: Vec<_> =
            capacity.into_iter().chain(self.faults.iter().map(|f| format!("fault {f}"))).collect();
        if !conditions.is_empty() {
            sheet.line("conditions", &conditions.join(", "));
        }
        if !(self.command.is_none() && self.detail.is_empty() && conditions.is_empty()) {
            sheet.plain("");
        }
        sheet.plain(diagram);
        self.verdict(&mut sheet);
        sheet.into_text()
    }

    fn verdict(&self, sheet: &mut Sheet) {
        let leader = match &self.leader {
            Some(leader) => format!("p{}, id {}", leader.node, leader.id),
            None => "none".to_owned(),
        };
        match &self.leader {
            Some(_) => sheet.emphasized("leader", &leader, Emphasis::Leader),
            None => sheet.line("leader", &leader),
        }
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
        if let Some(before) = self.loop_start {
            sheet.line("loop", &format!("from step {} to step {}", before + 1, self.steps));
        }
        if self.unfinished {
            sheet.line(
                "end",
                "the run ends before the election does: properties of the end are not judged",
            );
        }
        sheet.plain("");
        if self.violations.is_empty() {
            sheet.plain(match self.unfinished {
                true => "UNFINISHED: no property was broken, and the election did not end.",
                false => "Every property held.",
            });
        }
        let unit = if self.untimed { "step" } else { "tick" };
        for ReplayedViolation { property, step, detail } in &self.violations {
            let broken = format!("BROKEN: {property} at {unit} {}", grouped(*step));
            sheet.plain(&Emphasis::Broken.paint(&broken));
            sheet.wrapped(detail);
        }
        match (&self.property, self.reproduced) {
            (Some(property), Some(false)) => sheet
                .plain(&format!("NOT REPRODUCED: the run is to break {property}, and did not.")),
            (Some(property), None) if Property::ALL.iter().any(|one| one.name() == property) => {
                sheet.plain(&format!(
                    "NOT JUDGED: {property} is claimed only for networks without faults."
                ));
            }
            (Some(property), None) => sheet.plain(&format!(
                "NOT JUDGED: {property} is no property of all elections, and a replay judges no other."
            )),
            _ => {}
        }
    }
}

fn as_numbers<S: Serializer>(ids: &[Id], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(ids.iter().map(|id| id.get()))
}
