//! The judge, which checks the end of an election against the properties of every election and the
//! claims about its algorithm.
//!
//! Every engine reports an ended election as an [`Ended`] and takes its verdict from [`judge`].
//! Violations that occur on the way (a decision revoked, an impossible message) are reported when
//! they occur, by the constructors of [`Violation`].

use crate::{Claims, Ending, Parameters, Problem, Property, Rule, Violation};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use suffrage_model::{Id, Stage, Status};

/// The final state of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalState {
    /// Its identity.
    pub id: Id,
    /// Whether it woke spontaneously.
    pub woke: bool,
    /// The stage of its life.
    pub stage: Stage,
    /// Its decision.
    pub status: Status,
    /// The leader that it names.
    pub leader: Option<Id>,
}

/// The end of an election, as an engine reports it.
pub struct Ended<'a> {
    /// The number of processes.
    pub nodes: u64,
    /// The number of links.
    pub links: u64,
    /// The final state of each process, by its number in `0..nodes`: a closure that returns it.
    pub process: &'a dyn FinalStates,
    /// The number of processes that wait for room on a link.
    pub blocked: u64,
    /// The number of messages sent; `None` where bounds are not to be judged here.
    pub sent: Option<Sent>,
    /// The time that it took, as [`Rounds`](crate::Rounds) count it; `None` where time is not to be
    /// judged here.
    pub units: Option<u64>,
    /// The diameter of the network, computed only if a bound depends on it.
    pub diameter: &'a dyn Fn() -> u64,
    /// The number of messages that reached processes which had halted.
    pub late: u64,
    /// The number of messages that were sent and will never be delivered.
    pub lost: u64,
    /// Whether no faults occurred around the processes. Claims are made for such elections, except
    /// for the [`Problem`] that is solved, which is claimed of any election with a leader.
    pub faultless: bool,
    /// Whether more could have happened. Then the properties of the end are not judged, a process
    /// that sleeps counts as an initiator, and no number is too small.
    pub unfinished: bool,
}

impl Ended<'_> {
    fn processes(&self) -> impl Iterator<Item = (Id, bool)> {
        (0..self.nodes).map(|node| {
            let process = self.process.state(node);
            (process.id, process.woke)
        })
    }
}

/// The final states of all processes.
pub trait FinalStates {
    /// Returns the final state of the process with this number.
    fn state(&self, node: u64) -> FinalState;

    /// Shows the judge those of the first `nodes` processes, in order. Compiled for each engine and
    /// algorithm, because the judge looks at every process of a large network.
    #[doc(hidden)]
    fn survey(&self, nodes: u64, survey: &mut Survey);
}

impl<F: Fn(u64) -> FinalState + ?Sized> FinalStates for F {
    fn state(&self, node: u64) -> FinalState {
        self(node)
    }

    fn survey(&self, nodes: u64, survey: &mut Survey) {
        for node in 0..nodes {
            survey.add(node, &self(node));
        }
    }
}

/// The number of messages sent in each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The number of messages of the election.
    pub election: u64,
    /// The number of messages of the announcement.
    pub announcement: u64,
}

/// A leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leader {
    /// The number of the process.
    pub node: u64,
    /// Its identity.
    pub id: Id,
}

/// The verdict of the judge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The leader, if exactly one process that has not crashed leads.
    pub leader: Option<Leader>,
    /// Whether every process that has not crashed names that leader. If the leader is anonymous,
    /// and does not even name itself, every other process must follow instead.
    pub agreed: bool,
    /// Whether every process that has not crashed has halted.
    pub halted: bool,
    /// The violations, in the order of [`Property::ALL`]; at most one for each property.
    pub violations: Vec<Violation>,
}

/// The greatest number of processes that a text lists.
const LISTED: usize = 5;

/// Judges how an election ended; without claims, only by the properties of every election.
///
/// - [`AtMostOneLeader`](Property::AtMostOneLeader) and
///   [`ExactlyOneLeader`](Property::ExactlyOneLeader) are about processes that have not crashed. Of
///   an algorithm that [may err](crate::Rule::MonteCarlo) they are not required.
/// - [`Agreement`](Property::Agreement): no process names another than the leader. Where the claims
///   say that the election is [explicit](Problem::Explicit), a process that names none breaks it,
///   too; where they say that it is [implicit](Problem::Implicit), one that stays undecided.
/// - [`EveryoneHalted`](Property::EveryoneHalted), unless the election is unfinished.
/// - [`WinnerByRule`](Property::WinnerByRule), [`SilentEnding`](Property::SilentEnding),
///   [`MessageBound`](Property::MessageBound) and [`TimeBound`](Property::TimeBound) are claims, and
///   [`ReliableLinks`](Property::ReliableLinks) is an assumption, about elections without faults. An
///   exact bound, or a lower one, is undercut only by an election that ended with a leader: without one, the missing
///   leader is what is wrong. A bound that is a statement about probabilities
///   ([`Bound::is_sure`](crate::Bound::is_sure)) says nothing of a single election, and is not judged
///   here.
///
/// Takes time linear in the number of processes, and allocates only for violations.
#[must_use]
pub fn judge(claims: Option<&Claims>, ended: &Ended<'_>) -> Verdict {
    let survey = Survey::of(claims, ended);
    let leader = survey.leader.filter(|_| survey.second.is_none());
    let mut violations = Vec::new();
    survey.state(claims, ended, &mut violations);
    if let Some(claims) = claims {
        violations.retain(|found: &Violation| claims.promise(found.property));
    }
    if let (Some(claims), true) = (claims, ended.faultless) {
        if claims.ending != Ending::LateMessages && ended.late > 0 {
            violations.push(Violation::late(ended.late));
        }
        survey.rule(claims, leader, ended, &mut violations);
        let parameters = claims.measured(survey.parameters(claims, ended), ended.diameter);
        survey.bounds(claims, leader, ended, &parameters, &mut violations);
        let time = claims.time.as_ref().filter(|time| time.is_sure());
        if let (Some(time), Some(units), false) = (time, ended.units, ended.unfinished) {
            let parameters = match time.depends_on_winner(&parameters) {
                true => parameters.with_winner(survey.winner(claims, ended).map(|must| must.id)),
                false => parameters,
            };
            let most = time.within(&parameters, ended.diameter);
            if units > most {
                violations.push(Violation::time(time, units, most));
            }
        }
    }
    if ended.faultless && !ended.unfinished && ended.lost > 0 {
        let detail = match ended.lost {
            1 => "1 message was sent and not delivered".into(),
            lost => format!("{lost} messages were sent and not delivered"),
        };
        violations.push(Violation { property: Property::ReliableLinks, detail });
    }
    Verdict {
        leader,
        agreed: leader.is_some() && survey.agreed,
        halted: survey.waiting == 0,
        violations,
    }
}

/// Formats a number of processes with its verb.
fn processes(number: u64, is: &str, are: &str) -> String {
    match number {
        1 => format!("1 process {is}"),
        _ => format!("{number} processes {are}"),
    }
}

/// A contest under a [`Rule`] that compares processes one by one.
pub(crate) struct Contest {
    rule: Rule,
    /// The first of those that have entered; `None` under a rule that does not compare processes so.
    pub first: Option<Leader>,
    /// The key of `first`; the least key wins. `u64::MAX` if there is no `first`.
    key: u64,
}

impl Contest {
    pub(crate) const fn new(rule: Rule) -> Self {
        Self { rule, first: None, key: u64::MAX }
    }

    /// Enters a process; they come in the order of their places.
    #[inline(always)]
    pub(crate) fn enter(&mut self, node: u64, id: Id, woke: bool) {
        let key = match self.rule {
            Rule::SmallestId => id.get(),
            Rule::LargestId => !id.get(),
            Rule::SmallestInitiator if woke => id.get(),
            Rule::LargestInitiator if woke => !id.get(),
            Rule::LargestPlace => !node,
            _ => return,
        };
        if key < self.key || self.first.is_none() {
            (self.first, self.key) = (Some(Leader { node, id }), key);
        }
    }
}

/// A summary of the final states of all processes.
#[doc(hidden)]
pub struct Survey {
    /// The first process that leads, and the second.
    leader: Option<Leader>,
    second: Option<u64>,
    leaders: u64,
    /// Whether all name the first leader.
    agreed: bool,
    /// The first process that contradicts the first leader, and the leader that it names.
    dissent: Option<(u64, Option<Id>)>,
    /// The number of processes that have neither halted nor crashed, and those of them to be
    /// listed.
    waiting: u64,
    listed: Vec<u64>,
    undecided: u64,
    asleep: u64,
    woken: u64,
    /// The leader that the first of them names, and whether all name the same.
    named: Option<Id>,
    one_name: bool,
    largest: u64,
    contest: Contest,
}

impl Survey {
    const fn new(rule: Rule) -> Self {
        Self {
            leader: None,
            second: None,
            leaders: 0,
            agreed: true,
            dissent: None,
            waiting: 0,
            listed: Vec::new(),
            undecided: 0,
            asleep: 0,
            woken: 0,
            named: None,
            one_name: true,
            largest: 0,
            contest: Contest::new(rule),
        }
    }

    /// Adds the final state of a process; they come in the order of their numbers.
    #[inline(always)]
    fn add(&mut self, node: u64, process: &FinalState) {
        self.woken += u64::from(process.woke);
        self.largest = self.largest.max(process.id.get());
        self.contest.enter(node, process.id, process.woke);
        if process.stage == Stage::Crashed {
            return;
        }
        if node == 0 {
            self.named = process.leader;
        }
        self.one_name &= self.named == process.leader;
        if process.status == Status::Leader {
            self.add_leader(node, process.id);
        }
        self.undecided += u64::from(process.status == Status::Undecided);
        self.asleep += u64::from(process.stage == Stage::Asleep);
        if process.stage != Stage::Halted {
            self.waiting += 1;
            if self.listed.len() < LISTED {
                self.list(node);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn add_leader(&mut self, node: u64, id: Id) {
        self.leaders += 1;
        match self.leader {
            None => self.leader = Some(Leader { node, id }),
            Some(_) => self.second = self.second.or(Some(node)),
        }
    }

    #[cold]
    #[inline(never)]
    fn list(&mut self, node: u64) {
        self.listed.push(node);
    }

    fn of(claims: Option<&Claims>, ended: &Ended<'_>) -> Self {
        let mut survey = Self::new(claims.map_or(Rule::Chance, |claims| claims.rule));
        ended.process.survey(ended.nodes, &mut survey);
        let problem = claims.map(|claims| claims.problem).filter(|_| !ended.unfinished);
        let Some(leader) = survey.leader else { return survey };
        if survey.one_name && survey.named == Some(leader.id) {
            return survey;
        }
        // A leader that does not name even itself is anonymous.
        let anonymous = ended.process.state(leader.node).leader.is_none();
        for node in 0..ended.nodes {
            let process = ended.process.state(node);
            if process.stage == Stage::Crashed || process.leader == Some(leader.id) {
                continue;
            }
            let decided = process.status != Status::Undecided;
            survey.agreed &= anonymous && process.leader.is_none() && decided;
            let dissents = match problem {
                Some(Problem::Explicit) => true,
                Some(Problem::Implicit) => !decided,
                None => false,
            };
            if process.leader.is_some() || dissents {
                survey.dissent = Some((node, process.leader));
                break;
            }
        }
        survey
    }

    /// Judges the properties of the processes' states alone.
    fn state(&self, claims: Option<&Claims>, ended: &Ended<'_>, violations: &mut Vec<Violation>) {
        let must_halt = claims.is_none_or(|claims| claims.ending.halts());
        let mut add = |property, detail| violations.push(Violation { property, detail });
        let blocked = ended.blocked;
        match (self.leader, self.second) {
            (None, _) if ended.unfinished => {} // A leader may still come.
            (None, _) => add(
                Property::ExactlyOneLeader,
                format!(
                    "nothing is under way any more and there is no leader; {} undecided, {} of \
                     them were never reached, and {blocked} wait to send",
                    processes(self.undecided, "is", "are"),
                    self.asleep
                ),
            ),
            (Some(first), Some(second)) => {
                add(
                    Property::AtMostOneLeader,
                    format!("processes {} and {second} are both leaders", first.node),
                );
                if !ended.unfinished {
                    add(Property::ExactlyOneLeader, format!("there are {} leaders", self.leaders));
                }
            }
            (Some(_), None) => {}
        }
        if let (Some(leader), Some((node, named))) = (self.leader, self.dissent) {
            let implicit = claims.is_some_and(|claims| claims.problem == Problem::Implicit);
            let detail = match named {
                Some(id) => format!("process {node} names {id}, but the leader is {}", leader.id),
                None if implicit => {
                    format!("process {node} is undecided, but process {} leads", leader.node)
                }
                None => format!("process {node} names no leader, but the leader is {}", leader.id),
            };
            add(Property::Agreement, detail);
        }
        if self.waiting > 0 && must_halt && !ended.unfinished {
            let some: Vec<_> = self.listed.iter().map(ToString::to_string).collect();
            let more = if self.waiting > some.len() as u64 { ", ..." } else { "" };
            let (wait, some) = (processes(self.waiting, "waits", "wait"), some.join(", "));
            let detail = format!("{wait} forever ({some}{more}), {blocked} of them to send");
            add(Property::EveryoneHalted, detail);
        }
    }

    fn rule(
        &self,
        claims: &Claims,
        leader: Option<Leader>,
        ended: &Ended<'_>,
        violations: &mut Vec<Violation>,
    ) {
        let Some(leader) = leader else { return };
        let must = self.winner(claims, ended);
        if let Some(must) = must.filter(|must| must.node != leader.node) {
            let rule = claims.rule.words();
            let detail = match must.id == leader.id {
                true => format!(
                    "process {} has won, but the {rule} is that of process {}",
                    leader.node, must.node
                ),
                false => format!("{} has won, but the {rule} is {}", leader.id, must.id),
            };
            violations.push(Violation { property: Property::WinnerByRule, detail });
        }
    }

    fn parameters(&self, claims: &Claims, ended: &Ended<'_>) -> Parameters {
        let sleepers = if ended.unfinished { self.asleep } else { 0 };
        let known = Parameters::new(ended.nodes, ended.links, self.woken + sleepers);
        claims.among(known, self.largest, || ended.processes().map(|(id, _)| id).collect())
    }

    fn winner(&self, claims: &Claims, ended: &Ended<'_>) -> Option<Leader> {
        match claims.rule {
            Rule::LyndonWord => {
                // Mutants of this file are compiled in another crate, where `Leader` is another type.
                let winner = claims.rule.winner(ended.processes())?;
                Some(Leader { node: winner.node, id: winner.id })
            }
            _ => self.contest.first,
        }
    }

    fn bounds(
        &self,
        claims: &Claims,
        leader: Option<Leader>,
        ended: &Ended<'_>,
        parameters: &Parameters,
        violations: &mut Vec<Violation>,
    ) {
        let Some(sent) = ended.sent else { return };
        let complete = leader.is_some() && !ended.unfinished;
        for (bound, sent, phase) in [
            (&claims.election, sent.election, "election"),
            (&claims.announcement, sent.announcement, "announcement"),
        ] {
            if !bound.is_sure() {
                continue;
            }
            let most = bound.at(parameters);
            let least = bound.least(parameters);
            if sent > most || (sent < least && complete) {
                violations.push(Violation::bound(bound, phase, sent, parameters));
                return;
            }
        }
    }
}
