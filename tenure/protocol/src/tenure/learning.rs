//! Recovery without a record: a member learns from the others what it may have promised before it
//! grants.

use super::{Alarm, Cell, Msg, Out, Tenure};
use alloc::{vec, vec::Vec};
use tenure_model::{Effects, Memory, Office, Peer, Start, Term};

/// The cell that is present if this member knows its promises: a term that it has promised in every
/// office.
pub(super) const FLOOR: Cell = Cell { table: 0, key: 0 };
/// The cell of the greatest term promised in any office.
const HIGHEST: Cell = Cell { table: 0, key: 1 };
/// The cell of the number of this record: the boot at which it was empty.
const STORE: Cell = Cell { table: 0, key: 2 };
/// The cell of the time for which this member, or a process of it before, may owe what it has granted, in
/// ticks: the setting may be another one at the next start.
const OWED: Cell = Cell { table: 0, key: 3 };

pub(super) const fn promise(office: Office) -> Cell {
    Cell { table: 1, key: office.0 }
}

const fn founder(member: Peer) -> Cell {
    Cell { table: 2, key: member.0 as u64 }
}

/// Records a promise in stable storage.
pub(super) fn write_promise(office: Office, term: Term, out: &mut Out<impl Effects<Tenure>>) {
    out.effects.write(promise(office), term.0);
    if out.effects.read(HIGHEST).unwrap_or(0) < term.0 {
        out.effects.write(HIGHEST, term.0);
    }
}

/// The state of learning in a member without a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Learning {
    store: u64,
    /// The number of the current look at the others, incremented when another record is found
    /// empty: earlier answers do not show that all were empty at once.
    look: u32,
    /// The last answer of each member, by number.
    heard: Vec<Heard>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Heard {
    Nothing,
    Promised(Term),
    Blank { store: u64, look: u32 },
}

impl Tenure {
    /// Determines what a member that comes up may grant, and when.
    pub(super) fn recover(&mut self, start: Start, out: &mut Out<impl Effects<Self>>) {
        let owed = self.owed_for();
        if start.memory == Memory::New {
            self.note_owed(owed, out);
            out.effects.write(STORE, start.boot);
            return out.effects.write(FLOOR, 0);
        }
        self.quarantined = true;
        // What the processes before owe, they owe by their own setting. A record that does not tell it may
        // be of any.
        let untold = if out.effects.read(FLOOR).is_some() { u32::MAX } else { 0 };
        let before = out.effects.read(OWED).map_or(untold, |it| it.try_into().unwrap_or(u32::MAX));
        let longest = owed.max(before);
        self.note_owed(longest, out);
        out.effects.set_alarm(Alarm::Quarantine, longest);
        if out.effects.read(FLOOR).is_none() {
            let store = out.effects.read(STORE).unwrap_or(start.boot);
            out.effects.write(STORE, store);
            let heard = vec![Heard::Nothing; self.setting.members as usize];
            self.learning = Some(Learning { store, look: 0, heard });
            self.learnt(None, out);
        }
    }

    /// Records for how long this member may owe what it grants, if the record says otherwise.
    pub(super) fn note_owed(&self, ticks: u32, out: &mut Out<impl Effects<Self>>) {
        if out.effects.read(OWED) != Some(ticks.into()) {
            out.effects.write(OWED, ticks.into());
        }
    }

    /// Asks the others, at a heartbeat, what they have promised.
    pub(super) fn learn(&self, out: &mut Out<impl Effects<Self>>) {
        if let Some(Learning { store, look, .. }) = self.learning {
            for g in self.setting.others() {
                out.send(g, Msg::Learn { boot: self.boot, store, look });
            }
        }
    }

    /// Answers a member without a record.
    pub(super) fn teach(
        &self,
        h: Peer,
        (boot, store, look): (u64, u64, u32),
        out: &mut Out<impl Effects<Self>>,
    ) {
        let read = |cell| out.effects.read(cell);
        out.send(
            h,
            match &self.learning {
                Some(learning) => Msg::Blank { boot, store: learning.store, look },
                None => Msg::Promised {
                    boot,
                    highest: Term(read(HIGHEST).max(read(FLOOR)).unwrap_or(0)),
                    founded: read(founder(h)) == Some(store),
                },
            },
        );
    }

    /// Handles the answer of a member that knows its promises.
    pub(super) fn taught(
        &mut self,
        g: Peer,
        highest: Term,
        founded: bool,
        out: &mut Out<impl Effects<Self>>,
    ) {
        if let Some(learning) = &mut self.learning {
            learning.heard[g.0 as usize] = Heard::Promised(highest);
            self.learnt(founded.then_some(highest), out);
        }
    }

    /// Handles the answer of a member that does not know its promises either.
    pub(super) fn blank(
        &mut self,
        g: Peer,
        store: u64,
        look: u32,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let Some(learning) = &mut self.learning else { return };
        match &mut learning.heard[g.0 as usize] {
            Heard::Blank { store: same, look: last } if *same == store => *last = look.max(*last),
            heard => {
                *heard = Heard::Blank { store, look: 0 };
                learning.look += 1;
            }
        }
        self.learnt(None, out);
    }

    /// Ends the learning if enough is known. Whatever this member may have promised for a tenure,
    /// every other member of that tenure's majority has promised, too; and at least one of these is
    /// among any `n - majority + 1` other members.
    fn learnt(&mut self, founded: Option<Term>, out: &mut Out<impl Effects<Self>>) {
        let Some(learning) = &self.learning else { return };
        let others = || self.setting.others().map(|g| (g, learning.heard[g.0 as usize]));
        let highest = |(_, heard)| match heard {
            Heard::Promised(highest) => Some(highest),
            Heard::Nothing | Heard::Blank { .. } => None,
        };
        let again =
            |(_, heard)| matches!(heard, Heard::Blank { look, .. } if look == learning.look);
        let enough = self.setting.members as usize - self.setting.majority() + 1;
        let floor = if others().filter_map(highest).count() >= enough {
            others().filter_map(highest).max().unwrap_or_default()
        } else if let Some(highest) = founded {
            highest
        } else if others().all(again) {
            for (g, heard) in others() {
                if let Heard::Blank { store, .. } = heard {
                    out.effects.write(founder(g), store);
                }
            }
            Term(0)
        } else {
            return;
        };
        out.effects.write(FLOOR, floor.0);
        self.learning = None;
        self.settle_all(out);
        self.pursue_all(out);
    }
}
