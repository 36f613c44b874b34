//! Participants: the process, if it is up, and the state that outlives it.

use crate::{
    clock::{REAL, SimulatedClock},
    disk::SimulatedDisk,
    plan::SimulationPlan,
};
use std::collections::{BTreeMap, VecDeque};
use suffrage_numbers::random::Key;
use tenure_model::{Alarms, Command, Memory, Office, Peer, Recoverable, Setting, Term};

/// One participant: its process, if it is up, and the state that outlives it.
pub(super) struct ParticipantSlot<P: Recoverable> {
    pub(super) setting: Setting,
    pub(super) process: Option<P>,
    pub(super) suspended: bool,
    /// The instant since which it has not been suspended.
    pub(super) resumed: u64,
    pub(super) clock: SimulatedClock,
    /// The rate to which its clock returns.
    pub(super) own_rate: u64,
    pub(super) alarms: Alarms<P::Alarm>,
    /// The instant of its next wake-up in the queue.
    pub(super) wake_at: u64,
    pub(super) disk: SimulatedDisk,
    /// The messages and changes that wait for pending writes, oldest first.
    pub(super) held: VecDeque<HeldEffects<P::Msg>>,
    /// The events that arrived while it was suspended.
    pub(super) inbox: VecDeque<InboxEnvelope<P::Msg>>,
    /// The number of reactions that have written; `released` is the number of them that are synced,
    /// or lost.
    pub(super) written: u64,
    pub(super) released: u64,
    pub(super) boot: u32,
    pub(super) coins: u64,
    pub(super) seats: BTreeMap<Office, SimulatedCandidacy>,
    pub(super) stands: bool,
    /// Whether it has lost its record, and may not have learnt yet what was in it.
    pub(super) forgetful: bool,
    /// The members, as it last knew them.
    pub(super) members: Option<(u64, [u64; 2])>,
    /// The number of faults that keep it down; `suspensions` is the number of those that suspend
    /// it.
    pub(super) downs: u32,
    pub(super) suspensions: u32,
    pub(super) memory: Memory,
}

/// The messages and changed offices of a reaction, while its writes are not synced.
pub(super) struct HeldEffects<M> {
    pub(super) messages: Vec<(Peer, M)>,
    pub(super) changed: Vec<Office>,
}

/// An event that a suspended process finds when it resumes.
pub(super) enum InboxEnvelope<M> {
    Message(Peer, M),
    Command(Command),
    Synced,
}

/// The state of a process in an office, as the world sees it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SimulatedCandidacy {
    pub(super) held: Option<Term>,
    /// The beginning of the present tenure.
    pub(super) began: u64,
    /// The last change of conditions that could still cost the present tenure: shortly before it began,
    /// or while other votes may have been owed to the leader before it; 0 if there was none.
    pub(super) shaken: u64,
    /// A tenure that is gained once writes are on stable storage: the term, and the number of
    /// reactions whose writes must be synced.
    pub(super) gaining: Option<(Term, u64)>,
    /// Whether the application was told to end its work, or to let the office go.
    pub(super) stopping: bool,
    pub(super) working: Option<Term>,
    /// The boot in which the work began.
    pub(super) work_boot: u32,
    /// The instant at which the work ends, on the clock of the process.
    pub(super) rest_at: Option<u64>,
    /// The leader that the process names, and since when.
    pub(super) named: Option<(Peer, Term)>,
    pub(super) named_since: u64,
    /// The value that it shows, as the term and the number of the change, and the newest that it has shown.
    pub(super) shown: Option<(Term, u64)>,
    pub(super) newest: (Term, u64),
    /// Whether the application asked for the end of the present tenure.
    pub(super) asked: bool,
}

/// The messages under way, in slots that are reused.
pub(super) struct Mail<M> {
    pub(super) places: Vec<(Peer, Peer, Option<M>)>,
    pub(super) free: Vec<u32>,
}

impl<M: Copy> Mail<M> {
    #[inline]
    pub(super) fn put(&mut self, from: Peer, to: Peer, msg: M) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = (from, to, Some(msg));
            place
        } else {
            self.places.push((from, to, Some(msg)));
            self.places.len() as u32 - 1
        }
    }

    #[inline]
    pub(super) fn take(&mut self, place: u32) -> (Peer, Peer, Option<M>) {
        self.free.push(place);
        self.places[place as usize]
    }
}

impl<P: Recoverable> ParticipantSlot<P> {
    pub(super) fn new(plan: &SimulationPlan, peer: u32, key: Key) -> Self {
        let setting = Setting { me: Peer(peer), ..plan.setting };
        // Between the slowest rate and the fastest, both included.
        let rate = REAL + key.below(plan.fastest() - REAL + 1);
        Self {
            setting,
            process: None,
            suspended: false,
            resumed: 0,
            clock: SimulatedClock::new(rate),
            own_rate: rate,
            alarms: Alarms::new(),
            wake_at: u64::MAX,
            disk: SimulatedDisk::default(),
            held: VecDeque::new(),
            inbox: VecDeque::new(),
            written: 0,
            released: 0,
            boot: 0,
            coins: 0,
            seats: BTreeMap::new(),
            stands: plan.stands(peer),
            forgetful: false,
            members: None,
            downs: 1,
            suspensions: 0,
            memory: Memory::New,
        }
    }
}
