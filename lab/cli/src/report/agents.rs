//! Reports of elections among agents that met by messages.

use super::sheet::Sheet;
use crate::terminal::Emphasis;
use serde::{Deserialize, Serialize};
use suffrage::algorithms::Violation;
use suffrage::experiment::number::{count, grouped};
use suffrage::experiment::report::{Arrivals, MeasuredTime};
use suffrage::population::agents::{
    Declaration, MeetingFindings, RealAmongSimulated, RealComparison, RecordEntry,
};
use suffrage::simulator::Fault;

/// The report of all agents. Its keys are those of the JSON report.
#[derive(Serialize)]
pub(crate) struct AgentsReport {
    pub(crate) algorithm: &'static str,
    /// How messages arrived.
    pub(crate) medium: Arrivals,
    pub(crate) ids: String,
    /// The number of agents that started by themselves.
    pub(crate) initiators: u64,
    pub(crate) faults: Vec<Fault>,
    pub(crate) seed: u64,
    /// The time until the last change that an observer has seen.
    pub(crate) seconds: f64,
    /// Whether all agents have halted.
    pub(crate) ended: bool,
    /// Whether nothing more was to be expected.
    pub(crate) settled: bool,
    #[serde(flatten)]
    pub(crate) findings: MeetingFindings,
    pub(crate) simulated: Option<RealComparison>,
    pub(crate) violations: Vec<Violation>,
}

impl AgentsReport {
    /// Returns whether all agents hold one identity in the end, no declaration was wrong, and no
    /// agent broke a property.
    pub(crate) fn is_good(&self) -> bool {
        self.settled
            && self.findings.leader.is_some()
            && self.findings.declared.is_none_or(|declared| declared.right)
            && self.violations.is_empty()
    }

    /// Formats the report for people.
    pub(crate) fn text(&self) -> String {
        let found = &self.findings;
        let agents = count(found.agents.into(), "agent");
        let mut sheet = Sheet::titled(&format!("{} among {agents}", self.algorithm));
        sheet.line("conditions", &self.conditions());
        sheet.plain("");
        let leader = match (found.leader, found.leaders) {
            (Some(id), 1) => format!("{id}, as all know"),
            (Some(id), 0) => format!("{id}, as all believe, and none knows that all do"),
            (Some(id), more) => format!("{id}, as all believe; {more} call themselves the leader"),
            (None, more) => format!("not all agree; {more} call themselves the leader"),
        };
        sheet.emphasized("leader", &leader, Emphasis::Leader);
        if !found.died.is_empty() {
            sheet.line("died", &self.died());
        }
        sheet.line("outcome", &self.outcome());
        if let Some(declared) = &found.declared {
            sheet.line("declared", &declaration(declared, found.declarations));
        } else if self.algorithm == SELF_TERMINATING {
            sheet.line("declared", "never: no agent met so many more followers than it converted");
        }
        self.compared(&mut sheet);
        if found.refused > 0 {
            let refused = count(found.refused, "invitation");
            sheet.line("refused", &format!("{refused} to or from an agent in another meeting"));
        }
        sheet.line("time", &MeasuredTime::Seconds(self.seconds).text());
        for violation in &self.violations {
            sheet.headline(&format!("BROKEN: {violation}"));
        }
        if found.declared.is_some_and(|declared| !declared.right) {
            sheet.headline("BROKEN: an agent declared before all held the same identity");
        }
        sheet.into_text()
    }

    fn conditions(&self) -> String {
        let agents: u64 = self.findings.agents.into();
        let start = match self.initiators {
            all if all == agents => "all start at once".to_owned(),
            some => format!("{} start, the others at their first meeting", grouped(some)),
        };
        let mut all = vec![start, format!("ids {}", self.ids), self.medium.to_string()];
        all.extend(self.faults.iter().map(|fault| format!("fault {fault}")));
        all.push(format!("seed {}", self.seed));
        all.join(", ")
    }

    fn died(&self) -> String {
        const LISTED: usize = 8;
        let died = &self.findings.died;
        let ids: Vec<_> = died.iter().take(LISTED).map(ToString::to_string).collect();
        let more = if died.len() > LISTED { ", ..." } else { "" };
        let agents = count(died.len() as u64, "agent");
        format!("{agents}: {}{more}; the figures are for the others", ids.join(", "))
    }

    fn outcome(&self) -> String {
        let found = &self.findings;
        let alive = found.agents - found.died.len() as u32;
        let of = |number: u32| match number {
            all if all == alive && found.died.is_empty() => "all".to_owned(),
            all if all == alive => "all that live".to_owned(),
            some => format!("{} of {}", grouped(some), grouped(alive)),
        };
        match self.algorithm {
            _ if self.ended => "all have halted".to_owned(),
            SELF_TERMINATING if found.died.is_empty() => {
                format!("{} have decided, {} have halted", of(found.decided), of(found.halted))
            }
            SELF_TERMINATING => format!(
                "{} have decided; none halts, since they cannot know whether the dead ones have",
                of(found.decided)
            ),
            _ if self.settled => "stopped from outside when all agreed: no agent knows".to_owned(),
            _ => "stopped from outside before all agreed".to_owned(),
        }
    }

    /// Adds the figures that are simulated, too.
    fn compared(&self, sheet: &mut Sheet) {
        let found = &self.findings;
        let Some(simulated) = &self.simulated else { return };
        let mut all = Vec::new();
        for (what, place) in [
            ("until all agreed", simulated.completed_at),
            ("until declared", simulated.declared_at),
            ("until all were told", simulated.told_at),
            ("the least of an agent", simulated.fewest),
            ("the most of an agent", simulated.most),
        ] {
            all.extend(place.map(|place| (what, place)));
        }
        let per_agent =
            found.meetings_per_agent.map(|spread| format!(", {:.1} of an agent", spread.mean));
        let meetings = format!("{}{}", grouped(found.meetings), per_agent.unwrap_or_default());
        sheet.line("meetings", &meetings);
        if all.is_empty() {
            return;
        }
        sheet.plain("");
        let trials = grouped(simulated.trials);
        let unlike = match (self.initiators < found.agents.into(), found.died.is_empty()) {
            (false, true) => "",
            (true, true) => " in which all start at once",
            (false, false) => " in which none dies",
            (true, false) => " in which all start at once and none dies",
        };
        sheet.plain(&format!("  meetings, beside {trials} simulated elections{unlike}"));
        sheet.plain(&format!(
            "    {:<22} {:>9}  {:>9}  {:>19}  {:>8}",
            "", "real", "median", "95 % of them", "quantile"
        ));
        for (what, place) in all {
            sheet.plain(&row(what, &place));
        }
        if let Some(right) = simulated.right {
            let share = format!("{:.1} % of them declare correctly", 100.0 * right);
            sheet.plain(&format!("    {share}"));
        }
        sheet.plain("");
    }
}

const SELF_TERMINATING: &str = "self-terminating";

fn declaration(declared: &Declaration, declarations: u32) -> String {
    let right = if declared.right { "correctly" } else { "WRONGLY: not all held one identity" };
    let more = match declarations {
        1 => String::new(),
        more => format!("; {more} declarations in all"),
    };
    format!(
        "{right}, by agent {} at its meeting {}, meeting {} of all, after {}{more}",
        declared.id,
        grouped(declared.own_meetings),
        grouped(declared.meetings),
        MeasuredTime::Seconds(declared.seconds).text(),
    )
}

fn row(what: &str, place: &RealAmongSimulated) -> String {
    let real = place.real.map_or("-".to_owned(), grouped);
    let range = format!("{} to {}", grouped(place.low), grouped(place.high));
    let quantile = place.quantile.map_or("-".to_owned(), |share| format!("{share:.3}"));
    let median = grouped(place.median);
    format!("    {what:<22} {real:>9}  {median:>9}  {range:>19}  {quantile:>8}")
}

/// The report of one agent. Its keys are those of the JSON report of a node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AgentMember {
    pub(crate) cluster: String,
    pub(crate) algorithm: String,
    pub(crate) node: u32,
    pub(crate) id: u64,
    /// The leader, once it has decided.
    pub(crate) leader: Option<u64>,
    /// The identity that it holds.
    pub(crate) holds: u32,
    /// Whether it has decided that it is the leader.
    pub(crate) leads: bool,
    /// Whether it has declared the election complete by itself.
    pub(crate) declared: bool,
    /// Its meetings until it knew that the election is complete.
    pub(crate) knew_at: Option<u32>,
    /// Its meetings, as the initiator and as the responder.
    pub(crate) initiated: u32,
    pub(crate) answered: u32,
    /// The invitations that it has refused or taken back.
    pub(crate) refused: u32,
    pub(crate) halted: bool,
    /// Whether all agents are known to have halted.
    pub(crate) all_halted: bool,
    /// When it started, in seconds since 1970.
    pub(crate) started: f64,
    /// The number of seconds from then until it had decided.
    pub(crate) time: Option<f64>,
    /// What it showed, if steps are asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) entries: Vec<RecordEntry>,
    pub(crate) violations: Vec<Violation>,
}

impl AgentMember {
    /// Formats the report for people.
    pub(crate) fn text(&self) -> String {
        let title = format!("{} in cluster {}, agent {}", self.algorithm, self.cluster, self.id);
        let mut sheet = Sheet::titled(&title);
        let leader = match self.leader {
            Some(id) if self.leads => format!("{id}, this agent"),
            Some(id) => id.to_string(),
            None => format!("not known; it holds {}", self.holds),
        };
        sheet.emphasized("leader", &leader, Emphasis::Leader);
        let outcome = match (self.all_halted, self.halted, self.leader) {
            (true, ..) => "all have halted",
            (_, true, _) => "this agent has halted; whether all have is not known",
            (_, _, Some(_)) => "it has decided; whether all have is not known",
            (_, _, None) => "it has not decided",
        };
        sheet.line("outcome", outcome);
        let meetings = format!(
            "{} = {} initiated, {} answered",
            grouped(self.initiated + self.answered),
            grouped(self.initiated),
            grouped(self.answered)
        );
        sheet.line("meetings", &meetings);
        if let Some(knew) = self.knew_at {
            let how = if self.declared { "declared" } else { "told" };
            sheet.line(how, &format!("at its meeting {}", grouped(knew)));
        }
        if self.refused > 0 {
            sheet.line("refused", &count(self.refused.into(), "invitation"));
        }
        if let Some(time) = self.time {
            sheet.line("time", &MeasuredTime::Seconds(time).text());
        }
        for violation in &self.violations {
            sheet.headline(&format!("BROKEN: {violation}"));
        }
        sheet.into_text()
    }
}
