//! Omni-Paxos's ballot leader election: the greatest ballot connected to a majority leads.
//!
//! H. Ng, S. Haridi, P. Carbone, "Omni-Paxos: breaking the barriers of partial connectivity",
//! *`EuroSys` 2023*, section 5.2.
//!
//! # Assumes
//! Members with stable storage for their ballot and their leader's; lossy links. Timeouts matter to
//! liveness alone.
//!
//! # Idea
//! In rounds of one heartbeat each, every member asks all others for their ballots, and replies
//! say whether their senders were connected to a quorum in the round before. A member that has
//! replies from a majority looks for the greatest ballot of those that are connected to a quorum. If
//! it is greater than its leader's ballot, its owner is the leader from now on. If it is smaller, the
//! leader is no longer connected to a quorum, and the member raises its own ballot above the leader's.
//!
//! # Cost
//! `2 n (n - 1)` messages in each interval of a heartbeat; a leader that has crashed is replaced after
//! two to four rounds. A disk sync whenever a ballot or a leader changes.
//!
//! # Deviations
//! A ballot is one number, `counter * members + member`; priorities between members of the same
//! counter are left out. A round lasts as long as a heartbeat interval and is not adapted. Only a
//! member that was told to stand raises its ballot, and it counts as connected to a quorum only
//! if it stands. One office is filled, number 0. A member that resigns stands no more, so the
//! others see a leader that is not a candidate, and raise their ballots.
//!
//! The election is one part of Omni-Paxos, which replicates a log and does not need its leaders to be
//! exclusive: two members may count as leaders at a time, at different ballots. That is what the
//! paper says, and what the simulator and the checker show; for a resource without fencing it
//! is not enough.
//!
//! # Invariants
//! - *ballots grow*: no member ever has a smaller leader than before (LE3 of the paper;
//!   [`leaders_are_of_ballots`] says the part of it that one configuration shows).

use crate::voters::Voters;
use tenure_model::{
    Cell, Command, Effects, Kind, Memory, Message, Office, OfficeTenure, Peer, Recoverable, Series,
    Setting, Start, Term,
};

/// A message of the algorithm. Ballots are [`Term`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Msg {
    /// What is your ballot, in my round of this number?
    HeartbeatRequest(u64),
    /// The ballot of a member, and whether it is a candidate connected to a quorum.
    HeartbeatReply(u64, Term, bool),
}
use Msg::{HeartbeatReply, HeartbeatRequest};

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::election("heartbeat-request").ids(1), Kind::election("heartbeat-reply").ids(2)];
    fn kind(&self) -> usize {
        match self {
            HeartbeatRequest(_) => 0,
            HeartbeatReply(..) => 1,
        }
    }
}

/// The end of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoundEnds;

/// The only office that is filled.
const OFFICE: Office = Office(0);
/// The cell of a member's ballot.
const BALLOT: Cell = Cell { table: 0, key: 0 };
/// The cell of its leader's ballot.
const LEADER: Cell = Cell { table: 1, key: 0 };

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BallotElection {
    setting: Setting,
    /// Whether it has its record: a member that has lost it takes no part.
    takes_part: bool,
    stands: bool,
    round: u64,
    ballot: Term,
    /// The ballot of the leader; 0 if there is none yet.
    leader: Term,
    /// Whether replies came from a majority in the last round.
    quorum_connected: bool,
    /// The members from which replies have come in this round.
    replies: Voters,
    /// The greatest ballot of those of them that are connected to a quorum.
    greatest: Term,
    leaving: bool,
}

impl BallotElection {
    const fn owner(&self, ballot: Term) -> Peer {
        Peer((ballot.0 % self.setting.members as u64) as u32)
    }

    fn start_round(&mut self, effects: &mut impl Effects<Self>) {
        self.round += 1;
        self.replies = Voters::only(self.setting.me);
        self.greatest = Term(0);
        effects.set_alarm(RoundEnds, self.setting.heartbeat);
        for member in self.setting.others() {
            effects.send(member, HeartbeatRequest(self.round));
        }
    }

    /// Runs *checkLeader* of the paper.
    fn check_leader(&mut self, effects: &mut impl Effects<Self>) {
        let candidate = self.stands && self.quorum_connected && !self.leaving;
        let greatest = if candidate { self.greatest.max(self.ballot) } else { self.greatest };
        if greatest > self.leader {
            self.follow(greatest, effects);
        } else if greatest < self.leader && self.stands && !self.leaving {
            let members = u64::from(self.setting.members);
            let counter = self.leader.0.max(self.ballot.0) / members + 1;
            self.ballot = Term(counter * members + u64::from(self.setting.me.0));
            effects.write(BALLOT, self.ballot.0);
        }
    }

    fn follow(&mut self, leader: Term, effects: &mut impl Effects<Self>) {
        self.leader = leader;
        self.leaving = false;
        effects.write(LEADER, leader.0);
        effects.changed(OFFICE);
    }
}

impl Recoverable for BallotElection {
    type Msg = Msg;
    type Alarm = RoundEnds;

    fn start(setting: Setting, start: Start, effects: &mut impl Effects<Self>) -> Self {
        let first = u64::from(setting.members) + u64::from(setting.me.0);
        let mut member = Self {
            setting,
            takes_part: setting.is_member()
                && setting.members <= Voters::LIMIT
                && start.memory != Memory::Lost,
            stands: false,
            round: 0,
            ballot: Term(effects.read(BALLOT).unwrap_or(first)),
            leader: Term(effects.read(LEADER).unwrap_or(0)),
            quorum_connected: true, // Until a round has shown that it is not.
            replies: Voters::default(),
            greatest: Term(0),
            leaving: false,
        };
        if member.owner(member.leader) == setting.me {
            // It led before it crashed: the application has to be told of a new term.
            member.leader = Term(member.leader.0.saturating_sub(1));
            let counter = member.ballot.0 / u64::from(setting.members) + 1;
            member.ballot = Term(counter * u64::from(setting.members) + u64::from(setting.me.0));
            effects.write(BALLOT, member.ballot.0);
        }
        if member.takes_part {
            member.start_round(effects);
        }
        member
    }

    fn receive(&mut self, from: Peer, msg: Msg, effects: &mut impl Effects<Self>) {
        if from.0 >= self.setting.members || from == self.setting.me {
            return effects.reject("only the other members take part");
        }
        match msg {
            HeartbeatRequest(_) if !self.takes_part => {}
            HeartbeatRequest(round) => {
                let candidate = self.quorum_connected && self.stands && !self.leaving;
                effects.send(from, HeartbeatReply(round, self.ballot, candidate));
            }
            HeartbeatReply(round, ballot, candidate) => {
                if round > self.round {
                    return effects.reject("a reply to a round that was never begun");
                }
                if round == self.round {
                    self.replies.insert(from);
                    if candidate {
                        self.greatest = self.greatest.max(ballot);
                    }
                }
            }
        }
    }

    fn ring(&mut self, RoundEnds: RoundEnds, effects: &mut impl Effects<Self>) {
        let connected = self.replies.len() >= self.setting.majority();
        if connected {
            // Without a candidate at all there is nothing to compare with yet.
            self.quorum_connected = true;
            self.check_leader(effects);
        } else {
            self.quorum_connected = false;
        }
        self.start_round(effects);
    }

    fn command(&mut self, command: Command, effects: &mut impl Effects<Self>) {
        match command {
            Command::Stand { office: OFFICE, .. } if self.takes_part => self.stands = true,
            Command::Resign { office: OFFICE } => {
                if self.tenure(OFFICE).is_some() {
                    self.leaving = true;
                    effects.changed(OFFICE);
                } else {
                    self.stands = false;
                }
            }
            Command::Stopped { office: OFFICE, term } => {
                if self.leaving && term == self.leader {
                    self.stands = false;
                    self.leaving = false;
                    effects.changed(OFFICE);
                }
            }
            Command::Transfer { office: OFFICE, .. } => {
                effects.reject("ballot leader election knows no transfer");
            }
            _ => effects.reject("ballot leader election fills one office, number 0, with members"),
        }
    }

    fn tenure(&self, office: Office) -> Option<OfficeTenure<RoundEnds>> {
        let leads = office == OFFICE
            && self.leader.0 > 0
            && self.owner(self.leader) == self.setting.me
            && self.leader == self.ballot
            && self.stands;
        leads.then_some(OfficeTenure { term: self.leader, until: None, stopping: self.leaving })
    }

    fn leader(&self, office: Office) -> Option<(Peer, Term)> {
        (office == OFFICE && self.leader.0 > 0).then(|| (self.owner(self.leader), self.leader))
    }

    fn serials(&mut self, visit: &mut impl FnMut(Series, &mut u64)) {
        visit(Series { of: self.setting.me, name: 0 }, &mut self.round);
    }

    fn serials_of_message(
        from: Peer,
        to: Peer,
        msg: &mut Msg,
        visit: &mut impl FnMut(Series, &mut u64),
    ) {
        match msg {
            HeartbeatRequest(round) => visit(Series { of: from, name: 0 }, round),
            HeartbeatReply(round, ..) => visit(Series { of: to, name: 0 }, round),
        }
    }
}

/// Returns whether every leader's ballot is one that its owner has had.
#[must_use]
pub fn leaders_are_of_ballots(members: &[&BallotElection]) -> bool {
    members.iter().all(|member| {
        let owner = members.iter().find(|one| one.setting.me == member.owner(member.leader));
        owner.is_none_or(|owner| owner.ballot >= member.leader)
    })
}
