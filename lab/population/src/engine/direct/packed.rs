//! Elections among numbered agents, in eight bytes per agent.
//!
//! Identities equal indices, so that "believes in itself" is `leader[v] == v`, and only the agent
//! that both believe in after a meeting can have counted it: the tally is touched where that agent
//! is one of the two. Whether agents have been told that the election is complete is kept only
//! after a declaration that came too early.

use super::pages::Array;
use crate::{
    engine::{
        Supervisor, TrialEngine,
        closed_form::stages::{Epidemic, elapse},
    },
    meetings::{Meetings, UniformMeetings, time_to_meet},
    protocol::{MeetingTally, NumberedElection},
    random::RandomStream,
    trial::Trial,
};
use std::{hint::black_box, mem::swap};

/// The bytes per agent, of belief and tally.
pub const BYTES_PER_AGENT: u64 = 8;

/// From this size on the array leaves the second-level cache, and beliefs are read ahead.
const READ_AHEAD_FROM: u32 = 1 << 19;

/// The number of meetings drawn at a time, one block ahead of those that are applied. Reading the
/// beliefs of all of them while they are drawn lets the processor fetch many cache lines at once,
/// which a chain of dependent meetings would not.
const BLOCK: usize = 64;

/// The number of blocks between two calls of the supervisor.
const SLICE: usize = 64;

/// The number of meetings between two calls of the supervisor while news spread.
const NEWS_SLICE: u64 = 1 << 16;

/// The number of agents that are initialized between two calls of the supervisor.
const INITIALIZED_AT_ONCE: usize = 1 << 20;

/// The way in which an engine completes a trial once all hold the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialTail {
    /// The times of the leader's meetings and of the spreading of its declaration, which are all
    /// that matters then, are drawn from their distributions.
    Skipped,
    /// Every meeting is drawn, unless the leader has more than 65,535 followers to meet, which its
    /// tally could not hold.
    Simulated,
}

/// The direct engine for numbered agents in uniformly random meetings.
#[derive(Debug)]
pub struct Packed<E, M = Meetings> {
    election: E,
    meetings: M,
    agents: u32,
    tail: TrialTail,
    leader: Array<u32>,
    /// The conversions and followers met of each agent.
    tally: Array<[u16; 2]>,
    /// Whether each agent has been told; empty until the first declaration, if that was too early.
    told: Vec<bool>,
    told_count: u32,
    holders: u32,
    time: u64,
    trial: Trial,
}

impl<E: NumberedElection, M: UniformMeetings> Packed<E, M> {
    /// Creates an engine for the agents of `meetings`, at least two.
    #[must_use]
    pub fn new(election: E, meetings: M, tail: TrialTail) -> Self {
        let agents = meetings.agents();
        Self {
            election,
            meetings,
            agents,
            tail,
            leader: Array::zeroed(agents as usize),
            tally: Array::zeroed(agents as usize),
            told: Vec::new(),
            told_count: 0,
            holders: 1,
            time: 0,
            trial: Trial::default(),
        }
    }

    /// Initializes all agents. The first time, the system provides the memory, which takes a minute
    /// for 10^9 agents.
    fn start(&mut self, supervisor: &dyn Supervisor) -> Option<()> {
        let mut agent = 0;
        let beliefs = self.leader.as_mut_slice().chunks_mut(INITIALIZED_AT_ONCE);
        for (beliefs, tallies) in
            beliefs.zip(self.tally.as_mut_slice().chunks_mut(INITIALIZED_AT_ONCE))
        {
            supervisor.go_on(0)?;
            for belief in beliefs {
                *belief = agent;
                agent += 1;
            }
            tallies.fill([0; 2]);
        }
        self.told.clear();
        self.told_count = 0;
        self.holders = 1;
        self.time = 0;
        self.trial = Trial::default();
        Some(())
    }

    fn leaders_tally(&self) -> [u16; 2] {
        self.tally.as_slice()[self.agents as usize - 1]
    }

    const fn complete(&self) -> bool {
        self.holders == self.agents
    }

    /// Applies the meetings of a block until there is news, a completion or a declaration. Returns
    /// the number of applied meetings, and whether the last of them made news.
    ///
    /// Everything that a meeting touches is a local here: through `self` the compiler would have to
    /// read it again after every write of a belief.
    #[inline]
    fn hold(&mut self, block: &[(u32, u32)]) -> (usize, bool) {
        let (election, highest) = (self.election, self.agents - 1);
        let (leader, tally) = (self.leader.as_mut_slice(), self.tally.as_mut_slice());
        // Completion is no news any more once it is in the trial.
        let last = if self.trial.completed_at.is_some() { u32::MAX } else { self.agents };
        let mut holders = self.holders;
        let mut held = 0;
        let mut declarer = None;
        for &(i, j) in block {
            held += 1;
            let (v, converts) = merge(leader, i, j);
            holders += u32::from(converts & (v == highest));
            if v == i || v == j {
                let tally = &mut tally[v as usize];
                let mut declares = counts_enough(election, tally, converts);
                if M::SELF_MEETINGS && i == j {
                    declares |= counts_enough(election, tally, converts);
                }
                if declares {
                    declarer = Some(v);
                    break;
                }
            }
            if holders == last {
                break;
            }
        }
        self.holders = holders;
        self.time += held as u64;
        if let Some(v) = declarer {
            self.declare(v);
        }
        (held, declarer.is_some() || holders == last)
    }

    #[cold]
    fn declare(&mut self, v: u32) {
        let complete = self.complete();
        if self.trial.declared_at.is_none() {
            // Once all hold the maximum, every declaration is right.
            if complete && self.tail == TrialTail::Skipped {
                self.trial.final_ok = Some(true);
            } else {
                self.told.resize(self.agents as usize, false);
            }
        }
        self.trial.declare(self.time, complete, v == self.agents - 1);
        if !self.told.is_empty() {
            self.tell(v);
        }
    }

    /// Applies one interaction while the news that the election is complete spreads.
    fn meet_among_told(&mut self, (i, j): (u32, u32)) -> bool {
        let told = self.told[i as usize] || self.told[j as usize];
        let mut news = false;
        if !(told && self.election.freezes()) {
            news = self.hold(&[(i, j)]).1;
        } else {
            self.time += 1;
        }
        if told {
            self.tell(i);
            self.tell(j);
        }
        if self.told_count == self.agents && self.trial.final_ok.is_none() {
            self.trial.final_ok = Some(self.complete());
            self.trial.told_at = Some(self.time);
            news = true;
        }
        news
    }

    fn tell(&mut self, agent: u32) {
        let told = &mut self.told[agent as usize];
        self.told_count += u32::from(!*told);
        *told = true;
    }

    /// Handles news: records completion, skips the tail, and returns whether the trial is over.
    fn settle(&mut self, stream: &mut RandomStream, supervisor: &dyn Supervisor) -> Option<bool> {
        let complete = self.complete();
        if complete && self.trial.completed_at.is_none() {
            let [conversions, met] = self.leaders_tally();
            self.trial.complete(self.time, conversions.into(), met.into());
        }
        let enough = complete.then(|| self.followers_to_meet()).flatten();
        if self.election.freezes() {
            // While beliefs are frozen the eventual leader's later meetings are not counted.
            let none_will = complete && self.trial.declared_at.is_none() && enough.is_none();
            return Some(self.trial.final_ok.is_some() || none_will);
        }
        if !complete {
            return Some(false);
        }
        let Some(followers) = enough else { return Some(true) };
        // `DirectNews` does not support self-meetings, which count twice.
        let simulated =
            self.tail == TrialTail::Simulated || (M::SELF_MEETINGS && !self.told.is_empty());
        if simulated && followers < u64::from(u16::MAX) / 2 {
            return Some(self.trial.leader_declared_at.is_some() && self.trial.final_ok.is_some());
        }
        self.skip_tail(followers, stream, supervisor)?;
        Some(true)
    }

    /// Draws the rest of a trial after completion, when the eventual leader has to meet this many
    /// more followers before it declares.
    fn skip_tail(
        &mut self,
        followers: u64,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Option<()> {
        self.trial.final_ok.get_or_insert(true);
        let mut news = DirectNews {
            agents: self.agents,
            self_meetings: M::SELF_MEETINGS,
            told: self.told_count,
            time: self.time,
        };
        if self.trial.leader_declared_at.is_none() {
            let tail = time_to_meet(self.agents.into(), M::SELF_MEETINGS, followers, stream);
            let declared_at = self.time + tail;
            self.trial.leader_declared_at = Some(declared_at);
            self.trial.leader_ok = Some(true);
            if self.trial.declared_at.is_none() {
                self.trial.declared_at = Some(declared_at);
                self.trial.first_ok = Some(true);
                news.time = declared_at;
            } else if self.told.last() == Some(&false) {
                news.until_leader_told(declared_at, followers, stream, supervisor)?;
            }
        }
        if self.trial.told_at.is_none() {
            news.told = news.told.max(1);
            self.trial.told_at = Some(news.all_told(stream, supervisor)?);
        }
        Some(())
    }

    /// Returns the number of followers that the eventual leader has yet to meet before it declares, if
    /// it ever does.
    fn followers_to_meet(&self) -> Option<u64> {
        let [conversions, met] = self.leaders_tally();
        let enough = self.election.followers_to_declare(conversions.into())?;
        Some(enough.saturating_sub(met.into()).max(1))
    }
}

/// Makes both agents believe in the higher identity. Returns that identity, and whether it is new to
/// one of them.
#[inline]
fn merge(leader: &mut [u32], i: u32, j: u32) -> (u32, bool) {
    let (x, y) = (leader[i as usize], leader[j as usize]);
    let v = x.max(y);
    leader[i as usize] = v;
    leader[j as usize] = v;
    (v, x != y)
}

/// Counts a conversion or a follower of an agent that believes in itself. Returns whether the agent
/// declares.
#[inline]
fn counts_enough(election: impl NumberedElection, tally: &mut [u16; 2], converts: bool) -> bool {
    let counter = &mut tally[usize::from(!converts)];
    *counter = counter.saturating_add(1);
    let tally = MeetingTally { conversions: tally[0].into(), met_followers: tally[1].into() };
    if converts {
        election.declares_on_conversion(tally)
    } else {
        election.declares_on_follower(tally)
    }
}

/// Draws the meetings of a block, and touches the beliefs of their agents if there are any given.
#[inline]
fn draw(
    block: &mut [(u32, u32); BLOCK],
    meetings: &impl UniformMeetings,
    stream: &mut RandomStream,
    beliefs: Option<&[u32]>,
) {
    let Some(beliefs) = beliefs else {
        block.fill_with(|| meetings.next(stream));
        return;
    };
    let mut touched = 0;
    for meeting in block {
        let (i, j) = meetings.next(stream);
        touched ^= beliefs[i as usize] ^ beliefs[j as usize];
        *meeting = (i, j);
    }
    black_box(touched);
}

impl<E: NumberedElection, M: UniformMeetings> TrialEngine for Packed<E, M> {
    fn trial(&mut self, stream: &mut RandomStream, supervisor: &dyn Supervisor) -> Option<Trial> {
        self.start(supervisor)?;
        let meetings = self.meetings.clone();
        let reads_ahead = self.agents >= READ_AHEAD_FROM;
        let (mut block, mut next) = ([(0, 0); BLOCK], [(0, 0); BLOCK]);
        draw(&mut next, &meetings, stream, None);
        loop {
            supervisor.go_on(self.time)?;
            for _ in 0..SLICE {
                swap(&mut block, &mut next);
                let beliefs = reads_ahead.then(|| self.leader.as_slice());
                draw(&mut next, &meetings, stream, beliefs);
                let mut rest = block.as_slice();
                while let [meeting, others @ ..] = rest {
                    let news = if self.told.is_empty() {
                        let (held, news) = self.hold(rest);
                        rest = &rest[held..];
                        news
                    } else {
                        rest = others;
                        self.meet_among_told(*meeting)
                    };
                    if news && self.settle(stream, supervisor)? {
                        return Some(self.trial);
                    }
                }
            }
        }
    }
}

/// The number of agents that have been told that the election is complete, at a time, once all believe
/// in the same agent.
#[derive(Clone, Copy, Debug)]
struct DirectNews {
    agents: u32,
    self_meetings: bool,
    told: u32,
    time: u64,
}

impl DirectNews {
    /// Draws when all agents have been told, if no agent declares any more: a two-way epidemic.
    fn all_told(self, stream: &mut RandomStream, supervisor: &dyn Supervisor) -> Option<u64> {
        let Self { agents, self_meetings, told, time } = self;
        let stages = Epidemic { agents: agents.into(), leader: false, self_meetings };
        elapse(&stages, told.into()..agents.into(), time, stream, supervisor)
    }

    /// Draws the spreading until the eventual leader has been told or declares itself, given that
    /// it is not among those told, meets its last follower but `followers - 1` from now on at
    /// `declared_at`, and declares then.
    ///
    /// Its meetings before the last are at uniformly random times until then, with uniformly random
    /// others; at all other times two others meet.
    fn until_leader_told(
        &mut self,
        declared_at: u64,
        followers: u64,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Option<()> {
        let others = u64::from(self.agents) - 1;
        let mut meetings = followers - 1;
        while self.time + 1 < declared_at {
            if self.time.is_multiple_of(NEWS_SLICE) {
                supervisor.go_on(self.time)?;
            }
            let (told, left) = (u64::from(self.told), declared_at - 1 - self.time);
            self.time += 1;
            if stream.below(left) < meetings {
                meetings -= 1;
                if stream.below(others) < told {
                    self.told += 1;
                    return Some(());
                }
            } else {
                // Of the unordered pairs of others, those of a told and an untold agent.
                let pairs = others * (others - 1) / 2;
                self.told += u32::from(stream.below(pairs) < told * (others - told));
            }
        }
        self.time = declared_at;
        // It declares, or its last follower has told it already.
        self.told += 1;
        Some(())
    }
}
