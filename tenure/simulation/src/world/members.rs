//! Members that change.

use super::SimulatedWorld;
use crate::{Who, watch::SimulationWatch};
use std::collections::BTreeSet;
use tenure_model::{Command, Office, Peer, Recoverable};
use tenure_scenarios::{asked, members_of};

impl<P: Recoverable, W: SimulationWatch<P>> SimulatedWorld<'_, P, W> {
    /// Gives the command for these members, as an operator who looks for a member that can carry it out.
    pub(super) fn ask_for(&mut self, members: &[Who]) {
        let members = members.iter().fold(0, |bits, &who| bits | 1 << self.resolve(who));
        let up = (0..).map(Peer).zip(&self.slots).filter(|(_, slot)| !slot.suspended);
        let up = up.filter_map(|(peer, slot)| Some((peer, slot.process.as_ref()?)));
        let leader = self.offices.holders(Office(0)).first().map(|&(holder, _)| holder);
        if let Some(asked) = asked(up, leader) {
            self.command(asked.0, Command::Reconfigure { members, roster: None });
        }
    }

    /// Notes which members a process knows after a reaction.
    pub(super) fn note_members(&mut self, peer: u32) {
        let slot = &mut self.slots[peer as usize];
        let known = slot.process.as_ref().and_then(P::members);
        if known != slot.members {
            slot.members = known;
            self.offices.look_at_all(self.now, self.reach.soonest());
            self.look_at_values();
            self.reachability_changed();
        }
    }

    /// Has a leader need majorities of all members that processes know which are up: each may count by what it knows.
    ///
    /// A leader has the votes of all when its members change, and asks the new ones. Until it has, what had changed
    /// shortly before or changes now may cost it the office, as at the beginning of a tenure.
    pub(super) fn regroup(&mut self) {
        let up = self.slots.iter().filter_map(|slot| slot.process.as_ref());
        let sets: BTreeSet<u64> = up.filter_map(P::members).flat_map(|(_, sets)| sets).collect();
        let of = |set: u64| members_of(set).map(|peer| peer.0 as usize).collect();
        let sets: Vec<Vec<usize>> = sets.into_iter().map(of).collect();
        if !sets.is_empty() && sets != self.reach.sets() {
            self.reach.regroup(self.now, sets);
            let settling = self.plan.settling;
            self.settled = self.settled.max(self.now + settling);
            if self.now - self.shaken < settling {
                let seats = self.slots.iter_mut().flat_map(|slot| slot.seats.values_mut());
                seats.for_each(|seat| seat.shaken = self.shaken);
            }
        }
    }
}
