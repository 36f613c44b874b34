//! A member without threads: what happens when is up to its caller.

use crate::clock::DeadlineClock;
use crate::config::{ClusterConfig, ConfigError};
use crate::engine::{Batch, EngineInbox, EngineParts, EngineRequest, NodeEngine, RecordWriter};
use crate::error::StartError;
use crate::leadership::{EndWatcher, Ends};
use crate::membership::{ClusterMembers, HostStart};
use crate::packet::PeerMessage;
use crate::participant::{Member, Participant};
use crate::records::{Loaded, MemberRecord};
use crate::roster::Roster;
use crate::timing::LeaseTiming;
use crate::transport::quic::Agreement;
use crate::transport::{MessageSink, ParticipantTransport};
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tenure_model::{Cell, Office, Peer, Term};
use tenure_protocol::reconfiguration::VotingConfiguration;
use tenure_protocol::tenure::{self, FLOOR, HIGHEST, Msg, promise};
use tokio::sync::watch;

/// A member whose loop takes a turn when its caller says so, by a clock, a disk and a transport of the caller.
pub struct SteppedMember {
    engine: NodeEngine,
    ends: EndWatcher,
    /// When the first leadership ends by the clock, unless it is extended.
    first_end: u64,
    batch: Batch,
    agreement: Agreement,
    inbox: Arc<EngineInbox>,
    writes: Receiver<(u64, MemberRecord)>,
    participant: Participant,
    members: watch::Receiver<ClusterMembers>,
    _ending: watch::Sender<()>,
}

impl Deref for SteppedMember {
    type Target = Participant;

    fn deref(&self) -> &Participant {
        &self.participant
    }
}

impl SteppedMember {
    /// Returns as what the host of this name starts: the members, and its number. `joins` says what members tell that it
    /// has asked, if it is none of the founders. Nothing if it has to wait, or has been removed.
    pub fn number(
        name: &str,
        loaded: &mut Loaded,
        founders: &[String],
        joins: Option<Option<&ClusterMembers>>,
    ) -> Option<(ClusterMembers, Peer)> {
        match ClusterMembers::start_of(name, loaded, &Roster::named(founders), joins) {
            HostStart::As(me, members) => Some((members, me)),
            _ => None,
        }
    }

    /// Starts the member of this name and number with the record that was loaded; `links` makes its transport from the
    /// sink of its messages, and from what tells it of peers that know older members.
    ///
    /// # Errors
    /// If the timing cannot be kept.
    pub fn start<T: ParticipantTransport>(
        name: &str,
        (membership, me): (ClusterMembers, Peer),
        timing: &LeaseTiming,
        loaded: Loaded,
        clock: Arc<dyn DeadlineClock>,
        links: impl FnOnce(MessageSink, Box<dyn Fn(Peer) + Send + Sync>) -> T,
    ) -> Result<Self, StartError> {
        let setting = timing.setting(me, membership.roster.founders().end())?;
        let inbox = Arc::new(EngineInbox::default());
        let told = inbox.clone();
        let behind = move |peer| _ = told.act(EngineRequest::TellMembers { peer });
        let transport = Arc::new(links(inbox.sink(), Box::new(behind)));
        let names = (name, "world");
        let inbox_of = inbox.clone();
        let mut parts =
            EngineParts::new(setting, names, membership, clock.clone(), transport, inbox_of);
        parts.loaded = loaded;
        let number = Arc::new(AtomicU32::new(me.0));
        let (ending, ended) = watch::channel(());
        let mut members = parts.members.subscribe();
        members.mark_changed();
        let participant = Participant::of(&parts, number.clone(), ended);
        let (written, writes) = channel();
        let (ends, watcher) = Ends::watched(clock);
        let engine = NodeEngine::with(parts, number, RecordWriter(written), ends);
        Ok(Self {
            engine,
            ends: watcher,
            first_end: u64::MAX,
            batch: Batch::default(),
            agreement: Agreement::new(timing),
            inbox,
            writes,
            participant,
            members,
            _ending: ending,
        })
    }

    /// Lets the loop take a turn, if it has not ended. Returns whether it goes on.
    pub fn turn(&mut self) -> bool {
        if !self.engine.has_ended() {
            self.engine.take_turn(Some(Duration::ZERO), &mut self.batch);
        }
        !self.engine.has_ended()
    }

    /// Returns whether requests or messages wait for the loop.
    #[must_use]
    pub fn has_news(&self) -> bool {
        !self.inbox.is_empty()
    }

    /// Returns who the members are, if that has changed since it was asked last.
    pub fn new_membership(&mut self) -> Option<ClusterMembers> {
        let is_new = self.members.has_changed().unwrap_or(false);
        is_new.then(|| self.members.borrow_and_update().clone())
    }

    /// Ends the leaderships whose ends are due by the clock, as a thread of its own does.
    pub fn watch_ends(&mut self) {
        self.ends.hear();
        self.first_end = self.ends.look();
    }

    /// Returns the instants of the clock at which the loop, and the watch over the ends, have something to do, if
    /// nothing happens before.
    #[must_use]
    pub fn next_due(&mut self) -> (Option<u64>, u64) {
        (self.engine.next_due(), self.first_end)
    }

    /// Returns the record that is to be written next, with its number.
    pub fn write(&self) -> Option<(u64, MemberRecord)> {
        self.writes.try_recv().ok()
    }

    /// Applies a configuration that was written anew, as a member does on SIGHUP.
    ///
    /// # Errors
    /// If it cannot be used; nothing of it is applied then.
    pub fn reload(&self, text: &str) -> Result<(), ConfigError> {
        let config = ClusterConfig::from_toml(text, Path::new("."))?;
        Member::of(self.participant.clone(), self.agreement.clone(), None).reload(&config)
    }

    /// Tells the loop that the record of this number is on stable storage, which took this long.
    pub fn synced(&self, number: u64, took: Duration) {
        let took = took.as_nanos() as u64;
        self.inbox.act(EngineRequest::Synced { number, took, recreated: false });
    }

    /// Tells the loop that its record cannot be written.
    pub fn unwritable(&self, why: &str) {
        self.inbox.act(EngineRequest::Unwritable(why.to_owned()));
    }

    /// Returns a record that says no more than that this term is promised.
    #[must_use]
    pub fn promise(office: Office, term: Term) -> MemberRecord {
        MemberRecord { cells: [(promise(office), term.0)].into(), ..MemberRecord::default() }
    }

    /// Returns whether a record on stable storage says what something rests on.
    #[must_use]
    pub fn suffices(record: &MemberRecord, needed: &MemberRecord) -> bool {
        let read = |cell: &Cell| record.cells.get(cell).copied().unwrap_or(0);
        let says = |(cell, &number): (&Cell, &u64)| read(cell).max(read(&FLOOR)) >= number;
        record.boot >= needed.boot && needed.cells.iter().all(says)
    }

    /// Returns whether a record says which host has which number in the configuration on it.
    #[must_use]
    pub fn has_roster(record: &MemberRecord) -> bool {
        let configuration = VotingConfiguration::recorded(|cell| record.cells.get(&cell).copied());
        let digest = record.roster.as_ref().map(Roster::digest);
        configuration.is_none_or(|it| digest == Some(it.roster))
    }

    /// Returns what has to be on stable storage before this message leaves its sender: the number of its start, and
    /// what it has promised.
    #[must_use]
    pub fn rests_on(bytes: &[u8]) -> MemberRecord {
        let mut needed = MemberRecord::default();
        let Some(PeerMessage::Protocol(msg)) = PeerMessage::decode(bytes) else { return needed };
        let Some(&msg) = msg.as_tenure() else { return needed };
        match msg {
            Msg::Renew { boot, .. } | Msg::Learn { boot, .. } => needed.boot = boot,
            Msg::Ack { epoch, .. } => needed.boot = tenure::boot_of(epoch),
            Msg::Grant(case, ..) => _ = needed.cells.insert(promise(case.office), case.term.0),
            Msg::Promised { highest, .. } => _ = needed.cells.insert(HIGHEST, highest.0),
            _ => {}
        }
        needed
    }

    /// Returns the message with which a crash notifier tells members that no process of a leadership is left.
    #[must_use]
    pub fn ended_message(office: Office, term: Term) -> Vec<u8> {
        PeerMessage::Ended { office, term }.encode()
    }
}
