//! Tables: the reactions of a process, as rows with guards.

use crate::prelude::{Id, Process, Status};
use crate::set_number::{Letter, SetBase, SetGuard, SetNumber};
use crate::shapes::{DEGREE, any};
use crate::symbols::{
    LoopTurns, NotTabulated, OWN, PortCode, PortsGuard, Symbol, SymbolGuard, SymbolOrders,
    SymbolicFirstPorts, UNASKED, any_port, asked_of_ports, choose, every_path, has_miscounted,
    leads_to, ports_are_symbols, read_port, refuse, route, skip, towards, unasked_degree,
    with_turns, write_ports,
};
use std::{
    cell::Cell,
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    fmt,
    marker::PhantomData,
};
use suffrage_algorithms::{Fact, FactValue};
use suffrage_model::{
    Diameter, Facts, Knowledge, Multiplicity, Net, NetworkClass, Place, Port, Size,
};

/// The reactions of a process, and what it says of its states: each path through its code is a row.
#[derive(Clone, Debug)]
pub struct Table {
    /// Whether ports tell the direction.
    pub oriented: bool,
    /// Whether the network is no ring: then a message goes to one process, and its place on the circle means nothing.
    pub complete: bool,
    /// Whether it is none, and no positions tell the ports: then a port in a state stands for the process to which it
    /// leads.
    pub ports: bool,
    /// Whether not all are neighbours; then links are FIFO.
    pub links: Option<LinkedNetwork>,
    /// The state of a process before anything has happened.
    pub start: Vec<Fact>,
    /// Its reactions.
    pub rows: Vec<ReactionRow>,
    /// What it says of its states.
    pub views: Vec<View>,
    /// What every state says, with the own identity as the value: rows leave it out.
    pub always: Vec<&'static str>,
    /// The sets of ports that the process which runs only counts.
    pub counted: Vec<&'static str>,
}

/// A network in which not all are neighbours, and that is no ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkedNetwork {
    /// Any connected one.
    Graph,
    /// One without cycles.
    Tree,
}

/// A reaction on one path.
#[derive(Clone, Debug, PartialEq)]
pub struct ReactionRow {
    /// What happens.
    pub event: Event,
    /// Whether the process is the only one, if it asks.
    pub alone: Option<bool>,
    /// The state.
    pub before: Vec<Fact>,
    /// What the path compares.
    pub guards: Vec<SymbolGuard>,
    /// What it asks of first ports.
    pub asked: Vec<PortsGuard>,
    /// The state afterwards.
    pub after: Vec<Fact>,
    /// What the process does, in order.
    pub effects: Vec<Effect>,
    /// Whether turns of a loop may follow.
    pub loops: bool,
    /// The sets of ports in both states, by their numbers, where it is a reaction of a process that runs.
    pub sets: [Vec<BTreeSet<u64>>; 2],
}

/// What happens to a process.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// It wakes spontaneously.
    Wake,
    /// This message comes through this port; in a complete network with positions through [`ANY_PORT`].
    Receive(Port, Fact),
    /// It takes a turn of a loop.
    Turn,
}

/// A port about which a reaction knows nothing.
pub const ANY_PORT: Port = Port(u32::MAX);

/// What a process does in a reaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It sends a message.
    Send(Port, Fact),
    /// It sends a message through a port that it does not have.
    Stray(Fact),
    /// It sends a message through all its ports.
    SendAll(Fact),
    /// It sends a message through all its ports but this one.
    SendOthers(Port, Fact),
    /// It rejects the message, for this reason.
    Reject(&'static str),
}

/// What a process says of a state on one path.
#[derive(Clone, Debug)]
pub struct View {
    /// The state.
    pub state: Vec<Fact>,
    /// What the path compares.
    pub guards: Vec<SymbolGuard>,
    /// Its decision.
    pub status: Status,
    /// The leader that it names.
    pub leader: Option<Symbol>,
    /// Whether it has halted.
    pub halted: bool,
}

/// The net of a process: it records.
struct EffectRecorder<M> {
    complete: bool,
    alone: Cell<Option<bool>>,
    /// What it does, each with how often the path had begun anew by then.
    effects: Vec<(usize, Effect)>,
    messages: PhantomData<M>,
}

impl<M: Copy + serde::Serialize> EffectRecorder<M> {
    fn record(&mut self, effect: impl FnOnce(Fact) -> Effect, msg: &M) {
        let fact = Fact::of_message(msg).unwrap_or_else(|error| refuse(error.to_string()));
        self.put(effect(fact));
    }

    fn put(&mut self, effect: Effect) {
        let LoopTurns { begun, after, .. } = with_turns(|turns| turns.clone());
        if after.is_some() {
            refuse("it goes on after a loop");
        }
        self.effects.push((begun, effect));
    }
}

impl<M: Copy + serde::Serialize> Net<M> for EffectRecorder<M> {
    fn degree(&self) -> u32 {
        match self.complete {
            true if ports_are_symbols() => unasked_degree(),
            true => refuse("it asks for the number of its ports"),
            false => DEGREE,
        }
    }

    fn is_alone(&self) -> bool {
        if !self.complete {
            return false;
        }
        let alone = self.alone.get().unwrap_or_else(|| choose(2) == 1);
        self.alone.set(Some(alone));
        alone
    }

    fn send(&mut self, to: Port, msg: M) {
        if ports_are_symbols() {
            return match read_port(to) {
                Some(to) => self.record(|fact| Effect::Send(to, fact), &msg),
                None => self.record(Effect::Stray, &msg),
            };
        }
        match self.complete {
            true if to != Port::NEXT && leads_to(to).is_none() => {
                refuse(format!("it sends through port {}, and to no position", to.0))
            }
            false if to.0 >= DEGREE => {
                refuse(format!("it sends through port {}, which no process on a ring has", to.0))
            }
            _ => {}
        }
        self.record(|fact| Effect::Send(to, fact), &msg);
    }

    fn send_all(&mut self, msg: M) {
        match ports_are_symbols() {
            true => self.record(Effect::SendAll, &msg),
            false => (0..self.degree()).for_each(|port| self.send(Port(port), msg)),
        }
    }

    fn send_others(&mut self, than: Port, msg: M) {
        if !ports_are_symbols() {
            let others = (0..self.degree()).map(Port).filter(|&port| port != than);
            return others.for_each(|port| self.send(port, msg));
        }
        let than = read_port(than).unwrap_or_else(|| refuse("it has no such port"));
        self.record(|fact| Effect::SendOthers(than, fact), &msg);
    }

    fn choose(&mut self, _: u32) -> u32 {
        refuse("it draws lots")
    }

    fn set_alarm(&mut self, _: u32) {
        refuse("it sets an alarm")
    }

    fn reject(&mut self, why: &'static str) {
        self.put(Effect::Reject(why));
    }
}

/// Takes the facts of the members of sets of ports out of those of a state; returns these members, by their numbers. Of
/// a set that is only counted the members are not known.
pub fn take_members(facts: &mut Vec<Fact>) -> Vec<BTreeSet<u64>> {
    let mut sets: Vec<(&str, BTreeSet<u64>)> = Vec::new();
    facts.retain(|fact| match (fact.values.first(), sets.last_mut()) {
        (Some(FactValue::Set(_) | FactValue::CountedSet(_)), _) => {
            sets.push((fact.name, BTreeSet::new()));
            true
        }
        (Some(&FactValue::Port(port)), Some((name, set))) if *name == fact.name => {
            set.insert(port.into());
            false
        }
        _ => true,
    });
    sets.into_iter().map(|(_, set)| set).collect()
}

/// Returns the names of the sets of ports of which a state has only the number.
fn counted_sets(of: &impl serde::Serialize) -> Vec<&'static str> {
    let facts = Fact::of_state(of).unwrap_or_else(|error| refuse(error.to_string()));
    let is_counted = |value: &FactValue| matches!(value, FactValue::CountedSet(_));
    let counted = facts.into_iter().filter(|fact| fact.values.iter().any(is_counted));
    counted.map(|fact| fact.name).collect()
}

/// Returns what a state says. A port that is a symbol stands for the process to which it leads.
pub(crate) fn facts(of: &impl serde::Serialize) -> Vec<Fact> {
    let mut facts = Fact::of_state(of).unwrap_or_else(|error| refuse(error.to_string()));
    for value in facts.iter_mut().flat_map(|fact| &mut fact.values) {
        match *value {
            FactValue::Port(port) if ports_are_symbols() => {
                let to = read_port(Port(port)).and_then(leads_to);
                let to = to.unwrap_or_else(|| refuse("it keeps a port that it has not"));
                *value = FactValue::Place(to);
            }
            FactValue::CountedSet(set) => *value = FactValue::Set(set),
            _ => {}
        }
    }
    facts
}

impl Table {
    /// Tabulates a process for rings, for complete networks, for trees or for any connected network.
    ///
    /// # Errors
    /// If it is for other networks, or does more with identities than compare them; the error names the
    /// reaction.
    pub fn of<P: Process>() -> Result<Self, NotTabulated> {
        if !has_free_ports(P::NETWORK) {
            write_ports(PortCode::Numbers, UNASKED[2]);
            return Self::read::<P>();
        }
        let read = |code, degree| {
            write_ports(code, degree);
            Self::read::<P>()
        };
        let [none, one, many] = UNASKED;
        let others = [none, one].map(|degree| read(PortCode::SymbolsInOrder, degree));
        let table = read(PortCode::Symbols, many);
        write_ports(PortCode::Numbers, many);
        let table = table?;
        for other in others {
            let other = other?;
            if (&other.start, &other.rows) != (&table.start, &table.rows) {
                let why = "receive: it tells ports by their numbers, or counts them";
                return Err(NotTabulated(why.into()));
            }
        }
        Ok(table)
    }

    fn read<P: Process>() -> Result<Self, NotTabulated> {
        let named = |reaction: &'static str| {
            move |NotTabulated(why): NotTabulated| NotTabulated(format!("{reaction}: {why}"))
        };
        let ports = has_free_ports(P::NETWORK);
        let complete = ports || P::NETWORK == NetworkClass::OrientedComplete;
        if !complete && P::NETWORK.unoriented() != NetworkClass::Ring {
            let why = "its network is no ring, no complete one, no tree and not any connected one";
            return Err(NotTabulated(why.into()));
        }
        let links = match P::NETWORK {
            NetworkClass::Connected => Some(LinkedNetwork::Graph),
            NetworkClass::Tree => Some(LinkedNetwork::Tree),
            _ => None,
        };
        if P::TIMING.in_rounds() {
            return Err(NotTabulated("it runs in rounds".into()));
        }
        let start = every_path(|| {
            let process = P::new(own_knowledge(), if complete { unasked_degree() } else { DEGREE });
            (facts(&process), counted_sets(&process))
        });
        let start = start.map_err(named("new"))?;
        let [((start, counted), _)] = <[_; 1]>::try_from(start)
            .map_err(|_| NotTabulated("new: it starts in more than one way".into()))?;
        let wake = every_path(|| reaction::<P>(None));
        let mut rows = rows(wake.map_err(named("wake"))?);
        let mut received = Vec::new();
        for port in (0..if ports { 1 } else { DEGREE }).map(Port) {
            let paths = every_path(|| reaction::<P>(Some(port)));
            received.push(self::rows(paths.map_err(named("receive"))?));
        }
        match complete && !ports {
            true => rows.extend(from_anywhere(&received)?),
            false => rows.extend(received.into_iter().flatten()),
        }
        let views = every_path(view::<P>).map_err(named("status, leader, halted"))?;
        let views = views.into_iter().map(|(view, guards)| View { guards, ..view }).collect();
        let views = if ports { without_ports(views)? } else { views };
        let oriented = P::NETWORK.is_oriented() || ports;
        let always = Vec::new();
        let mut table =
            Self { oriented, complete, ports, links, start, rows, views, always, counted };
        table.name_own();
        let strange = |effect: &Effect| match effect {
            Effect::Send(port, _) => route(*port).is_some_and(|(from, _)| from != OWN),
            _ => false,
        };
        if table.rows.iter().any(|row| row.effects.iter().any(strange)) {
            let why = "it asks for the way from another position than its own";
            return Err(NotTabulated(why.into()));
        }
        let is_to_all = |of: &&Effect| matches!(of, Effect::SendAll(_) | Effect::SendOthers(..));
        if table.rows.iter().any(|row| row.effects.iter().filter(is_to_all).count() > 1) {
            return Err(NotTabulated("it sends two messages to all in one reaction".into()));
        }
        // Paths that differ in what they ask of counts alone are one.
        let mut distinct: Vec<ReactionRow> = Vec::with_capacity(table.rows.len());
        for row in table.rows {
            if !distinct.contains(&row) {
                distinct.push(row);
            }
        }
        Ok(Self { rows: distinct, ..table })
    }

    /// Replaces each value of a state that is the own identity, because a process starts with it there and
    /// no reaction changes it, by this.
    fn name_own(&mut self) {
        let own: Vec<(&'static str, usize)> = self
            .start
            .iter()
            .flat_map(|fact| {
                let values = fact.values.iter().enumerate();
                let own = values.filter(|(_, value)| value.process() == Some(OWN));
                own.map(|(at, _)| (fact.name, at))
            })
            .filter(|&(name, at)| {
                let value = |facts: &[Fact]| {
                    facts.iter().find(|fact| fact.name == name).map(|fact| fact.values[at])
                };
                self.rows.iter().all(|row| {
                    value(&row.before).is_some() && value(&row.before) == value(&row.after)
                })
            })
            .collect();
        let places = |state: &[Fact]| -> Vec<Symbol> {
            let facts = state.iter().flat_map(|fact| {
                fact.values.iter().enumerate().map(move |(at, value)| (fact.name, at, value))
            });
            facts
                .filter(|(name, at, _)| own.contains(&(name, *at)))
                .filter_map(|(.., value)| value.process())
                .collect()
        };
        for row in &mut self.rows {
            let symbols = places(&row.before);
            let states = [&mut row.before, &mut row.after].into_iter().flatten();
            let message = match &mut row.event {
                Event::Receive(_, message) => Some(message),
                Event::Wake | Event::Turn => None,
            };
            let sent = row.effects.iter_mut().filter_map(|effect| match effect {
                Effect::Send(port, message) | Effect::SendOthers(port, message) => {
                    if let Some((from, to)) = route(*port) {
                        *port = towards(renamed(from, &symbols), renamed(to, &symbols));
                    }
                    Some(message)
                }
                Effect::Stray(message) | Effect::SendAll(message) => Some(message),
                Effect::Reject(_) => None,
            });
            states.chain(message).chain(sent).for_each(|fact| rename(fact, &symbols));
            row.guards.iter_mut().for_each(|guard| rename_guard(guard, &symbols));
        }
        for view in &mut self.views {
            let symbols = places(&view.state);
            view.state.iter_mut().for_each(|fact| rename(fact, &symbols));
            view.guards.iter_mut().for_each(|guard| rename_guard(guard, &symbols));
            view.leader = view.leader.map(|leader| renamed(leader, &symbols));
        }
        let is_own = |fact: &Fact| {
            !fact.values.is_empty()
                && (0..fact.values.len()).all(|at| own.contains(&(fact.name, at)))
        };
        // What always says the same need not be said.
        self.always = self.start.iter().filter(|fact| is_own(fact)).map(|fact| fact.name).collect();
        self.start.retain(|fact| !is_own(fact));
        for row in &mut self.rows {
            row.before.retain(|fact| !is_own(fact));
            row.after.retain(|fact| !is_own(fact));
        }
        self.views.iter_mut().for_each(|view| view.state.retain(|fact| !is_own(fact)));
    }

    /// Returns the numbers of the rows that a reaction of a process is, alone or with turns of a loop that follow. In
    /// the given row symbols are the numbers of identities and positions, and nothing is compared.
    ///
    /// # Errors
    /// If what every state should say is not so.
    pub fn rows_of(
        &self,
        of: &ReactingProcess<'_>,
        reaction: &ReactionRow,
    ) -> Result<Vec<usize>, NotTabulated> {
        let own = [FactValue::Id(of.id), FactValue::Place(of.place)];
        let mut states = [reaction.before.clone(), reaction.after.clone()];
        for state in &mut states {
            let said = state.iter().filter(|fact| self.always.contains(&fact.name));
            if said.flat_map(|fact| &fact.values).any(|value| !own.contains(value)) {
                return Err(NotTabulated("its identity is not its own".into()));
            }
            state.retain(|fact| !self.always.contains(&fact.name));
        }
        let [before, after] = states;
        let mut found = self.steps_of(of, &ReactionRow { before, after, ..reaction.clone() });
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Returns the rows with which a reaction may begin, before turns of a loop.
    fn steps_of(&self, of: &ReactingProcess<'_>, reaction: &ReactionRow) -> Vec<usize> {
        let mut found = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let Some(mut known) = row.begins(of, reaction) else { continue };
            let rest = reaction.effects[row.effects.len()..].to_vec();
            if rest.is_empty()
                && fit(&row.after, &reaction.after, &mut known)
                && known.sets_fit(row)
            {
                found.extend(known.fit(row, of).then_some(number));
                continue;
            }
            let Some(before) = known.state(&row.after).filter(|_| row.loops && !rest.is_empty())
            else {
                continue;
            };
            // A turn that does nothing may follow any number of times.
            let idle = rest.len() == reaction.effects.len() && before == reaction.before;
            if !idle && known.fit(row, of) {
                let left =
                    ReactionRow { event: Event::Turn, before, effects: rest, ..reaction.clone() };
                let turns = self.steps_of(of, &left);
                found.extend(Some(number).filter(|_| !turns.is_empty()));
                found.extend(turns);
            }
        }
        found
    }

    /// Returns whether a message may move back on the ring.
    #[must_use]
    pub fn goes_back(&self) -> bool {
        if self.complete {
            return false;
        }
        let sends_back =
            |effect: &Effect| matches!(effect, Effect::Send(port, _) if *port != Port::NEXT);
        !self.oriented || self.rows.iter().any(|row| row.effects.iter().any(sends_back))
    }
}

/// A process that runs, and reacts.
pub struct ReactingProcess<'a> {
    /// Its identity.
    pub id: u64,
    /// Its position in a complete network.
    pub place: u64,
    /// The positions to which its ports lead; their numbers, where there are no positions.
    pub across: &'a dyn Fn(Port) -> u64,
    /// The number of its ports.
    pub degree: u64,
}

impl ReactionRow {
    /// Returns whether a guard says only that a port differs from one that stays in the state and does nothing else.
    /// Without it, the row takes place more often.
    pub(crate) fn is_idle(&self, guard: &SymbolGuard) -> bool {
        let differ = !guard.orders.has(SymbolOrders::SAME)
            && guard.orders.has(SymbolOrders::LESS)
            && guard.orders.has(SymbolOrders::MORE);
        differ && [guard.one, guard.other].into_iter().any(|symbol| !self.does(symbol))
    }

    /// Returns whether it is of a message from this process.
    pub(crate) fn comes_from(&self, symbol: Symbol) -> bool {
        matches!(self.event, Event::Receive(port, _) if leads_to(port) == Some(symbol))
    }

    /// Whether the row does something with a port, or with an identity.
    fn does(&self, symbol: Symbol) -> bool {
        let is = |value: &FactValue| value.process() == Some(symbol);
        let has = |fact: &Fact| fact.values.iter().any(is);
        let received = self.comes_from(symbol)
            || matches!(&self.event, Event::Receive(_, message) if has(message));
        let identity = |value: &FactValue| matches!(value, FactValue::Id(of) if *of == symbol);
        let named = self.before.iter().any(|fact| fact.values.iter().any(identity));
        received || named || self.uses(symbol)
    }

    /// Whether the row sends a symbol, sends to it, asks for the port to it, or stores it anew; or it is the process.
    pub(crate) fn uses(&self, symbol: Symbol) -> bool {
        let has = |fact: &Fact| fact.values.iter().any(|value| value.process() == Some(symbol));
        let effect = |effect: &Effect| match effect {
            Effect::Send(port, fact) | Effect::SendOthers(port, fact) => {
                leads_to(*port) == Some(symbol) || has(fact)
            }
            Effect::SendAll(fact) | Effect::Stray(fact) => has(fact),
            Effect::Reject(_) => false,
        };
        let asked = self.asked.iter().any(|asked| asked.symbol() == Some(symbol));
        let is_new = |fact: &&Fact| !self.before.contains(fact);
        symbol == OWN
            || asked
            || self.effects.iter().any(effect)
            || self.after.iter().filter(is_new).any(has)
    }

    /// Returns the symbols of what the process takes from a queue, as far as it uses them.
    pub(crate) fn taken(&self) -> BTreeSet<Symbol> {
        let in_facts = |facts: &[Fact]| -> Vec<Symbol> {
            let values = facts.iter().flat_map(|fact| &fact.values);
            values.filter_map(|value| value.process()).collect()
        };
        let mut all: BTreeSet<Symbol> = in_facts(&self.after).into_iter().collect();
        let guards = self.guards.iter().filter(|guard| !self.is_idle(guard));
        all.extend(guards.flat_map(|guard| [guard.one, guard.other]));
        for effect in &self.effects {
            if let Effect::Send(port, _) | Effect::SendOthers(port, _) = effect {
                all.extend(leads_to(*port));
            }
            if let Effect::Send(_, fact)
            | Effect::SendAll(fact)
            | Effect::SendOthers(_, fact)
            | Effect::Stray(fact) = effect
            {
                all.extend(in_facts(std::slice::from_ref(fact)));
            }
        }
        let mut known = in_facts(&self.before);
        if let Event::Receive(port, message) = &self.event {
            known.extend(leads_to(*port));
            known.extend(in_facts(std::slice::from_ref(message)));
        }
        known.extend(self.asked.iter().filter_map(PortsGuard::symbol));
        all.retain(|symbol| *symbol != OWN && !known.contains(symbol));
        all
    }

    /// Returns for what symbols stand, if a reaction of a process may begin with this one. It looks neither at the end
    /// of the reaction nor at how symbols compare.
    fn begins(&self, of: &ReactingProcess<'_>, reaction: &Self) -> Option<KnownSymbols> {
        let mut known = KnownSymbols {
            ids: BTreeMap::from([(OWN, of.id)]),
            places: BTreeMap::from([(OWN, of.place)]),
            first: None,
            degree: of.degree,
            sets: reaction.sets.clone(),
        };
        let mut fits = fit(&self.before, &reaction.before, &mut known)
            && self.alone.is_none_or(|alone| reaction.alone == Some(alone))
            && self.effects.len() <= reaction.effects.len();
        fits &= match (&self.event, &reaction.event) {
            (Event::Wake, Event::Wake) | (Event::Turn, Event::Turn) => true,
            (Event::Receive(port, message), Event::Receive(through, received)) => {
                known.leads(*port, *through, of) && fit_one(message, received, &mut known)
            }
            _ => false,
        };
        let alike = |pair: (&Effect, &Effect), known: &mut KnownSymbols| match pair {
            (Effect::Send(port, message), Effect::Send(to, sent)) => {
                known.leads(*port, *to, of) && fit_one(message, sent, known)
            }
            (Effect::SendAll(message), Effect::SendAll(sent)) => fit_one(message, sent, known),
            (Effect::SendOthers(port, message), Effect::SendOthers(than, sent)) => {
                known.leads(*port, *than, of) && fit_one(message, sent, known)
            }
            (one, other) => one == other,
        };
        let mut pairs = self.effects.iter().zip(&reaction.effects);
        (fits && pairs.all(|pair| alike(pair, &mut known))).then_some(known)
    }
}

/// The numbers for which the symbols of a row stand.
struct KnownSymbols {
    ids: BTreeMap<Symbol, u64>,
    places: BTreeMap<Symbol, u64>,
    /// How many first ports the state has.
    first: Option<u64>,
    /// The number of ports.
    degree: u64,
    /// The sets of ports before and after.
    sets: [Vec<BTreeSet<u64>>; 2],
}

impl KnownSymbols {
    /// Whether a port of a row is the one of a reaction.
    fn leads(&mut self, row: Port, port: Port, of: &ReactingProcess<'_>) -> bool {
        match leads_to(row).filter(|_| row != ANY_PORT) {
            None => row == port || row == ANY_PORT,
            Some(symbol) => {
                let place = (of.across)(port);
                *self.places.entry(symbol).or_insert(place) == place
            }
        }
    }

    fn first(&self, number: u32) -> u64 {
        let (none, more) = SymbolicFirstPorts::parts(number);
        let base = if none { 0 } else { self.first.unwrap_or(0) };
        base + u64::from(more)
    }

    /// Returns the members of a set.
    fn set(&self, number: SetNumber) -> Option<BTreeSet<u64>> {
        let mut set = match number.base() {
            SetBase::State(at) => self.sets[0].get(at)?.clone(),
            SetBase::All => (0..self.degree).collect(),
        };
        for taken in number.taken_out() {
            set.remove(self.places.get(&taken)?);
        }
        Some(set)
    }

    /// Whether sets of ports are as a row says, before and after. A port that is alone in a set gets a number.
    fn sets_fit(&mut self, row: &ReactionRow) -> bool {
        let guards = || {
            row.asked.iter().filter_map(|asked| match asked {
                PortsGuard::OfSet(guard) => Some(*guard),
                _ => None,
            })
        };
        for guard in guards() {
            if let SetGuard::Last(number, Some(to)) = guard
                && let Some(set) = self.set(number)
                && let Some(&port) = set.first()
            {
                self.places.entry(to).or_insert(port);
            }
        }
        let is = |guard: SetGuard| {
            let Some(set) = self.set(guard.set()) else { return false };
            match guard {
                SetGuard::Contains(_, to, is) => {
                    self.places.get(&to).is_some_and(|port| set.contains(port) == is)
                }
                SetGuard::Empty(_, is) => set.is_empty() == is,
                SetGuard::Last(_, Some(to)) => {
                    set.len() == 1 && self.places.get(&to).is_some_and(|port| set.contains(port))
                }
                SetGuard::Last(_, None) => set.len() != 1,
            }
        };
        let after =
            row.after.iter().flat_map(|fact| &fact.values).filter_map(|value| match value {
                FactValue::Set(number) => Some(self.set(SetNumber(*number))),
                _ => None,
            });
        guards().all(is) && after.eq(self.sets[1].iter().cloned().map(Some))
    }

    /// Returns the facts with values for their symbols, if all have one.
    fn state(&self, facts: &[Fact]) -> Option<Vec<Fact>> {
        let value = |value: &FactValue| {
            Some(match value {
                FactValue::Id(symbol) => FactValue::Id(*self.ids.get(symbol)?),
                FactValue::Place(symbol) => FactValue::Place(*self.places.get(symbol)?),
                FactValue::Ports(first) => FactValue::Ports(self.first(*first as u32)),
                FactValue::Set(_) => return None,
                other => *other,
            })
        };
        let fact = |fact: &Fact| {
            let values = fact.values.iter().map(value).collect::<Option<_>>()?;
            Some(Fact { name: fact.name, values })
        };
        facts.iter().map(fact).collect()
    }

    /// Whether symbols are as a row says. Of what is in a queue or in a port that leads nowhere, nothing is known.
    fn fit(&self, row: &ReactionRow, of: &ReactingProcess<'_>) -> bool {
        let open = row.event == Event::Turn;
        let asked = |guard: &PortsGuard| match *guard {
            PortsGuard::Contains(first, to, is) => match self.places.get(&to) {
                Some(&port) => (port < self.first(first)) == is,
                None => open,
            },
            PortsGuard::Next(first, Some(to)) => match self.places.get(&to) {
                Some(&port) => port == self.first(first),
                None => self.first(first) < of.degree,
            },
            PortsGuard::Next(first, None) => self.first(first) >= of.degree,
            PortsGuard::Majority(first, is) => (2 * (self.first(first) + 1) > of.degree + 1) == is,
            PortsGuard::OfSet(_) => true, // `sets_fit` has looked.
        };
        let known = |symbol| self.ids.contains_key(&symbol) || self.places.contains_key(&symbol);
        row.asked.iter().all(asked)
            && row.guards.iter().all(|guard| {
                let is_open = !known(guard.one) || !known(guard.other);
                let next = row.asked.iter().any(|asked| {
                    let is_next = !matches!(asked, PortsGuard::Contains(..));
                    is_next
                        && asked.symbol().is_some_and(|to| [guard.one, guard.other].contains(&to))
                });
                (is_open && (open || next)) || self.are_as(guard)
            })
    }

    fn are_as(&self, guard: &SymbolGuard) -> bool {
        let pair = |of: &BTreeMap<_, _>| Some((*of.get(&guard.one)?, *of.get(&guard.other)?));
        let Some((one, other)) = pair(&self.ids).or_else(|| pair(&self.places)) else {
            return false;
        };
        guard.orders.has(match Ord::cmp(&one, &other) {
            Ordering::Less => SymbolOrders::LESS,
            Ordering::Equal => SymbolOrders::SAME,
            Ordering::Greater => SymbolOrders::MORE,
        })
    }
}

/// Whether facts are those of a row, whose symbols get values where they have none.
fn fit(row: &[Fact], facts: &[Fact], known: &mut KnownSymbols) -> bool {
    row.len() == facts.len() && row.iter().zip(facts).all(|(row, fact)| fit_one(row, fact, known))
}

fn fit_one(row: &Fact, fact: &Fact, known: &mut KnownSymbols) -> bool {
    row.name == fact.name
        && row.values.len() == fact.values.len()
        && row.values.iter().zip(&fact.values).all(|pair| match pair {
            (FactValue::Id(symbol), FactValue::Id(id)) => {
                known.ids.entry(*symbol).or_insert(*id) == id
            }
            (FactValue::Place(symbol), FactValue::Place(place)) => {
                known.places.entry(*symbol).or_insert(*place) == place
            }
            (FactValue::Count(_), FactValue::Count(_)) | (FactValue::Set(_), FactValue::Set(_)) => {
                true
            }
            (FactValue::Ports(first), FactValue::Ports(known_first)) => {
                if *first == 0 {
                    known.first.get_or_insert(*known_first);
                }
                known.first(*first as u32) == *known_first
            }
            (one, other) => one == other,
        })
}

fn renamed(symbol: Symbol, own: &[Symbol]) -> Symbol {
    if own.contains(&symbol) { OWN } else { symbol }
}

fn rename(fact: &mut Fact, own: &[Symbol]) {
    for value in &mut fact.values {
        if let FactValue::Id(symbol) | FactValue::Place(symbol) = value {
            *symbol = renamed(*symbol, own);
        }
    }
}

fn rename_guard(guard: &mut SymbolGuard, own: &[Symbol]) {
    *guard =
        SymbolGuard { one: renamed(guard.one, own), other: renamed(guard.other, own), ..*guard };
}

fn rows(paths: Vec<(ReactionRow, Vec<SymbolGuard>)>) -> Vec<ReactionRow> {
    paths.into_iter().map(|(row, guards)| ReactionRow { guards, ..row }).collect()
}

fn reaction<P: Process>(port: Option<Port>) -> ReactionRow {
    let mut process: P = any();
    if ports_are_symbols() && process.halted() {
        skip(); // It takes no message.
    }
    let before = facts(&process);
    let mut net = EffectRecorder {
        complete: P::NETWORK.unoriented() != NetworkClass::Ring,
        alone: Cell::new(None),
        effects: Vec::new(),
        messages: PhantomData,
    };
    let event = match port {
        None => {
            process.wake(&mut net);
            Event::Wake
        }
        Some(port) => {
            let port = if ports_are_symbols() { any_port() } else { port };
            let msg: P::Msg = any();
            process.receive(port, msg, &mut net);
            let fact = Fact::of_message(&msg).unwrap_or_else(|error| refuse(error.to_string()));
            let through = if ports_are_symbols() { read_port(port) } else { Some(port) };
            Event::Receive(through.unwrap_or(port), fact)
        }
    };
    let EffectRecorder { alone, effects, .. } = net;
    let (alone, guards, after) = (alone.get(), Vec::new(), facts(&process));
    let LoopTurns { begun, before: turn, after: looped } = with_turns(std::mem::take);
    let loops = looped.is_some();
    if looped.is_some_and(|looped| looped != after) {
        refuse("it goes on after a loop");
    }
    if loops && process.halted() {
        refuse("it halts in a loop, whose turns follow");
    }
    let (event, before) = turn.map_or((event, before), |before| (Event::Turn, before));
    let effects = effects.into_iter().filter(|(at, _)| *at == begun).map(|(_, effect)| effect);
    let (asked, mut effects) = (asked_of_ports(), effects.collect::<Vec<_>>());
    effects.extend(has_miscounted().then_some(Effect::Reject(MISCOUNTED)));
    let sets = <[_; 2]>::default();
    ReactionRow { event, alone, before, guards, asked, after, effects, loops, sets }
}

/// What a process knows that reacts; no process looks at the numbers.
fn own_knowledge<K: Knowledge>() -> K {
    K::of(&Facts {
        id: suffrage_model::Id::new(0),
        size: Size(0),
        place: Place(0),
        diameter: Diameter(0),
        multiplicity: Multiplicity::ONE,
    })
}

/// Whether a port of a process stands for the process to which it leads, since nothing else tells it.
fn has_free_ports(network: NetworkClass) -> bool {
    matches!(network, NetworkClass::Complete | NetworkClass::Tree | NetworkClass::Connected)
}

/// Why a reaction must not happen: the number that is kept of a set of ports is not theirs any more.
pub const MISCOUNTED: &str = "a port is taken out of a counted set twice";

/// The rows of messages from anywhere: they are the same through two ports.
fn from_anywhere(received: &[Vec<ReactionRow>]) -> Result<Vec<ReactionRow>, NotTabulated> {
    let through = |rows: &[ReactionRow]| -> Vec<ReactionRow> {
        let rows = rows.iter().cloned().map(|mut row| {
            if let Event::Receive(port, _) = &mut row.event {
                *port = ANY_PORT;
            }
            row
        });
        rows.collect()
    };
    let rows = through(&received[0]);
    match received.iter().all(|others| through(others) == rows) {
        true => Ok(rows),
        false => Err(NotTabulated("receive: it tells ports apart".into())),
    }
}

fn view<P: Process>() -> View {
    let process: P = any();
    let view = View {
        state: facts(&process),
        guards: Vec::new(),
        status: process.status(),
        leader: process.leader().map(Id::symbol),
        halted: process.halted(),
    };
    if !asked_of_ports().is_empty() {
        refuse("it asks for its first ports");
    }
    view
}

/// Views must be alike whatever the ports in a state are: then each is needed once.
fn without_ports(views: Vec<View>) -> Result<Vec<View>, NotTabulated> {
    let mut distinct: Vec<View> = Vec::new();
    for mut view in views {
        let mut ports = Vec::new();
        for value in view.state.iter_mut().flat_map(|fact| &mut fact.values) {
            if let FactValue::Place(port) = value {
                ports.push(*port);
                *port = Symbol::MAX - ports.len() as Symbol;
            }
        }
        let of_ports =
            |guard: &SymbolGuard| ports.contains(&guard.one) && ports.contains(&guard.other);
        view.guards.retain(|guard| !of_ports(guard));
        let alike = |of: &&View| (&of.state, &of.guards) == (&view.state, &view.guards);
        let says = |of: &View| (of.status, of.leader, of.halted);
        match distinct.iter().find(alike) {
            None => distinct.push(view),
            Some(known) if says(known) == says(&view) => {}
            Some(_) => {
                return Err(NotTabulated("status, leader, halted: it compares ports".into()));
            }
        }
    }
    Ok(distinct)
}

/// Writes facts in the words of formulas.
struct WrittenFacts<'a>(&'a [Fact]);

impl fmt::Display for WrittenFacts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, fact) in self.0.iter().enumerate() {
            write!(f, "{}{}", if number > 0 { " " } else { "" }, fact.name)?;
            for (at, value) in fact.values.iter().enumerate() {
                f.write_str(if at == 0 { "(" } else { ", " })?;
                match value {
                    FactValue::Id(symbol) | FactValue::Place(symbol) => Letter(*symbol).fmt(f)?,
                    FactValue::Port(port) => write!(f, "port {port}")?,
                    FactValue::Ports(first) => WrittenPorts(*first as u32).fmt(f)?,
                    FactValue::Set(set) => SetNumber(*set).fmt(f)?,
                    FactValue::CountedSet(_) | FactValue::Count(_) => f.write_str("_")?,
                    FactValue::Number(number) => number.fmt(f)?,
                }
            }
            f.write_str(if fact.values.is_empty() { "" } else { ")" })?;
        }
        Ok(())
    }
}

/// Writes first ports: those of the state or none, and how many follow.
struct WrittenPorts(u32);

impl fmt::Display for WrittenPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (none, more) = SymbolicFirstPorts::parts(self.0);
        f.write_str(if none { "none" } else { "first" })?;
        if more > 0 { write!(f, " and {more} more") } else { Ok(()) }
    }
}

impl fmt::Display for PortsGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = |holds: bool| if holds { "" } else { "not " };
        match *self {
            Self::Contains(first, to, is) => {
                write!(f, "{} {}among {}", Letter(to), not(is), WrittenPorts(first))
            }
            Self::Next(first, Some(to)) => {
                write!(f, "{} next after {}", Letter(to), WrittenPorts(first))
            }
            Self::Next(first, None) => write!(f, "no port after {}", WrittenPorts(first)),
            Self::Majority(first, is) => write!(f, "{} {}a majority", WrittenPorts(first), not(is)),
            Self::OfSet(guard) => guard.fmt(f),
        }
    }
}

impl fmt::Display for ReactionRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", WrittenFacts(&self.before))?;
        match &self.event {
            Event::Wake => f.write_str(" wakes")?,
            Event::Turn => f.write_str(" goes on")?,
            Event::Receive(port, message) => {
                let message = std::slice::from_ref(message);
                write!(f, " receives {}", WrittenFacts(message))?;
                match leads_to(*port).filter(|_| *port != ANY_PORT) {
                    Some(symbol) => write!(f, " from {}", Letter(symbol))?,
                    None if *port != ANY_PORT => write!(f, " through port {}", port.0)?,
                    None => {}
                }
            }
        }
        if let Some(alone) = self.alone {
            f.write_str(if alone { ", which is alone," } else { ", which is not alone," })?;
        }
        for (number, guard) in self.guards.iter().enumerate() {
            f.write_str(if number == 0 { " where " } else { ", " })?;
            write!(f, "{} {} {}", Letter(guard.one), guard.orders.sign(), Letter(guard.other))?;
        }
        for (number, asked) in self.asked.iter().enumerate() {
            let is_first = number == 0 && self.guards.is_empty();
            write!(f, "{} {asked}", if is_first { " where" } else { "," })?;
        }
        write!(f, " -> {}", WrittenFacts(&self.after))?;
        for effect in &self.effects {
            match effect {
                Effect::Send(port, message) => {
                    let message = std::slice::from_ref(message);
                    write!(f, ", sends {}", WrittenFacts(message))?;
                    match leads_to(*port) {
                        Some(symbol) => write!(f, " to {}", Letter(symbol))?,
                        None => write!(f, " through port {}", port.0)?,
                    }
                }
                Effect::Stray(message) => {
                    let message = std::slice::from_ref(message);
                    write!(f, ", sends {} through a port that it has not", WrittenFacts(message))?;
                }
                Effect::SendAll(message) => {
                    let message = std::slice::from_ref(message);
                    write!(f, ", sends {} to all", WrittenFacts(message))?;
                }
                Effect::SendOthers(than, message) => {
                    let message = std::slice::from_ref(message);
                    let than = Letter(leads_to(*than).unwrap_or(OWN));
                    write!(f, ", sends {} to all but {than}", WrittenFacts(message))?;
                }
                Effect::Reject(why) => write!(f, ", rejects it: {why}")?,
            }
        }
        Ok(())
    }
}
