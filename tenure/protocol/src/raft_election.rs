//! Raft's leader election, with pre-vote and check-quorum.
//!
//! D. Ongaro, "Consensus: bridging theory and practice", `PhD` dissertation, Stanford University, 2014:
//! section 3.4 (leader election), 3.10 (leadership transfer), 4.2.3 (disruptive servers), 6.2 and 6.4
//! (check-quorum and leases), 9.6 (pre-vote).
//!
//! # Assumes
//! Members with stable storage; any member may crash and recover with its record; lossy links. The
//! form with a lease also assumes clocks whose rates differ by no more than [`Setting::clocks`].
//!
//! # Idea
//! Time is divided into terms, and a member votes for one candidate in a term, on stable storage. A
//! member that has not heard from a leader for an election timeout asks whether it would be voted
//! for (pre-vote), and only then starts a term of its own; a majority of votes makes it leader. A
//! leader sends heartbeats; members that have heard one within the shortest election timeout do not
//! vote. Timeouts are drawn at random, so that two candidates seldom split the votes.
//!
//! # Cost
//! A leader of `n` members sends `n - 1` heartbeats in each interval, and receives as many replies.
//! An election takes two round trips and two disk syncs (the candidate's, then its voters') after an
//! election timeout of one to two leases, and more where votes are split.
//!
//! # Deviations
//! There is no log, so that every log is up to date. Only a member that was told to stand
//! campaigns; priorities are ignored. One office is filled, number 0, and clients without a vote
//! are not known to Raft. A member that has lost its record must be removed and added again by a
//! change of the configuration, which is not part of the election: here it follows and never votes.
//! The shortest election timeout outlasts the lease and the time that work takes to stop on any two
//! clocks. A heartbeat has a number. Once a majority has replied to it, the lease counts from when
//! it was sent (section 6.4.1 counts from the start of the round).
//!
//! The lease of the dissertation is not safe where members restart: one that has recovered has
//! forgotten from whom it has heard, and votes at once. It is kept as it is; the simulator and the
//! checker show two leaders.
//!
//! # Invariants
//! - *election safety*: at most one member leads in a term ([`one_leader_a_term`]).
//! - *one vote a term*: a member that has voted in its term votes for no other ([`votes_are_kept`]).

use crate::voters::Voters;
use alloc::{vec, vec::Vec};
use tenure_model::{
    Cell, Command, Effects, Kind, Memory, Message, Office, OfficeTenure, Peer, Recoverable, Series,
    Setting, Start, Term,
};

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Msg {
    /// Would you vote for me in this term?
    PreVote(Term),
    /// The reply; it names the term asked for if the vote would be granted, else the voter's own.
    PreVoted(Term, bool),
    /// Vote for me in this term; `true` if the leader itself has asked for the election.
    RequestVote(Term, bool),
    /// The reply, with the voter's term.
    Voted(Term, bool),
    /// I lead in this term, and this is the heartbeat of this number.
    Heartbeat(Term, u64),
    /// The reply to the heartbeat of this number, with the term of the member that replies.
    Alive(Term, u64),
    /// Do not wait for an election timeout: campaign now.
    TimeoutNow(Term),
}
use Msg::{Alive, Heartbeat, PreVote, PreVoted, RequestVote, TimeoutNow, Voted};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("pre-vote").ids(1),
        Kind::election("pre-voted").ids(1),
        Kind::election("request-vote").ids(1),
        Kind::election("voted").ids(1),
        Kind::announcement("heartbeat").ids(2),
        Kind::announcement("alive").ids(2),
        Kind::election("timeout-now").ids(1),
    ];
    fn kind(&self) -> usize {
        match self {
            PreVote(_) => 0,
            PreVoted(..) => 1,
            RequestVote(..) => 2,
            Voted(..) => 3,
            Heartbeat(..) => 4,
            Alive(..) => 5,
            TimeoutNow(_) => 6,
        }
    }
}

/// The alarms of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RaftAlarm {
    /// The shortest election timeout has passed without a leader.
    Silence,
    /// The drawn part of the election timeout has passed, too.
    Election,
    /// The next heartbeat is due.
    Beat,
    /// The lease that counts from the heartbeat of this number is over.
    Lease(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum RaftRole {
    Follower,
    /// Asks which members would vote for it; these would.
    PreCandidate(Voters),
    /// Has these votes.
    Candidate(Voters),
    Leader,
}
use RaftRole::{Candidate, Follower, Leader, PreCandidate};

/// The only office that is filled.
const OFFICE: Office = Office(0);
/// The cell of the current term.
const TERM: Cell = Cell { table: 0, key: 0 };
/// The cell of the vote in the current term.
const VOTE: Cell = Cell { table: 1, key: 0 };

/// A member. With `LEASE` a leader leads no longer than its last acknowledged heartbeats allow;
/// without, until it hears of a newer term or notices that a majority is silent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RaftElection<const LEASE: bool = true> {
    setting: Setting,
    /// Whether it may vote: its record is not lost.
    votes: bool,
    /// Whether it was told to stand.
    stands: bool,
    term: Term,
    voted_for: Option<Peer>,
    role: RaftRole,
    /// The leader whose heartbeat has come within the shortest election timeout.
    hears: Option<Peer>,
    /// The number of the last heartbeat sent.
    beat: u64,
    /// The last heartbeat to which each member has replied, if this one leads; its own is `beat`.
    alive: Vec<u64>,
    /// The last heartbeat to which a majority has replied, if this member leads; 0 if none.
    covered: u64,
    /// The member to campaign next, if one was named; `Some` while a leader is to end its work.
    leaving: Option<Option<Peer>>,
}

impl<const LEASE: bool> RaftElection<LEASE> {
    const fn patience(&self) -> u32 {
        let Setting { lease, stop, clocks, .. } = self.setting;
        clocks.outlasting(lease.saturating_add(stop))
    }

    /// Enters a term, and forgets the vote of the term before.
    fn enter(&mut self, term: Term, effects: &mut impl Effects<Self>) {
        self.term = term;
        self.voted_for = None;
        effects.write(TERM, term.0);
        effects.write(VOTE, 0);
        self.follow(effects);
    }

    /// Becomes a follower, if it is not one, and waits for a leader.
    fn follow(&mut self, effects: &mut impl Effects<Self>) {
        if self.role == Leader {
            effects.cancel_alarm(RaftAlarm::Beat);
            effects.changed(OFFICE);
        }
        self.role = Follower;
        self.leaving = None;
        self.hears = None;
        effects.cancel_alarm(RaftAlarm::Election);
        effects.set_alarm(RaftAlarm::Silence, self.patience());
    }

    fn vote(&mut self, candidate: Peer, effects: &mut impl Effects<Self>) {
        self.voted_for = Some(candidate);
        effects.write(VOTE, u64::from(candidate.0) + 1);
    }

    /// Asks the members which of them would vote for it.
    fn ask(&mut self, effects: &mut impl Effects<Self>) {
        self.role = PreCandidate(Voters::only(self.setting.me));
        for member in self.setting.others() {
            effects.send(member, PreVote(Term(self.term.0 + 1)));
        }
        self.retry_later(effects);
        self.count(effects);
    }

    /// Starts a term and asks for votes; `asked` is whether the leader told it to.
    fn campaign(&mut self, asked: bool, effects: &mut impl Effects<Self>) {
        self.enter(Term(self.term.0 + 1), effects);
        self.vote(self.setting.me, effects);
        self.role = Candidate(Voters::only(self.setting.me));
        for member in self.setting.others() {
            effects.send(member, RequestVote(self.term, asked));
        }
        self.retry_later(effects);
        self.count(effects);
    }

    /// Draws the time after which an election without a result is tried again.
    fn retry_later(&mut self, effects: &mut impl Effects<Self>) {
        effects.cancel_alarm(RaftAlarm::Silence);
        let drawn = effects.choose(self.setting.lease);
        effects.set_alarm(RaftAlarm::Election, self.patience().saturating_add(drawn));
    }

    /// Proceeds to the next stage of the election if a majority supports it.
    fn count(&mut self, effects: &mut impl Effects<Self>) {
        match self.role {
            PreCandidate(voters) if voters.len() >= self.setting.majority() => {
                self.campaign(false, effects);
            }
            Candidate(voters) if voters.len() >= self.setting.majority() => {
                self.role = Leader;
                self.hears = None;
                self.alive = vec![0; self.setting.members as usize];
                self.covered = 0;
                effects.cancel_alarm(RaftAlarm::Election);
                // Check-quorum: this rings unless a majority replies in time.
                effects.set_alarm(RaftAlarm::Silence, self.patience());
                effects.changed(OFFICE);
                self.beat(effects);
            }
            _ => {}
        }
    }

    fn beat(&mut self, effects: &mut impl Effects<Self>) {
        self.beat += 1;
        effects.set_alarm(RaftAlarm::Beat, self.setting.heartbeat);
        effects.set_alarm(RaftAlarm::Lease(self.beat), self.setting.lease);
        for member in self.setting.others() {
            effects.send(member, Heartbeat(self.term, self.beat));
        }
        self.cover(effects);
    }

    /// Determines the last heartbeat to which a majority, itself included, has replied.
    fn cover(&mut self, effects: &mut impl Effects<Self>) {
        let me = self.setting.me.0 as usize;
        let mut replies = self.alive.clone();
        replies[me] = self.beat;
        replies.sort_unstable_by(|a, b| b.cmp(a));
        let covered = replies[self.setting.majority() - 1];
        if covered > self.covered {
            if LEASE && self.covered == 0 {
                effects.changed(OFFICE);
            }
            for older in self.covered.max(1)..covered {
                effects.cancel_alarm(RaftAlarm::Lease(older));
            }
            self.covered = covered;
            effects.set_alarm(RaftAlarm::Silence, self.patience());
        }
    }

    /// Handles the heartbeat of a leader.
    fn hear(&mut self, from: Peer, term: Term, beat: u64, effects: &mut impl Effects<Self>) {
        if term < self.term {
            return effects.send(from, Alive(self.term, beat));
        }
        if term > self.term {
            self.enter(term, effects);
        } else if self.role == Leader {
            return effects.reject("a term has one leader");
        } else {
            self.role = Follower;
            effects.cancel_alarm(RaftAlarm::Election);
            effects.set_alarm(RaftAlarm::Silence, self.patience());
        }
        if self.hears != Some(from) {
            self.hears = Some(from);
            effects.changed(OFFICE);
        }
        effects.send(from, Alive(term, beat));
    }

    const fn free(&self) -> bool {
        self.votes && self.hears.is_none() && !matches!(self.role, Leader)
    }
}

impl<const LEASE: bool> Recoverable for RaftElection<LEASE> {
    type Msg = Msg;
    type Alarm = RaftAlarm;

    fn start(setting: Setting, start: Start, effects: &mut impl Effects<Self>) -> Self {
        let voted_for =
            effects.read(VOTE).filter(|&vote| vote > 0).map(|vote| Peer(vote as u32 - 1));
        let member = Self {
            setting,
            votes: setting.is_member()
                && setting.members <= Voters::LIMIT
                && start.memory != Memory::Lost,
            stands: false,
            term: Term(effects.read(TERM).unwrap_or(0)),
            voted_for,
            role: Follower,
            hears: None,
            beat: 0,
            alive: Vec::new(),
            covered: 0,
            leaving: None,
        };
        effects.set_alarm(RaftAlarm::Silence, member.patience());
        member
    }

    fn receive(&mut self, from: Peer, msg: Msg, effects: &mut impl Effects<Self>) {
        if from.0 >= self.setting.members || from == self.setting.me {
            return effects.reject("only the other members take part in an election");
        }
        match msg {
            PreVote(term) => {
                let granted = self.free() && term > self.term;
                let reply = if granted { term } else { self.term };
                effects.send(from, PreVoted(reply, granted));
            }
            PreVoted(term, granted) => match &mut self.role {
                PreCandidate(voters) if granted && term.0 == self.term.0 + 1 => {
                    voters.insert(from);
                    self.count(effects);
                }
                _ if !granted && term > self.term => self.enter(term, effects),
                _ => {}
            },
            // One that hears a leader neither votes nor lets its term be changed (section 4.2.3).
            RequestVote(_, asked) if !(self.free() || self.votes && asked) => {}
            RequestVote(term, _) => {
                if term > self.term {
                    self.enter(term, effects);
                }
                let granted = term == self.term && self.voted_for.is_none_or(|voted| voted == from);
                if granted {
                    self.vote(from, effects);
                    effects.set_alarm(RaftAlarm::Silence, self.patience());
                }
                effects.send(from, Voted(self.term, granted));
            }
            // A voter's or follower's term is newer: this member has been left behind.
            Voted(term, _) | Alive(term, _) if term > self.term => self.enter(term, effects),
            Voted(term, granted) => {
                if let Candidate(voters) = &mut self.role
                    && granted
                    && term == self.term
                {
                    voters.insert(from);
                    self.count(effects);
                }
            }
            Heartbeat(term, beat) => self.hear(from, term, beat, effects),
            Alive(term, beat) if term == self.term && self.role == Leader => {
                if beat > self.beat {
                    return effects.reject("a reply to a heartbeat that was never sent");
                }
                let last = &mut self.alive[from.0 as usize];
                *last = beat.max(*last);
                self.cover(effects);
            }
            Alive(..) => {}
            TimeoutNow(term) => {
                if term == self.term && self.stands && self.votes && self.role != Leader {
                    self.campaign(true, effects);
                }
            }
        }
    }

    fn ring(&mut self, alarm: RaftAlarm, effects: &mut impl Effects<Self>) {
        match alarm {
            // Check-quorum (section 6.2): a majority is silent.
            RaftAlarm::Silence if self.role == Leader => self.follow(effects),
            RaftAlarm::Silence => {
                self.hears = None;
                effects.changed(OFFICE);
                let drawn = effects.choose(self.setting.lease);
                effects.set_alarm(RaftAlarm::Election, drawn);
            }
            RaftAlarm::Election if self.stands && self.votes && self.role != Leader => {
                self.ask(effects);
            }
            RaftAlarm::Election => {}
            RaftAlarm::Beat => self.beat(effects),
            RaftAlarm::Lease(beat) => {
                if LEASE && self.role == Leader && beat == self.covered {
                    self.follow(effects);
                }
            }
        }
    }

    fn command(&mut self, command: Command, effects: &mut impl Effects<Self>) {
        match command {
            Command::Stand { office: OFFICE, .. } if self.votes => {
                if !self.stands {
                    self.stands = true;
                    effects.set_alarm(RaftAlarm::Silence, self.patience());
                }
            }
            Command::Resign { office: OFFICE } => {
                self.stands = false;
                if self.role == Leader {
                    self.leaving = Some(None);
                    effects.changed(OFFICE);
                }
            }
            Command::Transfer { office: OFFICE, to } if self.role == Leader => {
                self.leaving = Some(Some(to));
                effects.changed(OFFICE);
            }
            Command::Stopped { office: OFFICE, term } => {
                if let Some(to) = self.leaving
                    && self.role == Leader
                    && term == self.term
                {
                    self.follow(effects);
                    if let Some(to) = to {
                        effects.send(to, TimeoutNow(self.term));
                    }
                }
            }
            Command::Transfer { office: OFFICE, .. } => {
                effects.reject("only a leader can transfer");
            }
            Command::Stand { office: OFFICE, .. } => {
                effects.reject("only a member with its record stands in Raft");
            }
            _ => effects.reject("Raft fills one office, number 0"),
        }
    }

    fn tenure(&self, office: Office) -> Option<OfficeTenure<RaftAlarm>> {
        let leads = office == OFFICE && self.role == Leader && (!LEASE || self.covered > 0);
        leads.then(|| OfficeTenure {
            term: self.term,
            until: LEASE.then_some(RaftAlarm::Lease(self.covered)),
            stopping: self.leaving.is_some(),
        })
    }

    fn leader(&self, office: Office) -> Option<(Peer, Term)> {
        let own = self.tenure(office).map(|tenure| (self.setting.me, tenure.term));
        own.or_else(|| self.hears.filter(|_| office == OFFICE).map(|peer| (peer, self.term)))
    }

    fn serials(&mut self, visit: &mut impl FnMut(Series, &mut u64)) {
        let own = Series { of: self.setting.me, name: 0 };
        visit(own, &mut self.beat);
        visit(own, &mut self.covered);
        self.alive.iter_mut().for_each(|beat| visit(own, beat));
    }

    fn serials_of_message(
        from: Peer,
        to: Peer,
        msg: &mut Msg,
        visit: &mut impl FnMut(Series, &mut u64),
    ) {
        match msg {
            Heartbeat(_, beat) => visit(Series { of: from, name: 0 }, beat),
            Alive(_, beat) => visit(Series { of: to, name: 0 }, beat),
            _ => {}
        }
    }

    fn serials_of_alarm(at: Peer, alarm: &mut RaftAlarm, visit: &mut impl FnMut(Series, &mut u64)) {
        if let RaftAlarm::Lease(beat) = alarm {
            visit(Series { of: at, name: 0 }, beat);
        }
    }
}

/// Returns whether *election safety* holds: no two members lead in one term.
#[must_use]
pub fn one_leader_a_term<const LEASE: bool>(members: &[&RaftElection<LEASE>]) -> bool {
    let leaders: Vec<_> = members.iter().filter(|member| member.role == Leader).collect();
    leaders.iter().all(|one| leaders.iter().filter(|other| other.term == one.term).count() == 1)
}

/// Returns whether *one vote a term* holds: a vote that is counted for a candidate was given to it,
/// unless the voter has moved on to a later term.
#[must_use]
pub fn votes_are_kept<const LEASE: bool>(members: &[&RaftElection<LEASE>]) -> bool {
    let counted = members.iter().filter_map(|member| match member.role {
        Candidate(voters) => Some((member, voters)),
        _ => None,
    });
    counted.flat_map(|(candidate, voters)| voters.iter().map(move |voter| (candidate, voter))).all(
        |(candidate, voter)| {
            let voter = members.iter().find(|member| member.setting.me == voter);
            voter.is_none_or(|voter| {
                voter.term > candidate.term
                    || voter.term == candidate.term && voter.voted_for == Some(candidate.setting.me)
            })
        },
    )
}
