//! The continuations of a configuration: without further faults, or with one that stays.
//!
//! All participants that are down come up with their records, old messages are lost, new ones
//! arrive after a tick, every clock runs at one rate, and each pending alarm was set just now. This
//! is one fair and legal execution of many: the promise is that offices are filled in each.

use super::{
    Explorer,
    configuration::ClusterConfiguration,
    effects::RecordedEffects,
    space::Fingerprint,
    tables::{LocalState, ProcessEvent, Tables},
};
use std::collections::{BTreeMap, VecDeque};
use tenure_model::{Command, Memory, Office, Peer, Recoverable, Term};

/// The most messages under way: a protocol in which each causes several others fails before it exhausts memory.
const MESSAGES: usize = 1_000;

/// Continues a configuration until every office is held, for at most `limit` ticks: without a fault and,
/// where the explorer wants it, with each cut. Returns the longest time that it took.
pub(super) fn longest<P: Recoverable>(
    tables: &Tables<'_, P>,
    here: &ClusterConfiguration,
    limit: u64,
) -> Result<u64, String> {
    let mut longest = Continuation::of(tables, here).fill(limit)?;
    for cut in cuts(tables.explorer) {
        let mut continuation = Continuation::of(tables, here);
        continuation.cut = Some(cut);
        let deaf = |why| format!("{why} but that p{} does not hear p{}", cut.1.0, cut.0.0);
        longest = longest.max(continuation.fill(limit).map_err(deaf)?);
    }
    Ok(longest)
}

fn cuts<P: Recoverable>(explorer: &Explorer<P>) -> impl Iterator<Item = (Peer, Peer)> {
    let members = explorer.setting.members;
    let all = if explorer.one_way_cuts { explorer.peers } else { 0 };
    let pairs = (0..all).flat_map(move |from| (0..all).map(move |to| (from, to)));
    let pairs = pairs.filter(move |&(from, to)| from != to && from.min(to) < members);
    let connected = move |&(from, to): &(u32, u32)| {
        explorer.participants().filter(|&peer| explorer.stands(peer)).any(|Peer(peer)| {
            let lost = [(from, to), (to, from)].into_iter();
            let lost = lost.filter(|&(one, other)| one == peer && other < members).count();
            members as usize - lost > members as usize / 2
        })
    };
    pairs.filter(connected).map(|(from, to)| (Peer(from), Peer(to)))
}

pub(super) struct Continuation<'a, P: Recoverable> {
    explorer: &'a Explorer<P>,
    now: u64,
    locals: Vec<LocalState<P>>,
    /// The instant at which each alarm is due, and the number of alarms that were set before it.
    alarms: BTreeMap<(Peer, P::Alarm), (u64, u64)>,
    set: u64,
    flying: VecDeque<(u64, TimedMessage<P::Msg>)>,
    working: BTreeMap<(Peer, Office), Term>,
    tosses: u64,
    /// What the first of these sends to the second is lost.
    cut: Option<(Peer, Peer)>,
}

impl<'a, P: Recoverable> Continuation<'a, P> {
    /// Returns the fingerprint of all that the continuation of a configuration depends on: the local
    /// states, the pending alarms and the work, but neither the messages under way, which are lost,
    /// nor the budget. Many configurations have the same.
    pub(super) fn subject(tables: &Tables<'_, P>, here: &ClusterConfiguration) -> Fingerprint {
        let mut row = here.pending.in_order();
        row.push(row.len() as u32);
        row.extend(&here.locals);
        for work in &tables.histories.get(here.history).works {
            row.extend([work.of.0, work.office.0 as u32]);
            row.extend([work.term.0 as u32, (work.term.0 >> 32) as u32]);
        }
        Fingerprint::of(&row)
    }

    pub(super) fn of(tables: &Tables<'a, P>, here: &ClusterConfiguration) -> Self {
        let locals = here.locals.iter().map(|&local| tables.locals.get(local).local.clone());
        let alarms = (0..).zip(here.pending.in_order()).map(|(order, alarm)| {
            let alarm = tables.alarms.get(alarm);
            let name = tables.names.get(alarm.name);
            ((name.of, name.alarm), (u64::from(alarm.ticks), order))
        });
        let works = tables.histories.get(here.history).works.iter();
        let works = works.map(|work| ((work.of, work.office), work.term));
        Self {
            explorer: tables.explorer,
            now: 0,
            locals: locals.collect(),
            alarms: alarms.collect(),
            set: here.pending.alarms.len() as u64,
            flying: VecDeque::new(),
            working: works.collect(),
            tosses: 0,
            cut: None,
        }
    }

    /// Continues until every office is held, for at most `limit` ticks. Returns the time that it
    /// took.
    pub(super) fn fill(mut self, limit: u64) -> Result<u64, String> {
        for peer in self.explorer.participants() {
            let local = &self.locals[peer.0 as usize];
            if local.up.is_none() {
                let first = local.boots == 0;
                let memory = if first { self.explorer.first_memory() } else { Memory::Kept };
                self.react(peer, ProcessEvent::Start(memory));
            }
        }
        loop {
            self.applications();
            if self.explorer.all_offices().all(|office| self.is_held(office)) {
                return Ok(self.now);
            }
            let arrival = self.flying.front().map(|&(at, _)| at);
            let alarm = self.alarms.iter().map(|(&key, &due)| (due, key)).min();
            match (arrival, alarm) {
                (Some(at), alarm) if alarm.is_none_or(|((due, _), _)| at < due) => {
                    self.now = at;
                    if let Some((_, TimedMessage { from, to, msg })) = self.flying.pop_front() {
                        self.react(to, ProcessEvent::Receive(from, msg));
                    }
                }
                (_, Some(((due, _), key))) => {
                    self.now = self.now.max(due);
                    self.alarms.remove(&key);
                    self.react(key.0, ProcessEvent::Ring(key.1));
                }
                _ => return Err("nothing more can happen, and an office is vacant".to_owned()),
            }
            if self.flying.len() > MESSAGES {
                return Err(format!("more than {MESSAGES} messages are under way"));
            }
            if self.now > limit {
                return Err(format!(
                    "an office is still vacant after {limit} ticks without a fault"
                ));
            }
        }
    }

    fn holds(&self, peer: Peer, office: Office) -> Option<(Term, bool)> {
        let tenure = self.locals[peer.0 as usize].up.as_ref()?.tenure(office)?;
        let lasts = tenure.until.is_none_or(|alarm| self.alarms.contains_key(&(peer, alarm)));
        lasts.then_some((tenure.term, tenure.stopping))
    }

    fn is_held(&self, office: Office) -> bool {
        self.explorer.participants().any(|peer| self.holds(peer, office).is_some())
    }

    /// Lets applications begin their work, and end it at once where they are to.
    fn applications(&mut self) {
        for peer in self.explorer.participants() {
            for office in self.explorer.all_offices() {
                let held = self.holds(peer, office);
                match (held, self.working.get(&(peer, office)).copied()) {
                    (Some((term, true)), Some(of)) if term == of => {
                        self.stop(peer, office, of);
                    }
                    (Some((term, _)), Some(of)) if term != of => self.stop(peer, office, of),
                    (None, Some(of)) => self.stop(peer, office, of),
                    (Some((term, false)), None) => {
                        self.working.insert((peer, office), term);
                    }
                    _ => {}
                }
            }
        }
    }

    fn stop(&mut self, peer: Peer, office: Office, term: Term) {
        self.working.remove(&(peer, office));
        self.react(peer, ProcessEvent::Command(Command::Stopped { office, term }));
    }

    fn react(&mut self, peer: Peer, event: ProcessEvent<P>) {
        let local = &mut self.locals[peer.0 as usize];
        // Coins are drawn from a hash: fair enough, and the same in every run.
        self.tosses += 1;
        let mut recording = RecordedEffects::tossing(&local.cells, self.tosses);
        local.react(self.explorer, event, &mut recording);
        local.cells = std::mem::take(&mut recording.cells);
        for (alarm, ticks) in recording.alarms.drain(..) {
            self.alarms.remove(&(peer, alarm));
            if let Some(ticks) = ticks {
                self.set += 1;
                self.alarms.insert((peer, alarm), (self.now + u64::from(ticks), self.set));
            }
        }
        for (to, msg) in recording.sends.drain(..) {
            if self.cut == Some((peer, to)) {
                continue;
            }
            self.flying.push_back((self.now + 1, TimedMessage { from: peer, to, msg }));
        }
    }
}

/// A message under way.
struct TimedMessage<M> {
    from: Peer,
    to: Peer,
    msg: M,
}
