//! Every local state, message and alarm once: a configuration is a few numbers.
//!
//! A reaction depends on the state of its process and on what it reacts to, and on nothing else, so
//! it is computed once and looked up ever after.

use super::{Explorer, effects::Recording};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::{
    collections::BTreeMap,
    hash::Hash,
    sync::{Arc, PoisonError, RwLock},
};
use suffrage_process::recovery::{
    Cell, Command, Memory, Office, Peer, Recoverable, Setting, Start,
};

/// Values, each with a number.
pub(super) struct Table<T>(RwLock<Entries<T>>);

struct Entries<T> {
    numbers: HashMap<Arc<T>, u32, FxBuildHasher>,
    values: Vec<Arc<T>>,
}

impl<T: Eq + Hash> Table<T> {
    fn new() -> Self {
        Self(RwLock::new(Entries { numbers: HashMap::default(), values: Vec::new() }))
    }

    pub(super) fn number(&self, value: T) -> u32 {
        let found = |entries: &Entries<T>| entries.numbers.get(&value).copied();
        if let Some(number) = found(&self.0.read().unwrap_or_else(PoisonError::into_inner)) {
            return number;
        }
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = found(&entries) {
            return number;
        }
        let number = entries.values.len() as u32;
        let value = Arc::new(value);
        entries.values.push(Arc::clone(&value));
        entries.numbers.insert(value, number);
        number
    }

    pub(super) fn get(&self, number: u32) -> Arc<T> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&entries.values[number as usize])
    }
}

/// The state of a participant: what survives a crash, and what does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Local<P> {
    /// The process, if it is up.
    pub up: Option<P>,
    pub cells: BTreeMap<Cell, u64>,
    pub boots: u64,
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Parcel<M> {
    pub from: Peer,
    pub to: Peer,
    pub msg: M,
}

/// A pending alarm: whose, the number of its name, its duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Alarm {
    pub of: Peer,
    pub name: u32,
    pub ticks: u32,
}

/// What happens to a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Input {
    Start(Memory),
    Receive(u32),
    Ring(u32),
    Command(Command),
    Crash,
}

/// What has become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub local: u32,
    /// The numbers of the messages sent, in order.
    pub sends: Vec<u32>,
    pub alarms: Vec<Change>,
    pub rejected: Option<&'static str>,
}

/// What a reaction has done to its alarms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Set(u32, u32),
    Cancel(u32),
}

type Reactions = HashMap<(Peer, u32, Input), Arc<[Outcome]>, FxBuildHasher>;

/// All tables of an exploration.
pub(super) struct Tables<P: Recoverable> {
    pub locals: Table<Local<P>>,
    pub parcels: Table<Parcel<P::Msg>>,
    pub names: Table<P::Alarm>,
    /// Alarms in the order in which they were set.
    pub pending: Table<Vec<Alarm>>,
    /// Messages, ascending by number.
    pub sent: Table<Vec<u32>>,
    pub rests: Table<super::configuration::Rest>,
    reactions: RwLock<Reactions>,
}

impl<P: Recoverable> Tables<P> {
    pub(super) fn new() -> Self {
        Self {
            locals: Table::new(),
            parcels: Table::new(),
            names: Table::new(),
            pending: Table::new(),
            sent: Table::new(),
            rests: Table::new(),
            reactions: RwLock::default(),
        }
    }

    /// How a participant in this local state reacts: one outcome for each way in which its coins fall.
    pub(super) fn react(
        &self,
        explorer: &Explorer<P>,
        peer: Peer,
        local: u32,
        input: Input,
    ) -> Arc<[Outcome]> {
        let key = (peer, local, input);
        let known = self.reactions.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(outcomes) = known.get(&key) {
            return Arc::clone(outcomes);
        }
        drop(known);
        let before = self.locals.get(local);
        let mut coins = Vec::new();
        let mut outcomes = Vec::new();
        loop {
            let mut recording = Recording::new(&before.cells, coins);
            let (up, boots) = self.apply(explorer, peer, &before, input, &mut recording);
            outcomes.push(self.outcome(peer, up, boots, &mut recording));
            match recording.next_coins() {
                Some(next) => coins = next,
                None => break,
            }
        }
        let outcomes: Arc<[Outcome]> = outcomes.into();
        let mut known = self.reactions.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, Arc::clone(&outcomes));
        outcomes
    }

    fn apply(
        &self,
        explorer: &Explorer<P>,
        peer: Peer,
        before: &Local<P>,
        input: Input,
        effects: &mut Recording<P>,
    ) -> (Option<P>, u64) {
        match (input, before.up.clone()) {
            (Input::Start(memory), _) => {
                if memory != Memory::Kept {
                    effects.erase();
                }
                let boot = before.boots + 1;
                let up =
                    come_up(explorer, explorer.setting_of(peer), Start { boot, memory }, effects);
                (Some(up), boot)
            }
            (Input::Crash, _) | (_, None) => (None, before.boots),
            (Input::Receive(parcel), Some(mut up)) => {
                let parcel = self.parcels.get(parcel);
                up.receive(parcel.from, parcel.msg, effects);
                (Some(up), before.boots)
            }
            (Input::Ring(name), Some(mut up)) => {
                up.ring(*self.names.get(name), effects);
                (Some(up), before.boots)
            }
            (Input::Command(command), Some(mut up)) => {
                up.command(command, effects);
                (Some(up), before.boots)
            }
        }
    }

    fn outcome(
        &self,
        peer: Peer,
        up: Option<P>,
        boots: u64,
        recording: &mut Recording<P>,
    ) -> Outcome {
        let sends = recording.sends.drain(..);
        let sends = sends.map(|(to, msg)| self.parcels.number(Parcel { from: peer, to, msg }));
        let sends = sends.collect();
        let alarms = recording.alarms.drain(..).map(|(name, ticks)| {
            let name = self.names.number(name);
            ticks.map_or(Change::Cancel(name), |ticks| Change::Set(name, ticks))
        });
        let alarms = alarms.collect();
        let cells = std::mem::take(&mut recording.cells);
        let local = self.locals.number(Local { up, cells, boots });
        Outcome { local, sends, alarms, rejected: recording.rejected }
    }
}

/// The process comes up, and its application stands for every office.
pub(super) fn come_up<P: Recoverable>(
    explorer: &Explorer<P>,
    setting: Setting,
    start: Start,
    effects: &mut Recording<P>,
) -> P {
    let mut up = P::start(setting, start, effects);
    if explorer.stands(setting.me) {
        for office in 0..explorer.offices {
            let office = Office(office.into());
            up.command(Command::Stand { office, priority: 0 }, effects);
        }
    }
    up
}
