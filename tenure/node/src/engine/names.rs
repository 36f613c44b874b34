//! The names of offices for which only others stand.
//!
//! Participants refer to an office by its number, and a member votes without knowing the name. To say who
//! leads what, it asks a leader that it has voted for. The number is a hash of the name, so a wrong name from
//! any sender is recognized.

use super::Engine;
use crate::office::OfficeName;
use crate::packet::Packet;
use std::collections::BTreeMap;
use tenure_model::{Office, Peer, Recoverable as _};

/// How often a leader is asked.
const TRIES: u8 = 10;
/// For how long an office that is led no more is kept, in nanoseconds.
const KEPT: u64 = 60_000_000_000;
/// The maximal number of offices with a name that was learnt, or whose name is asked for.
const MOST: usize = 4096;

/// What a member knows of the names of offices for which only others stand.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The offices whose leader is still asked, and how often it was.
    unknown: BTreeMap<Office, u8>,
    /// The offices whose names were learnt, and when each is forgotten if it has no leader until then.
    learnt: BTreeMap<Office, u64>,
}

impl Engine {
    /// Has the leader of an office asked for its name, if this member does not know it.
    pub(super) fn wonder(&mut self, office: Office) {
        let room = self.names.unknown.len() + self.names.learnt.len() < MOST;
        if room
            && !self.seats.contains_key(&office)
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
        (self.parts.setting.is_member() && leader != me).then_some(leader)
    }

    /// Asks for the names that are not known yet. Returns whether there are any.
    pub(super) fn ask_for_names(&mut self) -> bool {
        for office in self.names.unknown.keys().copied().collect::<Vec<_>>() {
            let leader =
                self.leader_elsewhere(office).filter(|_| !self.seats.contains_key(&office));
            let tries = self.names.unknown.get_mut(&office).filter(|tries| **tries < TRIES);
            if let (Some(leader), Some(tries)) = (leader, tries) {
                *tries += 1;
                self.send(vec![(leader, Packet::Name(office))]);
            } else {
                self.names.unknown.remove(&office);
            }
        }
        !self.names.unknown.is_empty()
    }

    /// Answers the question of a member for a name.
    pub(super) fn asked_for_name(&mut self, by: Peer, office: Office) {
        let seat = self.seats.get(&office).filter(|_| by.0 < self.parts.setting.members);
        if let Some(seat) = seat {
            let named = Packet::Named(seat.office.clone());
            self.send(vec![(by, named)]);
        }
    }

    /// Learns a name for which this member has asked.
    pub(super) fn named(&mut self, office: &OfficeName) {
        if self.names.unknown.remove(&office.number()).is_some() {
            self.names.learnt.insert(office.number(), self.now() + KEPT);
            self.seat(office);
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
            *until = now + KEPT;
        }
        if *until <= now {
            self.names.learnt.remove(&office);
            return false;
        }
        true
    }

    /// Forgets the offices with learnt names that have had no leader for [`KEPT`].
    pub(super) fn forget_names(&mut self) {
        let now = self.now();
        let due = self.names.learnt.iter().filter(|&(_, &until)| until <= now);
        for office in due.map(|(&office, _)| office).collect::<Vec<_>>() {
            self.update(office);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TestClock;
    use crate::engine::observer::tests::engine;
    use std::sync::Arc;
    use std::time::Duration;

    fn listed(engine: &mut Engine) -> Vec<String> {
        engine.status().offices.into_iter().map(|office| office.name).collect()
    }

    #[test]
    fn a_name_that_nobody_has_asked_for_is_not_learnt_and_one_that_is_not_led_is_forgotten() {
        let clock = Arc::new(TestClock::new(1_000_000));
        let mut engine = engine(clock.clone());
        let (right, other) = (OfficeName::new("job").unwrap(), OfficeName::new("other").unwrap());
        engine.names.unknown.insert(right.number(), 1);
        engine.named(&other);
        assert_eq!(listed(&mut engine), ["configured"]);
        engine.named(&right);
        assert!(engine.names.unknown.is_empty() && listed(&mut engine).contains(&"job".to_owned()));
        clock.advance(Duration::from_nanos(KEPT));
        assert_eq!(listed(&mut engine), ["configured"]);
        assert!(engine.names.learnt.is_empty());
    }

    #[test]
    fn an_office_that_is_led_no_more_is_asked_for_no_longer() {
        let mut engine = engine(Arc::new(TestClock::new(1_000_000)));
        engine.names.unknown.insert(OfficeName::new("job").unwrap().number(), 1);
        assert!(!engine.ask_for_names());
    }
}
