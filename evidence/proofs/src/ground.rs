//! Ground problems: formulas without variables, over a few processes and places, as clauses.
//!
//! The formulas that are to be refuted say of no process that another one exists for it; such formulas have a
//! model only if they have one whose processes are those that they name. So variables need only stand for
//! these (the class of Bernays, Schönfinkel and Ramsey).

use crate::certificate::{Unproved, check};
use crate::condition::Refutation;
use crate::sat::{Literal, SatAnswer, solve};
use crate::table::LinkedNetwork;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::Arc;
use suffrage_algorithms::assertion::{RingDirection, Sort};

/// A process that a problem names, by its number.
pub(crate) type NodeNumber = usize;

/// The place of a message that a problem names, by its number.
pub(crate) type Point = usize;

/// A place on the ring: of a process, or of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Spot {
    Of(NodeNumber),
    At(Point),
}

/// What may be true of the processes and places of a problem, before the reaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Atom {
    /// The two are one.
    Same(Spot, Spot),
    /// The identity of the first is smaller.
    Smaller(NodeNumber, NodeNumber),
    /// On the way forward from the first process of the problem, the first comes before the second.
    Before(Spot, Spot),
    /// The state of a process says this.
    Says(&'static str, NodeNumber),
    /// The value of a fact, by its number there, is this process.
    Value(&'static str, usize, NodeNumber, NodeNumber),
    /// The value of a fact, by its number there, is port 1.
    PortOne(&'static str, usize, NodeNumber),
    /// Port 0 leads back.
    Turned(NodeNumber),
    /// The second process is the next one forward.
    Next(NodeNumber, NodeNumber),
    /// The two are neighbours; the smaller number comes first.
    Near(NodeNumber, NodeNumber),
    /// The third is on the side of the second of the link between the first two.
    Beyond(NodeNumber, NodeNumber, NodeNumber),
    /// One of the first ports, or of the set of ports, in a value of a fact leads to this process.
    Contains(&'static str, usize, NodeNumber, NodeNumber),
    /// The first ports there lead to a majority.
    Most(&'static str, usize, NodeNumber),
    /// At the process that reacts, the port after these first ports leads to this process.
    After(u32, NodeNumber),
    /// There these first ports lead to a majority.
    Majority(u32),
    Asleep(NodeNumber),
    Woke(NodeNumber),
    /// Such a message is at a place, and moves this way.
    Message(RingDirection, &'static str, Point),
    /// The process of this number that such a message there names.
    Carried(&'static str, usize, Point, NodeNumber),
    /// A message that moves this way is at the place.
    Taken(RingDirection, Point),
    /// At the place is a message that the reaction sends to all, and it may go to this process.
    ToAll(Point),
    ToOne(Point, NodeNumber),
    /// The process has sent this.
    Sent(&'static str, NodeNumber, Vec<NodeNumber>),
    /// This is the sum after a step of an addition.
    Total(usize, i32),
}

/// A formula over processes and places, in which only atoms are negated.
#[derive(Clone)]
pub(crate) enum GroundFormula<A = Atom> {
    Is(A, bool),
    All(Vec<Self>),
    Any(Vec<Self>),
}

impl<A> GroundFormula<A> {
    pub(crate) const TRUE: Self = Self::All(Vec::new());
    pub(crate) const FALSE: Self = Self::Any(Vec::new());
}

impl GroundFormula {
    pub(crate) fn same(one: Spot, other: Spot, holds: bool) -> Self {
        match (one, other) {
            _ if one == other => Self::constant(holds),
            // No process stands where a message is.
            (Spot::Of(_), Spot::At(_)) | (Spot::At(_), Spot::Of(_)) => Self::constant(!holds),
            _ => Self::Is(Atom::Same(one.min(other), one.max(other)), holds),
        }
    }

    pub(crate) fn same_node(one: NodeNumber, other: NodeNumber, holds: bool) -> Self {
        Self::same(Spot::Of(one), Spot::Of(other), holds)
    }

    pub(crate) fn constant(holds: bool) -> Self {
        if holds { Self::TRUE } else { Self::FALSE }
    }

    /// Both, or not both.
    pub(crate) fn all(parts: Vec<Self>, holds: bool) -> Self {
        if holds { Self::All(parts) } else { Self::Any(parts) }
    }

    /// Going forward from one spot, the second comes before the third; or not.
    pub(crate) fn between(from: Spot, at: Spot, to: Spot, holds: bool) -> Self {
        let before = |one: Spot, other: Spot| match one == other {
            true => Self::constant(!holds),
            false => Self::Is(Atom::Before(one, other), holds),
        };
        let turns = [(from, at, to), (at, to, from), (to, from, at)];
        let turn = |(a, b, c)| Self::all(vec![before(a, b), before(b, c)], holds);
        Self::all(turns.map(turn).into(), !holds)
    }

    /// Returns whether this is false of everything, as far as constants tell.
    pub(crate) fn is_never(&self) -> bool {
        match self {
            Self::Is(..) => false,
            Self::All(parts) => parts.iter().any(Self::is_never),
            Self::Any(parts) => parts.iter().all(Self::is_never),
        }
    }

    /// Returns what holds if this does not.
    pub(crate) fn negated(self) -> Self {
        let all = |parts: Vec<Self>| parts.into_iter().map(Self::negated).collect();
        match self {
            Self::Is(atom, holds) => Self::Is(atom, !holds),
            Self::All(parts) => Self::Any(all(parts)),
            Self::Any(parts) => Self::All(all(parts)),
        }
    }
}

/// A problem: processes and places by name, and what is assumed of them.
///
/// It is made twice: what holds of all processes can be said only once it is known which there are.
#[derive(Default)]
pub(crate) struct GroundProblem {
    pub(crate) nodes: Vec<String>,
    pub(crate) points: Vec<String>,
    /// In which network, if not all are neighbours, and it is no ring.
    pub(crate) links: Option<LinkedNetwork>,
    /// How many there will be.
    total: (usize, usize),
    /// Whether it is about a step in such a network.
    pub(crate) is_step: bool,
    /// The process that sends a message to all but one, and that one.
    pub(crate) to_all: Option<(NodeNumber, Option<NodeNumber>)>,
    /// The processes to which a single message is sent.
    pub(crate) receivers: Vec<NodeNumber>,
    /// Whether it is of use to look at the sides of links.
    pub(crate) has_sides: bool,
    /// The facts about named processes and messages: the name, whether it belongs to a message, and the subjects.
    pub(crate) said: Vec<(String, bool, Vec<usize>)>,
    /// The assumed formulas, each with the invariant that it is an instance of.
    assumed: Vec<(GroundFormula, Option<Arc<str>>)>,
    /// How many steps of additions it has.
    pub(crate) totals: usize,
    /// The invariant whose instances are being assumed.
    invariant: Option<Arc<str>>,
}

/// What came of a problem.
pub(crate) enum GroundOutcome<A = Atom> {
    /// It has no solution, and the checker has accepted the certificate.
    Refuted(Refutation),
    /// It has one.
    Solved(Solution<A>),
    /// The certificate was not accepted: an error of the solver.
    Uncertified(Unproved),
}

/// A solution: which atoms are true.
pub(crate) struct Solution<A = Atom> {
    atoms: HashMap<A, Literal>,
    values: Vec<bool>,
}

impl<A: Eq + Hash> Solution<A> {
    pub(crate) fn is(&self, atom: &A) -> bool {
        self.atoms.get(atom).is_some_and(|&literal| self.values[literal as usize])
    }
}

impl Solution {
    pub(crate) fn are_same(&self, one: Spot, other: Spot) -> bool {
        one == other || self.is(&Atom::Same(one.min(other), one.max(other)))
    }

    pub(crate) fn holds(&self, form: &GroundFormula) -> bool {
        match form {
            GroundFormula::Is(Atom::Same(one, other), holds) => {
                self.are_same(*one, *other) == *holds
            }
            GroundFormula::Is(atom, holds) => self.is(atom) == *holds,
            GroundFormula::All(parts) => parts.iter().all(|part| self.holds(part)),
            GroundFormula::Any(parts) => parts.iter().any(|part| self.holds(part)),
        }
    }
}

impl GroundProblem {
    /// Makes a problem.
    pub(crate) fn make(make: impl Fn(&mut Self)) -> Self {
        let mut first = Self::default();
        make(&mut first);
        let total = (first.nodes.len(), first.points.len());
        let mut problem = Self { total, ..Self::default() };
        make(&mut problem);
        assert_eq!(total, (problem.nodes.len(), problem.points.len()), "it is made alike");
        problem
    }

    pub(crate) fn node(&mut self, name: impl Into<String>) -> NodeNumber {
        self.nodes.push(name.into());
        self.nodes.len() - 1
    }

    pub(crate) fn point(&mut self, name: impl Into<String>) -> Point {
        self.points.push(name.into());
        self.points.len() - 1
    }

    pub(crate) fn assume(&mut self, form: GroundFormula) {
        self.assumed.push((form, self.invariant.clone()));
    }

    /// Assumes instances of an invariant.
    pub(crate) fn assume_of(&mut self, invariant: &Arc<str>, instances: impl FnOnce(&mut Self)) {
        self.invariant = Some(invariant.clone());
        instances(self);
        self.invariant = None;
    }

    /// Assumes something of all processes, or of the places of all messages.
    pub(crate) fn assume_of_each(&mut self, sort: Sort, of: impl Fn(usize) -> GroundFormula) {
        (0..self.total(sort)).map(of).for_each(|form| self.assume(form));
    }

    /// Returns the number of processes or places that it will name in the end.
    pub(crate) const fn total(&self, sort: Sort) -> usize {
        match sort {
            Sort::Process => self.total.0,
            Sort::Place => self.total.1,
        }
    }

    /// Returns the number of processes or places that it names so far.
    pub(crate) fn count(&self, sort: Sort) -> usize {
        match sort {
            Sort::Process => self.nodes.len(),
            Sort::Place => self.points.len(),
        }
    }

    /// Returns the process that reacts, that from which the message comes that arrives, and those to which it sends one.
    pub(crate) fn here(&self) -> Vec<NodeNumber> {
        let from = self.said.first().filter(|(_, is_message, _)| *is_message);
        let mut here = vec![0];
        for node in from.map(|(.., values)| values[2]).into_iter().chain(self.receivers.clone()) {
            if !here.contains(&node) {
                here.push(node);
            }
        }
        here
    }

    /// Looks for a solution. `theory` adds what is true of all networks and states, once all atoms but its
    /// own are known.
    pub(crate) fn solve(&self, theory: impl Fn(&mut Clauses, &Self)) -> GroundOutcome {
        let mut clauses = Clauses::default();
        // Where the clauses of each formula end.
        let mut ends = Vec::new();
        for (form, _) in &self.assumed {
            clauses.add(form);
            ends.push(clauses.all.len());
        }
        theory(&mut clauses, self);
        clauses.solve(|rests_on| {
            let assumed = |clause| self.assumed.get(ends.partition_point(|&end| end <= clause));
            rests_on.iter().filter_map(|&clause| assumed(clause)?.1.clone()).collect()
        })
    }
}

/// The clauses of a problem.
pub(crate) struct Clauses<A = Atom> {
    pub(crate) atoms: HashMap<A, Literal>,
    all: Vec<Vec<Literal>>,
    variables: usize,
}

impl<A> Default for Clauses<A> {
    fn default() -> Self {
        Self { atoms: HashMap::new(), all: Vec::new(), variables: 0 }
    }
}

impl<A: Clone + Eq + Hash> Clauses<A> {
    /// Looks for a solution, and checks the certificate if there is none. `invariants` tells those from which the clauses
    /// of these numbers come.
    pub(crate) fn solve(
        &self,
        invariants: impl FnOnce(&[usize]) -> BTreeSet<Arc<str>>,
    ) -> GroundOutcome<A> {
        let Self { atoms, all, variables } = self;
        match solve(*variables, all) {
            SatAnswer::Solution(values) => {
                GroundOutcome::Solved(Solution { atoms: atoms.clone(), values })
            }
            SatAnswer::Refuted(certificate) => match check(*variables, all, &certificate) {
                Ok(rests_on) => GroundOutcome::Refuted(Refutation {
                    clauses: all.len(),
                    steps: certificate.len(),
                    existential: false,
                    invariants: invariants(&rests_on),
                }),
                Err(unproved) => GroundOutcome::Uncertified(unproved),
            },
        }
    }

    pub(crate) fn atom(&mut self, atom: &A) -> Literal {
        if let Some(&literal) = self.atoms.get(atom) {
            return literal;
        }
        let literal = self.fresh();
        self.atoms.insert(atom.clone(), literal);
        literal
    }

    fn fresh(&mut self) -> Literal {
        self.variables += 1;
        self.variables as Literal
    }

    pub(crate) fn clause(&mut self, literals: Vec<Literal>) {
        self.all.push(literals);
    }

    /// Adds a formula.
    pub(crate) fn add(&mut self, form: &GroundFormula<A>) {
        if let GroundFormula::All(parts) = form {
            return parts.iter().for_each(|part| self.add(part));
        }
        let mut clause = Vec::new();
        if self.disjuncts(form, &mut clause) {
            self.clause(clause);
        }
    }

    /// Adds the literals of a disjunction; returns whether it is not true anyway.
    fn disjuncts(&mut self, form: &GroundFormula<A>, into: &mut Vec<Literal>) -> bool {
        match form {
            GroundFormula::Is(atom, holds) => {
                let literal = self.atom(atom);
                into.push(if *holds { literal } else { -literal });
                true
            }
            GroundFormula::Any(parts) => parts.iter().all(|part| self.disjuncts(part, into)),
            GroundFormula::All(parts) if parts.is_empty() => false,
            GroundFormula::All(parts) if parts.len() == 1 => self.disjuncts(&parts[0], into),
            GroundFormula::All(parts) => {
                let name = self.fresh();
                for part in parts {
                    let mut clause = vec![-name];
                    if self.disjuncts(part, &mut clause) {
                        self.clause(clause);
                    }
                }
                into.push(name);
                true
            }
        }
    }
}
