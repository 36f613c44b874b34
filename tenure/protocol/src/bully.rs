//! The bully algorithm: the process with the greatest number leads, as far as timeouts can tell.
//!
//! H. Garcia-Molina, "Elections in a distributed computing system", *IEEE Transactions on Computers*
//! C-31(1), 1982, pp. 48-59.
//!
//! # Assumes
//! Reliable links on which a message and its answer take no longer than half a lease, and members
//! that answer within it or have crashed. Where this is not so, two may lead.
//!
//! # Idea
//! A member that misses the coordinator asks all greater ones whether they are up. If none answers in
//! time, it has won: it halts the smaller ones, then tells those that have answered that it
//! coordinates, then that they may go on. If a greater one is up, that one holds the election.
//! A coordinator asks from time to time whether all are normal, and holds an election if one
//! is not; so a greater member that comes up takes over.
//!
//! # Cost
//! `O(n^2)` messages where the smallest member is the first to notice a crash; `2 (n - 1)` messages
//! for each interval of a heartbeat without an election. A new coordinator after a timeout of one
//! lease and three times half a lease.
//!
//! # Deviations
//! The paper's procedure calls are pairs of messages, and its timeout `T` is half a lease. Every
//! member answers, only those that were told to stand are candidates, with their number for a
//! priority. One office is filled, number 0. The paper numbers no elections. Here a coordinator
//! counts its own in stable storage, and its term is `count * members + member`: no two tenures have
//! the same, but a later one may have a smaller.
//!
//! # Invariants
//! - *bully*: two that lead at once, of members that have heard from one another in time, are one.
//!   It is not checked, since it is false of every network that may delay a message; the simulator and
//!   the checker show two leaders.

use crate::voters::Voters;
use tenure_model::{
    Cell, Command, Effects, Kind, Message, Office, OfficeTenure, Peer, Recoverable, Setting, Start,
    Term,
};

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Msg {
    /// Are you up, and a candidate?
    AreYouUp,
    /// Yes, I am up and a candidate.
    Up,
    /// Are you normal, under my coordination?
    AreYouNormal(Term),
    /// Whether I am normal under your coordination.
    Normal(bool),
    /// Halt: I hold an election.
    EnterElection,
    /// I have halted.
    Entered,
    /// I coordinate, with this term.
    SetCoordinator(Term),
    /// I accept your coordination.
    Coordinated(Term),
    /// Go on with your work.
    NewState(Term),
}
use Msg::{
    AreYouNormal, AreYouUp, Coordinated, EnterElection, Entered, NewState, Normal, SetCoordinator,
    Up,
};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("are-you-up"),
        Kind::election("up"),
        Kind::election("are-you-normal").ids(1),
        Kind::election("normal").counters(1),
        Kind::election("enter-election"),
        Kind::election("entered"),
        Kind::announcement("set-coordinator").ids(1),
        Kind::announcement("coordinated").ids(1),
        Kind::announcement("new-state").ids(1),
    ];
    fn kind(&self) -> usize {
        match self {
            AreYouUp => 0,
            Up => 1,
            AreYouNormal(_) => 2,
            Normal(_) => 3,
            EnterElection => 4,
            Entered => 5,
            SetCoordinator(_) => 6,
            Coordinated(_) => 7,
            NewState(_) => 8,
        }
    }
}

/// The alarms of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BullyAlarm {
    /// The timeout of a call: a member that has not answered is down.
    Answers,
    /// Nothing has come from a coordinator for the time of a lease.
    Timeout,
    /// The time for a coordinator to ask whether all are normal.
    Check,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum BullyState {
    /// Takes part in an election that another holds, or has just come up.
    Election,
    /// Has a coordinator, and waits for the new state.
    Reorganization,
    Normal,
    /// Asks whether a greater member is up.
    AsksGreater,
    /// Halts the smaller members; these have halted.
    Halts,
    /// Tells the members that have halted which one coordinates.
    Coordinates,
}

/// The only office that is filled.
const OFFICE: Office = Office(0);
/// The cell in which a member counts its tenures.
const COUNT: Cell = Cell { table: 0, key: 0 };

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bully {
    setting: Setting,
    stands: bool,
    state: BullyState,
    /// The member that halted it last.
    halted_by: Option<Peer>,
    coordinator: Option<(Peer, Term)>,
    /// The members that have answered the current call, or the last one.
    up: Voters,
    leaving: bool,
}

impl Bully {
    const fn answer_time(&self) -> u32 {
        let half = self.setting.lease / 2;
        if half == 0 { 1 } else { half }
    }

    fn greater(&self) -> impl Iterator<Item = Peer> + use<> {
        let me = self.setting.me;
        self.setting.others().filter(move |&member| member > me)
    }

    /// Holds an election.
    fn elect(&mut self, effects: &mut impl Effects<Self>) {
        self.stop(effects);
        self.state = BullyState::AsksGreater;
        self.up = Voters::default();
        effects.cancel_alarm(BullyAlarm::Timeout);
        effects.set_alarm(BullyAlarm::Answers, self.answer_time());
        for member in self.greater() {
            effects.send(member, AreYouUp);
        }
        if self.greater().next().is_none() {
            self.halt_others(effects);
        }
    }

    fn halt_others(&mut self, effects: &mut impl Effects<Self>) {
        self.state = BullyState::Halts;
        self.halted_by = Some(self.setting.me);
        self.up = Voters::default();
        effects.set_alarm(BullyAlarm::Answers, self.answer_time());
        for member in self.setting.others() {
            effects.send(member, EnterElection);
        }
    }

    /// Ends its work for a coordinator, or as one.
    fn stop(&mut self, effects: &mut impl Effects<Self>) {
        if self.coordinator.take().is_some() {
            effects.changed(OFFICE);
        }
        self.leaving = false;
        effects.cancel_alarm(BullyAlarm::Check);
        effects.cancel_alarm(BullyAlarm::Answers);
    }

    fn wait_for_coordinator(&mut self, effects: &mut impl Effects<Self>) {
        effects.set_alarm(BullyAlarm::Timeout, self.setting.lease);
    }

    fn check(&mut self, effects: &mut impl Effects<Self>) {
        effects.set_alarm(BullyAlarm::Check, self.setting.heartbeat);
        if let Some((_, term)) = self.coordinator {
            for member in self.setting.others() {
                effects.send(member, AreYouNormal(term));
            }
        }
    }

    fn leads(&self) -> bool {
        self.state == BullyState::Normal
            && self.coordinator.is_some_and(|(peer, _)| peer == self.setting.me)
    }
}

impl Recoverable for Bully {
    type Msg = Msg;
    type Alarm = BullyAlarm;

    fn start(setting: Setting, _: Start, effects: &mut impl Effects<Self>) -> Self {
        let mut member = Self {
            setting,
            stands: false,
            state: BullyState::Election,
            halted_by: None,
            coordinator: None,
            up: Voters::default(),
            leaving: false,
        };
        member.wait_for_coordinator(effects);
        member
    }

    fn receive(&mut self, from: Peer, msg: Msg, effects: &mut impl Effects<Self>) {
        if from.0 >= self.setting.members || from == self.setting.me {
            return effects.reject("only the other members take part");
        }
        match msg {
            AreYouUp if self.stands => {
                effects.send(from, Up);
                if self.state == BullyState::Election {
                    self.elect(effects);
                }
            }
            Up => {
                if self.state == BullyState::AsksGreater && from > self.setting.me {
                    // The greater one holds the election.
                    self.state = BullyState::Election;
                    effects.cancel_alarm(BullyAlarm::Answers);
                    self.wait_for_coordinator(effects);
                }
            }
            AreYouNormal(term) => {
                let normal =
                    self.state == BullyState::Normal && self.coordinator == Some((from, term));
                effects.send(from, Normal(normal));
                if normal {
                    self.wait_for_coordinator(effects);
                }
            }
            Normal(normal) => {
                if !normal && self.leads() && self.stands && !self.leaving {
                    self.elect(effects);
                }
            }
            EnterElection => {
                self.stop(effects);
                self.state = BullyState::Election;
                self.halted_by = Some(from);
                self.wait_for_coordinator(effects);
                effects.send(from, Entered);
            }
            Entered if self.state == BullyState::Halts => self.up.insert(from),
            AreYouUp | Entered => {}
            SetCoordinator(term) => {
                if self.state == BullyState::Election && self.halted_by == Some(from) {
                    self.coordinator = Some((from, term));
                    self.state = BullyState::Reorganization;
                    self.wait_for_coordinator(effects);
                    effects.send(from, Coordinated(term));
                    effects.changed(OFFICE);
                }
            }
            Coordinated(term) => {
                if self.state == BullyState::Coordinates
                    && self.coordinator == Some((self.setting.me, term))
                {
                    self.up.remove(from);
                    effects.send(from, NewState(term));
                    if self.up.len() == 0 {
                        self.state = BullyState::Normal;
                        effects.cancel_alarm(BullyAlarm::Answers);
                        effects.changed(OFFICE);
                        self.check(effects);
                    }
                }
            }
            NewState(term) => {
                if self.state == BullyState::Reorganization
                    && self.coordinator == Some((from, term))
                {
                    self.state = BullyState::Normal;
                    self.wait_for_coordinator(effects);
                }
            }
        }
    }

    fn ring(&mut self, alarm: BullyAlarm, effects: &mut impl Effects<Self>) {
        match (alarm, self.state) {
            (BullyAlarm::Answers, BullyState::AsksGreater) => self.halt_others(effects),
            (BullyAlarm::Answers, BullyState::Halts) => {
                let count = effects.read(COUNT).unwrap_or(0) + 1;
                effects.write(COUNT, count);
                let term =
                    Term(count * u64::from(self.setting.members) + u64::from(self.setting.me.0));
                self.coordinator = Some((self.setting.me, term));
                self.state =
                    if self.up.len() == 0 { BullyState::Normal } else { BullyState::Coordinates };
                effects.changed(OFFICE);
                effects.set_alarm(BullyAlarm::Answers, self.answer_time());
                for member in self.up.iter() {
                    effects.send(member, SetCoordinator(term));
                }
                if self.state == BullyState::Normal {
                    self.check(effects);
                }
            }
            // One that had halted is down: the election is held again.
            (BullyAlarm::Answers, BullyState::Coordinates) => self.elect(effects),
            (BullyAlarm::Answers, _) => {}
            (BullyAlarm::Timeout, _) if self.stands => self.elect(effects),
            (BullyAlarm::Timeout, _) => {
                self.stop(effects);
                self.state = BullyState::Election;
                self.wait_for_coordinator(effects);
            }
            (BullyAlarm::Check, _) => self.check(effects),
        }
    }

    fn command(&mut self, command: Command, effects: &mut impl Effects<Self>) {
        match command {
            Command::Stand { office: OFFICE, .. } if self.setting.is_member() => self.stands = true,
            Command::Resign { office: OFFICE } => {
                self.stands = false;
                if self.leads() {
                    self.leaving = true;
                    effects.changed(OFFICE);
                }
            }
            Command::Stopped { office: OFFICE, term } => {
                if self.leaving && self.coordinator == Some((self.setting.me, term)) {
                    self.stop(effects);
                    self.state = BullyState::Election;
                    self.wait_for_coordinator(effects);
                }
            }
            Command::Transfer { office: OFFICE, .. } => {
                effects.reject("the greatest member leads: a bully transfers nothing");
            }
            _ => effects.reject("the bully algorithm fills one office, number 0, with members"),
        }
    }

    fn tenure(&self, office: Office) -> Option<OfficeTenure<BullyAlarm>> {
        let own = self.coordinator.filter(|_| office == OFFICE && self.leads());
        own.map(|(_, term)| OfficeTenure { term, until: None, stopping: self.leaving })
    }

    fn leader(&self, office: Office) -> Option<(Peer, Term)> {
        self.coordinator.filter(|_| office == OFFICE && self.state == BullyState::Normal)
    }
}
