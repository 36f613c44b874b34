//! Invariants: properties of all processes and all messages under way that hold at every moment of
//! an election without faults.

use crate::assertion::Assertion;
use crate::breach::{ANY_PROCESS, BreachSearch, BreachSubjects, SharedProcesses};
use crate::moment::{FactMemory, Moment, ProcessFacts};
use crate::{Fact, FactError, Property, Statement, Violation};
use alloc::{
    boxed::Box,
    format,
    rc::Rc,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use core::{
    any::TypeId,
    cell::{Cell, RefCell},
};
use serde::Serialize;
use suffrage_model::{End, Id, NetworkClass, Port, Process, Stage, Status};

/// A configuration: every process, and every message under way.
///
/// Engines create it, and [`Invariant`]s examine it.
pub struct Configuration<'a, P: Process> {
    nodes: Vec<Node<'a, P>>,
    messages: Vec<InTransit<P::Msg>>,
    across: &'a dyn Fn(End) -> End,
    pub(crate) memory: Option<&'a FactMemory>,
    /// What assertions about a process, this one or one that it wraps, have seen of it.
    seen: RefCell<Vec<(TypeId, Rc<Seen>)>>,
    /// What checks have read.
    read: Cell<CheckScope>,
}

/// How much of a configuration a check reads: what it finds is the same wherever that is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckScope {
    /// Each process with the messages under way to it, [one by one](Configuration::each).
    Each,
    /// The processes in the network.
    Processes,
    /// The messages on links, too.
    Everything,
}

/// A process by itself, with the messages under way to it: neither its number nor its identity is known.
#[derive(Debug)]
pub struct OneProcess<'c, P: Process> {
    /// Its state.
    pub process: &'c P,
    /// The stage of its life in which it is.
    pub stage: Stage,
    arrivals: Vec<(Port, P::Msg)>,
}

impl<P: Process> OneProcess<'_, P> {
    /// Returns the messages under way on the link that enters a port, in the order of sending.
    pub fn arriving(&self, port: Port) -> impl Iterator<Item = P::Msg> + Clone {
        self.arrivals.iter().filter(move |(through, _)| *through == port).map(|&(_, msg)| msg)
    }
}

/// A process in a [`Configuration`].
#[derive(Clone, Copy, Debug)]
pub struct Node<'a, P> {
    /// Its state.
    pub process: &'a P,
    /// Its identity.
    pub id: Id,
    /// The stage of its life in which it is.
    pub stage: Stage,
    /// Whether it woke spontaneously.
    pub woke: bool,
    /// The number of its ports.
    pub degree: u32,
    /// The number by which the engine knows its state, if it has one: the same for equal processes that are in the
    /// same stage, and have woken alike.
    pub number: Option<u32>,
}

/// A message under way, on its link or waiting for room there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InTransit<M> {
    /// The end of the link from which it comes.
    pub from: End,
    /// The end of the link to which it goes.
    pub to: End,
    /// The message.
    pub msg: M,
    /// The number by which the engine knows the message, if it has one: the same for equal ones.
    pub number: Option<u32>,
}

impl<'a, P: Process> Configuration<'a, P> {
    /// Creates the configuration of these processes, in the order of their numbers, and these
    /// messages: those of one link in the order of sending. `across` gives the other end of a link.
    /// Takes the time to sort the messages.
    #[must_use]
    pub fn new(
        nodes: Vec<Node<'a, P>>,
        mut messages: Vec<InTransit<P::Msg>>,
        across: &'a dyn Fn(End) -> End,
    ) -> Self {
        if !messages.is_sorted_by_key(|transit| link(transit.from)) {
            let order = order(messages.iter().map(|transit| link(transit.from)).collect());
            messages = order.into_iter().map(|(_, place)| messages[place]).collect();
        }
        let read = Cell::new(CheckScope::Each);
        Self { nodes, messages, across, memory: None, seen: RefCell::default(), read }
    }

    /// Sets the memory of formulas, one for all configurations of an instance whose states and messages have
    /// numbers.
    #[must_use]
    pub fn remembering(self, memory: &'a FactMemory) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// Notes that at least this much is read.
    fn reads(&self, scope: CheckScope) {
        self.read.set(scope.max(self.read.get()));
    }

    /// Looks at each process by itself. Returns what `look` finds first, after the number of the process.
    pub fn each(&self, look: impl Fn(&OneProcess<'a, P>) -> Option<String>) -> Option<String> {
        (0..).zip(&self.nodes).find_map(|(number, node)| {
            let arrivals = (0..node.degree).map(Port).flat_map(|port| {
                let from = (self.across)(End { node: number, port });
                self.link_from(from).map(move |transit| (port, transit.msg))
            });
            let arrivals = arrivals.collect();
            let found = look(&OneProcess { process: node.process, stage: node.stage, arrivals })?;
            // Who goes on from here depends on which process it is.
            self.reads(CheckScope::Everything);
            Some(format!("process {number}: {found}"))
        })
    }

    /// Returns the number of processes.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.reads(CheckScope::Processes);
        self.nodes.len() as u32
    }

    /// Returns the processes with their numbers.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, &Node<'a, P>)> {
        self.reads(CheckScope::Processes);
        (0..).zip(&self.nodes)
    }

    /// Returns the process of this number.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn process(&self, node: u32) -> &'a P {
        self.reads(CheckScope::Processes);
        self.nodes[node as usize].process
    }

    /// Returns the number of ports of a process.
    ///
    /// # Panics
    /// If there is no such process.
    #[must_use]
    pub fn degree(&self, node: u32) -> u32 {
        self.reads(CheckScope::Processes);
        self.nodes[node as usize].degree
    }

    /// Returns the identities of the processes that have woken spontaneously.
    pub fn initiators(&self) -> impl Iterator<Item = Id> {
        self.nodes().filter(|(_, node)| node.woke).map(|(_, node)| node.id)
    }

    /// Returns both ends of every link.
    pub fn ends(&self) -> impl Iterator<Item = End> {
        self.nodes()
            .flat_map(|(node, of)| (0..of.degree).map(move |port| End { node, port: Port(port) }))
    }

    /// Returns the parts of the network that the links for which `joins` holds join: for each process
    /// the number of one of its part, the same for all of them. `joins` is given both ends of a
    /// link, in either order.
    pub fn parts(&self, joins: impl Fn(End, End) -> bool) -> Vec<u32> {
        fn part(of: &mut [u32], mut node: u32) -> u32 {
            while of[node as usize] != node {
                of[node as usize] = of[of[node as usize] as usize];
                node = of[node as usize];
            }
            node
        }
        let mut of: Vec<u32> = (0..self.size()).collect();
        for end in self.ends() {
            let other = (self.across)(end);
            if joins(end, other) {
                let (one, other) = (part(&mut of, end.node), part(&mut of, other.node));
                of[one as usize] = other;
            }
        }
        (0..self.size()).map(|node| part(&mut of, node)).collect()
    }

    /// Returns the other end of the link at a port.
    #[must_use]
    pub fn across(&self, node: u32, port: Port) -> End {
        self.reads(CheckScope::Processes);
        (self.across)(End { node, port })
    }

    /// Returns the messages under way, link by link, those of one link in the order of sending.
    #[must_use]
    pub fn messages(&self) -> &[InTransit<P::Msg>] {
        self.reads(CheckScope::Everything);
        &self.messages
    }

    /// Returns the messages under way on the link from an end, in the order of sending. Takes
    /// logarithmic time to find them.
    pub fn on_link(&self, from: End) -> impl Iterator<Item = P::Msg> {
        self.in_transit(from).map(|transit| transit.msg)
    }

    pub(crate) fn in_transit(&self, from: End) -> impl Iterator<Item = &InTransit<P::Msg>> {
        self.reads(CheckScope::Everything);
        self.link_from(from)
    }

    fn link_from(&self, from: End) -> impl Iterator<Item = &InTransit<P::Msg>> {
        let first = self.messages.partition_point(|transit| link(transit.from) < link(from));
        let rest = self.messages[first..].iter();
        rest.take_while(move |transit| transit.from == from)
    }

    /// Returns the same configuration of the processes that are wrapped in these, and of their
    /// messages.
    #[must_use]
    pub fn map<Q: Process>(
        &self,
        process: impl Fn(&'a P) -> &'a Q,
        msg: impl Fn(P::Msg) -> Option<Q::Msg>,
    ) -> Configuration<'a, Q> {
        let node = |node: &Node<'a, P>| Node {
            process: process(node.process),
            id: node.id,
            stage: node.stage,
            woke: node.woke,
            degree: node.degree,
            number: node.number,
        };
        let transit = |of: &InTransit<P::Msg>| {
            Some(InTransit { from: of.from, to: of.to, msg: msg(of.msg)?, number: of.number })
        };
        Configuration {
            nodes: self.nodes.iter().map(node).collect(),
            messages: self.messages.iter().filter_map(transit).collect(),
            across: self.across,
            memory: self.memory,
            seen: RefCell::default(),
            read: Cell::new(CheckScope::Each),
        }
    }

    /// Returns what assertions about the process of this type see. They share it, since it takes longer
    /// to find out than to ask.
    fn moment(&self, of: TypeId, see: &See<P>) -> Rc<Seen> {
        if let Some((_, seen)) = self.seen.borrow().iter().find(|(known, _)| *known == of) {
            return Rc::clone(seen);
        }
        let seen = Rc::new(see(self));
        self.seen.borrow_mut().push((of, Rc::clone(&seen)));
        seen
    }
}

/// What assertions see of a configuration, if they can name everything in it.
type Seen = Result<Moment, FactError>;

/// Finds out what assertions see of a configuration.
type See<P> = dyn Fn(&Configuration<'_, P>) -> Seen + Send + Sync;

/// Returns the positions of messages in the order of these links, those of one link in their own
/// order. It is not generic, so that sorting is compiled once.
fn order(links: Vec<(u32, u32)>) -> Vec<((u32, u32), usize)> {
    let mut order: Vec<_> = links.into_iter().zip(0..).collect();
    order.sort_unstable();
    order
}

const fn link(from: End) -> (u32, u32) {
    (from.node, from.port.0)
}

/// An invariant of an algorithm: a name, and a function or a formula that checks a configuration.
///
/// It is claimed for elections without faults.
pub struct Invariant<P: Process> {
    name: &'static str,
    check: Check<P>,
}

/// A check of a configuration against an invariant.
enum Check<P: Process> {
    /// A function that returns the violation in words, if there is one.
    Function(Box<CheckFunction<P>>),
    /// A formula.
    Formula(FormulaCheck<P>),
}

/// A formula about the process of a type.
struct FormulaCheck<P: Process> {
    of: TypeId,
    see: Box<See<P>>,
    facts: Box<FactsOf<P>>,
    search: Box<BreachSearch>,
}

/// Finds the facts of a process, with its status and whether it has halted, or of a message.
type FactsOf<P> =
    dyn Fn(Readable<'_, P>) -> Result<(Vec<Fact>, Status, bool), FactError> + Send + Sync;

/// A process, or a message under way.
enum Readable<'a, P: Process> {
    Process(&'a P),
    Message(P::Msg),
}

/// What a formula reads of a process or of a message: the same of those between which it makes no
/// difference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FormulaReading {
    /// These facts, and which of those does a process say that every process can.
    Facts(Vec<Fact>, Vec<bool>),
    /// What no formula can read.
    Unreadable,
}

/// The messages and processes on which a breach of a formula depends: in an instance, it is one whatever the states of
/// other processes are, and the messages under way to them.
#[derive(Clone, Copy, Debug)]
pub struct FormulaSubjects {
    /// Their number.
    pub number: usize,
    /// Whether each of them can be told by what is read of it as this subject.
    pub are_needed: bool,
    /// Whether a breach on a ring is one wherever they are, as long as they follow each other in the same order and the
    /// same of them are neighbours.
    pub in_order: bool,
}

impl FormulaReading {
    /// The reading of what a formula does not read.
    pub const NOTHING: Self = Self::Facts(Vec::new(), Vec::new());
}

type CheckFunction<P> = dyn Fn(&Configuration<'_, P>) -> Option<String> + Send + Sync;

/// A [`CheckFunction`] that captures nothing.
type CheckFn<P> = fn(&Configuration<'_, P>) -> Option<String>;

impl<P: Process> Invariant<P> {
    /// Creates an invariant of this name. `check` returns what is wrong with a configuration, or `None` if it keeps
    /// the invariant; it names processes by their numbers.
    pub fn new(
        name: &'static str,
        check: impl Fn(&Configuration<'_, P>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { name, check: Check::Function(Box::new(check)) }
    }

    /// Creates the invariants that a header names, in its order, with their checks.
    ///
    /// # Panics
    /// If the header names more or fewer.
    #[must_use]
    pub fn of_header<const N: usize>(
        named: &[(&'static str, &str)],
        checks: [CheckFn<P>; N],
    ) -> Vec<Self> {
        assert_eq!(named.len(), N, "a check for each invariant of the header");
        named.iter().zip(checks).map(|(&(name, _), check)| Self::new(name, check)).collect()
    }

    /// Returns the name by which the header of the algorithm's file calls it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Checks a configuration against the invariant. Returns how much of it was read: the invariant holds in every
    /// configuration of an instance in which that is the same.
    ///
    /// # Errors
    /// If the configuration breaks the invariant.
    pub fn check(&self, now: &Configuration<'_, P>) -> Result<CheckScope, Violation> {
        let before = now.read.replace(CheckScope::Each);
        let detail = match &self.check {
            Check::Function(check) => check(now),
            Check::Formula(formula) => {
                now.reads(CheckScope::Everything);
                match &*now.moment(formula.of, &formula.see) {
                    Ok(moment) => formula.search.find(moment),
                    Err(error) => Some(error.to_string()),
                }
            }
        };
        let scope = now.read.replace(before);
        now.reads(scope);
        let property = Property::Invariant(self.name);
        detail.map_or(Ok(scope), |detail| Err(Violation { property, detail }))
    }

    /// Returns what the invariant reads of a process, or reads of it as this one of its subjects; `None` if it can be
    /// no such subject of a breach, or if the invariant is a function, which may read everything. A formula holds
    /// alike in two configurations of an instance if it reads the same of each process, and the same of the
    /// messages on each link, in their order. Messages that it does not read do not count.
    #[must_use]
    pub fn read_process(
        &self,
        node: &Node<'_, P>,
        subject: Option<usize>,
    ) -> Option<FormulaReading> {
        let Check::Formula(formula) = &self.check else { return None };
        let Ok((facts, status, halted)) = (formula.facts)(Readable::Process(node.process)) else {
            return Some(FormulaReading::Unreadable);
        };
        let of = ProcessFacts {
            id: node.id.get(),
            asleep: node.stage == Stage::Asleep,
            woke: node.woke,
            status,
            halted,
            facts: Vec::new(),
            named: crate::moment::NameSet::default(),
        };
        match subject {
            Some(number) => {
                formula.search.subjects.as_ref()?.all.get(number)?.of_process(facts, &of)
            }
            None => Some(formula.search.reads.of_process(facts, &of)),
        }
    }

    /// Returns what the invariant reads of a message, if it reads anything, or the same of it as a subject.
    #[must_use]
    pub fn read_message(&self, message: P::Msg, subject: Option<usize>) -> Option<FormulaReading> {
        let Check::Formula(formula) = &self.check else { return None };
        let Ok((facts, ..)) = (formula.facts)(Readable::Message(message)) else {
            return Some(FormulaReading::Unreadable);
        };
        let reads = match subject {
            Some(number) => &formula.search.subjects.as_ref()?.all.get(number)?.reads,
            None => &formula.search.reads,
        };
        let reading = reads.of_message(facts);
        (reading != FormulaReading::NOTHING).then_some(reading)
    }

    /// Returns which processes this one of its subjects can name in a breach, if this is read of it.
    #[must_use]
    pub fn shared_processes(&self, subject: usize, reading: &FormulaReading) -> SharedProcesses {
        match (&self.check, reading) {
            (Check::Formula(FormulaCheck { search, .. }), FormulaReading::Facts(facts, _)) => {
                let subjects = search.subjects.as_ref();
                subjects.map_or(ANY_PROCESS, |subjects| subjects.shared_processes(subject, facts))
            }
            _ => ANY_PROCESS,
        }
    }

    /// Returns whether it is a formula that holds alike wherever the processes are, each with its identity and
    /// the messages under way to it.
    #[must_use]
    pub fn is_placeless(&self) -> bool {
        let oriented = P::NETWORK == NetworkClass::OrientedRing;
        // In other networks, processes know positions, or formulas depend on where ports lead.
        P::NETWORK.unoriented() == NetworkClass::Ring
            && matches!(&self.check, Check::Formula(formula) if formula.search.reads.is_placeless(oriented))
    }

    /// Returns whether it is a formula that holds for any identities of the processes if it holds for some: on an oriented
    /// ring, one that reads only the kinds of states and messages.
    #[must_use]
    pub fn reads_kinds(&self) -> bool {
        P::NETWORK == NetworkClass::OrientedRing
            && matches!(&self.check, Check::Formula(formula) if formula.search.reads_kinds)
    }

    /// Returns on what a breach of a formula depends; `None` if that may be everything.
    #[must_use]
    pub fn subjects(&self) -> Option<FormulaSubjects> {
        let Check::Formula(formula) = &self.check else { return None };
        let BreachSubjects { all, are_needed, and_others, .. } =
            formula.search.subjects.as_ref()?;
        let in_order = P::NETWORK.unoriented() == NetworkClass::Ring && !and_others;
        Some(FormulaSubjects { number: all.len(), are_needed: *are_needed, in_order })
    }

    /// Returns whether both are formulas that read the same.
    #[must_use]
    pub fn reads_like(&self, other: &Self) -> bool {
        match (&self.check, &other.check) {
            (Check::Formula(one), Check::Formula(other)) => one.search.reads == other.search.reads,
            _ => false,
        }
    }

    /// Returns the same invariant of a process that wraps one.
    #[must_use]
    pub fn lift<W: Process>(
        self,
        process: fn(&W) -> &P,
        msg: fn(W::Msg) -> Option<P::Msg>,
    ) -> Invariant<W> {
        let check = match self.check {
            Check::Function(check) => Check::Function(Box::new(move |now: &Configuration<'_, W>| {
                let inner = now.map(process, msg);
                let found = check(&inner);
                now.reads(inner.read.get());
                found
            }) as Box<CheckFunction<W>>),
            Check::Formula(FormulaCheck { of, see, facts, search }) => {
                let see = move |now: &Configuration<'_, W>| see(&now.map(process, msg));
                let facts = move |part: Readable<'_, W>| match part {
                    Readable::Process(outer) => facts(Readable::Process(process(outer))),
                    Readable::Message(outer) => match msg(outer) {
                        Some(inner) => facts(Readable::Message(inner)),
                        None => Ok((Vec::new(), Status::Undecided, false)),
                    },
                };
                Check::Formula(FormulaCheck {
                    of,
                    see: Box::new(see),
                    facts: Box::new(facts),
                    search,
                })
            }
        };
        Invariant { name: self.name, check }
    }
}

impl<P: Process<Msg: Serialize> + Serialize> Invariant<P> {
    /// Creates the invariants that a header states, in its order: those with a formula check it, the
    /// others have these checks. What speaks of the history is left out, since no configuration tells it.
    ///
    /// # Panics
    /// If a formula cannot be read, or more or fewer statements have none than there are checks.
    #[must_use]
    pub fn of_statements<const N: usize>(
        stated: &[(&'static str, &'static str)],
        checks: [CheckFn<P>; N],
    ) -> Vec<Self> {
        let mut checks = checks.into_iter();
        let invariant = |stated| {
            let Statement { name, formula, .. } = Statement::of(stated);
            let Some(formula) = formula else {
                let check = checks.next().expect("a check for each invariant without a formula");
                return Some(Self::new(name, check));
            };
            let assertion =
                Assertion::read(formula).unwrap_or_else(|error| panic!("*{name}*, {error}"));
            let facts = |part: Readable<'_, P>| match part {
                Readable::Process(process) => {
                    Ok((Fact::of_state(process)?, process.status(), process.halted()))
                }
                Readable::Message(msg) => {
                    Ok((vec![Fact::of_message(&msg)?], Status::Undecided, false))
                }
            };
            let check = Check::Formula(FormulaCheck {
                of: TypeId::of::<P>(),
                see: Box::new(Moment::of::<P>),
                facts: Box::new(facts),
                search: Box::new(BreachSearch::new(&assertion)),
            });
            (!assertion.is_of_history()).then_some(Self { name, check })
        };
        let all = stated.iter().filter_map(invariant).collect();
        assert!(checks.next().is_none(), "more checks than invariants without a formula");
        all
    }
}
