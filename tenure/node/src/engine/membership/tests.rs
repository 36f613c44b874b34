use super::*;
use crate::clock::TestClock;
use crate::engine::{EngineInbox, EngineParts};
use crate::packet::RecordAge;
use crate::records::{Loaded, MemberRecord, MemoryStore};
use crate::timing::LeaseTiming;
use crate::transport::{Envelope, ParticipantTransport};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};
use tenure_model::{Memory, Term};
use tenure_protocol::electorate::Electorate;
use tenure_protocol::reconfiguration::ConfigurationTag;
use tenure_protocol::tenure::FLOOR;

/// Links that note to whom a question for a roster is sent, and from where on.
#[derive(Default)]
struct Questions(Mutex<Vec<(Peer, u16)>>);

impl ParticipantTransport for Questions {
    fn send(&self, to: Peer, envelope: Envelope) {
        if let Some(PeerMessage::WantRoster { begin, .. }) = PeerMessage::decode(&envelope.bytes) {
            self.0.lock().unwrap().push((to, begin));
        }
    }

    fn close(&self) {}
}

/// The member `c` of `a`, `b` and `c`, and a roster that it does not know, which takes several parts.
struct Setup {
    engine: NodeEngine,
    asked: Arc<Questions>,
    roster: Roster,
}

impl Setup {
    fn new() -> Self {
        let (inbox, asked) = (Arc::new(EngineInbox::default()), Arc::<Questions>::default());
        let setting = LeaseTiming::LAN.setting(Peer(2), 3).unwrap();
        let founders = Roster::named(&["a", "b", "c"]);
        let members = ClusterMembers::founding(founders.clone());
        let clock = Arc::new(TestClock::new(1_000_000));
        let record =
            MemberRecord { boot: 1, cells: [(FLOOR, 0)].into(), ..MemberRecord::default() };
        let parts = EngineParts {
            loaded: Loaded { record, ..Loaded::nothing(Memory::Kept) },
            store: Box::new(MemoryStore::founding()),
            ..EngineParts::new(setting, ("c", "lab"), members, clock, asked.clone(), inbox)
        };
        let engine = NodeEngine::new(parts, Arc::new(AtomicU32::new(2))).unwrap();
        let host = RosterHost::founder("d", &"long".repeat(60), false);
        Self { engine, asked, roster: founders.with(host).unwrap().0 }
    }

    /// A peer tells of the change that enters this host.
    fn told(&mut self, from: Peer) {
        self.told_at(from, 1);
    }

    /// A peer tells of this change, which was proposed at this ballot.
    fn told_at(&mut self, from: Peer, ballot: u64) {
        let tag = ConfigurationTag { number: 1, ballot: Term(ballot) };
        let roster = self.roster.digest();
        let all = Electorate::all(Members::Below(3));
        let told = VotingConfiguration { tag, roster, ..VotingConfiguration::founding(all) };
        let members = PeerMessage::Protocol(ReconfigurableMsg::Members(told));
        self.engine.receive(from, &members.encode());
    }

    /// A peer tells a part of this roster, as the one of the digest that is asked for.
    fn part(&mut self, roster: &Roster, begin: usize) {
        let (digest, bytes) = (self.roster.digest(), roster.encode());
        let (length, end) = (bytes.len() as u16, bytes.len().min(begin + PART));
        let (begin, bytes) = (begin as u16, bytes[begin..end].to_vec());
        let part = PeerMessage::RosterPart { digest, length, begin, bytes };
        self.engine.receive(Peer(1), &part.encode());
    }

    fn parts(&mut self, roster: &Roster) {
        (0..roster.encode().len()).step_by(PART).for_each(|begin| self.part(roster, begin));
    }

    fn number(&self) -> u64 {
        self.engine.members.now.number()
    }

    fn asked(&mut self) -> Vec<(Peer, u16)> {
        self.engine.want_roster();
        std::mem::take(&mut self.asked.0.lock().unwrap())
    }
}

#[test]
fn a_change_is_followed_when_its_roster_is_known() {
    let mut setup = Setup::new();
    let roster = setup.roster.clone();
    setup.told(Peer(0));
    assert_eq!((setup.number(), setup.asked()[0]), (0, (Peer(0), 0)));
    setup.parts(&roster);
    // The others do not repeat the change.
    assert_eq!(setup.asked(), vec![]);
    assert_eq!((setup.number(), &setup.engine.members.now.roster), (1, &roster));
    assert_eq!(setup.engine.record.roster, Some(roster));
}

#[test]
fn the_rest_of_a_roster_is_asked_of_the_one_who_told_of_it_last() {
    let mut setup = Setup::new();
    let roster = setup.roster.clone();
    setup.told(Peer(0));
    setup.part(&roster, 0);
    assert_eq!(setup.asked().last(), Some(&(Peer(0), PART as u16)));
    // The first one is gone for good.
    setup.told(Peer(1));
    assert_eq!(setup.asked(), [(Peer(1), PART as u16)]);
    setup.parts(&roster);
    assert_eq!(setup.number(), 1);
}

#[test]
fn a_roster_of_another_digest_or_cluster_is_not_taken() {
    let mut setup = Setup::new();
    setup.told(Peer(0));
    let other = RosterHost::founder("e", "elsewhere", false);
    let other = Roster::named(&["a", "b", "c"]).with(other).unwrap().0;
    setup.parts(&other);
    assert!(
        setup.engine.members.rosters.is_empty() && setup.asked().last().is_none_or(|it| it.1 == 0)
    );
    setup.roster = Roster::named(&["x", "b", "c"]).with(setup.roster.hosts()[3].clone()).unwrap().0;
    let roster = setup.roster.clone();
    setup.told(Peer(0));
    setup.parts(&roster);
    setup.told(Peer(0));
    assert_eq!(setup.number(), 0);
    assert!(setup.engine.members.rosters.is_empty());
}

#[test]
fn a_roster_is_taken_in_place_of_another_one_that_was_only_proposed() {
    let mut setup = Setup::new();
    let mut take = |name, ballot| {
        let host = RosterHost::founder(name, "elsewhere", false);
        let roster = Roster::named(&["a", "b", "c"]).with(host).unwrap().0;
        setup.roster = roster.clone();
        setup.told_at(Peer(0), ballot);
        setup.parts(&roster);
        assert_eq!(setup.engine.members.now.roster, roster);
    };
    take("d", 1);
    // Both operators have asked at once, and this one's change comes first.
    take("e", 2);
}

#[test]
fn nothing_is_asked_of_a_client_that_tells_of_members() {
    let mut setup = Setup::new();
    let rejected = setup.engine.status.rejected;
    setup.told(Peer(MOST_HOSTS as u32));
    assert_eq!((setup.asked(), setup.engine.status.rejected), (vec![], rejected + 1));
}

#[test]
fn a_record_that_is_older_than_others_remember_still_says_who_the_members_are() {
    let mut setup = Setup::new();
    let roster = setup.roster.clone();
    setup.told(Peer(0));
    setup.parts(&roster);
    setup.told(Peer(0));
    let now = setup.engine.members.now.clone();
    assert_eq!(now.number(), 1);
    let age = RecordAge { boot: u64::MAX >> 1, highest: Term(9) };
    setup.engine.receive(Peer(0), &PeerMessage::Remembered(age).encode());
    let engine = &setup.engine;
    assert!(engine.forgetful && !engine.record.cells.contains_key(&FLOOR));
    assert_eq!(engine.process.as_ref().unwrap().configuration(), &now.configuration);
    assert_eq!(engine.record.cells.get(&OWN_NUMBER), Some(&2));
    assert_eq!((&engine.members.now, &engine.record.roster), (&now, &Some(roster)));
}

#[test]
fn a_process_that_starts_again_is_told_again_what_an_operator_wants() {
    let Setup { mut engine, .. } = Setup::new();
    let proposes = |engine: &NodeEngine| {
        let mut held = engine.held.iter().flat_map(|held| &held.messages);
        held.any(|(_, it)| matches!(it, PeerMessage::Protocol(ReconfigurableMsg::Prepare(..))))
    };
    let (answer, mut answered) = oneshot::channel();
    engine.change_members(MembershipChange::Remove { name: "a".to_owned() }, answer);
    assert!(proposes(&engine));
    engine.restart();
    assert!(engine.process.is_some() && !proposes(&engine));
    engine.look();
    assert!(proposes(&engine) && answered.try_recv().is_err());
}
