//! Elections among agents that met by messages, for people.

use crate::report::sheet::Sheet;
use crate::terminal::Emphasis;
use suffrage::experiment::number::{count, grouped};
use suffrage::experiment::real::agents::AgentMember;
use suffrage::experiment::report::{AgentsReport, MeasuredTime};
use suffrage::population::agents::{Declaration, RealAmongSimulated};

/// Formats a report for people.
pub(crate) fn text(report: &AgentsReport) -> String {
    let found = &report.findings;
    let agents = count(found.agents.into(), "agent");
    let mut sheet = Sheet::titled(&format!("{} among {agents}", report.algorithm));
    sheet.line("conditions", &conditions(report));
    sheet.plain("");
    let leader = match (found.leader, found.leaders) {
        (Some(id), 1) => format!("{id}, as all know"),
        (Some(id), 0) => format!("{id}, as all believe, and none knows that all do"),
        (Some(id), more) => format!("{id}, as all believe; {more} call themselves the leader"),
        (None, more) => format!("not all agree; {more} call themselves the leader"),
    };
    sheet.emphasized("leader", &leader, Emphasis::Leader);
    if !found.died.is_empty() {
        sheet.line("died", &died(report));
    }
    sheet.line("outcome", &outcome(report));
    if let Some(declared) = &found.declared {
        sheet.line("declared", &declaration(declared, found.declarations));
    } else if report.algorithm == SELF_TERMINATING {
        sheet.line("declared", "never: no agent met so many more followers than it converted");
    }
    compared(report, &mut sheet);
    if found.refused > 0 {
        let refused = count(found.refused, "invitation");
        sheet.line("refused", &format!("{refused} to or from an agent in another meeting"));
    }
    sheet.line("time", &MeasuredTime::Seconds(report.seconds).text());
    for violation in &report.violations {
        sheet.headline(&format!("BROKEN: {violation}"));
    }
    if found.declared.is_some_and(|declared| !declared.right) {
        sheet.headline("BROKEN: an agent declared before all held the same identity");
    }
    sheet.into_text()
}

fn conditions(report: &AgentsReport) -> String {
    let agents: u64 = report.findings.agents.into();
    let start = match report.initiators {
        all if all == agents => "all start at once".to_owned(),
        some => format!("{} start, the others at their first meeting", grouped(some)),
    };
    let mut all = vec![start, format!("ids {}", report.ids), report.medium.to_string()];
    all.extend(report.faults.iter().map(|fault| format!("fault {fault}")));
    all.push(format!("seed {}", report.seed));
    all.join(", ")
}

fn died(report: &AgentsReport) -> String {
    const LISTED: usize = 8;
    let died = &report.findings.died;
    let ids: Vec<_> = died.iter().take(LISTED).map(ToString::to_string).collect();
    let more = if died.len() > LISTED { ", ..." } else { "" };
    let agents = count(died.len() as u64, "agent");
    format!("{agents}: {}{more}; the figures are for the others", ids.join(", "))
}

fn outcome(report: &AgentsReport) -> String {
    let found = &report.findings;
    let alive = found.agents - found.died.len() as u32;
    let of = |number: u32| match number {
        all if all == alive && found.died.is_empty() => "all".to_owned(),
        all if all == alive => "all that live".to_owned(),
        some => format!("{} of {}", grouped(some), grouped(alive)),
    };
    match report.algorithm {
        _ if report.ended => "all have halted".to_owned(),
        SELF_TERMINATING if found.died.is_empty() => {
            format!("{} have decided, {} have halted", of(found.decided), of(found.halted))
        }
        SELF_TERMINATING => format!(
            "{} have decided; none halts, since they cannot know whether the dead ones have",
            of(found.decided)
        ),
        _ if report.settled => "stopped from outside when all agreed: no agent knows".to_owned(),
        _ => "stopped from outside before all agreed".to_owned(),
    }
}

/// Adds the figures that are simulated, too.
fn compared(report: &AgentsReport, sheet: &mut Sheet) {
    let found = &report.findings;
    let Some(simulated) = &report.simulated else { return };
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
    let unlike = match (report.initiators < found.agents.into(), found.died.is_empty()) {
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

/// Formats the report of one agent for people.
pub(crate) fn member(agent: &AgentMember) -> String {
    let title = format!("{} in cluster {}, agent {}", agent.algorithm, agent.cluster, agent.id);
    let mut sheet = Sheet::titled(&title);
    let leader = match agent.leader {
        Some(id) if agent.leads => format!("{id}, this agent"),
        Some(id) => id.to_string(),
        None => format!("not known; it holds {}", agent.holds),
    };
    sheet.emphasized("leader", &leader, Emphasis::Leader);
    let outcome = match (agent.all_halted, agent.halted, agent.leader) {
        (true, ..) => "all have halted",
        (_, true, _) => "this agent has halted; whether all have is not known",
        (_, _, Some(_)) => "it has decided; whether all have is not known",
        (_, _, None) => "it has not decided",
    };
    sheet.line("outcome", outcome);
    let meetings = format!(
        "{} = {} initiated, {} answered",
        grouped(agent.initiated + agent.answered),
        grouped(agent.initiated),
        grouped(agent.answered)
    );
    sheet.line("meetings", &meetings);
    if let Some(knew) = agent.knew_at {
        let how = if agent.declared { "declared" } else { "told" };
        sheet.line(how, &format!("at its meeting {}", grouped(knew)));
    }
    if agent.refused > 0 {
        sheet.line("refused", &count(agent.refused.into(), "invitation"));
    }
    if let Some(time) = agent.time {
        sheet.line("time", &MeasuredTime::Seconds(time).text());
    }
    for violation in &agent.violations {
        sheet.headline(&format!("BROKEN: {violation}"));
    }
    sheet.into_text()
}
