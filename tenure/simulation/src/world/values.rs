//! What processes show of the values of leaderships.

use super::SimulatedWorld;
use crate::watch::{ClusterEvent, SimulationWatch};
use tenure_model::{Office, Peer, Recoverable};

/// For how many offices a process repeats what was not answered at one beat.
const OFFICES_AT_A_BEAT: u64 = 256;

impl<P: Recoverable, W: SimulationWatch<P>> SimulatedWorld<'_, P, W> {
    /// Records what a process shows now, if it is something else than before.
    pub(super) fn show(&mut self, peer: u32, office: Office) {
        let slot = &self.slots[peer as usize];
        let (Some(process), Some(&seat)) = (&slot.process, slot.seats.get(&office)) else { return };
        let value = seat.named.and_then(|named| Some((named, process.value(office, named.1)?)));
        let shown = value.map(|((_, term), (change, _))| (term, change));
        if shown == seat.shown {
            return;
        }
        self.look_at_value(peer, office);
        self.tell(ClusterEvent::Shows(Peer(peer), office, shown));
        let Some((named, value)) = value else {
            self.slots[peer as usize].seats.entry(office).or_default().shown = None;
            return;
        };
        self.offices.shown(self.now, office, Peer(peer), named, value, seat.newest);
        if let Some((newest, set_at)) = self.offices.newest_value(office, named)
            && newest == value.0
            && newest > 0
            && named.0.0 != peer
        {
            self.offices.report.value_delays.push(self.now - set_at.max(seat.named_since));
        }
        let seat = self.slots[peer as usize].seats.entry(office).or_default();
        seat.shown = shown;
        seat.newest = seat.newest.max((named.1, value.0));
    }

    /// Checks, before conditions change, whether processes could have shown a newer value.
    pub(super) fn look_at_values(&mut self) {
        if self.offices.report.values == 0 {
            return;
        }
        for peer in 0..self.slots.len() as u32 {
            let offices: Vec<Office> = self.slots[peer as usize].seats.keys().copied().collect();
            for office in offices {
                self.look_at_value(peer, office);
            }
        }
    }

    /// Checks whether a process could have shown a newer value: of a leader that leads still, and with which it has been
    /// able to exchange messages for longer than all the parts of a value take.
    fn look_at_value(&mut self, peer: u32, office: Office) {
        let seat = self.slots[peer as usize].seats.get(&office).copied().unwrap_or_default();
        let Some((leader, term)) = seat.named.filter(|(leader, _)| leader.0 != peer) else {
            return;
        };
        let Some((newest, set_at)) = self.offices.newest_value(office, (leader, term)) else {
            return;
        };
        let leads =
            self.slots[leader.0 as usize].seats.get(&office).filter(|it| it.held == Some(term));
        let Some(began) = leads.map(|it| it.began).filter(|_| seat.shown < Some((term, newest)))
        else {
            return;
        };
        let joined = self.reach.joined_since(peer as usize, leader.0 as usize);
        let nanos = self.now.saturating_sub(joined.max(began).max(set_at).max(seat.named_since));
        let bound = self.bound_of_values();
        if nanos > bound {
            self.offices.value_late(self.now, office, Peer(peer), nanos, bound);
        }
    }

    /// The time within which a value is shown: what was lost before is repeated at a beat, and the longest value has 37
    /// parts; eight come at a time. Each message may wait for a sync that runs, and for the next.
    fn bound_of_values(&self) -> u64 {
        let run = &self.plan.run;
        let beats = 2 + self.offices.len() / OFFICES_AT_A_BEAT;
        let heartbeat = self.plan.setting.clocks.outlasting(self.plan.setting.heartbeat);
        beats * self.plan.tick_nanos(heartbeat)
            + 14 * (run.profile.longest().0 + 2 * run.sync.longest().0)
    }
}
