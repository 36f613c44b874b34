//! Faults in the judge.

use super::{SeededFault, fault};

/// The faults in the judge. What each misjudges is found out; see [`examine`](crate::judge::examine).
pub const JUDGE: &[SeededFault] = &[
    misjudges(
        "counts crashed leaders",
        "if process.stage == Stage::Crashed {\n            return;\n        }",
        "",
        "a leader that has crashed is no leader",
    ),
    misjudges(
        "sees no second leader",
        "Some(_) => self.second = self.second.or(Some(node)),",
        "Some(_) => {}",
        "two leaders are the worst that can happen",
    ),
    misjudges(
        "the first of two leads",
        "survey.leader.filter(|_| survey.second.is_none())",
        "survey.leader",
        "of two leaders neither is the leader",
    ),
    misjudges(
        "sleepers have halted",
        "if process.stage != Stage::Halted {",
        "if process.stage == Stage::Running {",
        "a process that was never reached waits for ever",
    ),
    misjudges(
        "all must know at any time",
        "claims.map(|claims| claims.problem).filter(|_| !ended.unfinished)",
        "claims.map(|claims| claims.problem)",
        "in an unfinished election a process may still learn who leads",
    ),
    misjudges(
        "no process must know",
        "Some(Problem::Explicit) => true,",
        "Some(Problem::Explicit) => false,",
        "an explicit election tells everyone",
    ),
    misjudges(
        "some may stay undecided",
        "Some(Problem::Implicit) => !decided,",
        "Some(Problem::Implicit) => false,",
        "in the end of an implicit election every process knows whether it leads",
    ),
    misjudges(
        "names are not compared",
        "if process.leader.is_some() || dissents {",
        "if process.leader.is_none() && dissents {",
        "a process that names another contradicts the leader",
    ),
    misjudges(
        "a leader has a name",
        "anonymous && process.leader.is_none() && decided",
        "false",
        "anonymous processes agree if all others follow",
    ),
    misjudges(
        "agrees without a word",
        "anonymous && process.leader.is_none() && decided",
        "anonymous && process.leader.is_none()",
        "a process that is undecided does not follow an anonymous leader",
    ),
    misjudges(
        "expectations bind each election",
        "if !bound.is_sure() {",
        "if false {",
        "a single election is held to no expectation",
    ),
    misjudges(
        "no late messages at all",
        "claims.ending != Ending::LateMessages && ended.late > 0",
        "ended.late > 0",
        "some algorithms end with messages under way",
    ),
    misjudges(
        "claims under faults",
        "(Some(claims), true) = (claims, ended.faultless)",
        "(Some(claims), _) = (claims, ended.faultless)",
        "claims are made for elections without faults",
    ),
    misjudges(
        "no leader, but the exact number",
        "sent < most && complete",
        "sent < most",
        "without a leader it is the leader that is missing",
    ),
    misjudges(
        "one more is allowed",
        "if sent > most ||",
        "if sent > most + 1 ||",
        "a bound is exceeded by one message",
    ),
    misjudges(
        "fewer are allowed",
        "sent > most || (bound.is_exact() && sent < most && complete)",
        "sent > most",
        "an exact bound is missed by fewer messages, too",
    ),
    misjudges(
        "sleepers will not wake",
        "if ended.unfinished { self.asleep } else { 0 }",
        "0",
        "in an unfinished election a process that sleeps may still initiate",
    ),
    misjudges(
        "loss under faults",
        "if ended.faultless && !ended.unfinished && ended.lost > 0 {",
        "if !ended.unfinished && ended.lost > 0 {",
        "a network that loses messages loses some",
    ),
    misjudges(
        "any smaller winner",
        ".filter(|must| must.node != leader.node)",
        ".filter(|must| must.id > leader.id)",
        "a winner that is larger than the rule says wins against the rule",
    ),
    misjudges(
        "no process may wait yet",
        "if self.waiting > 0 && must_halt && !ended.unfinished {",
        "if self.waiting > 0 && must_halt {",
        "in an unfinished election a process may still halt",
    ),
    misjudges(
        "all must halt",
        "if self.waiting > 0 && must_halt && !ended.unfinished {",
        "if self.waiting > 0 && !ended.unfinished {",
        "where messages alone must end, a process may wait",
    ),
    misjudges(
        "a leader is missing at once",
        "(None, _) if ended.unfinished => {} // A leader may still come.\n",
        "",
        "in an unfinished election a leader may still come",
    ),
];

const fn misjudges(
    name: &'static str,
    was: &'static str,
    is: &'static str,
    because: &'static str,
) -> SeededFault {
    SeededFault { shared: Some("judge.rs"), ..fault(name, was, is, "", because) }
}
