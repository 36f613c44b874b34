//! The loop that runs the protocol of one participant, on a thread of its own. Disks, sockets and
//! programs have other threads, which communicate with the loop through the [`EngineInbox`].
//!
//! The loop keeps the contract of [`tenure_model`]. Due alarms are handled before
//! anything else, each as of the instant at which it was due. A message leaves when all that was
//! written before it was sent is on stable storage; so a participant whose disk hangs falls silent,
//! and loses its leases, and one that leads writes its record now and then to see that. One that cannot
//! write its record crashes, in the sense of the model, and starts again when the disk works again.

mod candidacies;
mod inbox;
mod membership;
mod observer;
mod operator;
mod pace;
mod record_ages;
mod storage;
#[cfg(test)]
mod tests;
mod values;
mod work;

pub(crate) use candidacies::WaitingProgram;
pub(crate) use inbox::{Batch, EngineInbox};
pub use membership::MembershipChange;
pub(crate) use storage::RecordWriter;

use crate::clock::DeadlineClock;
use crate::error::StartError;
use crate::leadership::{Ends, ReleaseReply};
use crate::membership::ClusterMembers;
use crate::office::OfficeName;
use crate::packet::PeerMessage;
use crate::records::{Loaded, MemberRecord, NoStore, Store};
use crate::standing::{Hearing, OfficeStanding};
use crate::status::{MembershipStatus, ParticipantStatus, StorageStatus};
use crate::timing::{Stops, TICK};
use crate::transport::ParticipantTransport;
use candidacies::Candidacy;
use membership::{ChangeReply, KnownMembers};
use observer::LearntNames;
use operator::LeaveOrder;
use pace::{Answers, RepeatRate};
use record_ages::RecordAges;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use storage::{DiskActivity, UnsyncedMessages};
use suffrage_numbers::random::Key;
use tenure_model::{
    Alarms, Cell, Effects, Memory, Office, Peer, Recoverable, Setting, Start, Term,
};
use tenure_protocol::reconfiguration::{Reconfigurable, ReconfigurableAlarm, ReconfigurableMsg};
use tenure_protocol::tenure::{self, Alarm, Msg};
use tenure_protocol::value::{LeaderValue, LeaderValues, ValueInput};
use tokio::sync::{oneshot, watch};
use tracing::{info, warn};

/// A process that is late by this many heartbeats crashes rather than catches up.
const TOO_LATE: u64 = 1_000;
/// The greatest number of a start, [`Start::boot`]; in milliseconds since 1970, a day of 2109.
const GREATEST_BOOT: u64 = (1 << 42) - 1;
/// The number of starts for which there is always room below that, whatever others say.
const BOOTS: u64 = 1 << 32;
/// The number of starts that a peer may have missed since the one that it reports.
const UNNOTICED: u64 = 1 << 16;
/// The maximal number of reminders that are heeded: one of a broken peer costs a restart.
const MOST_REMINDERS: u32 = 8;

pub(crate) enum EngineRequest {
    Stand {
        office: OfficeName,
        program: WaitingProgram,
    },
    Abandon {
        office: Office,
        id: u64,
    },
    Release {
        office: Office,
        term: Term,
        to: Option<String>,
        answer: Option<ReleaseReply>,
    },
    Proclaim {
        office: Office,
        term: Term,
        value: LeaderValue,
    },
    Leave {
        office: OfficeName,
        to: Option<String>,
        answer: ReleaseReply,
    },
    Tell {
        office: OfficeName,
        answer: oneshot::Sender<OfficeStanding>,
    },
    Watch {
        office: OfficeName,
        answer: oneshot::Sender<watch::Receiver<OfficeStanding>>,
    },
    Configure {
        priorities: Priorities,
        offices: Vec<OfficeName>,
        stops: Stops,
    },
    Status {
        answer: oneshot::Sender<ParticipantStatus>,
    },
    /// Tells who the members are.
    Members {
        answer: oneshot::Sender<MembershipStatus>,
    },
    ChangeMembers {
        change: MembershipChange,
        answer: ChangeReply,
    },
    /// The record of this number is on stable storage; saving it took `took` nanoseconds.
    Synced {
        number: u64,
        took: u64,
        /// Whether it was found deleted or replaced.
        recreated: bool,
    },
    /// The record cannot be written. The disk tries again.
    Unwritable(String),
    /// Another client has the number of this one.
    Taken {
        number: Peer,
    },
    /// Tells this peer, which knows older members, who the members are.
    TellMembers {
        peer: Peer,
    },
    /// Ends the work, releases all offices, and ends.
    ShutDown {
        answer: oneshot::Sender<()>,
    },
    Kill,
}

pub(crate) struct EngineParts {
    pub(crate) setting: Setting,
    /// Who the members are: what the record says, or else the members with which the cluster begins.
    pub(crate) members: watch::Sender<ClusterMembers>,
    pub(crate) name: String,
    pub(crate) cluster: String,
    pub(crate) priorities: Priorities,
    pub(crate) witness: bool,
    /// All terms that this member grants are greater.
    pub(crate) first_term: u64,
    /// The offices that are known beforehand.
    pub(crate) offices: Vec<OfficeName>,
    /// For how many ticks the work of each may go on after its leadership was lost.
    pub(crate) stops: Stops,
    pub(crate) store: Box<dyn Store>,
    /// The record that was read from it.
    pub(crate) loaded: Loaded,
    pub(crate) clock: Arc<dyn DeadlineClock>,
    /// The drift of the clock, in millionths, if it was measured.
    pub(crate) clock_drift: Option<u64>,
    pub(crate) transport: Arc<dyn ParticipantTransport>,
    pub(crate) inbox: Arc<EngineInbox>,
}

impl EngineParts {
    /// The parts of a client, which knows no office.
    pub(crate) fn new(
        setting: Setting,
        (name, cluster): (&str, &str),
        members: ClusterMembers,
        clock: Arc<dyn DeadlineClock>,
        transport: Arc<dyn ParticipantTransport>,
        inbox: Arc<EngineInbox>,
    ) -> Self {
        Self {
            setting,
            members: watch::Sender::new(members),
            name: name.to_owned(),
            cluster: cluster.to_owned(),
            priorities: Priorities::default(),
            witness: false,
            first_term: 0,
            offices: Vec::new(),
            stops: Stops::new(),
            store: Box::new(NoStore),
            loaded: Loaded::nothing(Memory::New),
            clock,
            clock_drift: None,
            transport,
            inbox,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Priorities {
    pub(crate) general: u32,
    pub(crate) by_office: BTreeMap<Office, u32>,
}

pub(crate) struct NodeEngine {
    parts: EngineParts,
    /// The number of this participant, for its handles.
    number: Arc<AtomicU32>,
    process: Option<Reconfigurable>,
    /// While it is to start again, with this record.
    boots_with: Option<Memory>,
    /// Until when work in other processes may count on what this participant held before this program started. Until
    /// then it renews nothing, since its first renewal frees that.
    renews_from: u64,
    boot: u64,
    alarms: Alarms<ReconfigurableAlarm>,
    members: KnownMembers,
    record: MemberRecord,
    disk: RecordWriter,
    /// The number of reactions that have written, and the number of those that are on stable
    /// storage.
    written: u64,
    released: u64,
    /// The number of the record that the disk is writing, while it is busy.
    submitted: Option<u64>,
    disk_activity: DiskActivity,
    /// The messages that wait for writes, oldest first.
    held: VecDeque<UnsyncedMessages>,
    outbox: Vec<(Peer, PeerMessage)>,
    changed: Vec<Office>,
    coins: u64,
    candidacies: BTreeMap<Office, Candidacy>,
    /// The number of offices in which this participant leads.
    held_offices: usize,
    ends: Arc<Ends>,
    /// The first renewal until whose alarm any of the leaderships lasts, as their handles were told; the greatest number
    /// if no alarm ends them.
    told_until: u64,
    repeats: RepeatRate,
    answers: Answers,
    names: LearntNames,
    values: LeaderValues,
    hearing: Arc<Hearing>,
    orders: Vec<LeaveOrder>,
    /// Whether something was heard for which an order waits.
    heard_order: bool,
    /// When to repeat questions and orders that have not been answered.
    look_at: Option<u64>,
    shutdown: Option<Shutdown>,
    ended: bool,
    /// Whether it has started without its record.
    forgetful: bool,
    record_ages: RecordAges,
    /// How often it was reminded of a later start.
    reminders: u32,
    /// The lasting part of the status: the record's state, and counters.
    status: ParticipantStatus,
}

struct Shutdown {
    answers: Vec<oneshot::Sender<()>>,
    /// When all offices were released.
    since: Option<u64>,
}

impl NodeEngine {
    /// Brings the process up with the record that was read. [`run`](Self::run) runs the loop.
    pub(crate) fn new(mut parts: EngineParts, number: Arc<AtomicU32>) -> Result<Self, StartError> {
        let store = std::mem::replace(&mut parts.store, Box::new(NoStore));
        let disk = RecordWriter::new(store, parts.inbox.clone()).map_err(StartError::Thread)?;
        let ends = Ends::new(parts.clock.clone()).map_err(StartError::Thread)?;
        Ok(Self::with(parts, number, disk, ends))
    }

    /// Brings the process up with this disk.
    pub(crate) fn with(
        mut parts: EngineParts,
        number: Arc<AtomicU32>,
        disk: RecordWriter,
        ends: Arc<Ends>,
    ) -> Self {
        let loaded = std::mem::replace(&mut parts.loaded, Loaded::nothing(Memory::New));
        match loaded.memory {
            Memory::Lost => {
                let lost =
                    if loaded.damaged { "the record is damaged" } else { "there is no record" };
                warn!(
                    "{lost}: this member grants nothing until others have told what it may have promised"
                );
            }
            _ if loaded.damaged => warn!("a copy of the record was damaged, and was repaired"),
            Memory::Kept | Memory::New => {}
        }
        let hearing = Hearing::new(parts.clock.clone(), parts.setting);
        let repaired = loaded.memory == Memory::Kept && loaded.damaged;
        let storage = if repaired { StorageStatus::Repaired } else { StorageStatus::Good };
        let status = ParticipantStatus {
            name: parts.name.clone(),
            cluster: parts.cluster.clone(),
            storage,
            clock_drift_ppm: parts.clock_drift,
            ..ParticipantStatus::default()
        };
        let mut record = loaded.record;
        if let Some(floor) = record.cells.get_mut(&tenure::FLOOR) {
            *floor = parts.first_term.max(*floor);
        }
        let members = KnownMembers::new(parts.members.borrow().clone());
        let mut engine = Self {
            process: None,
            members,
            boots_with: None,
            renews_from: 0,
            boot: 0,
            alarms: Alarms::new(),
            record,
            disk,
            written: 0,
            released: 0,
            submitted: None,
            disk_activity: DiskActivity::Idle(parts.clock.now()),
            held: VecDeque::new(),
            outbox: Vec::new(),
            changed: Vec::new(),
            coins: 0,
            candidacies: BTreeMap::new(),
            held_offices: 0,
            ends,
            told_until: 0,
            repeats: RepeatRate::default(),
            answers: Answers::default(),
            names: LearntNames::default(),
            values: LeaderValues::new(&parts.setting, 0),
            hearing,
            orders: Vec::new(),
            heard_order: false,
            look_at: None,
            shutdown: None,
            ended: false,
            forgetful: loaded.memory == Memory::Lost,
            record_ages: RecordAges::default(),
            reminders: 0,
            status,
            number,
            parts,
        };
        engine.use_members();
        engine.boot_first(loaded.memory);
        engine
    }

    fn now(&self) -> u64 {
        self.parts.clock.now()
    }

    pub(crate) fn run(mut self) {
        let mut batch = Batch::default();
        while !self.ended {
            let now = self.now();
            let limit = self.next_due().map(|due| self.parts.clock.wait(due.saturating_sub(now)));
            self.take_turn(limit, &mut batch);
        }
        self.parts.inbox.close();
        self.parts.transport.close();
    }

    /// Returns the instant of the clock at which the loop has something to do, if nothing arrives.
    pub(crate) fn next_due(&mut self) -> Option<u64> {
        let boots_at = self.boots_with.and_then(|_| self.counted_on());
        self.alarms.next_due().into_iter().chain(self.look_at).chain(boots_at).min()
    }

    pub(crate) const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Waits until something arrives, but no longer than `limit`, and handles it.
    pub(crate) fn take_turn(&mut self, limit: Option<Duration>, batch: &mut Batch) {
        self.parts.inbox.take(limit, batch);
        self.turn(batch);
    }

    /// Handles due alarms, and the batch that was taken from the inbox.
    fn turn(&mut self, batch: &mut Batch) {
        self.watch_disk();
        self.ring();
        for action in batch.actions.drain(..) {
            self.ring();
            self.act(action);
        }
        for (from, bytes) in batch.mail.drain(..) {
            self.ring();
            self.receive(from, &bytes);
        }
        self.repeats.read(batch.behind);
        self.boot_if_free();
        self.look();
        self.refresh();
        self.submit();
    }

    /// Handles all due alarms, before anything else happens.
    fn ring(&mut self) {
        let now = self.now();
        while let Some((due, alarm)) = self.alarms.pop(now) {
            let late = now - due;
            self.status.longest_pause = self.status.longest_pause.max(Duration::from_nanos(late));
            if late > TOO_LATE * u64::from(self.parts.setting.heartbeat) * TICK {
                warn!(
                    late_ms = late / 1_000_000,
                    "the loop was suspended for long, and starts again"
                );
                return self.restart();
            }
            let beat = u64::from(self.parts.setting.heartbeat) * TICK;
            let beats = alarm == ReconfigurableAlarm::Own(Alarm::Beat);
            let repeats = !beats || self.repeats.beat(late > beat / 2);
            self.react(Some(due), |process, scene| {
                scene.repeats = repeats;
                process.ring(alarm, scene);
            });
            if beats {
                self.end_silent();
                if self.told_until == u64::MAX {
                    // No alarm ends them, and each heartbeat extends those that have to be confirmed.
                    self.told_until = 0;
                }
                self.tell_of_work();
                self.tell_of_record();
            }
        }
    }

    fn act(&mut self, action: EngineRequest) {
        match action {
            EngineRequest::Stand { office, program } => self.stand(&office, program),
            EngineRequest::Abandon { office, id } => self.abandon(office, id),
            EngineRequest::Release { office, term, to, answer } => {
                self.release(office, term, to, answer);
            }
            EngineRequest::Proclaim { office, term, value } => {
                self.step_values(ValueInput::Proclaim(office, term, value));
            }
            EngineRequest::Leave { office, to, answer } => self.order(&office, to, answer),
            EngineRequest::Tell { office, answer } => self.tell(&office, answer),
            EngineRequest::Watch { office, answer } => self.watch(&office, answer),
            EngineRequest::Configure { priorities, offices, stops } => {
                self.parts.priorities = priorities;
                self.parts.offices = offices;
                self.parts.stops = stops;
                self.know_offices();
                self.update_all();
            }
            EngineRequest::Status { answer } => drop(answer.send(self.status())),
            EngineRequest::Members { answer } => drop(answer.send(self.membership_status())),
            EngineRequest::ChangeMembers { change, answer } => self.change_members(change, answer),
            EngineRequest::Synced { number, took, recreated } => {
                self.synced(number, took, recreated);
            }
            EngineRequest::Unwritable(why) => self.unwritable(why),
            EngineRequest::Taken { number } => self.taken(number),
            EngineRequest::TellMembers { peer } => self.tell_members(peer),
            EngineRequest::ShutDown { answer } => self.shut_down(answer),
            EngineRequest::Kill => self.ended = true,
        }
    }

    fn receive(&mut self, from: Peer, bytes: &[u8]) {
        self.status.received += 1;
        let Some(packet) = PeerMessage::decode(bytes) else { return };
        if let PeerMessage::Ended { office, term } = packet {
            self.status.crash_releases += 1;
            // It does not say that the sender can be reached.
            self.react(None, |process, scene| process.ended(from, office, term, scene));
            return;
        }
        self.hearing.hear(from, self.now());
        self.heard_for_orders(from);
        match packet {
            PeerMessage::Protocol(msg) => {
                if !self.may_tell(from, &msg) {
                    return;
                }
                let own = msg.as_tenure();
                self.remember(from, own);
                self.time(from, own);
                let renews = matches!(own, Some(Msg::Renew { .. }));
                self.react(None, |process, scene| process.receive(from, msg, scene));
                if renews {
                    self.tell_of_record();
                }
            }
            PeerMessage::Ask(office) => self.asked(from, office),
            PeerMessage::Tell { office, leader, age } => self.told(from, office, leader, age),
            PeerMessage::Leave { office, term, to } => self.ordered(from, office, term, to),
            PeerMessage::Ended { .. } => {}
            PeerMessage::Name(office) => self.asked_for_name(from, office),
            PeerMessage::Named(office) => self.named(&office),
            PeerMessage::Recorded { now, found } => self.told_of_record(from, now, found),
            PeerMessage::Remembered(age) => self.reminded_of_record(from, age),
            PeerMessage::Work { office, term, since, why } => {
                self.told_of_work(from, office, term, since, why.as_deref());
            }
            PeerMessage::Value(message) => self.step_values(ValueInput::Received(from, message)),
            PeerMessage::WantRoster { digest, begin } => self.wanted_roster(from, digest, begin),
            PeerMessage::RosterPart { digest, length, begin, bytes } => {
                self.told_roster(digest, length, begin, &bytes);
            }
        }
    }

    /// Handles the word of a peer that it remembers a later start of this member than the present one: what
    /// this one grants means nothing to it. The record was lost, and the time of day was behind, or is. Right
    /// after the loss the member starts again with a greater number.
    fn remember(&mut self, by: Peer, msg: Option<&Msg>) {
        let Some(&Msg::Renew { over, .. }) = msg else { return };
        let last = tenure::boot_of(over);
        if last <= self.boot || self.reminders == MOST_REMINDERS {
            return;
        }
        self.reminders += 1;
        let peer = self.name_of(by);
        if self.forgetful && last < GREATEST_BOOT - BOOTS {
            warn!(
                peer,
                "this clock was behind when the record was lost: starts with a greater number"
            );
            // No number twice: what was granted in one start would count in the other.
            self.record.boot = last.saturating_add(UNNOTICED);
            self.restart();
        } else {
            warn!(
                peer,
                "it remembers a later start of this member, and ignores its grants: set the clock \
                 of this host, and start this member again"
            );
        }
    }

    /// Brings the process up with the record.
    fn boot(&mut self, memory: Memory) {
        let since_1970 = self.parts.clock.since_1970().as_millis();
        let milliseconds = u64::try_from(since_1970).unwrap_or(u64::MAX);
        self.found_record(memory);
        self.boot = self.record.boot.saturating_add(1).max(milliseconds.min(GREATEST_BOOT));
        self.record.boot = self.boot;
        self.values = LeaderValues::new(&self.parts.setting, self.boot);
        self.values.change_members(self.members.now().members());
        self.forget_told();
        let start = Start { boot: self.boot, memory };
        // The boot number is on record before it is used in a message.
        self.written += 1;
        self.held.push_back(UnsyncedMessages { number: self.written, messages: Vec::new() });
        // With no stop time at all the protocol would release a lost office without asking when its work ends.
        let setting = Setting { stop: self.parts.setting.stop.max(1), ..self.parts.setting };
        let now = self.now();
        let mut scene = self.scene(now);
        let process = Reconfigurable::start(setting, start, &mut scene);
        let over = (scene.sent_before, scene.rejected);
        self.process = Some(process);
        self.look_soon();
        self.settle(over);
        self.submit();
    }

    fn scene(&mut self, now: u64) -> NodeEffects<'_> {
        NodeEffects {
            now,
            alarms: &mut self.alarms,
            cells: &mut self.record.cells,
            outbox: &mut self.outbox,
            changed: &mut self.changed,
            coins: &mut self.coins,
            candidacies: &self.candidacies,
            first_term: self.parts.first_term,
            key: Key::new(self.boot, "service"),
            repeats: true,
            renews: now >= self.renews_from,
            sent_before: None,
            rejected: None,
        }
    }

    /// Runs one reaction, as of an instant, or now. Returns why the protocol rejects its cause, if it does.
    fn react(
        &mut self,
        as_of: Option<u64>,
        reaction: impl FnOnce(&mut Reconfigurable, &mut NodeEffects<'_>),
    ) -> Option<&'static str> {
        let mut process = self.process.take()?;
        let now = as_of.unwrap_or_else(|| self.now());
        let mut scene = self.scene(now);
        reaction(&mut process, &mut scene);
        let over = (scene.sent_before, scene.rejected);
        self.process = Some(process);
        self.settle(over);
        over.1
    }

    /// Crashes the process, since the record cannot be written.
    fn unwritable(&mut self, why: String) {
        let failed = StorageStatus::Failed { why: why.clone() };
        if self.status.storage != failed {
            warn!(
                why,
                "the record cannot be written: this participant grants nothing and leads nothing"
            );
            self.status.storage = failed;
        }
        // The disk tries again and again.
        if self.process.is_some() {
            self.crash();
        }
    }

    /// Drops the process, and the messages that have not left.
    fn crash(&mut self) {
        self.process = None;
        self.alarms = Alarms::new();
        self.told_until = 0;
        self.held.clear();
        self.outbox.clear();
        self.status.restarts += 1;
        self.crash_candidacies();
    }

    fn restart(&mut self) {
        self.crash();
        self.boot_again(Memory::Kept);
    }

    /// Brings the process up again, when it may.
    fn boot_again(&mut self, memory: Memory) {
        self.boots_with = Some(memory);
        self.boot_if_free();
    }

    /// Brings the process up that is to start again, unless work may count on a leadership of the one before: the
    /// renewals of the new process free all that the old one has held.
    fn boot_if_free(&mut self) {
        if let Some(memory) = self.boots_with
            && self.counted_on().is_none()
        {
            self.boots_with = None;
            self.boot(memory);
            self.update_all();
        }
    }

    /// Brings the first process up. If there were others before this program started, it renews nothing for as long as
    /// something may count, by any timing on record, on what they held.
    fn boot_first(&mut self, memory: Memory) {
        self.know_offices();
        self.renews_from = if memory == Memory::New { 0 } else { u64::MAX };
        self.boot(memory);
        let Setting { lease, stop, clocks, .. } = self.parts.setting;
        let owed = self.now() + u64::from(clocks.outlasting(lease.saturating_add(stop))) * TICK;
        let quarantine = self.alarms.due(ReconfigurableAlarm::Own(Alarm::Quarantine));
        self.renews_from = self.renews_from.min(quarantine.map_or(owed, |due| owed.max(due)));
    }

    /// Takes another number, since another client has this one; not while it leads, and not before
    /// the work of its leaderships has ended: then members know it by this number, and it is the other
    /// client's turn. To the protocol, it has crashed and another process has started.
    fn taken(&mut self, number: Peer) {
        let leads = |(&office, candidacy): (&Office, &Candidacy)| {
            let tenure = self.process.as_ref().and_then(|process| process.tenure(office));
            candidacy.is_working() || tenure.is_some()
        };
        if number != self.parts.setting.me || self.candidacies.iter().any(leads) {
            return;
        }
        let Some(fresh) = self.parts.transport.renumber() else { return };
        info!(number = number.0, fresh = fresh.0, "another client has this number");
        self.parts.setting.me = fresh;
        self.number.store(fresh.0, Ordering::SeqCst);
        self.restart();
    }

    /// Ends the work in all offices, and then the loop.
    fn shut_down(&mut self, answer: oneshot::Sender<()>) {
        let answers = self.shutdown.take().map_or_else(Vec::new, |shutdown| shutdown.answers);
        let mut shutdown = Shutdown { answers, since: None };
        shutdown.answers.push(answer);
        self.shutdown = Some(shutdown);
        self.update_all();
        self.look_at = Some(self.now());
    }

    fn look(&mut self) {
        let now = self.now();
        if self.look_at.is_none_or(|at| at > now) {
            if self.heard_order {
                self.order_again(now, false);
            }
            return;
        }
        let beat = u64::from(self.parts.setting.heartbeat) * TICK;
        let mut again = self.ask_around() | self.ask_for_names();
        again |= self.order_again(now, true) | self.tell_of_start() | self.repeat_values();
        again |= self.want_roster() | self.pursue_wish() | self.forget_stopped(now);
        if let Some(shutdown) = &mut self.shutdown {
            let working = self.candidacies.values().any(Candidacy::is_working);
            let since = *shutdown.since.get_or_insert(now);
            if working {
                shutdown.since = None;
            } else if now - since >= 2 * beat || self.process.is_none() {
                self.ended = true;
                for answer in shutdown.answers.drain(..) {
                    let _ = answer.send(());
                }
            }
            again = true;
        }
        self.look_at = again.then_some(now + beat);
    }

    fn look_soon(&mut self) {
        self.look_by(0);
    }

    fn look_by(&mut self, at: u64) {
        self.look_at = self.look_at.into_iter().chain((at < u64::MAX).then_some(at)).min();
    }
}

struct NodeEffects<'a> {
    now: u64,
    alarms: &'a mut Alarms<ReconfigurableAlarm>,
    cells: &'a mut BTreeMap<Cell, u64>,
    outbox: &'a mut Vec<(Peer, PeerMessage)>,
    changed: &'a mut Vec<Office>,
    coins: &'a mut u64,
    candidacies: &'a BTreeMap<Office, Candidacy>,
    first_term: u64,
    key: Key,
    /// Whether messages about offices leave, and not only those about leases.
    repeats: bool,
    /// Whether renewals leave. To the protocol, others are lost.
    renews: bool,
    /// The number of messages sent before the first write, if there is one.
    sent_before: Option<usize>,
    rejected: Option<&'static str>,
}

impl Effects<Reconfigurable> for NodeEffects<'_> {
    fn send(&mut self, to: Peer, msg: ReconfigurableMsg) {
        let leaves = match msg.as_tenure() {
            Some(Msg::Renew { .. }) => self.renews,
            Some(msg) if msg.office().is_some() => self.repeats,
            _ => true,
        };
        if leaves {
            self.outbox.push((to, PeerMessage::Protocol(msg)));
        }
    }

    fn set_alarm(&mut self, alarm: ReconfigurableAlarm, ticks: u32) {
        let (since, ticks) = match alarm {
            // The protocol knows only the longest stop time of all offices. The work of this one has
            // ended after its own: to the protocol, as if the program had said so then. Members that restart
            // make a leadership end before the instant that its work was told, which it may count on.
            ReconfigurableAlarm::Own(Alarm::Stop(office)) => {
                let candidacy = self.candidacies.get(&office);
                let promised = candidacy.and_then(Candidacy::promised).unwrap_or(0);
                (self.now.max(promised), ticks.min(candidacy.map_or(0, Candidacy::stop)))
            }
            _ => (self.now, ticks),
        };
        self.alarms.set(alarm, since + u64::from(ticks) * TICK);
    }

    fn cancel_alarm(&mut self, alarm: ReconfigurableAlarm) {
        self.alarms.cancel(alarm);
    }

    fn read(&self, cell: Cell) -> Option<u64> {
        self.cells.get(&cell).copied()
    }

    fn write(&mut self, cell: Cell, number: u64) {
        // A member without a record learns what it may have promised. Where all have lost theirs, that is nothing.
        let least = if cell == tenure::FLOOR { self.first_term } else { 0 };
        self.cells.insert(cell, number.max(least));
        self.sent_before.get_or_insert(self.outbox.len());
    }

    fn choose(&mut self, max: u32) -> u32 {
        *self.coins += 1;
        self.key.at(*self.coins).below(u64::from(max) + 1) as u32
    }

    fn changed(&mut self, office: Office) {
        if self.changed.last() != Some(&office) {
            self.changed.push(office);
        }
    }

    fn reject(&mut self, why: &'static str) {
        self.rejected = Some(why);
    }
}
