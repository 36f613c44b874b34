//! The report of one election for people.

use super::stages;
use crate::report::sheet::Sheet;
use crate::terminal::Emphasis;
use suffrage::experiment::conditions::{Initiators, WakeUps};
use suffrage::experiment::number::{count, grouped};
use suffrage::experiment::report::{
    ElectionReport, MeasuredTime, NetworkSummary, RunTiming, Setting,
};

/// Formats the report of one election.
#[must_use]
pub fn text(report: &ElectionReport) -> String {
    let mut sheet = Sheet::titled(&format!("{} on {}", report.algorithm, report.network.source));
    warning(report.faulty, &mut sheet);
    choice(report.algorithm, report.choice.as_deref(), &mut sheet);
    network(&report.network, &mut sheet);
    if report.by_default {
        sheet.line("", "taken because none was named: --nodes or --topology name one");
    }
    sheet.line("conditions", &conditions(report));
    sheet.plain("");
    result(report, &mut sheet);
    cost(report, &mut sheet);
    if let Some(invariants) = &report.invariants {
        sheet.line("invariants", &held(report, invariants));
    }
    if let Some(taken) = &report.timing {
        sheet.line("timing", &timing(taken));
    }
    if let Some(rounds) = &report.rounds {
        stages::table(rounds, &mut sheet);
    }
    broken(report, &mut sheet);
    sheet.into_text()
}

/// Formats the conditions: `all initiate at once, random ids, ports by rotation, schedule
/// synchronous, seed 1`.
fn conditions(report: &ElectionReport) -> String {
    let who = &report.initiators;
    let chosen = match &who.chosen {
        Setting::Recorded => format!("{} woke", grouped(who.count)),
        Setting::Asked(Initiators::Some(_)) => format!("{} at random", grouped(who.count)),
        Setting::Asked(asked @ (Initiators::All | Initiators::Listed(_))) => asked.to_string(),
    };
    let when = match who.wake {
        Setting::Recorded => "as recorded".to_owned(),
        Setting::Asked(WakeUps::Once) => "start at once".to_owned(),
        Setting::Asked(WakeUps::Spread(last)) => format!("start at ticks 0 to {last}"),
    };
    let start = format!("{chosen} {when}");
    let mut all = vec![
        start,
        format!("ids {}", report.ids),
        format!("ports {}", report.ports.name()),
        format!("schedule {}", report.schedule),
    ];
    if let Some(capacity) = report.capacity {
        all.push(format!("links of capacity {capacity}"));
    }
    all.extend(report.faults.iter().map(|fault| format!("fault {fault}")));
    all.push(format!("seed {}", report.seed));
    all.join(", ")
}

fn result(report: &ElectionReport, sheet: &mut Sheet) {
    if let Some(delivered) = report.interrupted_after {
        let after = format!("stopped after {} deliveries; so far:", grouped(delivered));
        sheet.line("interrupted", &after);
    }
    if report.unfinished {
        let so_far = "the recording ends before the election does; so far:";
        sheet.line("unfinished", so_far);
    }
    match &report.leader {
        Some(leader) => sheet.emphasized("leader", &leader.text(), Emphasis::Leader),
        None if report.interrupted_after.is_some() => {}
        None => sheet.line("leader", "none"),
    }
    if report.interrupted_after.is_none() {
        let known = if report.anonymous { "know whether they lead" } else { "know the leader" };
        let agreed =
            if report.agreed { format!("all {known}") } else { format!("not all {known}") };
        let halted = if report.halted { "all have halted" } else { "not all have halted" };
        sheet.line("outcome", &format!("{agreed}, {halted}"));
    }
    let who = &report.initiators;
    if who.woken != who.count && who.chosen != Setting::Recorded {
        let woken = format!(
            "{} of {} woke by themselves, before a message reached them",
            grouped(who.woken),
            grouped(who.count)
        );
        sheet.line("initiators", &woken);
    }
}

fn cost(report: &ElectionReport, sheet: &mut Sheet) {
    let messages = &report.messages;
    let synchronizer = match messages.synchronizer {
        None => String::new(),
        Some(sent) => format!(" + {} synchronizer", grouped(sent)),
    };
    let all = format!(
        "{} = {} election + {} announcement{synchronizer}",
        grouped(messages.total),
        grouped(messages.election),
        grouped(messages.announcement)
    );
    sheet.line("messages", &all);
    sheet.line("bound", &report.bound.text());
    let kinds: Vec<_> =
        messages.by_kind.iter().map(|(kind, count)| format!("{kind} {}", grouped(count))).collect();
    sheet.line("by kind", &kinds.join(", "));
    sheet.line("bits", &grouped(report.bits));
    let time = match (&report.time_bound, report.time) {
        // The bound is in these.
        (Some(bound), MeasuredTime::Ticks(ticks)) if bound.units != ticks => {
            format!("{}; {} of the greatest delay", report.time.text(), count(bound.units, "unit"))
        }
        (_, time) => time.text(),
    };
    sheet.line("time", &time);
    if let Some(time) = &report.time_bound {
        sheet.line("time bound", &time.text());
    }
    let length = count(report.causal_depth.into(), "message");
    let chain = format!("{length}, the longest causal chain");
    sheet.line("causal depth", &chain);
    let work = grouped(report.busiest.messages);
    let node = match &report.busiest.label {
        Some(label) => format!("{label} (node {})", report.busiest.node),
        None => format!("node {}", report.busiest.node),
    };
    sheet.line("busiest", &format!("{node} sent and received {work}"));
    if let Some(peak) = report.peak_in_flight {
        sheet.line("in flight", &format!("at most {} at a time", grouped(peak)));
    }
    if report.late > 0 {
        let late =
            format!("{} reached processes that had halted, and were dropped", grouped(report.late));
        sheet.line("late", &late);
    }
    if report.lost > 0 {
        sheet.line("lost", &format!("{} to faults", grouped(report.lost)));
    }
}

/// Formats the invariants, and whether they held.
fn held(report: &ElectionReport, invariants: &[&str]) -> String {
    let is_broken = |name: &&str| report.violations.iter().any(|of| of.property.name() == *name);
    let (broken, held): (Vec<&str>, Vec<&str>) = invariants.iter().partition(|of| is_broken(of));
    let held = match held.as_slice() {
        [] => None,
        held => Some(format!("held in every configuration: {}", held.join(", "))),
    };
    let broken = (!broken.is_empty()).then(|| format!("broken: {}", broken.join(", ")));
    held.into_iter().chain(broken).collect::<Vec<_>>().join("; ")
}

fn broken(report: &ElectionReport, sheet: &mut Sheet) {
    if report.violations.is_empty() {
        return;
    }
    let count = report.violations.len();
    let what = if count == 1 { "property" } else { "properties" };
    sheet.headline(&format!("BROKEN: {count} {what}"));
    for violation in &report.violations {
        let property = Emphasis::Broken.paint(violation.property.name());
        sheet.plain(&format!("  {property} at {}", violation.at.instant()));
        sheet.wrapped(&violation.detail);
    }
    if !report.faults.is_empty() {
        sheet.plain("\nEvery algorithm here assumes a network without faults; this one had some.");
    } else if report.capacity.is_some() {
        let name = report.algorithm;
        sheet.plain(&format!(
            "\nNot every algorithm works with bounded links: `suffrage algorithms {name}` says \
             what this one assumes."
        ));
    }
    if let Some(command) = &report.replay {
        // On one line, so that it can be copied.
        sheet.plain(&format!("\nTo see it again:\n  {command}"));
    }
}

fn timing(taken: &RunTiming) -> String {
    let rate = taken.messages_per_second;
    let rate = rate.map(|rate| format!(", {} a second", count(rate, "message")));
    let peak = taken.peak_bytes;
    let peak = peak.map(|bytes| format!(", at most {} KiB of memory", grouped(bytes / 1024)));
    let links = taken.links_opened.map(|links| format!(", {} opened", count(links, "link")));
    let [rate, peak, links] = [rate, peak, links].map(Option::unwrap_or_default);
    format!("{:.3} s{rate}{peak}{links}", taken.wall_seconds)
}

/// Adds why the algorithm is faulty, if it is.
pub(super) fn warning(faulty: Option<&str>, sheet: &mut Sheet) {
    if let Some(why) = faulty {
        let text = format!("a faulty form, kept as a warning: it {why}");
        sheet.emphasized("warning", &text, Emphasis::Warning);
    }
}

/// Adds why this algorithm was chosen, if none was named.
pub(super) fn choice(algorithm: &str, reason: Option<&str>, sheet: &mut Sheet) {
    if let Some(reason) = reason {
        sheet.line("choice", &format!("{algorithm}: {reason}"));
    }
}

/// Adds the lines of a network.
pub(crate) fn network(network: &NetworkSummary, sheet: &mut Sheet) {
    let (nodes, links) = (count(network.nodes, "node"), count(network.links, "link"));
    sheet.line("network", &format!("{}, {nodes}, {links}", network.kind));
    for note in &network.notes {
        sheet.line("", note);
    }
}
