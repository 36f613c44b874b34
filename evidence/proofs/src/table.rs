//! Tables: the reactions of a process, as rows with guards.

use crate::prelude::{Id, Process, Status};
use crate::shapes::{DEGREE, any};
use crate::symbols::{
    NotTabulated, OWN, Symbol, SymbolGuard, SymbolOrders, choose, every_path, leads_to, refuse,
    route, towards,
};
use std::{cell::Cell, cmp::Ordering, collections::BTreeMap, fmt, marker::PhantomData};
use suffrage_algorithms::{Fact, FactValue};
use suffrage_model::{
    Diameter, Facts, Knowledge, Multiplicity, Net, NetworkClass, Place, Port, Size,
};

/// The reactions of a process, and what it says of its states: each path through its code is a row.
#[derive(Clone, Debug)]
pub struct Table {
    /// Whether ports tell the direction.
    pub oriented: bool,
    /// Whether the network is a complete one, in which positions tell the ports, and not a ring.
    pub complete: bool,
    /// The state of a process before anything has happened.
    pub start: Vec<Fact>,
    /// Its reactions.
    pub rows: Vec<ReactionRow>,
    /// What it says of its states.
    pub views: Vec<View>,
    /// What every state says, with the own identity as the value: rows leave it out.
    pub always: Vec<&'static str>,
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
    /// The state afterwards.
    pub after: Vec<Fact>,
    /// What the process does, in order.
    pub effects: Vec<Effect>,
}

/// What happens to a process.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// It wakes spontaneously.
    Wake,
    /// This message comes through this port; in a complete network through [`ANY_PORT`].
    Receive(Port, Fact),
}

/// A port about which a reaction knows nothing.
pub const ANY_PORT: Port = Port(u32::MAX);

/// What a process does in a reaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It sends a message.
    Send(Port, Fact),
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
    effects: Vec<Effect>,
    messages: PhantomData<M>,
}

impl<M: Copy + serde::Serialize> Net<M> for EffectRecorder<M> {
    fn degree(&self) -> u32 {
        if self.complete { refuse("it asks for the number of its ports") } else { DEGREE }
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
        match self.complete {
            true if to != Port::NEXT && leads_to(to).is_none() => {
                refuse(format!("it sends through port {}, and to no position", to.0))
            }
            false if to.0 >= DEGREE => {
                refuse(format!("it sends through port {}, which no process on a ring has", to.0))
            }
            _ => {}
        }
        let fact = Fact::of_message(&msg).unwrap_or_else(|error| refuse(error.to_string()));
        self.effects.push(Effect::Send(to, fact));
    }

    fn choose(&mut self, _: u32) -> u32 {
        refuse("it draws lots")
    }

    fn set_alarm(&mut self, _: u32) {
        refuse("it sets an alarm")
    }

    fn reject(&mut self, why: &'static str) {
        self.effects.push(Effect::Reject(why));
    }
}

fn facts(of: &impl serde::Serialize) -> Vec<Fact> {
    Fact::of_state(of).unwrap_or_else(|error| refuse(error.to_string()))
}

impl Table {
    /// Tabulates a process for rings, or for complete networks with positions.
    ///
    /// # Errors
    /// If it is for other networks, or does more with identities than compare them; the error names the
    /// reaction.
    pub fn of<P: Process>() -> Result<Self, NotTabulated> {
        let named = |reaction: &'static str| {
            move |NotTabulated(why): NotTabulated| NotTabulated(format!("{reaction}: {why}"))
        };
        let complete = P::NETWORK == NetworkClass::OrientedComplete;
        if !complete && P::NETWORK.unoriented() != NetworkClass::Ring {
            let why = "its network is neither a ring nor a complete one with positions";
            return Err(NotTabulated(why.into()));
        }
        if P::TIMING.in_rounds() {
            return Err(NotTabulated("it runs in rounds".into()));
        }
        let start =
            every_path(|| facts(&P::new(own_knowledge(), if complete { UNASKED } else { DEGREE })));
        let start = start.map_err(named("new"))?;
        let [(start, _)] = <[_; 1]>::try_from(start)
            .map_err(|_| NotTabulated("new: it starts in more than one way".into()))?;
        let wake = every_path(|| reaction::<P>(None));
        let mut rows = rows(wake.map_err(named("wake"))?);
        let mut received = Vec::new();
        for port in (0..DEGREE).map(Port) {
            let paths = every_path(|| reaction::<P>(Some(port)));
            received.push(self::rows(paths.map_err(named("receive"))?));
        }
        match complete {
            true => rows.extend(from_anywhere(&received)?),
            false => rows.extend(received.into_iter().flatten()),
        }
        let views = every_path(view::<P>).map_err(named("status, leader, halted"))?;
        let views = views.into_iter().map(|(view, guards)| View { guards, ..view }).collect();
        let oriented = P::NETWORK.is_oriented();
        let mut table = Self { oriented, complete, start, rows, views, always: Vec::new() };
        table.name_own();
        let strange = |effect: &Effect| match effect {
            Effect::Send(port, _) => route(*port).is_some_and(|(from, _)| from != OWN),
            Effect::Reject(_) => false,
        };
        if table.rows.iter().any(|row| row.effects.iter().any(strange)) {
            let why = "it asks for the way from another position than its own";
            return Err(NotTabulated(why.into()));
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
                Event::Wake => None,
            };
            let sent = row.effects.iter_mut().filter_map(|effect| match effect {
                Effect::Send(port, message) => {
                    if let Some((from, to)) = route(*port) {
                        *port = towards(renamed(from, &symbols), renamed(to, &symbols));
                    }
                    Some(message)
                }
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

    /// Returns the numbers of the rows that a reaction of a process is. In the given row symbols are the numbers of
    /// identities and positions, and nothing is compared.
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
        let is = |row: &ReactionRow| {
            let mut known = KnownSymbols {
                ids: BTreeMap::from([(OWN, of.id)]),
                places: BTreeMap::from([(OWN, of.place)]),
            };
            let mut fits = fit(&row.before, &states[0], &mut known);
            fits &= match (&row.event, &reaction.event) {
                (Event::Wake, Event::Wake) => true,
                (Event::Receive(port, message), Event::Receive(through, received)) => {
                    [through, &ANY_PORT].contains(&port) && fit_one(message, received, &mut known)
                }
                _ => false,
            };
            fits = fits
                && row.alone.is_none_or(|alone| reaction.alone == Some(alone))
                && row.guards.iter().all(|guard| known.are_as(guard));
            fits && fit(&row.after, &states[1], &mut known)
                && row.effects.len() == reaction.effects.len()
                && row.effects.iter().zip(&reaction.effects).all(|pair| match pair {
                    (Effect::Send(port, message), Effect::Send(to, sent)) => {
                        let leads = match leads_to(*port) {
                            None => port == to,
                            Some(of_symbol) => {
                                known.places.get(&of_symbol) == Some(&(of.across)(*to))
                            }
                        };
                        leads && fit_one(message, sent, &mut known)
                    }
                    (one, other) => one == other,
                })
        };
        Ok((0..self.rows.len()).filter(|&number| is(&self.rows[number])).collect())
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
    /// The positions to which its ports lead.
    pub across: &'a dyn Fn(Port) -> u64,
}

/// The numbers for which the symbols of a row stand.
struct KnownSymbols {
    ids: BTreeMap<Symbol, u64>,
    places: BTreeMap<Symbol, u64>,
}

impl KnownSymbols {
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
            (FactValue::Count(_), FactValue::Count(_)) => true,
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
    let before = facts(&process);
    let mut net = EffectRecorder {
        complete: P::NETWORK == NetworkClass::OrientedComplete,
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
            let msg: P::Msg = any();
            process.receive(port, msg, &mut net);
            let fact = Fact::of_message(&msg).unwrap_or_else(|error| refuse(error.to_string()));
            Event::Receive(port, fact)
        }
    };
    let EffectRecorder { alone, effects, .. } = net;
    let (alone, guards, after) = (alone.get(), Vec::new(), facts(&process));
    ReactionRow { event, alone, before, guards, after, effects }
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

/// The degree that a process in a complete network is given. It has no meaning there, and must not be used.
const UNASKED: u32 = 0;

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
    View {
        state: facts(&process),
        guards: Vec::new(),
        status: process.status(),
        leader: process.leader().map(Id::symbol),
        halted: process.halted(),
    }
}

/// Writes a symbol: `own` is the identity of the process, other letters are any.
struct Letter(Symbol);

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            OWN => f.write_str("own"),
            symbol => write!(f, "{}", char::from(b'h' + (symbol % 16) as u8)),
        }
    }
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
                    FactValue::Count(_) => f.write_str("_")?,
                    FactValue::Number(number) => number.fmt(f)?,
                }
            }
            f.write_str(if fact.values.is_empty() { "" } else { ")" })?;
        }
        Ok(())
    }
}

impl fmt::Display for ReactionRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", WrittenFacts(&self.before))?;
        match &self.event {
            Event::Wake => f.write_str(" wakes")?,
            Event::Receive(port, message) => {
                let message = std::slice::from_ref(message);
                write!(f, " receives {}", WrittenFacts(message))?;
                if *port != ANY_PORT {
                    write!(f, " through port {}", port.0)?;
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
                Effect::Reject(why) => write!(f, ", rejects it: {why}")?,
            }
        }
        Ok(())
    }
}
