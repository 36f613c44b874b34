//! Finds out who leads: from this participant's own state, or from other members.
//!
//! A member knows to whom it has granted an office. A participant that wants to know and does not,
//! for example a client, asks all members at each heartbeat.
//!
//! Participants refer to an office by its number, and a member votes without knowing the name. To say who leads
//! what, it asks a leader that it has voted for. The number is a hash of the name, so a wrong name from any
//! sender is recognized.

use super::{Candidacy, NodeEngine, TICK};
use crate::office::OfficeName;
use crate::packet::PeerMessage;
use crate::standing::{HeardFrom, KnownLeader, OfficeStanding};
use std::collections::BTreeMap;
use tenure_model::{Office, Peer, Recoverable, Term};
use tokio::sync::{oneshot, watch};

/// How long an office is kept after a program has asked for it once, in nanoseconds.
const KEPT: u64 = 5_000_000_000;
/// The maximal number of such offices. For others, the answer is what this participant knows by itself.
const MOST: usize = 256;

/// The answers of members: who leads, and as of when.
#[derive(Debug, Default)]
pub(super) struct MemberReports(BTreeMap<Peer, (Option<(Peer, Term)>, u64)>);

impl MemberReports {
    pub(super) fn tell(&mut self, by: Peer, leader: Option<(Peer, Term)>, at: u64) {
        self.0.insert(by, (leader, at));
    }

    pub(super) fn is_from(&self, member: Peer) -> bool {
        self.0.contains_key(&member)
    }

    /// Returns the leader of the greatest term.
    pub(super) fn newest(&self) -> Option<(Peer, Term)> {
        self.0.values().filter_map(|&(leader, _)| leader).max_by_key(|&(_, term)| term)
    }
}

impl NodeEngine {
    fn known(&self, office: Office) -> Option<(Peer, Term)> {
        let me = self.parts.setting.me;
        if let Some((tenure, _)) = self.tenure(office) {
            return Some((me, tenure.term));
        }
        self.process.as_ref()?.leader(office).filter(|(leader, _)| *leader != me)
    }

    pub(super) fn finding(&self, office: Office) -> (Option<(Peer, Term)>, HeardFrom) {
        let hearing = self.hearing.clone();
        let me = self.parts.setting.me;
        if let Some(known) = self.known(office) {
            let heard = match self.hearing.of(known.0) {
                _ if known.0 == me => HeardFrom::Here,
                Some(last) => HeardFrom::From(last, hearing),
                None => HeardFrom::At(self.now(), hearing),
            };
            return (Some(known), heard);
        }
        let lease = u64::from(self.parts.setting.lease) * TICK;
        let now = self.now();
        let said = self
            .candidacies
            .get(&office)
            .into_iter()
            .flat_map(|candidacy| candidacy.reports.0.values());
        let said = said.filter(|(leader, at)| {
            // About its own tenures the process knows better.
            now.saturating_sub(*at) <= lease && leader.is_some_and(|(peer, _)| peer != me)
        });
        match said.max_by_key(|(leader, at)| (leader.map(|(_, term)| term), *at)) {
            Some(&(leader, at)) => (leader, HeardFrom::At(at, hearing)),
            None => (None, HeardFrom::Majority(hearing)),
        }
    }

    pub(super) fn standing(&self, office: &OfficeName) -> OfficeStanding {
        let (leader, heard) = self.finding(office.number());
        let last = self.candidacies.get(&office.number()).and_then(|candidacy| candidacy.last_term);
        let term = leader.map(|(_, term)| term).or(last);
        let value = leader.and_then(|(_, term)| self.values.value(office.number(), term));
        let value = value.map(|(change, value)| (change, value.clone()));
        let leader = leader.map(|(peer, _)| KnownLeader { name: self.name_of(peer), peer });
        OfficeStanding::new(office.name().into(), leader, term.map(|term| term.0), value, heard)
    }

    /// Tells who leads, and keeps what the members answer for a while, for the next question.
    pub(super) fn tell(&mut self, office: &OfficeName, answer: oneshot::Sender<OfficeStanding>) {
        let only_asked_for =
            |candidacy: &&Candidacy| candidacy.asked_for.is_some() && !candidacy.is_watched();
        let number = office.number();
        if self.candidacies.contains_key(&number)
            || self.candidacies.values().filter(only_asked_for).count() < MOST
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
        answer: oneshot::Sender<watch::Receiver<OfficeStanding>>,
    ) {
        self.keep(office);
        let standing = self.standing(office);
        let candidacy = self.candidacy(office);
        let sender = candidacy.standing.get_or_insert_with(|| watch::Sender::new(standing));
        let _ = answer.send(sender.subscribe());
        self.ask(office.number());
        self.tell_watchers(office.number());
    }

    /// Keeps for a while what the members tell of an office.
    pub(super) fn keep(&mut self, office: &OfficeName) {
        let now = self.now();
        self.candidacy(office).asked_for = Some(now + KEPT);
        let beat = u64::from(self.parts.setting.heartbeat) * TICK;
        self.look_at.get_or_insert(now + beat);
    }

    /// Asks the members who leads, if this participant does not know.
    fn ask(&mut self, office: Office) {
        if self.known(office).is_none() {
            let ask = |member| (member, PeerMessage::Ask(office));
            let asked = self.other_members().map(ask).collect();
            self.send(asked);
        }
    }

    pub(super) fn is_only_reported(&self, candidacy: &Candidacy) -> bool {
        candidacy.asked_for.is_some()
            && candidacy.is_empty()
            && !candidacy.is_watched()
            && candidacy.last_term.is_none()
            && self.known_stop(candidacy.office.number()).is_none()
    }

    pub(super) fn tell_watchers(&mut self, office: Office) {
        let known = self.finding(office).0;
        let Some(candidacy) = self.candidacies.get_mut(&office) else { return };
        candidacy.last_term = candidacy.last_term.max(known.map(|(_, term)| term));
        if std::mem::replace(&mut candidacy.was_led, known.is_some()) && known.is_none() {
            self.status.vacancies += 1;
        }
        self.follow_value(office, known);
        let Some(candidacy) = self.candidacies.get(&office) else { return };
        if candidacy.standing.is_none() {
            return;
        }
        let standing = self.standing(&self.candidacies[&office].office);
        let sender =
            self.candidacies.get(&office).and_then(|candidacy| candidacy.standing.as_ref());
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
        let asked_for =
            self.candidacies.iter().filter(|(_, candidacy)| candidacy.asked_for.is_some());
        let asked_for: Vec<Office> = asked_for.map(|(&office, _)| office).collect();
        for &office in &asked_for {
            let ordered = self.is_ordered(office);
            let Some(candidacy) = self.candidacies.get_mut(&office) else { continue };
            if candidacy.is_watched() || ordered {
                self.tell_watchers(office); // Earlier answers may be too old by now.
                self.ask(office);
            } else if candidacy.asked_for.is_some_and(|until| until <= now) {
                candidacy.asked_for = None;
                // Its name is known now, as where a leader has told it.
                if self.leader_elsewhere(office).is_some() && self.names.learnt.len() < MOST_NAMES {
                    self.names.learnt.insert(office, now + NAME_KEPT);
                }
                self.update(office);
            }
        }
        !asked_for.is_empty()
    }

    pub(super) fn asked(&mut self, by: Peer, office: Office) {
        // An answer must not depend on writes that are not synced.
        if !self.votes() || !self.held.is_empty() {
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
        self.send(vec![(by, PeerMessage::Tell { office, leader, age })]);
    }

    pub(super) fn told(
        &mut self,
        by: Peer,
        office: Office,
        leader: Option<(Peer, Term)>,
        age: u64,
    ) {
        if !self.is_member(by) {
            return;
        }
        let at = self.now().saturating_sub(age.saturating_mul(TICK));
        if let Some(candidacy) = self.candidacies.get_mut(&office) {
            candidacy.reports.tell(by, leader, at);
            self.tell_watchers(office);
        }
        self.told_for_orders(by, office, leader);
    }

    pub(super) fn name_of(&self, peer: Peer) -> String {
        if peer == self.parts.setting.me {
            return self.parts.name.clone();
        }
        let member = self.members.now().roster.host(peer).map(|host| host.name.clone());
        member.or_else(|| self.parts.transport.name(peer)).unwrap_or_else(|| peer.0.to_string())
    }

    pub(super) fn peer_named(&self, name: &str) -> Option<Peer> {
        if name == self.parts.name {
            return Some(self.parts.setting.me);
        }
        let now = self.members.now();
        let member = now.member(name).or_else(|| now.roster.number(name));
        member.or_else(|| self.parts.transport.peer(name)).or_else(|| name.parse().ok().map(Peer))
    }
}

const TRIES: u8 = 10;
/// For how long an office that is led no more is kept, in nanoseconds.
const NAME_KEPT: u64 = 60_000_000_000;
/// The maximal number of offices with a name that was learnt, or whose name is asked for.
const MOST_NAMES: usize = 4096;

/// What a member knows of the names of offices for which only others stand.
#[derive(Debug, Default)]
pub(super) struct LearntNames {
    /// The offices whose leader is still asked, and how often it was.
    unknown: BTreeMap<Office, u8>,
    /// The offices whose names were learnt, and when each is forgotten if it has no leader until then.
    learnt: BTreeMap<Office, u64>,
}

impl NodeEngine {
    /// Has the leader of an office asked for its name, if this member does not know it.
    pub(super) fn ask_for_name_soon(&mut self, office: Office) {
        let room = self.names.unknown.len() + self.names.learnt.len() < MOST_NAMES;
        if room
            && !self.candidacies.contains_key(&office)
            && !self.names.unknown.contains_key(&office)
            && self.leader_elsewhere(office).is_some()
        {
            self.names.unknown.insert(office, 0);
            self.look_soon();
        }
    }

    fn leader_elsewhere(&self, office: Office) -> Option<Peer> {
        let me = self.parts.setting.me;
        let (leader, _) = self.process.as_ref()?.leader(office)?;
        (self.votes() && leader != me).then_some(leader)
    }

    /// Asks for the names that are not known yet. Returns whether there are any.
    pub(super) fn ask_for_names(&mut self) -> bool {
        for office in self.names.unknown.keys().copied().collect::<Vec<_>>() {
            let leader =
                self.leader_elsewhere(office).filter(|_| !self.candidacies.contains_key(&office));
            let tries = self.names.unknown.get_mut(&office).filter(|tries| **tries < TRIES);
            if let (Some(leader), Some(tries)) = (leader, tries) {
                *tries += 1;
                self.send(vec![(leader, PeerMessage::Name(office))]);
            } else {
                self.names.unknown.remove(&office);
            }
        }
        !self.names.unknown.is_empty()
    }

    /// Answers the question of a member for a name.
    pub(super) fn asked_for_name(&mut self, by: Peer, office: Office) {
        let candidacy = self.candidacies.get(&office).filter(|_| self.is_member(by));
        if let Some(candidacy) = candidacy {
            let named = PeerMessage::Named(candidacy.office.clone());
            self.send(vec![(by, named)]);
        }
    }

    /// Learns a name for which this member has asked.
    pub(super) fn named(&mut self, office: &OfficeName) {
        if self.names.unknown.remove(&office.number()).is_some() {
            self.names.learnt.insert(office.number(), self.now() + NAME_KEPT);
            self.candidacy(office);
            self.update(office.number());
        }
    }

    /// Returns whether an office is kept since its name was learnt: as long as it is led, and for a while
    /// longer.
    pub(super) fn is_learnt(&mut self, office: Office) -> bool {
        let now = self.now();
        let led = self.leader_elsewhere(office).is_some();
        let Some(until) = self.names.learnt.get_mut(&office) else { return false };
        if led {
            *until = now + NAME_KEPT;
        }
        if *until <= now {
            self.names.learnt.remove(&office);
            return false;
        }
        true
    }

    /// Forgets the offices with learnt names that have had no leader for [`NAME_KEPT`].
    pub(super) fn forget_names(&mut self) {
        let now = self.now();
        let due = self.names.learnt.iter().filter(|&(_, &until)| until <= now);
        for office in due.map(|(&office, _)| office).collect::<Vec<_>>() {
            self.update(office);
        }
    }
}

#[cfg(test)]
mod tests;
