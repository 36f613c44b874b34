//! Finds out who leads: from this participant's own state, or from other members.
//!
//! A member knows to whom it has granted an office. A participant that wants to know and does not,
//! for example a stander, asks all members at each heartbeat.

use super::{Engine, Seat, TICK};
use crate::office::OfficeName;
use crate::packet::Packet;
use crate::standing::{Heard, Leader, Standing};
use std::collections::BTreeMap;
use tenure_model::{Office, Peer, Recoverable, Term};
use tokio::sync::{oneshot, watch};

/// How long an office is kept after a program has asked for it once, in nanoseconds.
const KEPT: u64 = 5_000_000_000;
/// The maximal number of such offices. For others, the answer is what this participant knows by itself.
const MOST: usize = 256;

/// The answers of members: who leads, and as of when.
#[derive(Debug, Default)]
pub(super) struct Hearsay(BTreeMap<Peer, (Option<(Peer, Term)>, u64)>);

impl Engine {
    fn known(&self, office: Office) -> Option<(Peer, Term)> {
        let me = self.parts.setting.me;
        if let Some((tenure, _)) = self.tenure(office) {
            return Some((me, tenure.term));
        }
        self.process.as_ref()?.leader(office).filter(|(leader, _)| *leader != me)
    }

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

    pub(super) fn standing(&self, office: &OfficeName) -> Standing {
        let (leader, heard) = self.finding(office.number());
        let last = self.seats.get(&office.number()).and_then(|seat| seat.last_term);
        let term = leader.map(|(_, term)| term).or(last);
        let leader = leader.map(|(peer, _)| Leader { name: self.name_of(peer), peer });
        Standing::new(office.name().into(), leader, term.map(|term| term.0), heard)
    }

    /// Tells who leads, and keeps what the members answer for a while, for the next question.
    pub(super) fn tell(&mut self, office: &OfficeName, answer: oneshot::Sender<Standing>) {
        let only_asked_for = |seat: &&Seat| seat.asked_for.is_some() && !seat.is_watched();
        let number = office.number();
        if self.seats.contains_key(&number)
            || self.seats.values().filter(only_asked_for).count() < MOST
        {
            self.keep(office);
        }
        self.ask(number);
        self.tell_watchers(number);
        let _ = answer.send(self.standing(office));
    }

    pub(super) fn watch(
        &mut self,
        office: &OfficeName,
        answer: oneshot::Sender<watch::Receiver<Standing>>,
    ) {
        self.keep(office);
        let standing = self.standing(office);
        let seat = self.seat(office);
        let sender = seat.standing.get_or_insert_with(|| watch::Sender::new(standing));
        let _ = answer.send(sender.subscribe());
        self.ask(office.number());
        self.tell_watchers(office.number());
    }

    /// Keeps for a while what the members tell of an office.
    pub(super) fn keep(&mut self, office: &OfficeName) {
        let now = self.now();
        self.seat(office).asked_for = Some(now + KEPT);
        let beat = u64::from(self.parts.setting.heartbeat) * TICK;
        self.look_at.get_or_insert(now + beat);
    }

    /// Asks the members who leads, if this participant does not know.
    fn ask(&mut self, office: Office) {
        if self.known(office).is_none() {
            let ask = |member| (member, Packet::Ask(office));
            let asked = self.parts.setting.others().map(ask).collect();
            self.send(asked);
        }
    }

    pub(super) fn is_hearsay(&self, seat: &Seat) -> bool {
        seat.asked_for.is_some()
            && seat.is_empty()
            && !seat.is_watched()
            && seat.last_term.is_none()
            && self.known_stop(seat.office.number()).is_none()
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

    /// Asks the members about offices that are watched, or that operators have given orders for, whose leader
    /// this participant does not know, and forgets those that are asked for no more. Returns whether there are
    /// any of either.
    pub(super) fn ask_around(&mut self) -> bool {
        let now = self.now();
        let asked_for = self.seats.iter().filter(|(_, seat)| seat.asked_for.is_some());
        let asked_for: Vec<Office> = asked_for.map(|(&office, _)| office).collect();
        for &office in &asked_for {
            let ordered = self.is_ordered(office);
            let Some(seat) = self.seats.get_mut(&office) else { continue };
            if seat.is_watched() || ordered {
                self.tell_watchers(office); // Earlier answers may be too old by now.
                self.ask(office);
            } else if seat.asked_for.is_some_and(|until| until <= now) {
                seat.asked_for = None;
                self.update(office);
            }
        }
        !asked_for.is_empty()
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

    pub(super) fn name_of(&self, peer: Peer) -> String {
        if peer == self.parts.setting.me {
            return self.parts.name.clone();
        }
        let member = self.parts.members.get(peer.0 as usize).cloned();
        member.or_else(|| self.parts.transport.name(peer)).unwrap_or_else(|| peer.0.to_string())
    }

    pub(super) fn peer_named(&self, name: &str) -> Option<Peer> {
        if name == self.parts.name {
            return Some(self.parts.setting.me);
        }
        let member = self.parts.members.iter().position(|member| member == name);
        let member = member.map(|number| Peer(number as u32));
        member.or_else(|| self.parts.transport.peer(name)).or_else(|| name.parse().ok().map(Peer))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::clock::TestClock;
    use crate::engine::{Action, Inbox, Parts, Priorities};
    use crate::records::MemoryStore;
    use crate::timing::{Stops, Timing};
    use crate::transport::LocalNetwork;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU32;
    use std::time::Duration;

    pub(in crate::engine) fn engine(clock: Arc<TestClock>) -> Engine {
        let inbox = Arc::new(Inbox::default());
        let parts = Parts {
            setting: Timing::LAN.setting(Peer(0), 3).unwrap(),
            members: ["a", "b", "c"].map(str::to_owned).into(),
            name: "a".to_owned(),
            cluster: "lab".to_owned(),
            priorities: Priorities::default(),
            witness: false,
            offices: vec![OfficeName::new("configured").unwrap()],
            stops: Stops::from([(OfficeName::new("configured").unwrap().number(), 0)]),
            store: Box::new(MemoryStore::founding()),
            clock,
            clock_drift: None,
            transport: LocalNetwork::new(1).join(Peer(0), "a", inbox.doorway()),
            inbox,
        };
        Engine::new(parts, Arc::new(AtomicU32::new(0))).unwrap()
    }

    #[test]
    fn however_many_names_are_asked_for_few_are_kept_and_not_for_long() {
        let clock = Arc::new(TestClock::new(1_000_000));
        let mut engine = engine(clock.clone());
        for number in 0..10 * MOST {
            let office = OfficeName::new(&format!("typo-{number}")).unwrap();
            let (answer, mut told) = oneshot::channel();
            engine.act(Action::Tell { office, answer });
            assert!(told.try_recv().unwrap().leader().is_none());
        }
        assert_eq!(engine.seats.len(), 1 + MOST);
        let offices = engine.status().offices;
        assert!(offices.iter().all(|office| office.name == "configured"), "{offices:?}");
        clock.advance(Duration::from_nanos(KEPT) + Timing::LAN.heartbeat);
        engine.look();
        assert_eq!(engine.seats.len(), 1);
    }
}
