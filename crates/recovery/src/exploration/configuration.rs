//! A configuration: the state of every participant, the messages, the pending alarms, and what is
//! left of the budget.

use super::{
    Budget, Explorer,
    order::{Pending, normalize},
    tables::{Alarm, Change, Input, Local, Outcome, Tables},
};
use crate::promises::{Breach, Promise};
use std::collections::BTreeMap;
use suffrage_process::recovery::{Memory, Office, Peer, Ratio, Recoverable, Term};

/// The work of an application in an office, from the beginning of a tenure until it says that it has
/// stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Work {
    pub of: Peer,
    pub office: Office,
    pub term: Term,
}

/// What is neither state nor message nor alarm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rest {
    /// What may still happen.
    pub budget: Budget,
    /// The greatest term of all tenures so far, by office.
    pub greatest: Vec<Term>,
    /// Who works, ascending.
    pub works: Vec<Work>,
}

/// A configuration, unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    /// The number of each participant's state.
    pub locals: Vec<u32>,
    /// The pending alarms, in the normal form of the order in which they were set.
    pub pending: Vec<Alarm>,
    /// The messages ever sent, ascending.
    pub sent: Vec<u32>,
    pub rest: Rest,
}

/// A promise that is broken, and how.
pub(super) type Broken = (Option<Promise>, String);

fn broken(breach: &Breach) -> Broken {
    (Some(breach.promise()), breach.to_string())
}

impl Configuration {
    /// Packs it: as many numbers as there are participants, and three.
    pub(super) fn pack<P: Recoverable>(self, tables: &Tables<P>, row: &mut Vec<u32>) {
        row.extend_from_slice(&self.locals);
        row.push(tables.pending.number(self.pending));
        row.push(tables.sent.number(self.sent));
        row.push(tables.rests.number(self.rest));
    }

    pub(super) fn unpack<P: Recoverable>(tables: &Tables<P>, row: &[u32]) -> Self {
        let peers = row.len() - 3;
        Self {
            locals: row[..peers].to_vec(),
            pending: (*tables.pending.get(row[peers])).clone(),
            sent: (*tables.sent.get(row[peers + 1])).clone(),
            rest: (*tables.rests.get(row[peers + 2])).clone(),
        }
    }

    /// The term at which a participant holds an office, and whether it is to stop.
    pub(super) fn holds<P: Recoverable>(
        &self,
        tables: &Tables<P>,
        peer: Peer,
        office: Office,
    ) -> Option<(Term, bool)> {
        let local = tables.locals.get(self.locals[peer.0 as usize]);
        let tenure = local.up.as_ref()?.tenure(office)?;
        let lasts = tenure.until.is_none_or(|alarm| {
            let name = tables.names.number(alarm);
            self.pending.iter().any(|pending| pending.of == peer && pending.name == name)
        });
        lasts.then_some((tenure.term, tenure.stopping))
    }

    /// Carries out what a participant has done, and looks at what is promised.
    ///
    /// `Err` with a configuration that breaks a promise, `Ok(false)` where a term is beyond the
    /// budget.
    pub(super) fn react<P: Recoverable>(
        &mut self,
        explorer: &Explorer<P>,
        tables: &Tables<P>,
        peer: Peer,
        outcome: &Outcome,
    ) -> Result<bool, Broken> {
        let offices = || (0..explorer.offices).map(|office| Office(office.into()));
        let before: Vec<_> = offices().map(|office| self.holds(tables, peer, office)).collect();
        self.locals[peer.0 as usize] = outcome.local;
        for &change in &outcome.alarms {
            let (Change::Set(changed, _) | Change::Cancel(changed)) = change;
            self.pending.retain(|alarm| alarm.of != peer || alarm.name != changed);
            if let Change::Set(name, ticks) = change {
                self.pending.push(Alarm { of: peer, name, ticks });
            }
        }
        self.settle(explorer.setting.clocks);
        for &parcel in &outcome.sends {
            if let Err(at) = self.sent.binary_search(&parcel) {
                self.sent.insert(at, parcel);
            }
        }
        if let Some(why) = outcome.rejected {
            return Err((None, format!("{} rejects what it was sent: {why}", peer.0)));
        }
        for (office, before) in offices().zip(before) {
            let Some((term, _)) = self.holds(tables, peer, office) else { continue };
            if before.is_some_and(|(earlier, _)| earlier == term) {
                continue;
            }
            self.begin(peer, office, term)?;
            if term.0 > explorer.budget.terms {
                return Ok(false);
            }
            let others = (0..self.locals.len() as u32).map(Peer).filter(|&other| other != peer);
            for other in others {
                if let Some((also, _)) = self.holds(tables, other, office) {
                    let (holder, newcomer) = ((other, also), (peer, term));
                    return Err(broken(&Breach::TwoHolders { holder, newcomer }));
                }
            }
        }
        Ok(true)
    }

    /// A tenure begins, and with it the work.
    fn begin(&mut self, peer: Peer, office: Office, term: Term) -> Result<(), Broken> {
        let greatest = &mut self.rest.greatest[office.0 as usize];
        if term <= *greatest {
            let newcomer = (peer, term);
            return Err(broken(&Breach::OldTerm { greatest: *greatest, newcomer }));
        }
        *greatest = term;
        let work = Work { of: peer, office, term };
        self.rest.works.retain(|other| other.of != peer || other.office != office);
        let at = self.rest.works.partition_point(|&other| other < work);
        self.rest.works.insert(at, work);
        Ok(())
    }

    /// A participant has crashed: its alarms and its work are gone.
    pub(super) fn bury(&mut self, peer: Peer, clocks: Ratio) {
        self.pending.retain(|alarm| alarm.of != peer);
        self.rest.works.retain(|work| work.of != peer);
        self.settle(clocks);
    }

    /// Brings the pending alarms into their normal form.
    pub(super) fn settle(&mut self, clocks: Ratio) {
        normalize(&mut self.pending, clocks, pending);
    }
}

/// What matters of an alarm to the order of ringing.
pub(super) const fn pending(alarm: Alarm) -> Pending {
    Pending { of: alarm.of, ticks: alarm.ticks }
}

/// All participants have come up for the first time.
pub(super) fn first<P: Recoverable>(explorer: &Explorer<P>, tables: &Tables<P>) -> Configuration {
    let down = tables.locals.number(Local { up: None, cells: BTreeMap::new(), boots: 0 });
    let mut first = Configuration {
        locals: vec![down; explorer.peers as usize],
        pending: Vec::new(),
        sent: Vec::new(),
        rest: Rest {
            budget: explorer.budget,
            greatest: vec![Term(0); explorer.offices as usize],
            works: Vec::new(),
        },
    };
    for peer in (0..explorer.peers).map(Peer) {
        let outcomes = tables.react(explorer, peer, down, Input::Start(Memory::New));
        // Coins at the first start fall one way; nothing has happened that could make a difference.
        let _ = first.react(explorer, tables, peer, &outcomes[0]);
    }
    first
}
