//! One node of a real election, for people.

use crate::report::sheet::Sheet;
use crate::terminal::Emphasis;
use suffrage::experiment::number::grouped;
use suffrage::experiment::real::MemberReport;
use suffrage::experiment::report::MeasuredTime;
use suffrage::model::Status;

/// Formats the report for people.
pub(crate) fn text(member: &MemberReport) -> String {
    let mut sheet = Sheet::titled(&format!(
        "{} in cluster {}, node {}",
        member.algorithm, member.cluster, member.id
    ));
    let leader = match (member.leader, member.role) {
        (Some(id), Status::Leader) => format!("{id}, this node"),
        (Some(id), _) => id.to_string(),
        (None, _) => "not this node; the algorithm tells it no more".to_owned(),
    };
    sheet.emphasized("leader", &leader, Emphasis::Leader);
    let role = match member.role {
        Status::Undecided => "undecided",
        Status::Leader => "leader",
        Status::Follower => "follower",
    };
    sheet.line("role", role);
    let halted = if member.all_halted {
        "all have halted"
    } else {
        "this node has halted; it is not known whether all have, because the node that would \
         report it could not be reached any more"
    };
    sheet.line("outcome", halted);
    let sent: Vec<_> = member
        .messages
        .by_kind
        .iter()
        .map(|(kind, count)| format!("{kind} {}", grouped(count)))
        .collect();
    sheet.line("sent", &format!("{} = {}", grouped(member.messages.total), sent.join(", ")));
    sheet.line("received", &grouped(member.received));
    if member.late > 0 {
        sheet.line("late", &grouped(member.late));
    }
    sheet.line("causal depth", &grouped(member.causal_depth));
    if let Some(time) = member.time {
        sheet.line("time", &MeasuredTime::Seconds(time).text());
    }
    for violation in &member.violations {
        sheet.headline(&format!("BROKEN: {violation}"));
    }
    sheet.into_text()
}
