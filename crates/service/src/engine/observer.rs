//! Finds out who leads: from this participant's own state, or from other members.
//!
//! A member knows to whom it has granted an office. A participant that wants to know and does not,
//! for example a stander, asks all members at each heartbeat.

use super::{Engine, TICK};
use crate::office::OfficeName;
use crate::packet::Packet;
use crate::standing::{Heard, Leader, Standing};
use std::collections::BTreeMap;
use suffrage_process::recovery::{Office, Peer, Recoverable, Term};
use tokio::sync::{oneshot, watch};

/// The answers of members: who leads, and as of when.
#[derive(Debug, Default)]
pub(super) struct Hearsay(BTreeMap<Peer, (Option<(Peer, Term)>, u64)>);

impl Engine {
    /// Returns the leader that the process itself knows.
    fn known(&self, office: Office) -> Option<(Peer, Term)> {
        let me = self.parts.setting.me;
        if let Some((tenure, _)) = self.tenure(office) {
            return Some((me, tenure.term));
        }
        self.process.as_ref()?.leader(office).filter(|(leader, _)| *leader != me)
    }

    /// Returns the leader, and the source of this information.
    pub(super) fn finding(&self, office: Office) -> (Option<(Peer, Term)>, Heard) {
        let hearing = self.hearing.clone();
        let me = self.parts.setting.me;
        if let Some(known) = self.known(office) {
            let heard = match self.hearing.of(known.0) {
                _ if known.0 == me => Heard::Here,
                Some(last) => Heard::From(last, hearing),
                None => Heard::At(self.now(), hearing),
            };
            return (Some(known), heard);
        }
        let lease = u64::from(self.parts.setting.lease) * TICK;
        let now = self.now();
        let said = self.seats.get(&office).into_iter().flat_map(|seat| seat.hearsay.0.values());
        let said = said.filter(|(leader, at)| {
            // About its own tenures the process knows better.
            now.saturating_sub(*at) <= lease && leader.is_some_and(|(peer, _)| peer != me)
        });
        match said.max_by_key(|(leader, at)| (leader.map(|(_, term)| term), *at)) {
            Some(&(leader, at)) => (leader, Heard::At(at, hearing)),
            None => (None, Heard::Majority(hearing)),
        }
    }

    /// Returns the standing of an office.
    pub(super) fn standing(&self, office: &OfficeName) -> Standing {
        let (leader, heard) = self.finding(office.number());
        let last = self.seats.get(&office.number()).and_then(|seat| seat.last_term);
        let term = leader.map(|(_, term)| term).or(last);
        let leader = leader.map(|(peer, _)| Leader { name: self.name_of(peer), peer });
        Standing::new(office.name().into(), leader, term.map(|term| term.0), heard)
    }

    pub(super) fn watch(
        &mut self,
        office: &OfficeName,
        answer: oneshot::Sender<watch::Receiver<Standing>>,
    ) {
        self.seat(office);
        let standing = self.standing(office);
        let seat = self.seat(office);
        let sender = seat.standing.get_or_insert_with(|| watch::Sender::new(standing));
        let _ = answer.send(sender.subscribe());
        self.look_soon();
        self.tell_watchers(office.number());
    }

    /// Notifies watchers if the leader has changed.
    pub(super) fn tell_watchers(&mut self, office: Office) {
        let known = self.finding(office).0;
        let Some(seat) = self.seats.get_mut(&office) else { return };
        seat.last_term = seat.last_term.max(known.map(|(_, term)| term));
        if std::mem::replace(&mut seat.was_led, known.is_some()) && known.is_none() {
            self.counters.vacancies += 1;
        }
        if seat.standing.is_none() {
            return;
        }
        let standing = self.standing(&self.seats[&office].office);
        let sender = self.seats.get(&office).and_then(|seat| seat.standing.as_ref());
        if let Some(sender) = sender {
            sender.send_if_modified(|old| {
                let changed = !old.agrees_with(&standing);
                *old = standing;
                changed
            });
        }
    }

    /// Asks the members about offices that are watched, or that operators have given orders for, whose
    /// leader this participant does not know. Returns whether any office is watched.
    pub(super) fn ask_around(&mut self) -> bool {
        let watched = |office: Office, seat: &super::Seat| {
            seat.standing.as_ref().is_some_and(|standing| standing.receiver_count() > 0)
                || self.is_ordered(office)
        };
        let watched: Vec<Office> = self
            .seats
            .iter()
            .filter(|&(&office, seat)| watched(office, seat))
            .map(|(&office, _)| office)
            .collect();
        for &office in &watched {
            self.tell_watchers(office); // Earlier answers may be too old by now.
            if self.known(office).is_none() {
                let ask = |member| (member, Packet::Ask(office));
                let asked = self.parts.setting.others().map(ask).collect();
                self.send(asked);
            }
        }
        !watched.is_empty()
    }

    /// Answers the question of a peer.
    pub(super) fn asked(&mut self, by: Peer, office: Office) {
        // An answer must not depend on writes that are not synced.
        if !self.parts.setting.is_member() || !self.held.is_empty() {
            return;
        }
        let leader = self.known(office);
        let last = match leader {
            Some((peer, _)) if peer == self.parts.setting.me => None,
            Some((peer, _)) => self.hearing.of(peer),
            None => None,
        };
        let age = last.map_or(0, |last| {
            self.now().saturating_sub(last.load(std::sync::atomic::Ordering::Relaxed)) / TICK
        });
        self.send(vec![(by, Packet::Tell { office, leader, age })]);
    }

    /// Handles the answer of a member.
    pub(super) fn told(
        &mut self,
        by: Peer,
        office: Office,
        leader: Option<(Peer, Term)>,
        age: u64,
    ) {
        if by.0 >= self.parts.setting.members {
            return;
        }
        let at = self.now().saturating_sub(age.saturating_mul(TICK));
        if let Some(seat) = self.seats.get_mut(&office) {
            seat.hearsay.0.insert(by, (leader, at));
            self.tell_watchers(office);
        }
    }

    /// Returns the name of a peer, or its number if the name is not known.
    pub(super) fn name_of(&self, peer: Peer) -> String {
        if peer == self.parts.setting.me {
            return self.parts.name.clone();
        }
        let member = self.parts.members.get(peer.0 as usize).cloned();
        member.or_else(|| self.parts.transport.name(peer)).unwrap_or_else(|| peer.0.to_string())
    }

    /// Returns the peer with this name.
    pub(super) fn peer_named(&self, name: &str) -> Option<Peer> {
        if name == self.parts.name {
            return Some(self.parts.setting.me);
        }
        let member = self.parts.members.iter().position(|member| member == name);
        let member = member.map(|number| Peer(number as u32));
        member.or_else(|| self.parts.transport.peer(name)).or_else(|| name.parse().ok().map(Peer))
    }
}
