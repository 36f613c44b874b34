//! A table on a ring: its states, its reactions, and what assertions say of them.

use crate::ground::{Atom, GroundFormula, GroundProblem, NodeNumber, Point, Spot};
use crate::prelude::Status;
use crate::set_number::{SetBase, SetGuard, SetNumber};
use crate::symbols::{
    NotTabulated, OWN, PortsGuard, Symbol, SymbolGuard, SymbolOrders, SymbolicFirstPorts, leads_to,
};
use crate::table::{Effect, Event, LinkedNetwork, ReactionRow, Table, View};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use suffrage_algorithms::assertion::{
    Argument, Assertion, AssertionPart, Comparison, MessageEnds, NamedTerm, RingDirection, Sort,
    Variable,
};
use suffrage_algorithms::{Fact, FactValue};
use suffrage_model::Port;

/// A table with the names of what its states and messages say.
pub(crate) struct System<'t> {
    pub(crate) table: &'t Table,
    /// For each fact of a state what its values are.
    pub(crate) facts: BTreeMap<&'static str, Vec<ValueKind>>,
    /// For each message what its values are.
    pub(crate) messages: BTreeMap<&'static str, Vec<ValueKind>>,
    /// Which facts hold together.
    pub(crate) shapes: BTreeSet<BTreeSet<&'static str>>,
    pub(crate) goes_back: bool,
}

/// What a value of a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Process,
    Port,
    /// First ports, which lead to processes.
    Ports,
    /// A set of ports, which do.
    Set,
    /// Formulas say nothing of it.
    Number,
}

/// The moment about which an assertion speaks.
pub(crate) enum When<'t> {
    /// Nothing has happened: each process is in this state, and in such a network.
    Start(&'t [Fact], Option<LinkedNetwork>),
    /// Before the reaction.
    Before,
    /// After it.
    After(Change<'t>),
}

/// What a reaction changes.
pub(crate) struct Change<'t> {
    /// The process that reacts.
    node: NodeNumber,
    /// The states before and after; none if it keeps its state.
    states: Option<(&'t [Fact], &'t [Fact])>,
    symbols: BTreeMap<Symbol, NodeNumber>,
    pub(crate) received: Option<(RingDirection, Point)>,
    sends: Vec<Sending>,
    /// A message to all: its name, from whom it comes and what it names.
    to_all: Option<(&'static str, Vec<NodeNumber>)>,
    /// The sets of ports in the state.
    sets: Vec<(&'static str, usize)>,
    linked: bool,
    wakes: bool,
}

struct Sending {
    way: RingDirection,
    name: &'static str,
    /// In a complete network the first one is the process to which it goes, and without positions the second one the
    /// process from which it comes.
    values: Vec<NodeNumber>,
    point: Point,
}

/// Something that happens to a process on a ring.
#[derive(Clone, Copy)]
pub(crate) enum RingReaction<'t> {
    /// A row of the table, at a process whose port 0 leads back if it is `turned`.
    Row { row: &'t ReactionRow, turned: bool },
    /// A message comes to a process that has halted.
    Discard { way: RingDirection, name: &'static str },
    /// A message comes to a process that takes none any more, since a leader's announcement has come
    /// before it.
    Dismiss { way: RingDirection, name: &'static str },
    /// A leader's announcement comes to a process that is asleep.
    Rouse,
}

impl<'t> System<'t> {
    pub(crate) fn new(table: &'t Table) -> Result<Self, NotTabulated> {
        let mut facts = BTreeMap::new();
        let mut messages = BTreeMap::new();
        let mut shapes = BTreeSet::new();
        let states = table.rows.iter().flat_map(|row| [&row.before, &row.after]);
        let states = states.chain(table.views.iter().map(|view| &view.state)).chain([&table.start]);
        for state in states {
            let names: BTreeSet<_> = state.iter().map(|fact| fact.name).collect();
            if names.len() < state.len() {
                return Err(NotTabulated("a state has two facts of one name".into()));
            }
            shapes.insert(names);
            for fact in state {
                let kinds: Vec<_> = fact.values.iter().map(kind).collect();
                if *facts.entry(fact.name).or_insert_with(|| kinds.clone()) != kinds {
                    return Err(NotTabulated(format!("`{}` is said in two ways", fact.name)));
                }
            }
        }
        for row in &table.rows {
            let sent = row.effects.iter().filter_map(|effect| match effect {
                Effect::Send(_, message)
                | Effect::Stray(message)
                | Effect::SendAll(message)
                | Effect::SendOthers(_, message) => Some(message),
                Effect::Reject(_) => None,
            });
            let received = match &row.event {
                Event::Receive(_, message) => Some(message),
                Event::Wake | Event::Turn => None,
            };
            for message in sent.chain(received) {
                let kinds = message.values.iter().map(kind).collect::<Vec<_>>();
                if kinds
                    .iter()
                    .any(|kind| matches!(kind, ValueKind::Port | ValueKind::Ports | ValueKind::Set))
                {
                    return Err(NotTabulated(format!("`{}` carries a port", message.name)));
                }
                messages.insert(message.name, kinds);
            }
        }
        let counted = |fact: &Fact| {
            fact.values.iter().any(|of| matches!(of, FactValue::Ports(of) if *of != NO_PORTS))
        };
        if table.start.iter().any(counted) {
            return Err(NotTabulated("new: it begins with first ports".into()));
        }
        let is_own = |guard: &SymbolGuard| {
            (guard.one == OWN || guard.other == OWN)
                && (guard.orders == SymbolOrders::SAME || !guard.orders.has(SymbolOrders::SAME))
                && !matches!(guard.orders, SymbolOrders::LESS | SymbolOrders::MORE)
        };
        if table.views.iter().any(|view| !view.guards.iter().all(is_own)) {
            let why = "status, leader, halted: it compares identities otherwise than with its own";
            return Err(NotTabulated(why.into()));
        }
        Ok(Self { table, facts, messages, shapes, goes_back: table.goes_back() })
    }

    /// Returns what is wrong with an assertion about it: a name that it does not have, or too many
    /// arguments.
    pub(crate) fn fault_in(&self, assertion: &Assertion) -> Option<String> {
        let found = std::cell::RefCell::new(None);
        assertion.formula.any(&|part| {
            let fault = match part {
                AssertionPart::State(_, NamedTerm { name, arguments, .. })
                    if [NEXT, NEAR, BEYOND].contains(&&**name) =>
                {
                    self.fault_in_relation(name, arguments)
                }
                AssertionPart::Order(one, how, _)
                    if *how != Comparison::Same
                        && assertion.variables[*one].sort == Sort::Place
                        && self.table.links.is_none() =>
                {
                    Some("places are compared on the links of a tree or a graph".to_owned())
                }
                AssertionPart::State(_, NamedTerm { name, arguments, is_counted }) => {
                    match BUILT_IN.contains(&&**name) {
                        true => (!arguments.is_empty())
                            .then(|| format!("`{name}` is said of one process, and no more")),
                        false => self
                            .fault_in_fact(name, arguments)
                            .or_else(|| self.fault_in_counted(name, arguments, *is_counted)),
                    }
                }
                AssertionPart::Message(_, _, _, MessageEnds { from: Some(_), .. })
                    if !self.table.ports =>
                {
                    Some("`from` is for complete networks without positions".to_owned())
                }
                AssertionPart::Message(_, _, _, ends) if ends.to.is_some() != self.table.complete => {
                    let what = "a message stands with `at x to a` in a complete network, and with `at x` or `back x` on a \
                                ring";
                    Some(what.to_owned())
                }
                AssertionPart::Message(RingDirection::Back, ..) | AssertionPart::Sent(..)
                    if self.table.complete =>
                {
                    Some("`back` and `by` are for rings".to_owned())
                }
                AssertionPart::Message(_, NamedTerm { name, arguments, .. }, ..)
                | AssertionPart::Sent(NamedTerm { name, arguments, .. }, _) => {
                    match self.messages.get(&**name) {
                        None => Some(format!(
                            "there is no message `{name}`; there are {}",
                            list(self.messages.keys())
                        )),
                        Some(kinds) => (kinds.len() != arguments.len()
                            || kinds.iter().zip(arguments).any(|pair| {
                                let sent = matches!(part, AssertionPart::Sent(..));
                                !match pair {
                                    (ValueKind::Process, Argument::Variable(_)) => true,
                                    (ValueKind::Process, Argument::Any) => !sent,
                                    (kind, argument) => {
                                        *kind == ValueKind::Number && *argument == Argument::Any
                                    }
                                }
                            }))
                        .then(|| {
                            format!(
                                "`{name}` carries {kinds:?}: a variable stands for a process, and \
                                 `_` for a number"
                            )
                        }),
                    }
                }
                _ => None,
            };
            let is_fault = fault.is_some();
            *found.borrow_mut() = fault;
            is_fault
        });
        found.into_inner().or_else(|| self.fault_in_equation(assertion))
    }

    fn fault_in_relation(&self, name: &str, arguments: &[Argument]) -> Option<String> {
        let links = self.table.links;
        let (count, fits, said) = match name {
            NEXT => (
                1,
                self.table.complete && links.is_none(),
                "`next(a, b)` is said of two processes of a complete network",
            ),
            NEAR => {
                (1, links.is_some(), "`near(a, b)` is said of two processes of a tree or a graph")
            }
            _ => (
                2,
                links == Some(LinkedNetwork::Tree),
                "`beyond(a, b, c)` is said of three processes of a tree",
            ),
        };
        let are_processes = arguments.iter().all(|of| matches!(of, Argument::Variable(_)));
        (!fits || arguments.len() != count || !are_processes).then(|| said.to_owned())
    }

    fn fault_in_fact(&self, name: &str, arguments: &[Argument]) -> Option<String> {
        let Some(kinds) = self.facts.get(name) else {
            return Some(format!(
                "no state says `{name}`; there are {}, and always {}",
                list(self.facts.keys()),
                list(&BUILT_IN)
            ));
        };
        let fits = |(argument, kind): (&Argument, &ValueKind)| match argument {
            Argument::Any => true,
            Argument::Port(_) => *kind == ValueKind::Port,
            Argument::Most => *kind == ValueKind::Ports,
            Argument::Variable(_) => {
                matches!(kind, ValueKind::Process | ValueKind::Ports | ValueKind::Set)
            }
        };
        let fits = arguments.len() <= kinds.len() && arguments.iter().zip(kinds).all(fits);
        (!fits).then(|| {
            format!("the arguments of `{name}` do not fit: after the process come {kinds:?}")
        })
    }

    /// The members of a set of ports that is only counted are known to proofs alone: a formula says so.
    fn fault_in_counted(
        &self,
        name: &str,
        arguments: &[Argument],
        is_counted: bool,
    ) -> Option<String> {
        let members = arguments.iter().any(|of| matches!(of, Argument::Variable(_)));
        let expected = members && self.table.counted.contains(&name);
        (expected != is_counted).then(|| match expected {
            true => format!("`{name}` is only counted: `counted {name}(..)` says which are in it"),
            false => format!("`{name}` is no set of ports that is only counted"),
        })
    }

    /// The number of processes that a message names; in a complete network also those between which it goes.
    pub(crate) fn named_by(&self, message: &str) -> usize {
        let named = self.messages[message].iter().filter(|kind| **kind == ValueKind::Process);
        named.count() + self.ends()
    }

    /// The number of ends of a message that matter: in a complete network the process to which it goes, and without
    /// positions also the one from which it comes.
    pub(crate) fn ends(&self) -> usize {
        usize::from(self.table.complete) + usize::from(self.table.ports)
    }

    /// Whether it is looked at whom a message to all reaches, and of the invariants only at what they say of messages and
    /// values that a step names: where states have sets of ports.
    pub(crate) fn follows_messages(&self) -> bool {
        self.table.links.is_some() || self.table.ports && !self.sets().is_empty()
    }

    /// Returns what happens on the ring.
    pub(crate) fn reactions(&self) -> Vec<RingReaction<'t>> {
        let turns: &[bool] = if self.table.oriented { &[false] } else { &[false, true] };
        let mut all = Vec::new();
        for row in &self.table.rows {
            for &turned in turns {
                let reaction = RingReaction::Row { row, turned };
                if self.goes_back || reaction.way() != Some(RingDirection::Back) {
                    all.push(reaction);
                }
            }
        }
        let ways: &[RingDirection] = if self.goes_back {
            &[RingDirection::Forward, RingDirection::Back]
        } else {
            &[RingDirection::Forward]
        };
        for &way in ways {
            all.extend(self.messages.keys().map(|name| RingReaction::Discard { way, name }));
            all.extend(self.messages.keys().map(|name| RingReaction::Dismiss { way, name }));
        }
        all.push(RingReaction::Rouse);
        all
    }

    /// Assumes that a reaction takes place. Returns what it changes.
    pub(crate) fn react(
        &self,
        reaction: RingReaction<'t>,
        problem: &mut GroundProblem,
    ) -> Change<'t> {
        problem.is_step = self.follows_messages();
        let node = problem.node("the process that reacts");
        let mut change = Change {
            node,
            states: None,
            symbols: BTreeMap::from([(OWN, node)]),
            received: None,
            sends: Vec::new(),
            to_all: None,
            sets: self.sets(),
            linked: self.table.links.is_some(),
            wakes: false,
        };
        match reaction {
            RingReaction::Row { row, turned } => {
                if !self.table.oriented {
                    problem.assume(GroundFormula::Is(Atom::Turned(node), turned));
                }
                if row.alone == Some(false) {
                    let other = problem.node("another process");
                    problem.assume(GroundFormula::same_node(node, other, false));
                    // Who is not alone has a neighbour.
                    problem.assume(is_neighbour(node, other, change.linked, true));
                }
                if row.alone == Some(true) {
                    problem.assume_of_each(Sort::Process, |other| {
                        GroundFormula::same_node(node, other, true)
                    });
                }
                match &row.event {
                    Event::Wake => {
                        problem.assume(GroundFormula::Is(Atom::Asleep(node), true));
                        change.wakes = true;
                    }
                    Event::Receive(port, message) => {
                        let way = self.arrival(*port, turned);
                        let from = leads_to(*port).filter(|_| self.table.ports);
                        let symbols = from.into_iter().chain(identities(message)).collect();
                        self.receive(way, message.name, Some(symbols), problem, &mut change);
                    }
                    Event::Turn => {}
                }
                self.state(row, problem, &mut change);
                change.states = Some((&row.before, &row.after));
                self.act(row, turned, problem, &mut change);
            }
            RingReaction::Discard { way, name } => {
                self.receive(way, name, None, problem, &mut change);
                problem.assume(self.views(node, &When::Before, true, &|view| view.halted));
            }
            RingReaction::Dismiss { way, name } => {
                self.receive(way, name, None, problem, &mut change);
                let leader = problem.node("the leader");
                problem.assume(self.views(leader, &When::Before, true, &is_leader));
            }
            RingReaction::Rouse => {
                problem.assume(GroundFormula::Is(Atom::Asleep(node), true));
                let leader = problem.node("the leader");
                problem.assume(self.views(leader, &When::Before, true, &is_leader));
            }
        }
        change
    }

    /// The process compares and asks as a row says, and does what it does.
    fn act(
        &self,
        row: &ReactionRow,
        turned: bool,
        problem: &mut GroundProblem,
        change: &mut Change<'_>,
    ) {
        for symbol in row.taken() {
            change.symbols.insert(symbol, problem.node("a process that waits"));
        }
        for guard in &row.asked {
            self.ask(guard, problem, change);
        }
        for guard in row.guards.iter().filter(|guard| !row.is_idle(guard)) {
            problem.assume(order(guard, &change.symbols));
        }
        for effect in &row.effects {
            match effect {
                Effect::Send(port, message) => {
                    self.send(*port, turned, message, problem, change);
                }
                Effect::SendAll(message) => self.send_all(None, message, problem, change),
                Effect::SendOthers(than, message) => {
                    self.send_all(Some(*than), message, problem, change);
                }
                Effect::Stray(_) | Effect::Reject(_) => {}
            }
        }
    }

    /// The way on which a message moves that arrives through a port.
    fn arrival(&self, port: Port, turned: bool) -> RingDirection {
        match !self.table.ports && leads_forward(port, turned) {
            true => RingDirection::Back,
            false => RingDirection::Forward,
        }
    }

    /// What a row asks of first ports is so.
    fn ask(&self, guard: &PortsGuard, problem: &mut GroundProblem, change: &mut Change<'_>) {
        let node = change.node;
        let mut named = |symbol: Symbol, problem: &mut GroundProblem| {
            *change.symbols.entry(symbol).or_insert_with(|| problem.node("the process at a port"))
        };
        match *guard {
            PortsGuard::Contains(first, symbol, is) => {
                let to = named(symbol, problem);
                problem.assume(self.contains(first, node, to, is));
            }
            PortsGuard::Majority(first, is) => problem.assume(self.majority(first, node, is)),
            PortsGuard::OfSet(guard) => {
                if let Some(symbol) = guard.symbol() {
                    named(symbol, problem);
                }
                self.ask_set(guard, problem, change);
            }
            PortsGuard::Next(first, to) => {
                // The port after first ports is none of them, and leads to one process, which is another one.
                let (mut apart, total) = (Vec::new(), problem.total(Sort::Process));
                for one in 0..total {
                    let after = || GroundFormula::Is(Atom::After(first, one), false);
                    apart.push(GroundFormula::Any(vec![
                        after(),
                        GroundFormula::All(vec![
                            GroundFormula::same_node(one, node, false),
                            self.contains(first, node, one, false),
                        ]),
                    ]));
                    for other in 0..one {
                        let others = GroundFormula::Is(Atom::After(first, other), false);
                        let same = GroundFormula::same_node(one, other, true);
                        apart.push(GroundFormula::Any(vec![after(), others, same]));
                    }
                }
                apart.into_iter().for_each(|form| problem.assume(form));
                match to {
                    Some(symbol) => {
                        let to = named(symbol, problem);
                        problem.assume(GroundFormula::Is(Atom::After(first, to), true));
                    }
                    None => {
                        // First ports that are all ports lead to all.
                        problem.assume(self.majority(first, node, true));
                        problem.assume_of_each(Sort::Process, |one| {
                            GroundFormula::All(vec![
                                GroundFormula::Is(Atom::After(first, one), false),
                                GroundFormula::Any(vec![
                                    GroundFormula::same_node(one, node, true),
                                    self.contains(first, node, one, true),
                                ]),
                            ])
                        });
                    }
                }
            }
        }
    }

    /// What a row asks of a set of ports is so.
    fn ask_set(&self, guard: SetGuard, problem: &mut GroundProblem, change: &Change<'_>) {
        let set = guard.set();
        let all = problem.total(Sort::Process);
        let empty = || (0..all).map(|one| change.member(set, one, false)).collect();
        match guard {
            SetGuard::Contains(_, symbol, is) => {
                problem.assume(change.member(set, change.symbols[&symbol], is));
            }
            SetGuard::Empty(_, true) => problem.assume(GroundFormula::All(empty())),
            SetGuard::Empty(_, false) => {
                let one = problem.node("a process at a port in the set");
                problem.assume(change.member(set, one, true));
            }
            SetGuard::Last(_, Some(symbol)) => {
                let to = change.symbols[&symbol];
                problem.assume(change.member(set, to, true));
                problem.assume_of_each(Sort::Process, |one| {
                    let is = GroundFormula::same_node(one, to, true);
                    GroundFormula::Any(vec![is, change.member(set, one, false)])
                });
            }
            SetGuard::Last(_, None) => {
                let [one, other] = ["one process", "another one"]
                    .map(|name| problem.node(format!("{name} at a port in the set")));
                let two = GroundFormula::All(vec![
                    GroundFormula::same_node(one, other, false),
                    change.member(set, one, true),
                    change.member(set, other, true),
                ]);
                problem.assume(GroundFormula::Any(vec![two, GroundFormula::All(empty())]));
            }
        }
    }

    /// The sets of ports in a state, each a fact and the number of the value there.
    pub(crate) fn sets(&self) -> Vec<(&'static str, usize)> {
        let all = self.table.start.iter().flat_map(|fact| {
            fact.values.iter().enumerate().map(|(at, value)| (fact.name, at, value))
        });
        let all = all.filter(|(.., value)| matches!(value, FactValue::Set(_)));
        all.map(|(name, at, _)| (name, at)).collect()
    }

    /// That one of these first ports of the process that reacts leads to a process.
    fn contains(&self, first: u32, node: NodeNumber, to: NodeNumber, holds: bool) -> GroundFormula {
        contains(self.first_ports(), first, node, to, holds)
    }

    fn majority(&self, first: u32, node: NodeNumber, holds: bool) -> GroundFormula {
        majority(self.first_ports(), first, node, holds)
    }

    /// Of two processes whose first ports lead to majorities there is a process that belongs to both: one itself, or
    /// one to which the ports lead. It is assumed of the processes that the problem names so far.
    pub(crate) fn majorities_meet(&self, problem: &mut GroundProblem) {
        let Some((name, at)) = self.first_ports() else { return };
        let is = |atom, holds| GroundFormula::Is(atom, holds);
        let named = problem.nodes.len();
        for one in 0..named {
            for other in 0..one {
                let both = problem.node("a process of both majorities");
                let belongs = |to: NodeNumber| {
                    GroundFormula::Any(vec![
                        GroundFormula::same_node(both, to, true),
                        is(Atom::Contains(name, at, to, both), true),
                    ])
                };
                problem.assume(GroundFormula::Any(vec![
                    is(Atom::Most(name, at, one), false),
                    is(Atom::Most(name, at, other), false),
                    GroundFormula::All(vec![belongs(one), belongs(other)]),
                ]));
            }
        }
    }

    /// In a tree some neighbour of the first process that the problem names is on the way to each other one. It is
    /// assumed of the processes that it names so far.
    pub(crate) fn ways(&self, problem: &mut GroundProblem) {
        if self.table.links != Some(LinkedNetwork::Tree) {
            return;
        }
        let from = 0;
        for to in 1..problem.nodes.len() {
            let next = problem.node("a neighbour on the way");
            let is_way =
                GroundFormula::All(vec![near(from, next, true), beyond([from, next, to], true)]);
            problem
                .assume(GroundFormula::Any(vec![GroundFormula::same_node(from, to, true), is_way]));
        }
    }

    /// The fact of a state with first ports, and the number of the value there. A state has them in one place.
    pub(crate) fn first_ports(&self) -> Option<(&'static str, usize)> {
        self.facts.iter().find_map(|(name, kinds)| {
            Some((*name, kinds.iter().position(|kind| *kind == ValueKind::Ports)?))
        })
    }

    /// A message goes to all neighbours but one, at a place for each. Where these are is not known.
    fn send_all(
        &self,
        than: Option<Port>,
        message: &Fact,
        problem: &mut GroundProblem,
        change: &mut Change<'_>,
    ) {
        let node = change.node;
        let named = identities(message).map(|symbol| change.symbols[&symbol]);
        change.to_all = Some((message.name, [node].into_iter().chain(named).collect()));
        let than = than.and_then(leads_to).map(|symbol| change.symbols[&symbol]);
        problem.to_all = Some((node, than));
        let to_all = |point, holds| GroundFormula::Is(Atom::ToAll(point), holds);
        let to_one = |point, to, holds| GroundFormula::Is(Atom::ToOne(point, to), holds);
        let linked = change.linked;
        problem.assume_of_each(Sort::Place, |point| {
            let taken = GroundFormula::Is(Atom::Taken(RingDirection::Forward, point), false);
            GroundFormula::Any(vec![to_all(point, false), taken])
        });
        let (points, nodes) = (problem.total(Sort::Place), problem.total(Sort::Process));
        for point in 0..points {
            for to in 0..nodes {
                let mut goes = vec![GroundFormula::same_node(to, node, false)];
                goes.extend(linked.then(|| near(node, to, true)));
                goes.extend(than.map(|than| GroundFormula::same_node(to, than, false)));
                let never = [to_all(point, false), to_one(point, to, false)];
                let goes = GroundFormula::All(goes);
                problem.assume(GroundFormula::Any(never.into_iter().chain([goes]).collect()));
                for other in 0..point {
                    let same = GroundFormula::same(Spot::At(point), Spot::At(other), true);
                    let never = [point, other].map(|of| [to_all(of, false), to_one(of, to, false)]);
                    let ways = never.into_iter().flatten().chain([same]).collect();
                    problem.assume(GroundFormula::Any(ways));
                }
            }
            if linked {
                for other in 0..points {
                    self.sent_after(point, other, to_all(point, true), problem);
                }
            }
        }
        for earlier in change.sends.iter().filter(|_| linked) {
            problem.assume_of_each(Sort::Place, |point| {
                GroundFormula::Any(vec![to_all(point, false), before(earlier.point, point)])
            });
        }
    }

    /// Each neighbour that the problem names so far gets the message to all.
    pub(crate) fn reach_all(&self, problem: &mut GroundProblem) {
        let Some((node, than)) = problem.to_all else { return };
        for to in 0..problem.nodes.len() {
            let point = problem.point("the message to it");
            let is_there = GroundFormula::All(vec![
                GroundFormula::Is(Atom::ToAll(point), true),
                GroundFormula::Is(Atom::ToOne(point, to), true),
            ]);
            let mut ways = vec![is_there];
            ways.push(is_neighbour(node, to, self.table.links.is_some(), false));
            ways.extend(than.map(|than| GroundFormula::same_node(to, than, true)));
            problem.assume(GroundFormula::Any(ways));
        }
    }

    /// If this place gets a message, each message under way was sent before it.
    fn sent_after(
        &self,
        point: Point,
        other: Point,
        gets: GroundFormula,
        problem: &mut GroundProblem,
    ) {
        let taken = GroundFormula::Is(Atom::Taken(RingDirection::Forward, other), false);
        problem.assume(GroundFormula::Any(vec![gets.negated(), taken, before(other, point)]));
    }

    /// A message of this kind arrives.
    fn receive(
        &self,
        way: RingDirection,
        name: &'static str,
        symbols: Option<Vec<Symbol>>,
        problem: &mut GroundProblem,
        change: &mut Change<'_>,
    ) {
        let node = change.node;
        let point = problem.point("the message that arrives");
        let mut values = if self.table.complete { vec![node] } else { Vec::new() };
        for number in 0..self.named_by(name) - values.len() {
            let value = problem.node("the process that the message names");
            if let Some(&symbol) = symbols.as_ref().and_then(|symbols| symbols.get(number)) {
                change.symbols.insert(symbol, value);
            }
            values.push(value);
        }
        problem.said.push((
            name.to_owned(),
            true,
            [point].into_iter().chain(values.clone()).collect(),
        ));
        problem.assume(GroundFormula::Is(Atom::Message(way, name, point), true));
        for (at, &value) in values.iter().enumerate() {
            problem.assume(GroundFormula::Is(Atom::Carried(name, at, point, value), true));
        }
        change.received = Some((way, point));
        if let (Some(_), [to, from, ..]) = (self.table.links, &values[..]) {
            self.is_first(point, [*to, *from], problem);
        }
        if self.table.complete {
            return;
        }
        let (here, there) = (Spot::At(point), Spot::Of(node));
        problem.assume_of_each(Sort::Process, move |other| {
            on_the_way(way, here, Spot::Of(other), there).negated()
        });
        problem.assume_of_each(Sort::Place, move |other| {
            let taken = GroundFormula::Is(Atom::Taken(way, other), false);
            GroundFormula::Any(vec![taken, on_the_way(way, here, Spot::At(other), there).negated()])
        });
    }

    /// No message was sent before this one on the same link, and is still under way.
    fn is_first(&self, point: Point, ends: [NodeNumber; 2], problem: &mut GroundProblem) {
        for &name in self.messages.keys() {
            problem.assume_of_each(Sort::Place, |other| {
                let is = |atom| GroundFormula::Is(atom, false);
                let mut ways = vec![is(Atom::Message(RingDirection::Forward, name, other))];
                ways.extend(
                    (0..).zip(ends).map(|(at, end)| is(Atom::Carried(name, at, other, end))),
                );
                ways.push(before(other, point).negated());
                GroundFormula::Any(ways)
            });
        }
    }

    /// The state of the process is that before the row.
    fn state(&self, row: &ReactionRow, problem: &mut GroundProblem, change: &mut Change<'_>) {
        let node = change.node;
        for &name in self.facts.keys() {
            let says = row.before.iter().any(|fact| fact.name == name);
            problem.assume(GroundFormula::Is(Atom::Says(name, node), says));
        }
        for fact in &row.before {
            for (at, &value) in fact.values.iter().enumerate() {
                match value {
                    FactValue::Port(port) => {
                        problem.assume(GroundFormula::Is(
                            Atom::PortOne(fact.name, at, node),
                            port == 1,
                        ));
                    }
                    FactValue::Id(symbol) | FactValue::Place(symbol)
                        if is_used(symbol, row)
                            || row.comes_from(symbol)
                            || names_position(fact, row) =>
                    {
                        let value = *change.symbols.entry(symbol).or_insert_with(|| {
                            problem.node(format!("the process that its `{}` names", fact.name))
                        });
                        problem.said.push((fact.name.to_owned(), false, vec![node, value]));
                        problem.assume(GroundFormula::Is(
                            Atom::Value(fact.name, at, node, value),
                            true,
                        ));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Gives a name to every process that the state of the one that reacts names, also if nothing depends on it.
    pub(crate) fn name_all(&self, change: &Change<'_>, problem: &mut GroundProblem) {
        let Some((before, _)) = change.states else { return };
        let mut symbols = change.symbols.clone();
        for fact in before {
            for (at, value) in fact.values.iter().enumerate() {
                let Some(symbol) = value.process() else { continue };
                let value = *symbols.entry(symbol).or_insert_with(|| problem.node("a process"));
                let names = Atom::Value(fact.name, at, change.node, value);
                problem.assume(GroundFormula::Is(names, true));
            }
        }
    }

    /// The process sends a message through a port.
    fn send(
        &self,
        port: Port,
        turned: bool,
        message: &Fact,
        problem: &mut GroundProblem,
        change: &mut Change<'_>,
    ) {
        let here = Spot::Of(change.node);
        let point = problem.point("the message that is sent");
        let there = Spot::At(point);
        let named = identities(message).map(|symbol| change.symbols[&symbol]);
        let mut values: Vec<NodeNumber> = named.collect();
        for taken in [RingDirection::Forward, RingDirection::Back] {
            problem.assume(GroundFormula::Is(Atom::Taken(taken, point), false));
        }
        for earlier in &change.sends {
            problem.assume(GroundFormula::same(Spot::At(earlier.point), there, false));
        }
        let (name, mut way) = (message.name, RingDirection::Forward);
        if self.table.complete {
            if self.table.ports {
                values.insert(0, change.node);
            }
            let to = self.receiver(port, problem, change);
            problem.receivers.push(to);
            values.insert(0, to);
            if self.table.links.is_some() {
                for other in 0..problem.total(Sort::Place) {
                    self.sent_after(point, other, GroundFormula::TRUE, problem);
                    if change.to_all.is_some() {
                        let earlier = GroundFormula::Is(Atom::ToAll(other), false);
                        problem.assume(GroundFormula::Any(vec![earlier, before(other, point)]));
                    }
                }
                for earlier in &change.sends {
                    problem.assume(before(earlier.point, point));
                }
            }
            change.sends.push(Sending { way, name, values, point });
            return;
        }
        if !leads_forward(port, turned) {
            way = RingDirection::Back;
        }
        problem.assume_of_each(Sort::Process, move |other| {
            on_the_way(way, here, Spot::Of(other), there).negated()
        });
        let received = change.received;
        problem.assume_of_each(Sort::Place, move |other| {
            let taken = GroundFormula::Is(Atom::Taken(way, other), false);
            let gone = match received {
                Some((as_way, gone)) if as_way == way => {
                    GroundFormula::same(Spot::At(other), Spot::At(gone), true)
                }
                _ => GroundFormula::FALSE,
            };
            GroundFormula::Any(vec![
                taken,
                gone,
                on_the_way(way, here, Spot::At(other), there).negated(),
            ])
        });
        for earlier in change.sends.iter().filter(|earlier| earlier.way == way) {
            problem.assume(on_the_way(way, here, Spot::At(earlier.point), there).negated());
        }
        change.sends.push(Sending { way, name, values, point });
    }

    /// The process to which a port leads in a complete network: the next one forward, or a known one.
    fn receiver(&self, port: Port, problem: &mut GroundProblem, change: &Change<'_>) -> NodeNumber {
        if let Some(symbol) = leads_to(port) {
            return change.symbols[&symbol];
        }
        let next = problem.node("the next process");
        problem.assume(GroundFormula::Is(Atom::Next(change.node, next), true));
        next
    }

    /// Returns that the process sends through a port that it does not have: to itself.
    pub(crate) fn strays(&self, change: &Change<'t>) -> Vec<GroundFormula> {
        // A port leads to another process. Those that the process does not have are in the row.
        let sends = change.sends.iter().filter(|_| self.table.complete && !self.table.ports);
        sends.map(|of| GroundFormula::same_node(of.values[0], change.node, true)).collect()
    }

    /// Returns for each message of the reaction that the process has sent the same before.
    pub(crate) fn sent_again(&self, change: &Change<'t>) -> Vec<GroundFormula> {
        let mut forms = Vec::new();
        for (number, sending) in change.sends.iter().enumerate() {
            let mut again = vec![GroundFormula::Is(
                Atom::Sent(sending.name, change.node, sending.values.clone()),
                true,
            )];
            for earlier in change.sends[..number].iter().filter(|of| of.name == sending.name) {
                again.push(same_values(&earlier.values, &sending.values));
            }
            forms.push(GroundFormula::Any(again));
        }
        forms
    }

    /// Assumes what is true of all states: each is one of those that a process can have.
    pub(crate) fn states(&self, problem: &mut GroundProblem) {
        problem.links = self.table.links;
        let mut clauses: Vec<Vec<(&'static str, bool)>> = Vec::new();
        let names: Vec<&'static str> = self.facts.keys().copied().collect();
        let together = |one, other| {
            self.shapes.iter().any(|shape| shape.contains(one) && shape.contains(other))
        };
        let others = |name: &'static str| {
            let excluded =
                names.iter().copied().filter(move |&other| other != name && !together(name, other));
            excluded.collect::<Vec<_>>()
        };
        for &name in &names {
            clauses
                .extend(others(name).into_iter().map(|other| vec![(name, false), (other, false)]));
            // Of a name and those that exclude it one holds: always, or with another one.
            let group: Vec<_> = others(name).into_iter().chain([name]).collect();
            let hits = |shape: &BTreeSet<_>| group.iter().any(|one| shape.contains(one));
            let yes = || group.iter().map(|&one| (one, true));
            if self.shapes.iter().all(hits) {
                clauses.push(yes().collect());
                continue;
            }
            for &context in names.iter().filter(|&&context| !group.contains(&context)) {
                let mut with = self.shapes.iter().filter(|shape| shape.contains(context));
                if with.all(hits) {
                    clauses.push(yes().chain([(context, false)]).collect());
                }
            }
        }
        problem.assume_of_each(Sort::Process, |node| {
            let says =
                |&(name, holds): &(_, bool)| GroundFormula::Is(Atom::Says(name, node), holds);
            let clause = |clause: &Vec<_>| GroundFormula::Any(clause.iter().map(says).collect());
            GroundFormula::All(clauses.iter().map(clause).collect())
        });
        if !self.goes_back {
            problem.assume_of_each(Sort::Place, |point| {
                GroundFormula::Is(Atom::Taken(RingDirection::Back, point), false)
            });
        }
    }

    /// Returns the formula that a process is in a state whose view is such, or that it is in none.
    pub(crate) fn views(
        &self,
        node: NodeNumber,
        now: &When<'_>,
        holds: bool,
        such: &dyn Fn(&View) -> bool,
    ) -> GroundFormula {
        let with = |name: &str| {
            let name = name.to_owned();
            self.table
                .views
                .iter()
                .filter(move |view| view.state.iter().any(|fact| fact.name == name))
        };
        let decisive = |name: &&'static str| with(name).all(such) && with(name).next().is_some();
        let decisive: Vec<&'static str> =
            self.facts.keys().filter(|name| decisive(name)).copied().collect();
        let mut ways: Vec<GroundFormula> =
            decisive.iter().map(|name| now.atom(Atom::Says(name, node), true)).collect();
        for view in self.table.views.iter().filter(|view| such(view)) {
            if !view.state.iter().any(|fact| decisive.contains(&fact.name)) {
                ways.push(self.view(view, node, now));
            }
        }
        let any = GroundFormula::Any(ways);
        if holds { any } else { any.negated() }
    }

    fn view(&self, view: &View, node: NodeNumber, now: &When<'_>) -> GroundFormula {
        let mut all = Vec::new();
        for &name in self.facts.keys() {
            let says = view.state.iter().any(|fact| fact.name == name);
            all.push(now.atom(Atom::Says(name, node), says));
        }
        for fact in &view.state {
            for (at, value) in fact.values.iter().enumerate() {
                match value {
                    FactValue::Port(port) => {
                        all.push(now.atom(Atom::PortOne(fact.name, at, node), *port == 1));
                    }
                    FactValue::Id(symbol) | FactValue::Place(symbol) => {
                        let of =
                            |guard: &&SymbolGuard| guard.one == *symbol || guard.other == *symbol;
                        for guard in view.guards.iter().filter(of) {
                            let same = guard.orders == SymbolOrders::SAME;
                            all.push(now.atom(Atom::Value(fact.name, at, node, node), same));
                        }
                    }
                    FactValue::Ports(_)
                    | FactValue::Set(_)
                    | FactValue::CountedSet(_)
                    | FactValue::Count(_)
                    | FactValue::Number(_) => {}
                }
            }
        }
        GroundFormula::All(all)
    }

    /// Returns that a process names another one as the leader.
    pub(crate) fn names(&self, node: NodeNumber, leader: NodeNumber) -> GroundFormula {
        let mut ways = Vec::new();
        for view in &self.table.views {
            let Some(named) = view.leader else { continue };
            let mut all = vec![self.view(view, node, &When::Before)];
            match named {
                OWN => all.push(GroundFormula::same_node(node, leader, true)),
                _ => all.extend(view.state.iter().flat_map(|fact| {
                    let values = fact.values.iter().enumerate();
                    values.filter(|(_, value)| **value == FactValue::Id(named)).map(|(at, _)| {
                        GroundFormula::Is(Atom::Value(fact.name, at, node, leader), true)
                    })
                })),
            }
            ways.push(GroundFormula::All(all));
        }
        GroundFormula::Any(ways)
    }

    /// Reads a claim: `values` are those of its variables. What exists gets a name in the problem if it is to
    /// be `named`; otherwise no more is known of it than that it does.
    pub(crate) fn read(
        &self,
        (claim, holds): (&AssertionPart, bool),
        variables: &[Variable],
        values: &[usize],
        now: &When<'_>,
        (problem, named): (&mut GroundProblem, bool),
    ) -> GroundFormula {
        let spot = |variable: usize| match variables[variable].sort {
            Sort::Process => Spot::Of(values[variable]),
            Sort::Place => Spot::At(values[variable]),
        };
        if named && let Some((name, is_message, of)) = self.subjects(claim) {
            let values: Vec<usize> = of.into_iter().map(|variable| values[variable]).collect();
            problem.said.push((name.to_owned(), is_message, values));
        }
        let mut read = |claim: &AssertionPart, holds| {
            self.read((claim, holds), variables, values, now, (&mut *problem, named))
        };
        let nodes = |term: &NamedTerm| named_nodes(term, values);
        let name = |term: &NamedTerm| *self.messages.get_key_value(&*term.name).expect("checked").0;
        match claim {
            AssertionPart::Not(of) => read(of, !holds),
            AssertionPart::All(parts) => {
                GroundFormula::all(parts.iter().map(|part| read(part, holds)).collect(), holds)
            }
            AssertionPart::Any(parts) => {
                GroundFormula::all(parts.iter().map(|part| read(part, holds)).collect(), !holds)
            }
            AssertionPart::If(one, other) => {
                GroundFormula::all(vec![read(one, !holds), read(other, holds)], !holds)
            }
            AssertionPart::Exists(bound, of) => {
                self.exists((bound, of, holds), variables, values, now, (problem, named))
            }
            AssertionPart::Order(one, Comparison::Same, other) => {
                GroundFormula::same(spot(*one), spot(*other), holds)
            }
            AssertionPart::Order(one, Comparison::Less, other) => {
                less(spot(*one), spot(*other), holds)
            }
            AssertionPart::Order(one, Comparison::AtMost, other) => {
                less(spot(*other), spot(*one), !holds)
            }
            AssertionPart::Between(from, at, to) => {
                GroundFormula::between(spot(*from), spot(*at), spot(*to), holds)
            }
            AssertionPart::Message(way, term, at, to) => {
                let (name, point) = (name(term), values[*at]);
                let kinds = self.messages[name].iter().zip(&term.arguments);
                let named = kinds.filter(|(kind, _)| **kind == ValueKind::Process);
                let named = named.map(|(_, argument)| match argument {
                    Argument::Variable(variable) => Some(*variable),
                    _ => None,
                });
                let mut all = vec![now.atom(Atom::Message(*way, name, point), holds)];
                let ends = [to.to, to.from].into_iter().take(self.ends());
                for (at, variable) in ends.chain(named).enumerate() {
                    let carried = variable.map(|of| Atom::Carried(name, at, point, values[of]));
                    all.extend(carried.map(|atom| now.atom(atom, holds)));
                }
                GroundFormula::all(all, holds)
            }
            AssertionPart::Sent(term, by) => {
                now.atom(Atom::Sent(name(term), values[*by], nodes(term)), holds)
            }
            AssertionPart::State(process, term) => {
                self.said(values[*process], term, values, now, holds)
            }
            AssertionPart::AsMany(_) => unreachable!("the formula is an equation as a whole"),
        }
    }

    /// The variables that a part names with a function: the content of a message, or a field of a process.
    fn subjects<'a>(&self, part: &'a AssertionPart) -> Option<(&'a str, bool, Vec<usize>)> {
        let variables = |term: &NamedTerm| -> Option<Vec<usize>> {
            let named = term.arguments.iter().map(|argument| match argument {
                Argument::Variable(variable) => Some(*variable),
                _ => None,
            });
            named.collect()
        };
        match part {
            AssertionPart::Message(_, term, at, MessageEnds { to: Some(to), from: Some(from) }) => {
                let named = variables(term)?;
                Some((&term.name, true, [*at, *to, *from].into_iter().chain(named).collect()))
            }
            AssertionPart::State(process, term) => {
                let kinds = self.facts.get(&*term.name)?;
                let fits = kinds[..] == [ValueKind::Process] && term.arguments.len() == 1;
                let named = variables(term).filter(|_| fits)?;
                Some((&term.name, false, [*process].into_iter().chain(named).collect()))
            }
            _ => None,
        }
    }

    /// Returns choices of values for the free variables of an assertion. In a step on links, what its premise says of a
    /// message or of a value is something that the problem says: other instances are of no use.
    /// With `here`, other processes are the one that reacts, and those between which and it a message is.
    pub(crate) fn chosen(
        &self,
        assertion: &Assertion,
        problem: &GroundProblem,
        here: bool,
    ) -> Vec<Vec<usize>> {
        let mut all = vec![vec![usize::MAX; assertion.variables.len()]];
        if let (true, AssertionPart::If(premise, _)) = (problem.is_step, &assertion.formula) {
            let premises = match &**premise {
                AssertionPart::All(parts) => &parts[..],
                one => std::slice::from_ref(one),
            };
            for (name, is_message, of) in premises.iter().filter_map(|part| self.subjects(part)) {
                let said = problem.said.iter().filter(|(said, kind, values)| {
                    (said.as_str(), *kind, values.len()) == (name, is_message, of.len())
                });
                let said: Vec<_> = said.map(|(.., values)| values).collect();
                let bound = |choice: &Vec<usize>| {
                    // A process may have two names, so those that it has already are kept.
                    let with = said.iter().map(|values| {
                        let mut choice = choice.clone();
                        for (&variable, &value) in of.iter().zip(*values) {
                            if choice[variable] == usize::MAX {
                                choice[variable] = value;
                            }
                        }
                        choice
                    });
                    with.collect::<Vec<_>>()
                };
                all = all.iter().flat_map(bound).collect();
            }
            all.sort_unstable();
            all.dedup();
        }
        for (number, variable) in assertion.variables.iter().take(assertion.free).enumerate() {
            if assertion.formula.mentions(&|other| other == number) {
                let open = |choice: &Vec<usize>| choice[number] == usize::MAX;
                let (open, mut bound): (Vec<_>, Vec<_>) = all.into_iter().partition(open);
                let values = match here {
                    true => problem.here(),
                    false => (0..problem.total(variable.sort)).collect(),
                };
                bound.extend(open.iter().flat_map(|choice| {
                    values.iter().map(move |&value| {
                        let mut choice = choice.clone();
                        choice[number] = value;
                        choice
                    })
                }));
                all = bound;
            }
        }
        all
    }

    /// Reads that values of the `bound` variables exist, or that none do.
    fn exists(
        &self,
        (bound, of, holds): (&[usize], &AssertionPart, bool),
        variables: &[Variable],
        values: &[usize],
        now: &When<'_>,
        (problem, named): (&mut GroundProblem, bool),
    ) -> GroundFormula {
        if holds && !named {
            return GroundFormula::TRUE;
        }
        if holds {
            let mut values = values.to_vec();
            for &variable in bound {
                let Variable { name, sort } = &variables[variable];
                values[variable] = match sort {
                    Sort::Process => problem.node(name),
                    Sort::Place => problem.point(name),
                };
            }
            return self.read((of, true), variables, &values, now, (problem, named));
        }
        let mut all = vec![values.to_vec()];
        for &variable in bound {
            all = each(all, variable, 0..problem.total(variables[variable].sort));
        }
        let read = |values: Vec<usize>| {
            self.read((of, false), variables, &values, now, (&mut *problem, false))
        };
        GroundFormula::All(all.into_iter().map(read).collect())
    }

    fn said(
        &self,
        node: NodeNumber,
        term: &NamedTerm,
        values: &[usize],
        now: &When<'_>,
        holds: bool,
    ) -> GroundFormula {
        match term.name.as_str() {
            "asleep" => now.atom(Atom::Asleep(node), holds),
            "woke" => now.atom(Atom::Woke(node), holds),
            NEXT => {
                let [Argument::Variable(next)] = term.arguments[..] else {
                    unreachable!("checked")
                };
                now.atom(Atom::Next(node, values[next]), holds)
            }
            NEAR | BEYOND => {
                let named = named_nodes(term, values);
                match named[..] {
                    [other] => near(node, other, holds),
                    [to, of] => beyond([node, to, of], holds),
                    _ => unreachable!("checked"),
                }
            }
            "leads" => self.views(node, now, holds, &is_leader),
            "follows" => self.views(node, now, holds, &|view| view.status == Status::Follower),
            "halted" => self.views(node, now, holds, &|view| view.halted),
            name => {
                let (&name, _) = self.facts.get_key_value(name).expect("checked");
                let mut all = vec![now.atom(Atom::Says(name, node), holds)];
                for (at, argument) in term.arguments.iter().enumerate() {
                    match argument {
                        Argument::Any => {}
                        Argument::Most => all.push(now.atom(Atom::Most(name, at, node), holds)),
                        Argument::Variable(variable) => {
                            let value = values[*variable];
                            let atom = match self.facts[name][at] {
                                ValueKind::Ports | ValueKind::Set => {
                                    Atom::Contains(name, at, node, value)
                                }
                                _ => Atom::Value(name, at, node, value),
                            };
                            all.push(now.atom(atom, holds));
                        }
                        Argument::Port(way) => {
                            let forward = *way == RingDirection::Forward;
                            all.push(leads(
                                now.atom(Atom::PortOne(name, at, node), true),
                                node,
                                forward == holds,
                                self.table.oriented,
                            ));
                        }
                    }
                }
                GroundFormula::all(all, holds)
            }
        }
    }

    /// Returns every choice of values for the free variables that an assertion mentions.
    pub(crate) fn choices(
        assertion: &Assertion,
        values: impl Fn(Sort) -> Range<usize>,
    ) -> Vec<Vec<usize>> {
        let mut all = vec![vec![usize::MAX; assertion.variables.len()]];
        for (number, variable) in assertion.variables.iter().take(assertion.free).enumerate() {
            if assertion.formula.mentions(&|other| other == number) {
                all = each(all, number, values(variable.sort));
            }
        }
        all
    }
}

/// The same choices, with each of these values for a variable.
pub(crate) fn each(
    choices: Vec<Vec<usize>>,
    variable: usize,
    values: Range<usize>,
) -> Vec<Vec<usize>> {
    let with = |choice: Vec<usize>| {
        values.clone().map(move |value| {
            let mut choice = choice.clone();
            choice[variable] = value;
            choice
        })
    };
    choices.into_iter().flat_map(with).collect()
}

/// The facts that the processes of every algorithm have.
pub(crate) const BUILT_IN: [&str; 5] = ["asleep", "woke", "leads", "follows", "halted"];

/// The relation of a process with the next one forward.
pub(crate) const NEXT: &str = "next";

/// The relation of neighbours in a tree or a graph.
pub(crate) const NEAR: &str = "near";

/// The relation of two neighbours in a tree with the processes on the side of the second.
pub(crate) const BEYOND: &str = "beyond";

pub(crate) fn is_leader(view: &View) -> bool {
    view.status == Status::Leader
}

impl<'t> RingReaction<'t> {
    /// The way that the message moves that is received.
    pub(crate) fn way(&self) -> Option<RingDirection> {
        match *self {
            Self::Row { row, turned } => match &row.event {
                Event::Wake | Event::Turn => None,
                Event::Receive(port, _)
                    if leads_to(*port).is_none() && leads_forward(*port, turned) =>
                {
                    Some(RingDirection::Back)
                }
                Event::Receive(..) => Some(RingDirection::Forward),
            },
            Self::Discard { way, .. } | Self::Dismiss { way, .. } => Some(way),
            Self::Rouse => None,
        }
    }

    /// The reason for which the message is rejected, if it is.
    pub(crate) fn rejects(&self) -> Option<&'static str> {
        let Self::Row { row, .. } = self else { return None };
        row.effects.iter().find_map(|effect| match effect {
            Effect::Reject(why) => Some(*why),
            _ => None,
        })
    }

    /// Whether it sends a message through a port that the process does not have.
    pub(crate) fn strays(&self) -> bool {
        let Self::Row { row, .. } = self else { return false };
        row.effects.iter().any(|effect| matches!(effect, Effect::Stray(_)))
    }

    /// Whether it is of the announcement that follows the election.
    pub(crate) const fn is_announced(&self) -> bool {
        matches!(self, Self::Dismiss { .. } | Self::Rouse)
    }

    /// Whether it sends a message.
    pub(crate) fn sends(&self) -> bool {
        let Self::Row { row, .. } = self else { return false };
        row.effects.iter().any(|effect| matches!(effect, Effect::Send(..)))
    }
}

impl std::fmt::Display for RingReaction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Row { row, turned: false } => row.fmt(f),
            Self::Row { row, turned: true } => write!(f, "where port 0 leads back, {row}"),
            Self::Discard { name, .. } => write!(f, "{name} comes to a process that has halted"),
            Self::Dismiss { name, .. } => {
                write!(f, "{name} comes to a process to which a leader's announcement has come")
            }
            Self::Rouse => f.write_str("a leader's announcement comes to a process that is asleep"),
        }
    }
}

impl When<'_> {
    /// Returns whether something is so at this moment, in words about the moment before the reaction.
    pub(crate) fn atom(&self, atom: Atom, holds: bool) -> GroundFormula {
        let form = match self {
            Self::Before => GroundFormula::Is(atom, true),
            Self::Start(state, links) => at_start(state, links.is_some(), &atom),
            Self::After(change) => change.atom(atom),
        };
        if holds { form } else { form.negated() }
    }
}

impl Change<'_> {
    /// The process that reacts.
    pub(crate) const fn node(&self) -> NodeNumber {
        self.node
    }

    /// The places of the messages that it sends to one process each.
    pub(crate) fn departed(&self) -> impl Iterator<Item = Point> {
        self.sends.iter().map(|of| of.point)
    }

    fn atom(&self, atom: Atom) -> GroundFormula {
        match &atom {
            Atom::Says(name, node) => match self.states {
                Some((before, after)) => {
                    let says = |state: &[Fact]| state.iter().any(|fact| fact.name == *name);
                    match (says(before), says(after)) {
                        (was, is) if was == is => GroundFormula::Is(atom, true),
                        (_, is) => self.at_node(*node, GroundFormula::constant(is), atom),
                    }
                }
                None => GroundFormula::Is(atom, true),
            },
            Atom::Value(name, at, node, value) => match self.value(name, *at) {
                None => GroundFormula::Is(atom, true),
                Some(FactValue::Id(symbol) | FactValue::Place(symbol)) => {
                    let is = GroundFormula::same_node(*value, self.symbols[&symbol], true);
                    self.at_node(*node, is, atom)
                }
                Some(_) => self.at_node(*node, GroundFormula::FALSE, atom),
            },
            Atom::PortOne(name, at, node) => match self.value(name, *at) {
                None => GroundFormula::Is(atom, true),
                Some(value) => {
                    let is = GroundFormula::constant(value == FactValue::Port(1));
                    self.at_node(*node, is, atom)
                }
            },
            Atom::Contains(name, at, node, value)
                if matches!(self.value(name, *at), Some(FactValue::Set(_))) =>
            {
                let Some(FactValue::Set(set)) = self.value(name, *at) else { unreachable!() };
                self.at_node(*node, self.member(SetNumber(set), *value, true), atom)
            }
            Atom::Contains(name, at, node, value) => {
                let is = |first| contains(Some((name, *at)), first, self.node, *value, true);
                self.of_ports((name, *at, *node), &is, atom.clone())
            }
            Atom::Most(name, at, node) => {
                let is = |first| majority(Some((name, *at)), first, self.node, true);
                self.of_ports((name, *at, *node), &is, atom.clone())
            }
            Atom::Asleep(node) => self.at_node(*node, GroundFormula::FALSE, atom),
            Atom::Woke(node) if self.wakes => self.at_node(*node, GroundFormula::TRUE, atom),
            Atom::Message(way, name, point) => {
                let here = Spot::At(*point);
                let mut ways = vec![match self.received {
                    Some((as_way, gone)) if as_way == *way => GroundFormula::All(vec![
                        GroundFormula::Is(atom.clone(), true),
                        GroundFormula::same(here, Spot::At(gone), false),
                    ]),
                    _ => GroundFormula::Is(atom.clone(), true),
                }];
                for sending in self.sends.iter().filter(|of| of.way == *way && of.name == *name) {
                    ways.push(GroundFormula::same(here, Spot::At(sending.point), true));
                }
                if self.to_all.as_ref().is_some_and(|(to_all, _)| to_all == name) {
                    ways.push(GroundFormula::Is(Atom::ToAll(*point), true));
                }
                GroundFormula::Any(ways)
            }
            Atom::Carried(name, at, point, value) => {
                self.carried((name, *at), *point, *value, &atom)
            }
            Atom::Sent(name, node, values) => {
                let by = GroundFormula::same_node(*node, self.node, true);
                let sent = self.sends.iter().filter(|of| of.name == *name).map(|sending| {
                    GroundFormula::All(vec![by.clone(), same_values(&sending.values, values)])
                });
                GroundFormula::Any(sent.chain([GroundFormula::Is(atom.clone(), true)]).collect())
            }
            _ => GroundFormula::Is(atom, true),
        }
    }

    /// That a set of ports of the process that reacts has the port to a process; or not.
    fn member(&self, set: SetNumber, to: NodeNumber, holds: bool) -> GroundFormula {
        let is_in = match set.base() {
            SetBase::State(number) => {
                let (name, at) = self.sets[number];
                GroundFormula::Is(Atom::Contains(name, at, self.node, to), holds)
            }
            SetBase::All => is_neighbour(self.node, to, self.linked, holds),
        };
        let taken = set.taken_out().map(|of| self.symbols[&of]);
        let stays = taken.map(|taken| GroundFormula::same_node(to, taken, !holds));
        GroundFormula::all([is_in].into_iter().chain(stays).collect(), holds)
    }

    /// Something that is so of the first ports at a place of the state.
    fn of_ports(
        &self,
        (name, at, node): (&str, usize, NodeNumber),
        is: &dyn Fn(u32) -> GroundFormula,
        was: Atom,
    ) -> GroundFormula {
        match self.value(name, at) {
            None => GroundFormula::Is(was, true),
            Some(FactValue::Ports(first)) => self.at_node(node, is(first as u32), was),
            Some(_) => self.at_node(node, GroundFormula::FALSE, was),
        }
    }

    /// That what is at a place carries a process as this value.
    fn carried(
        &self,
        (name, at): (&str, usize),
        point: Point,
        value: NodeNumber,
        atom: &Atom,
    ) -> GroundFormula {
        let (mut ways, mut elsewhere) = (Vec::new(), Vec::new());
        for sending in self.sends.iter().filter(|of| of.name == name) {
            let same = |holds| GroundFormula::same(Spot::At(point), Spot::At(sending.point), holds);
            let is = GroundFormula::same_node(sending.values[at], value, true);
            ways.push(GroundFormula::All(vec![same(true), is]));
            elsewhere.push(same(false));
        }
        if let Some(is) = self.carried_to_all(name, at, point, value) {
            ways.push(is);
            elsewhere.push(GroundFormula::Is(Atom::ToAll(point), false));
        }
        elsewhere.push(GroundFormula::Is(atom.clone(), true));
        ways.push(GroundFormula::All(elsewhere));
        GroundFormula::Any(ways)
    }

    /// That a message to all is at this place, and names this process as its value of this number.
    fn carried_to_all(
        &self,
        name: &str,
        at: usize,
        point: Point,
        value: NodeNumber,
    ) -> Option<GroundFormula> {
        let (_, values) = self.to_all.as_ref().filter(|(of, _)| *of == name)?;
        let is = match at.checked_sub(1) {
            None => GroundFormula::Is(Atom::ToOne(point, value), true),
            Some(at) => GroundFormula::same_node(values[at], value, true),
        };
        Some(GroundFormula::All(vec![GroundFormula::Is(Atom::ToAll(point), true), is]))
    }

    /// The new value at a place of the state, if it is another one; a number if there is none any more.
    fn value(&self, name: &str, at: usize) -> Option<FactValue> {
        let (before, after) = self.states?;
        let value = |state: &[Fact]| {
            state.iter().find(|fact| fact.name == name).map(|fact| fact.values[at])
        };
        match (value(before), value(after)) {
            (was, is) if was == is => None,
            (_, None) => Some(FactValue::Number(0)),
            (_, is) => is,
        }
    }

    /// This at the process that reacts, and elsewhere what was.
    fn at_node(&self, node: NodeNumber, is: GroundFormula, was: Atom) -> GroundFormula {
        if node == self.node {
            return is;
        }
        let [here, elsewhere] =
            [true, false].map(|holds| GroundFormula::same_node(node, self.node, holds));
        GroundFormula::Any(vec![
            GroundFormula::All(vec![here, is]),
            GroundFormula::All(vec![elsewhere, GroundFormula::Is(was, true)]),
        ])
    }
}

fn at_start(state: &[Fact], linked: bool, atom: &Atom) -> GroundFormula {
    let value = |name: &str, at: usize| {
        state.iter().find(|fact| fact.name == name).map(|fact| fact.values[at])
    };
    match *atom {
        Atom::Asleep(_) => GroundFormula::TRUE,
        Atom::Says(name, _) => GroundFormula::constant(state.iter().any(|fact| fact.name == name)),
        Atom::Value(name, at, node, is) => match value(name, at) {
            Some(FactValue::Id(OWN) | FactValue::Place(OWN)) => {
                GroundFormula::same_node(node, is, true)
            }
            _ => GroundFormula::FALSE,
        },
        Atom::Contains(name, at, node, to) => match value(name, at) {
            Some(FactValue::Set(_)) => is_neighbour(node, to, linked, true),
            _ => GroundFormula::FALSE,
        },
        Atom::PortOne(name, at, _) => {
            GroundFormula::constant(value(name, at) == Some(FactValue::Port(1)))
        }
        // That none are a majority is so unless the process is alone.
        Atom::Turned(_)
        | Atom::Next(..)
        | Atom::Most(..)
        | Atom::Near(..)
        | Atom::Beyond(..)
        | Atom::Before(..) => GroundFormula::Is(atom.clone(), true),
        _ => GroundFormula::FALSE,
    }
}

const fn kind(value: &FactValue) -> ValueKind {
    match value {
        FactValue::Id(_) | FactValue::Place(_) => ValueKind::Process,
        FactValue::Port(_) => ValueKind::Port,
        FactValue::Ports(_) => ValueKind::Ports,
        FactValue::Set(_) | FactValue::CountedSet(_) => ValueKind::Set,
        FactValue::Count(_) | FactValue::Number(_) => ValueKind::Number,
    }
}

fn list<'a>(names: impl IntoIterator<Item = &'a &'a str>) -> String {
    let names: Vec<_> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// The identities and positions in a message.
pub(crate) fn identities(message: &Fact) -> impl Iterator<Item = Symbol> {
    message.values.iter().filter_map(|value| value.process())
}

/// Whether what a row does depends on a symbol of the state.
fn is_used(symbol: Symbol, row: &ReactionRow) -> bool {
    let mut guards = row.guards.iter().filter(|guard| !row.is_idle(guard));
    row.uses(symbol) || guards.any(|guard| guard.one == symbol || guard.other == symbol)
}

/// Whether a fact names a process by its position, on which depends what a row does, and so by its identity, too.
pub(crate) fn names_position(fact: &Fact, row: &ReactionRow) -> bool {
    let is_place = |value: &FactValue| matches!(value, FactValue::Place(of) if is_used(*of, row));
    fact.values.iter().any(is_place)
}

pub(crate) fn leads_forward(port: Port, turned: bool) -> bool {
    (port == Port::NEXT) != turned
}

/// That a port leads forward, or that it does not: it is port 1, or not, and ports are turned, or not.
fn leads(is_one: GroundFormula, node: NodeNumber, forward: bool, oriented: bool) -> GroundFormula {
    if oriented {
        return if forward { is_one.negated() } else { is_one };
    }
    let turned = |holds| GroundFormula::Is(Atom::Turned(node), holds);
    GroundFormula::Any(vec![
        GroundFormula::All(vec![is_one.clone(), turned(forward)]),
        GroundFormula::All(vec![is_one.negated(), turned(!forward)]),
    ])
}

fn on_the_way(way: RingDirection, from: Spot, at: Spot, to: Spot) -> GroundFormula {
    match way {
        RingDirection::Forward => GroundFormula::between(from, at, to, true),
        RingDirection::Back => GroundFormula::between(to, at, from, true),
    }
}

/// That two processes are neighbours.
pub(crate) fn near(one: NodeNumber, other: NodeNumber, holds: bool) -> GroundFormula {
    match one == other {
        true => GroundFormula::constant(!holds),
        false => GroundFormula::Is(Atom::Near(one.min(other), one.max(other)), holds),
    }
}

/// The same, or in a complete network that they differ.
fn is_neighbour(node: NodeNumber, to: NodeNumber, linked: bool, holds: bool) -> GroundFormula {
    match linked {
        true => near(node, to, holds),
        false => GroundFormula::same_node(node, to, !holds),
    }
}

/// That the third process is on the side of the second of the link between the first two.
pub(crate) fn beyond([from, to, of]: [NodeNumber; 3], holds: bool) -> GroundFormula {
    GroundFormula::Is(Atom::Beyond(from, to, of), holds)
}

/// That the message at the first place was sent before.
fn before(one: Point, other: Point) -> GroundFormula {
    match one == other {
        true => GroundFormula::FALSE,
        false => GroundFormula::Is(Atom::Before(Spot::At(one), Spot::At(other)), true),
    }
}

/// The order of identities, or of messages on a link.
fn less(one: Spot, other: Spot, holds: bool) -> GroundFormula {
    match (one, other) {
        (Spot::Of(one), Spot::Of(other)) => smaller(one, other, holds),
        (Spot::At(one), Spot::At(other)) if holds => before(one, other),
        (Spot::At(one), Spot::At(other)) => before(one, other).negated(),
        _ => unreachable!("both are of one sort"),
    }
}

fn smaller(one: NodeNumber, other: NodeNumber, holds: bool) -> GroundFormula {
    match one == other {
        true => GroundFormula::constant(!holds),
        false => GroundFormula::Is(Atom::Smaller(one, other), holds),
    }
}

/// The number of first ports that are none.
const NO_PORTS: u64 = 1;

/// That one of these first ports of the process that reacts leads to a process: those in this fact of its state, or
/// none, and so many after them.
fn contains(
    fact: Option<(&'static str, usize)>,
    first: u32,
    node: NodeNumber,
    to: NodeNumber,
    holds: bool,
) -> GroundFormula {
    let (none, more) = SymbolicFirstPorts::parts(first);
    let mut ways: Vec<_> = fact
        .filter(|_| !none)
        .map(|(name, at)| GroundFormula::Is(Atom::Contains(name, at, node, to), holds))
        .into_iter()
        .collect();
    let mut before = first;
    for _ in 0..more {
        before = SymbolicFirstPorts::before(before).expect("it has more");
        ways.push(GroundFormula::Is(Atom::After(before, to), holds));
    }
    GroundFormula::all(ways, !holds)
}

/// That these first ports of the process that reacts lead to a majority.
fn majority(
    fact: Option<(&'static str, usize)>,
    first: u32,
    node: NodeNumber,
    holds: bool,
) -> GroundFormula {
    let atom = match fact.filter(|_| first == 0) {
        Some((name, at)) => Atom::Most(name, at, node),
        None => Atom::Majority(first),
    };
    GroundFormula::Is(atom, holds)
}

fn order(guard: &SymbolGuard, symbols: &BTreeMap<Symbol, NodeNumber>) -> GroundFormula {
    let (one, other) = (symbols[&guard.one], symbols[&guard.other]);
    let ways = [
        (SymbolOrders::LESS, smaller(one, other, true)),
        (SymbolOrders::SAME, GroundFormula::same_node(one, other, true)),
        (SymbolOrders::MORE, smaller(other, one, true)),
    ];
    let possible = ways.into_iter().filter(|(order, _)| guard.orders.has(*order));
    GroundFormula::Any(possible.map(|(_, form)| form).collect())
}

fn same_values(one: &[NodeNumber], other: &[NodeNumber]) -> GroundFormula {
    let pairs = one.iter().zip(other);
    GroundFormula::All(
        pairs.map(|(&one, &other)| GroundFormula::same_node(one, other, true)).collect(),
    )
}

/// The processes that a term names.
fn named_nodes(term: &NamedTerm, values: &[usize]) -> Vec<NodeNumber> {
    let named = term.arguments.iter().filter_map(|argument| match argument {
        Argument::Variable(variable) => Some(values[*variable]),
        _ => None,
    });
    named.collect()
}
