//! The claims about an algorithm: which process wins, the cost, and the ending.

use crate::{
    BoundStanding, Formula, Guarantee, Invariant, Leader, Property, Race, Time, judge::Contest,
};
use alloc::vec::Vec;
use suffrage_model::{Id, Multiplicity, Process};

/// The claims about an algorithm, to which every engine holds it on networks without faults.
///
/// ```
/// use suffrage_algorithms::{Bound, Claims, Ending, Problem, Rule};
///
/// const FRANKLIN: Claims = Claims {
///     rule: Rule::LargestInitiator,
///     problem: Problem::Explicit,
///     election: Bound::at_most("2 n floor(log2 k) + 2 n", |s| {
///         2 * s.nodes * (u64::from(s.initiators.ilog2()) + 1)
///     }),
///     announcement: Bound::exactly("2 n", |s| 2 * s.nodes),
///     time: None,
///     ending: Ending::Silent,
/// };
/// assert_eq!(FRANKLIN.stated().formula, "2 n floor(log2 k) + 2 n + 2 n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Claims {
    /// The rule by which a process wins.
    pub rule: Rule,
    /// Whether the election is explicit or implicit: whether all processes learn the leader.
    pub problem: Problem,
    /// The number of messages of the election.
    pub election: Bound,
    /// The number of messages that make the leader known and end the algorithm.
    pub announcement: Bound,
    /// The time of an election, if a bound on it is claimed.
    pub time: Option<Time>,
    /// The ending: which messages may reach a process that has halted.
    pub ending: Ending,
}

impl Claims {
    /// The claims about an election that [`Announced`](crate::Announced) announces and ends, apart from who wins, how
    /// many messages that takes, and how long: for the end of a struct expression.
    pub const UNANNOUNCED: Self = Self {
        rule: Rule::Chance,
        problem: Problem::Implicit,
        election: Bound::NONE,
        announcement: Bound::NONE,
        time: None,
        ending: Ending::Silent,
    };

    /// Returns whether every single election is to have the property: of an algorithm that [may
    /// err](Rule::MonteCarlo), not that one process leads.
    #[must_use]
    pub const fn promise(&self, property: Property) -> bool {
        let one_leads = matches!(property, Property::AtMostOneLeader | Property::ExactlyOneLeader);
        !(one_leads && matches!(self.rule, Rule::MonteCarlo))
    }

    /// Returns the number of messages that is claimed, election and announcement together: the
    /// greatest or, by the [guarantee](Self::guarantee), an expectation; saturating.
    #[must_use]
    pub fn bound(&self, parameters: &Parameters) -> u64 {
        self.election.at(parameters).saturating_add(self.announcement.at(parameters))
    }

    /// Returns these parameters with the diameter of the network, which is called for only if it
    /// affects the number of messages that is claimed.
    #[must_use]
    pub fn measured(&self, parameters: Parameters, diameter: &dyn Fn() -> u64) -> Parameters {
        match self.bound_depends_on_diameter(&parameters) {
            true => parameters.with_diameter(diameter()),
            false => parameters,
        }
    }

    /// Returns whether the diameter of the network affects the number of messages or the time that is
    /// claimed. If not, the diameter need not be computed.
    #[must_use]
    pub fn depends_on_diameter(&self, parameters: &Parameters) -> bool {
        self.bound_depends_on_diameter(parameters)
            || self.time.is_some_and(|time| time.depends_on_diameter(parameters))
    }

    /// Returns whether identities affect the number of messages or the time that is claimed. If so, elections with
    /// large identities may not end within any reasonable time.
    #[must_use]
    pub fn depends_on_identities(&self) -> bool {
        let with = |id| {
            let parameters = Parameters { largest: id, winner: id, ..Parameters::new(8, 8, 8) };
            (self.bound(&parameters), self.time.map(|time| time.at(&parameters)))
        };
        with(8) != with(u64::MAX)
    }

    fn bound_depends_on_diameter(&self, parameters: &Parameters) -> bool {
        let with = |diameter| self.bound(&parameters.with_diameter(diameter));
        with(0) != with(parameters.nodes)
    }

    /// Returns `parameters` with `largest` and `winner` set to the largest of `ids`, and
    /// `multiplicity` set to theirs. The multiplicity is counted only if a claim depends on it.
    #[must_use]
    pub fn identified(
        &self,
        parameters: Parameters,
        ids: impl Iterator<Item = Id> + Clone,
    ) -> Parameters {
        let largest = ids.clone().map(Id::get).max().unwrap_or(parameters.largest);
        self.among(parameters, largest, || ids.collect())
    }

    /// Returns `parameters` with `largest` and `winner` set to the largest identity, and `multiplicity`
    /// set to the multiplicity of `all` identities. `all` is called only if a claim depends on the
    /// multiplicity.
    #[must_use]
    pub fn among(
        &self,
        parameters: Parameters,
        largest: u64,
        all: impl FnOnce() -> Vec<Id>,
    ) -> Parameters {
        let parameters = Parameters { largest, winner: largest, ..parameters };
        let with = |multiplicity| Parameters { multiplicity, ..parameters };
        let claimed =
            |parameters| (self.bound(&parameters), self.time.map(|time| time.at(&parameters)));
        match claimed(with(1)) == claimed(with(parameters.nodes)) {
            true => parameters,
            false => with(Multiplicity::of(&mut all()).0.into()),
        }
    }

    /// Returns the least number of messages that the claims state; saturating.
    #[must_use]
    pub fn least(&self, parameters: &Parameters) -> u64 {
        let [election, announcement] =
            [&self.election, &self.announcement].map(|bound| bound.least(parameters));
        election.saturating_add(announcement)
    }

    /// Returns whether both bounds are exact.
    #[must_use]
    pub const fn is_exact(&self) -> bool {
        self.election.is_exact() && self.announcement.is_exact()
    }

    /// Returns the sense in which the sum of both bounds holds: the weaker one of theirs.
    #[must_use]
    pub fn guarantee(&self) -> Guarantee {
        self.election.guarantee.max(self.announcement.guarantee)
    }

    /// Returns both bounds as one.
    #[must_use]
    pub fn stated(&self) -> Formula {
        self.election.stated().plus(&self.announcement.stated())
    }
}

/// A process with claims, which stand beside it.
///
/// Algorithms of the catalogue implement it at the end of their files. An algorithm of your own
/// needs it only to be wrapped in [`Announced`](crate::Announced) together with its claims; engines
/// also take [`Claims`] as a value.
#[diagnostic::on_unimplemented(
    message = "nothing is claimed of `{Self}`",
    label = "this process has no claims",
    note = "implement `Claimed` for it: who wins, how many messages it sends, and how it ends"
)]
pub trait Claimed: Process {
    /// The claims.
    const CLAIMS: Claims;

    /// The bytes of a list that a process makes when it wakes, for each of its ports. The default is 0:
    /// it makes none.
    const PER_PORT: usize = 0;

    /// The number of messages for which a bounded link needs room: with less, processes that wait for room may wait
    /// for each other. The default is one.
    const ROOM: Bound = Bound::at_most("1", |_| 1);

    /// Returns the invariants, which hold at every moment of an election without faults. The
    /// default is none.
    fn invariants() -> Vec<Invariant<Self>> {
        Vec::new()
    }

    /// Returns how processes compete, if they do so in rounds or by levels. The default is `None`.
    #[must_use]
    fn race() -> Option<Race<Self>> {
        None
    }
}

/// The parameters of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The number of processes, `n`.
    pub nodes: u64,
    /// The number of links, `|E|`.
    pub links: u64,
    /// The number of initiators, `k`: of processes that woke spontaneously.
    pub initiators: u64,
    /// The diameter, `D`: the greatest distance of two processes, in links; or an upper bound of
    /// it.
    pub diameter: u64,
    /// The largest identity, `max`.
    pub largest: u64,
    /// The greatest number of processes with the same identity, `m`: 1, unless they are homonyms.
    pub multiplicity: u64,
    /// The winner's identity, `v`, if the rule determines it; otherwise an upper bound on it.
    pub winner: u64,
}

impl Parameters {
    /// Creates parameters of a connected network whose diameter is not known: it is `nodes - 1` at
    /// most. The identities are those from 1 on, unless [`Claims::identified`] says others.
    #[must_use]
    pub const fn new(nodes: u64, links: u64, initiators: u64) -> Self {
        let diameter = nodes.saturating_sub(1);
        Self { nodes, links, initiators, diameter, largest: nodes, multiplicity: 1, winner: nodes }
    }

    /// Returns the same parameters with this diameter.
    #[must_use]
    pub const fn with_diameter(self, diameter: u64) -> Self {
        Self { diameter, ..self }
    }

    /// Returns the same parameters with this winner, if it is known.
    #[must_use]
    pub fn with_winner(self, winner: Option<Id>) -> Self {
        Self { winner: winner.map_or(self.winner, Id::get), ..self }
    }
}

/// A bound on a cost, as a formula and as a function.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// The formula, in the words of the paper: `n` processes, `k` initiators, `|E|` links,
    /// `d = log2 n`, diameter `D`, largest identity `max`, multiplicity `m` of labels, identity of the
    /// winner `v`.
    pub formula: &'static str,
    /// The condition that determines other variables of the formula; empty if there are none.
    pub condition: &'static str,
    /// The sense in which the bound holds.
    pub guarantee: Guarantee,
    /// The ground on which it is claimed.
    pub standing: BoundStanding,
    value: fn(&Parameters) -> u64,
    /// What the cost is at least, on every schedule that ends with a leader.
    least: fn(&Parameters) -> u64,
}

impl Bound {
    /// Nothing is sent.
    pub const NONE: Self = Self::exactly("0", |_| 0);

    /// Creates a bound on a cost that is the same on every schedule. `value` gives it, rounded
    /// down, and should saturate.
    #[must_use]
    pub const fn exactly(formula: &'static str, value: fn(&Parameters) -> u64) -> Self {
        Self::new(formula, Guarantee::Exactly, value, value)
    }

    /// Creates a bound on a cost that no schedule exceeds. `value` gives it, rounded down, and
    /// should saturate.
    #[must_use]
    pub const fn at_most(formula: &'static str, value: fn(&Parameters) -> u64) -> Self {
        Self::new(formula, Guarantee::AtMost, value, |_| 0)
    }

    /// Creates a bound on the expected cost over the random choices, which no schedule exceeds.
    /// `value` gives it, rounded down, and should saturate.
    #[must_use]
    pub const fn expected(formula: &'static str, value: fn(&Parameters) -> u64) -> Self {
        Self::new(formula, Guarantee::Expected, value, |_| 0)
    }

    /// Creates a bound on a cost that is exceeded with a probability of at most `1 / n`. `value`
    /// gives it, rounded down, and should saturate.
    #[must_use]
    pub const fn with_high_probability(
        formula: &'static str,
        value: fn(&Parameters) -> u64,
    ) -> Self {
        Self::new(formula, Guarantee::WithHighProbability, value, |_| 0)
    }

    const fn new(
        formula: &'static str,
        guarantee: Guarantee,
        value: fn(&Parameters) -> u64,
        least: fn(&Parameters) -> u64,
    ) -> Self {
        let (condition, standing) = ("", BoundStanding::Proved);
        Self { formula, condition, guarantee, standing, value, least }
    }

    /// Returns the same bound with the condition that determines variables of its formula, as "r is the largest
    /// with F_(r+1) <= k".
    #[must_use]
    pub const fn given(self, condition: &'static str) -> Self {
        Self { condition, ..self }
    }

    /// Returns the same bound, claimed on this ground.
    #[must_use]
    pub const fn standing(self, standing: BoundStanding) -> Self {
        Self { standing, ..self }
    }

    /// Returns the bound as a value that reports print.
    #[must_use]
    pub fn stated(&self) -> Formula {
        Formula {
            formula: self.formula.into(),
            condition: self.condition.into(),
            guarantee: self.guarantee,
            standing: self.standing,
        }
    }

    /// Returns the same bound on a cost that is at least this much, on every schedule that ends with a leader.
    #[must_use]
    pub const fn and_at_least(self, least: fn(&Parameters) -> u64) -> Self {
        Self { least, ..self }
    }

    /// Returns the bound for these parameters.
    #[must_use]
    pub fn at(&self, parameters: &Parameters) -> u64 {
        (self.value)(parameters)
    }

    /// Returns the least cost for these parameters of an election that ends with a leader; 0 if nothing is claimed of it.
    #[must_use]
    pub fn least(&self, parameters: &Parameters) -> u64 {
        (self.least)(parameters)
    }

    /// Returns whether the cost is the same on every schedule.
    #[must_use]
    pub const fn is_exact(&self) -> bool {
        matches!(self.guarantee, Guarantee::Exactly)
    }

    /// Returns whether the bound applies to every single election: whether it is no statement about
    /// probabilities.
    #[must_use]
    pub const fn is_sure(&self) -> bool {
        self.guarantee.is_sure()
    }

    /// Returns the same bound with another guarantee.
    #[must_use]
    pub const fn with(self, guarantee: Guarantee) -> Self {
        let least = if matches!(guarantee, Guarantee::Exactly) { self.least } else { |_: &_| 0 };
        Self { guarantee, least, ..self }
    }
}

/// The rule by which a process wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// The process with the smallest identity.
    SmallestId,
    /// The process with the largest identity.
    LargestId,
    /// The initiator with the smallest identity.
    SmallestInitiator,
    /// The initiator with the largest identity.
    LargestInitiator,
    /// The process with the largest place, in a network with a sense of direction.
    LargestPlace,
    /// The process whose pair of level and identity stays the largest, which depends on the
    /// schedule.
    LargestLevelAndId,
    /// The process that comparisons along the way leave, which depends on where the identities are.
    LastLeft,
    /// The process from which the labels of an oriented ring, read against its direction, are a
    /// Lyndon word: a word that is smaller than every other rotation of it.
    LyndonWord,
    /// Chance decides: no process is entitled to win.
    Chance,
    /// Chance decides, and may err: with a probability of at most `1 / n` none wins, or several do.
    /// Algorithms of this kind are called Monte Carlo.
    MonteCarlo,
}

impl Rule {
    /// Returns the rule in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::SmallestId => "smallest id",
            Self::LargestId => "largest id",
            Self::SmallestInitiator => "smallest initiator",
            Self::LargestInitiator => "largest initiator",
            Self::LargestPlace => "largest place",
            Self::LargestLevelAndId => "largest (level, id)",
            Self::LastLeft => "the last one left",
            Self::LyndonWord => "Lyndon word",
            Self::Chance => "chance",
            Self::MonteCarlo => "chance, which may err",
        }
    }

    /// Returns the winner, given each process's identity and whether it woke spontaneously, in the
    /// order of their places; `None` if that does not determine it. Takes linear time or, if labels
    /// are compared, more if long parts of the ring are equal.
    pub fn winner(self, processes: impl Iterator<Item = (Id, bool)>) -> Option<Leader> {
        if self == Self::LyndonWord {
            let all: Vec<Id> = processes.map(|(id, _)| id).collect();
            let word = |from: usize| {
                let (behind, ahead) = all.split_at(from + 1);
                behind.iter().rev().chain(ahead.iter().rev())
            };
            let first = (0..all.len()).min_by(|&one, &other| word(one).cmp(word(other)));
            return first.map(|first| Leader { node: first as u64, id: all[first] });
        }
        let mut contest = Contest::new(self);
        for (node, (id, woke)) in (0..).zip(processes) {
            contest.enter(node, id, woke);
        }
        contest.first
    }
}

/// The problem that an algorithm solves (S. Kutten, G. Pandurangan, D. Peleg, P. Robinson,
/// A. Trehan, "On the complexity of universal leader election", *Journal of the ACM* 62(1), 2015).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Problem {
    /// Explicit election: in the end every process names the leader.
    Explicit,
    /// Implicit election: in the end every process knows whether it leads; a follower need not know
    /// the leader. It is what anonymous processes can solve, who have no name for the leader.
    Implicit,
}

/// The way in which an algorithm ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Every process halts. When it does, no message is on its way to it, nor will one be sent to it.
    Silent,
    /// Every process halts. Messages that the announcement overtakes reach processes that have
    /// halted; they are discarded and counted as late.
    LateMessages,
    /// Message termination (G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., 2000, section
    /// 8.1): in the end no message is under way. A process need not halt, nor know that the end has
    /// come; one that halts is sent nothing any more.
    Messages,
}

impl Ending {
    /// Returns whether every process must halt.
    #[must_use]
    pub const fn halts(self) -> bool {
        !matches!(self, Self::Messages)
    }
}
