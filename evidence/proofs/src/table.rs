//! Tables: the reactions of a process, as rows with guards.

use crate::prelude::{Id, Process, Status};
use crate::shapes::{DEGREE, any};
use crate::symbols::{NotTabulated, OWN, Symbol, SymbolGuard, SymbolOrders, every_path, refuse};
use std::{cmp::Ordering, collections::BTreeMap, fmt, marker::PhantomData};
use suffrage_algorithms::{Fact, FactValue};
use suffrage_model::{Net, NetworkClass, Port};

/// The reactions of a process, and what it says of its states: each path through its code is a row.
#[derive(Clone, Debug)]
pub struct Table {
    /// Whether ports tell the direction.
    pub oriented: bool,
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
    /// This message comes through this port.
    Receive(Port, Fact),
}

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
    effects: Vec<Effect>,
    messages: PhantomData<M>,
}

impl<M: Copy + serde::Serialize> Net<M> for EffectRecorder<M> {
    fn degree(&self) -> u32 {
        DEGREE
    }

    fn send(&mut self, to: Port, msg: M) {
        if to.0 >= DEGREE {
            refuse(format!("it sends through port {}, which no process on a ring has", to.0));
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
    /// Tabulates a process for rings.
    ///
    /// # Errors
    /// If it is not for rings, or does more with identities than compare them; the error names the
    /// reaction.
    pub fn of<P: Process<Knows = Id>>() -> Result<Self, NotTabulated> {
        let named = |reaction: &'static str| {
            move |NotTabulated(why): NotTabulated| NotTabulated(format!("{reaction}: {why}"))
        };
        if P::NETWORK.unoriented() != NetworkClass::Ring {
            return Err(NotTabulated("its network is no ring".into()));
        }
        if P::TIMING.in_rounds() {
            return Err(NotTabulated("it runs in rounds".into()));
        }
        let start = every_path(|| facts(&P::new(Id::own(), DEGREE))).map_err(named("new"))?;
        let [(start, _)] = <[_; 1]>::try_from(start)
            .map_err(|_| NotTabulated("new: it starts in more than one way".into()))?;
        let wake = every_path(|| reaction::<P>(None));
        let mut rows = rows(wake.map_err(named("wake"))?);
        for port in (0..DEGREE).map(Port) {
            let received = every_path(|| reaction::<P>(Some(port)));
            rows.extend(self::rows(received.map_err(named("receive"))?));
        }
        let views = every_path(view::<P>).map_err(named("status, leader, halted"))?;
        let views = views.into_iter().map(|(view, guards)| View { guards, ..view }).collect();
        let oriented = P::NETWORK.is_oriented();
        let mut table = Self { oriented, start, rows, views, always: Vec::new() };
        table.name_own();
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
                let own = values.filter(|(_, value)| **value == FactValue::Id(OWN));
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
                .filter_map(|(.., value)| match value {
                    FactValue::Id(symbol) => Some(*symbol),
                    _ => None,
                })
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
                Effect::Send(_, message) => Some(message),
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

    /// Returns the numbers of the rows that a reaction of the process with this identity is. In the given row
    /// symbols are the numbers of identities, and nothing is compared.
    ///
    /// # Errors
    /// If what every state should say is not so.
    pub fn rows_of(&self, own: u64, reaction: &ReactionRow) -> Result<Vec<usize>, NotTabulated> {
        let mut states = [reaction.before.clone(), reaction.after.clone()];
        for state in &mut states {
            let said = state.iter().filter(|fact| self.always.contains(&fact.name));
            if said.flat_map(|fact| &fact.values).any(|value| *value != FactValue::Id(own)) {
                return Err(NotTabulated("its identity is not its own".into()));
            }
            state.retain(|fact| !self.always.contains(&fact.name));
        }
        let is = |row: &ReactionRow| {
            let mut known = BTreeMap::from([(OWN, own)]);
            let mut fits = fit(&row.before, &states[0], &mut known);
            fits &= match (&row.event, &reaction.event) {
                (Event::Wake, Event::Wake) => true,
                (Event::Receive(port, message), Event::Receive(through, received)) => {
                    port == through && fit_one(message, received, &mut known)
                }
                _ => false,
            };
            fits = fits
                && row.guards.iter().all(|guard| {
                    let (Some(one), Some(other)) = (known.get(&guard.one), known.get(&guard.other))
                    else {
                        return false;
                    };
                    guard.orders.has(match one.cmp(other) {
                        Ordering::Less => SymbolOrders::LESS,
                        Ordering::Equal => SymbolOrders::SAME,
                        Ordering::Greater => SymbolOrders::MORE,
                    })
                });
            fits && fit(&row.after, &states[1], &mut known)
                && row.effects.len() == reaction.effects.len()
                && row.effects.iter().zip(&reaction.effects).all(|pair| match pair {
                    (Effect::Send(port, message), Effect::Send(to, sent)) => {
                        port == to && fit_one(message, sent, &mut known)
                    }
                    (one, other) => one == other,
                })
        };
        Ok((0..self.rows.len()).filter(|&number| is(&self.rows[number])).collect())
    }

    /// Returns whether a message may move back.
    #[must_use]
    pub fn goes_back(&self) -> bool {
        let sends_back =
            |effect: &Effect| matches!(effect, Effect::Send(port, _) if *port != Port::NEXT);
        !self.oriented || self.rows.iter().any(|row| row.effects.iter().any(sends_back))
    }
}

/// Whether facts are those of a row, whose symbols get values where they have none.
fn fit(row: &[Fact], facts: &[Fact], known: &mut BTreeMap<Symbol, u64>) -> bool {
    row.len() == facts.len() && row.iter().zip(facts).all(|(row, fact)| fit_one(row, fact, known))
}

fn fit_one(row: &Fact, fact: &Fact, known: &mut BTreeMap<Symbol, u64>) -> bool {
    row.name == fact.name
        && row.values.len() == fact.values.len()
        && row.values.iter().zip(&fact.values).all(|pair| match pair {
            (FactValue::Id(symbol), FactValue::Id(id)) => known.entry(*symbol).or_insert(*id) == id,
            (FactValue::Count(_), FactValue::Count(_)) => true,
            (one, other) => one == other,
        })
}

fn renamed(symbol: Symbol, own: &[Symbol]) -> Symbol {
    if own.contains(&symbol) { OWN } else { symbol }
}

fn rename(fact: &mut Fact, own: &[Symbol]) {
    for value in &mut fact.values {
        if let FactValue::Id(symbol) = value {
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
    let mut net = EffectRecorder { effects: Vec::new(), messages: PhantomData };
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
    ReactionRow { event, before, guards: Vec::new(), after: facts(&process), effects: net.effects }
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
                    FactValue::Id(symbol) => Letter(*symbol).fmt(f)?,
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
                write!(f, " receives {} through port {}", WrittenFacts(message), port.0)?;
            }
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
                    write!(f, ", sends {} through port {}", WrittenFacts(message), port.0)?;
                }
                Effect::Reject(why) => write!(f, ", rejects it: {why}")?,
            }
        }
        Ok(())
    }
}
