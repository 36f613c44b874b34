//! The election of the eventual leader, event by event.

use super::stages::{Epidemic, StageSequence, elapse};
use crate::{
    engine::{Supervisor, TrialEngine},
    meetings::time_to_meet,
    protocol::{MeetingTally, NumberedElection},
    random::RandomStream,
    sampling::geometric,
    trial::Trial,
};

/// The engine that follows only the eventual leader.
///
/// Exact for all that concerns the eventual leader in an election that does not freeze: when all
/// follow it, when it declares, and its tally.
#[derive(Clone, Copy, Debug)]
pub struct EventualLeader<E> {
    election: E,
    agents: u64,
    stages: Epidemic,
}

/// The state of a trial; `so_far.time` includes all stages before `so_far.stage`.
struct LeaderRun<'a> {
    stages: Epidemic,
    supervisor: &'a dyn Supervisor,
    so_far: SoFar,
}

impl<E: NumberedElection> EventualLeader<E> {
    /// Creates an engine for `agents` agents, from 2 to [`MAX_AGENTS`](super::MAX_AGENTS).
    ///
    /// # Panics
    /// If the election freezes beliefs: other agents' declarations would reach the leader.
    #[must_use]
    pub fn new(election: E, agents: u64) -> Self {
        assert!(!election.freezes(), "a leader that others can freeze cannot be followed alone");
        let stages = Epidemic { agents, leader: true, self_meetings: false };
        Self { election, agents, stages }
    }

    /// Changes to the model in which an agent may meet itself, which counts as two followers.
    #[must_use]
    pub const fn with_self_meetings(mut self) -> Self {
        self.stages.self_meetings = true;
        self
    }

    /// Returns the next stage, from `from` on, in which the leader meets a follower; `None` if it
    /// meets no more before completion.
    ///
    /// In stage j that is the first event with probability q = (j-1) / (j-1 + j(n-j)), at most
    /// d = 1/(n-j+1). The first stage chosen with probability d each is n+1 less a uniform number;
    /// it is kept with probability q/d. With self-meetings j - 1/2 takes the place of j-1.
    fn next_follower(&self, mut from: u64, stream: &mut RandomStream) -> Option<u64> {
        let n = self.agents;
        loop {
            let stage = n - stream.below(n - from + 1);
            if stage >= n {
                return None;
            }
            let itself = if self.stages.self_meetings { 0.5 } else { 0.0 };
            let (met, left) = ((stage - 1) as f64 + itself, (n - stage) as f64);
            if stream.unit() * (met + stage as f64 * left) < met * (left + 1.0) {
                return Some(stage);
            }
            from = stage + 1;
        }
    }
}

impl LeaderRun<'_> {
    /// Draws the time of the stages before `stage`.
    fn reach(&mut self, stage: u64, stream: &mut RandomStream) -> Option<()> {
        let stages = self.so_far.stage..stage;
        let time = self.so_far.time;
        self.so_far.time = elapse(&self.stages, stages, time, stream, self.supervisor)?;
        self.so_far.stage = stage;
        Some(())
    }

    fn declare(&mut self) {
        self.so_far.declared_at.get_or_insert(self.so_far.time);
    }
}

/// Returns the stage that ends with the leader's next conversion after the one that ended `stage`.
/// It makes the conversion that ends stage k with probability 1/k, so none from stage+1 to j-1 with
/// probability stage/(j-1). Beyond any population the answer saturates.
fn next_conversion(stage: u64, stream: &mut RandomStream) -> u64 {
    (stage as f64 / stream.unit()) as u64 + 1
}

/// The part of an election that has happened, as its eventual leader knows it.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct SoFar {
    /// The number of interactions.
    pub(in crate::engine) time: u64,
    /// The number of believers in the eventual leader, including itself.
    pub(in crate::engine) stage: u64,
    /// Its tally.
    pub(in crate::engine) tally: MeetingTally,
    /// When it declared.
    pub(in crate::engine) declared_at: Option<u64>,
}

impl<E: NumberedElection> EventualLeader<E> {
    /// Follows the leader from some point of the election to its declaration.
    pub(in crate::engine) fn follow(
        &self,
        so_far: SoFar,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Option<Trial> {
        let mut run = LeaderRun { stages: self.stages, supervisor, so_far };
        let mut from = so_far.stage;
        let mut conversion = next_conversion(from - 1, stream);
        loop {
            let follower = self.next_follower(from, stream);
            while conversion < follower.unwrap_or(self.agents) {
                run.so_far.tally.conversions += 1;
                if self.election.declares_on_conversion(run.so_far.tally) {
                    run.reach(conversion + 1, stream)?;
                    run.declare();
                }
                conversion = next_conversion(conversion, stream);
            }
            let Some(stage) = follower else { break };
            run.reach(stage, stream)?;
            run.so_far.time += geometric(stream, self.stages.rate(stage));
            run.so_far.tally.met_followers += 1;
            if self.stages.self_meetings && stream.below(2 * stage - 1) == 0 {
                run.so_far.tally.met_followers += 1;
            }
            if self.election.declares_on_follower(run.so_far.tally) {
                run.declare();
            }
            from = stage;
        }
        run.reach(self.agents, stream)?;
        Some(self.finish(run.so_far, stream))
    }

    /// Completes a trial in which all hold the maximum.
    fn finish(&self, so_far: SoFar, stream: &mut RandomStream) -> Trial {
        let SoFar { time, tally: MeetingTally { conversions, met_followers }, declared_at, .. } =
            so_far;
        let mut trial = Trial {
            completed_at: Some(time),
            conversions: Some(conversions.into()),
            followers_met: Some(met_followers.into()),
            leader_declared_at: declared_at,
            // A declaration on the conversion that completes the election is correct.
            leader_ok: declared_at.map(|declared_at| declared_at == time),
            ..Trial::default()
        };
        let enough = self.election.followers_to_declare(conversions);
        if let (Some(enough), None) = (enough, declared_at) {
            let missing = enough.saturating_sub(met_followers.into()).max(1);
            let Epidemic { agents, self_meetings, .. } = self.stages;
            let tail = time_to_meet(agents, self_meetings, missing, stream);
            trial.leader_declared_at = Some(time + tail);
            trial.leader_ok = Some(true);
        }
        trial
    }
}

impl<E: NumberedElection> TrialEngine for EventualLeader<E> {
    fn trial(&mut self, stream: &mut RandomStream, supervisor: &dyn Supervisor) -> Option<Trial> {
        supervisor.go_on(0)?;
        let nothing =
            SoFar { time: 0, stage: 1, tally: MeetingTally::default(), declared_at: None };
        self.follow(nothing, stream, supervisor)
    }
}
