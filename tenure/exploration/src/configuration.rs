//! A configuration: the state of every participant, the messages, the pending alarms, and the
//! rest of the budget.

use super::{
    UNLIMITED,
    history::{ExploredHistory, RemainingBudget},
    order,
    pending::PendingAlarms,
    serials::{PLACES, Ranks, Renamed, Renaming, Serials, rank_of},
    tables::{AlarmChange, AlarmSetting, LocalState, ReactionOutcome, StepInput, Tables},
};
use std::collections::BTreeMap;
use tenure_model::{Command, Office, Peer, Recoverable, Series, Term};
use tenure_simulation::promises::{Breach, Promise};

/// A configuration, unpacked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ClusterConfiguration {
    /// The number of each participant's state.
    pub locals: Vec<u32>,
    pub history: u32,
    pub pending: PendingAlarms,
    /// The messages under way: ascending, or in the order of sending if overtaking is counted.
    pub net: Vec<u32>,
    /// The remaining budget.
    pub left: RemainingBudget,
}

/// A promise that is broken, and a description of the breach.
pub(super) type Broken = (Option<Promise>, String);

impl Clone for ClusterConfiguration {
    fn clone(&self) -> Self {
        Self {
            locals: self.locals.clone(),
            pending: self.pending.clone(),
            net: self.net.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.locals.clone_from(&other.locals);
        self.pending.clone_from(&other.pending);
        self.net.clone_from(&other.net);
        (self.history, self.left) = (other.history, other.left);
    }
}

impl ClusterConfiguration {
    /// Packs the configuration, without the remaining budget.
    pub(super) fn pack(&self, row: &mut Vec<u32>) {
        row.push((self.pending.alarms.len() as u32) << 16 | self.locals.len() as u32);
        row.push(self.history);
        row.extend_from_slice(&self.locals);
        row.extend_from_slice(&self.pending.alarms);
        for &before in &self.pending.before {
            row.extend([before as u32, (before >> 32) as u32]);
        }
        row.extend_from_slice(&self.net);
    }

    pub(super) fn unpack(&mut self, row: &[u32], left: RemainingBudget) {
        let (locals, alarms) = ((row[0] & 0xFFFF) as usize, (row[0] >> 16) as usize);
        self.left = left;
        self.history = row[1];
        let (locals, row) = row[2..].split_at(locals);
        let (alarms, row) = row.split_at(alarms);
        let (before, net) = row.split_at(2 * alarms.len());
        self.locals.clear();
        self.locals.extend_from_slice(locals);
        self.pending.alarms.clear();
        self.pending.alarms.extend_from_slice(alarms);
        let pairs = before.chunks_exact(2);
        self.pending.before.clear();
        self.pending.before.extend(pairs.map(|of| u64::from(of[1]) << 32 | u64::from(of[0])));
        self.net.clear();
        self.net.extend_from_slice(net);
    }

    pub(super) fn holds<P: Recoverable>(
        &self,
        tables: &Tables<'_, P>,
        peer: Peer,
        office: Office,
    ) -> Option<(Term, bool)> {
        let local = tables.locals.get(self.locals[peer.0 as usize]);
        let (term, until, stopping) = local.tenures[office.0 as usize]?;
        let set = |name| self.pending.alarms.iter().any(|&at| tables.alarms.get(at).name == name);
        until.is_none_or(set).then_some((term, stopping))
    }

    /// Carries out the outcome of a participant's reaction, and checks the promises. All messages
    /// that it sends are under way afterwards.
    ///
    /// Returns `Err` if the resulting configuration breaks a promise, and `Ok(false)` if a claim or
    /// a tenure is beyond the budget.
    pub(super) fn react<P: Recoverable>(
        &mut self,
        tables: &Tables<'_, P>,
        peer: Peer,
        outcome: &ReactionOutcome,
    ) -> Result<bool, Broken> {
        let offices = || tables.explorer.all_offices();
        let before = self.held_by(tables, peer);
        self.locals[peer.0 as usize] = outcome.local;
        for &change in &outcome.alarms {
            let (set, name) = match change {
                AlarmChange::Set(alarm) => (Some(alarm), tables.alarms.get(alarm).name),
                AlarmChange::Cancel(name) => (None, name),
            };
            self.pending.retain(|alarm| tables.alarms.get(alarm).name != name);
            if let Some(alarm) = set {
                self.pending.set(alarm, |earlier| precedes(tables, earlier, alarm));
            }
        }
        for &parcel in &outcome.sends {
            if tables.explorer.queued() {
                if !self.net.contains(&parcel) {
                    self.net.push(parcel);
                }
            } else if let Err(at) = self.net.binary_search(&parcel) {
                self.net.insert(at, parcel);
            }
        }
        if let Some(why) = outcome.rejected {
            return Err((None, format!("{} rejects what it was sent: {why}", peer.0)));
        }
        if tables.locals.get(outcome.local).claim > tables.explorer.budget.terms {
            return Ok(false);
        }
        for office in offices() {
            let Some((term, _)) = self.holds(tables, peer, office) else { continue };
            if before.get(office.0 as usize) == Some(&Some(term)) {
                continue;
            }
            let mut history = tables.histories.get(self.history).clone();
            let begun = history.begin(peer, office, term);
            self.history = tables.histories.number(history);
            begun.or_else(|breach| tables.explorer.expects(breach))?;
            for other in tables.explorer.participants().filter(|&other| other != peer) {
                if let Some((also, _)) = self.holds(tables, other, office) {
                    let (holder, newcomer) = ((other, also), (peer, term));
                    tables.explorer.expects(Breach::TwoHolders { holder, newcomer })?;
                }
            }
            match &mut self.left.tenures {
                0 => return Ok(false),
                &mut UNLIMITED => {}
                left => *left -= 1,
            }
        }
        self.invariants(tables)?;
        Ok(true)
    }

    /// Delivers the messages that take no time, and those that they cause, in the order of sending.
    /// Messages to a participant that is down are lost.
    pub(super) fn deliver_at_once<P: Recoverable>(
        &mut self,
        tables: &Tables<'_, P>,
    ) -> Result<bool, Broken> {
        let Some(at_once) = tables.explorer.at_once else { return Ok(true) };
        let timeless = |&parcel: &u32| at_once(&tables.parcels.get(parcel).msg);
        while let Some(at) = self.net.iter().position(timeless) {
            let parcel = self.net.remove(at);
            let to = tables.parcels.get(parcel).to;
            let local = self.locals[to.0 as usize];
            if tables.locals.get(local).local.up.is_some() {
                let reaction = tables.react(local, StepInput::Receive(parcel));
                // Such messages toss no coins.
                if !self.react(tables, to, &reaction[0])? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn held_by<P: Recoverable>(&self, tables: &Tables<'_, P>, peer: Peer) -> Vec<Option<Term>> {
        let offices = tables.explorer.all_offices();
        let held = offices.map(|office| Some(self.holds(tables, peer, office)?.0));
        held.collect()
    }

    fn invariants<P: Recoverable>(&self, tables: &Tables<'_, P>) -> Result<(), Broken> {
        if tables.explorer.invariants.is_empty() {
            return Ok(());
        }
        let up = self.locals.iter().filter_map(|&local| tables.locals.get(local).local.up.as_ref());
        let up: Vec<&P> = up.collect();
        for (name, holds) in tables.explorer.invariants {
            holds(&up).map_err(|why| (None, format!("the invariant `{name}` is broken: {why}")))?;
        }
        Ok(())
    }

    /// Brings the configuration into its normal form.
    pub(super) fn settle<P: Recoverable>(&mut self, tables: &Tables<'_, P>) {
        if tables.explorer.reduced {
            rank(self, tables);
        }
    }

    /// Removes the messages that their receivers would ignore from now on.
    pub(super) fn forget<P: Recoverable>(&mut self, tables: &Tables<'_, P>) {
        if tables.explorer.reduced {
            let locals = &self.locals;
            self.net.retain(|&parcel| {
                let to = locals[tables.parcels.get(parcel).to.0 as usize];
                !tables.ignores(to, parcel)
            });
            self.end_works(tables);
        }
    }

    /// Ends the works of tenures that are over, where the process would ignore the notice.
    fn end_works<P: Recoverable>(&mut self, tables: &Tables<'_, P>) {
        let history = tables.histories.get(self.history);
        let over = |work: &super::history::OpenWork| {
            let local = self.locals[work.of.0 as usize];
            let held = self.holds(tables, work.of, work.office);
            let stopped = Command::Stopped { office: work.office, term: work.term };
            held.is_none_or(|(term, _)| term != work.term)
                && tables.react(local, StepInput::Command(stopped)).iter().all(|outcome| {
                    outcome.local == local && outcome.sends.is_empty() && outcome.alarms.is_empty()
                })
        };
        if history.works.iter().any(over) {
            let works = history.works.iter().copied().filter(|work| !over(work)).collect();
            let history = ExploredHistory { works, greatest: history.greatest.clone() };
            self.history = tables.histories.number(history);
        }
    }

    /// Removes the alarms and the work of a participant that has crashed.
    pub(super) fn bury<P: Recoverable>(&mut self, tables: &Tables<'_, P>, peer: Peer) {
        let of = |alarm| tables.names.get(tables.alarms.get(alarm).name).of;
        self.pending.retain(|alarm| of(alarm) != peer);
        let mut history = tables.histories.get(self.history).clone();
        history.works.retain(|work| work.of != peer);
        self.history = tables.histories.number(history);
    }
}

fn precedes<P: Recoverable>(tables: &Tables<'_, P>, earlier: u32, later: u32) -> bool {
    let [earlier, later] = [earlier, later].map(|alarm| *tables.alarms.get(alarm));
    let [one, other] = [earlier, later].map(|alarm| tables.names.get(alarm.name));
    let what = |of, alarm: AlarmSetting| order::PendingAlarm { of, ticks: alarm.ticks };
    order::precedes(what(one.of, earlier), what(other.of, later), tables.explorer.setting.clocks)
        && tables
            .explorer
            .constrained
            .is_none_or(|kept| kept((one.of, one.alarm), (other.of, other.alarm)))
}

/// Returns the first configuration: all participants have come up for the first time; or none has,
/// and each does at some time.
pub(super) fn first<P: Recoverable>(tables: &Tables<'_, P>) -> ClusterConfiguration {
    let down = |me| LocalState { me, up: None, cells: BTreeMap::new(), boots: 0 };
    let peers = || tables.explorer.participants();
    let greatest = vec![Term(0); tables.explorer.offices as usize];
    let mut first = ClusterConfiguration {
        locals: peers().map(|me| tables.local(down(me))).collect(),
        history: tables.histories.number(ExploredHistory { greatest, works: Vec::new() }),
        pending: PendingAlarms::default(),
        net: Vec::new(),
        left: RemainingBudget::of(&tables.explorer.budget),
    };
    // Where all messages stay under way, nothing is lost by coming up at once.
    if tables.explorer.budget.under_way == UNLIMITED {
        for peer in peers() {
            let local = first.locals[peer.0 as usize];
            let start = StepInput::Start(tables.explorer.first_memory());
            let reaction = tables.react(local, start);
            // Coins at the first start fall one way; nothing has happened that they could change.
            let _ = first.react(tables, peer, &reaction[0]);
            let _ = first.deliver_at_once(tables);
        }
        first.settle(tables);
    }
    first
}

/// Renumbers the series of a configuration from 1.
fn rank<P: Recoverable>(here: &mut ClusterConfiguration, tables: &Tables<'_, P>) {
    let mut used = [0_u64; PLACES];
    let mut great = false;
    visit(here, tables, |serials| {
        great |= serials.great;
        serials.bits.iter().for_each(|&(place, bits)| used[usize::from(place)] |= bits);
    });
    // Each series is numbered from 1 without a gap.
    if !great && used.iter().all(|&bits| bits & bits.wrapping_add(1) == 0) {
        return;
    }
    let mut ranks = Ranks::new();
    visit(here, tables, |serials| {
        for &(series, number) in serials.all.iter().filter(|&&(_, number)| number > 0) {
            ranks.entry(series).or_default().push(number);
        }
    });
    for numbers in ranks.values_mut() {
        numbers.sort_unstable();
        numbers.dedup();
    }
    for local in &mut here.locals {
        *local = renamed(Renamed::Local, *local, &ranks, tables);
    }
    for parcel in &mut here.net {
        *parcel = renamed(Renamed::Parcel, *parcel, &ranks, tables);
    }
    if !tables.explorer.queued() {
        here.net.sort_unstable();
    }
    here.pending.renumber(|alarm| renamed(Renamed::Alarm, alarm, &ranks, tables));
}

fn visit<P: Recoverable>(
    here: &ClusterConfiguration,
    tables: &Tables<'_, P>,
    mut visit: impl FnMut(&Serials),
) {
    here.locals.iter().for_each(|&local| visit(&tables.locals.get(local).serials));
    here.net.iter().for_each(|&parcel| visit(&tables.parcels.get(parcel).serials));
    for &alarm in &here.pending.alarms {
        visit(&tables.names.get(tables.alarms.get(alarm).name).serials);
    }
}

fn renamed<P: Recoverable>(
    what: Renamed,
    number: u32,
    ranks: &Ranks,
    tables: &Tables<'_, P>,
) -> u32 {
    let serials = match what {
        Renamed::Local => &tables.locals.get(number).serials,
        Renamed::Parcel => &tables.parcels.get(number).serials,
        Renamed::Alarm => &tables.names.get(tables.alarms.get(number).name).serials,
    };
    if serials.all.iter().all(|&(series, number)| rank_of(ranks, series, number) == number) {
        return number;
    }
    let to = serials.all.iter().map(|&(series, number)| rank_of(ranks, series, number)).collect();
    let mut rename = |series: Series, number: &mut u64| *number = rank_of(ranks, series, *number);
    *tables.renamed.get_or_insert(Renaming { what, number, to }, || match what {
        Renamed::Local => {
            let mut local: LocalState<P> = tables.locals.get(number).local.clone();
            if let Some(up) = &mut local.up {
                up.serials(&mut rename);
            }
            tables.local(local)
        }
        Renamed::Parcel => {
            let parcel = tables.parcels.get(number);
            let (from, to): (Peer, Peer) = (parcel.from, parcel.to);
            let mut msg = parcel.msg;
            P::serials_of_message(from, to, &mut msg, &mut rename);
            tables.parcel(from, to, msg)
        }
        Renamed::Alarm => {
            let AlarmSetting { name, ticks } = *tables.alarms.get(number);
            let name = tables.names.get(name);
            let mut alarm = name.alarm;
            P::serials_of_alarm(name.of, &mut alarm, &mut rename);
            tables.alarms.number(AlarmSetting { name: tables.name(name.of, alarm), ticks })
        }
    })
}
