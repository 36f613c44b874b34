//! The eventual leader's election, event by event.

use super::stages::{Epidemic, Stages, elapse};
use crate::{
    engine::{Engine, go_on, leaders_meetings},
    protocol::{Election, Tally},
    random::Stream,
    sampling::geometric,
    trial::Trial,
};
use std::sync::atomic::AtomicBool;

/// The engine that follows the eventual leader alone.
///
/// Exact for all that concerns the eventual leader in an election that does not freeze: when all
/// follow it, when it declares, what it has counted.
#[derive(Clone, Copy, Debug)]
pub struct Leader<E> {
    election: E,
    agents: u64,
    stages: Epidemic,
}

/// How far a trial has come.
struct Run<'a> {
    stages: Epidemic,
    interrupted: &'a AtomicBool,
    time: u64,
    /// The time of all stages before this one is in `time`.
    stage: u64,
    tally: Tally,
    declared_at: Option<u64>,
}

impl<E: Election> Leader<E> {
    /// An engine for `agents` agents, from 2 to [`MAX_AGENTS`](super::MAX_AGENTS).
    ///
    /// # Panics
    /// If the election freezes beliefs: other agents' declarations would reach the leader.
    #[must_use]
    pub fn new(election: E, agents: u64) -> Self {
        assert!(!election.freezes(), "a leader that others can freeze cannot be followed alone");
        Self { election, agents, stages: Epidemic { agents, leader: true } }
    }

    /// The next stage, from `from` on, in which the leader meets a follower; `None` if it meets no
    /// more before completion.
    ///
    /// In stage j that is the first event with probability q = (j-1) / (j-1 + j(n-j)), at most
    /// d = 1/(n-j+1). The first stage chosen with probability d each is n+1 less a uniform number;
    /// it is kept with probability q/d.
    fn next_follower(&self, mut from: u64, stream: &mut Stream) -> Option<u64> {
        let n = self.agents;
        loop {
            let stage = n - stream.below(n - from + 1);
            if stage >= n {
                return None;
            }
            let (met, left) = ((stage - 1) as f64, (n - stage) as f64);
            if stream.unit() * (met + stage as f64 * left) < met * (left + 1.0) {
                return Some(stage);
            }
            from = stage + 1;
        }
    }
}

impl Run<'_> {
    /// Draws the time of the stages before `stage`.
    fn reach(&mut self, stage: u64, stream: &mut Stream) -> Option<()> {
        self.time += elapse(&self.stages, self.stage..stage, stream, self.interrupted)?;
        self.stage = stage;
        Some(())
    }
}

/// The stage that ends with the leader's next conversion after the one that ended `stage`. It
/// makes the conversion that ends stage k with probability 1/k, so none from stage+1 to j-1 with
/// probability stage/(j-1). Beyond any population the answer saturates.
fn next_conversion(stage: u64, stream: &mut Stream) -> u64 {
    (stage as f64 / stream.unit()) as u64 + 1
}

impl<E: Election> Engine for Leader<E> {
    fn trial(&mut self, stream: &mut Stream, interrupted: &AtomicBool) -> Option<Trial> {
        go_on(interrupted)?;
        let mut run = Run {
            stages: self.stages,
            interrupted,
            time: 0,
            stage: 1,
            tally: Tally::default(),
            declared_at: None,
        };
        let mut conversion = 1;
        let mut from = 1;
        loop {
            let follower = self.next_follower(from, stream);
            while conversion < follower.unwrap_or(self.agents) {
                run.tally.conversions += 1;
                if run.declared_at.is_none() && self.election.declares_on_conversion(run.tally) {
                    run.reach(conversion + 1, stream)?;
                    run.declared_at = Some(run.time);
                }
                conversion = next_conversion(conversion, stream);
            }
            let Some(stage) = follower else { break };
            run.reach(stage, stream)?;
            run.time += geometric(stream, self.stages.rate(stage));
            run.tally.met_followers += 1;
            let enough = self.election.followers_to_declare(run.tally.conversions);
            if run.declared_at.is_none()
                && enough.is_some_and(|enough| u64::from(run.tally.met_followers) >= enough)
            {
                run.declared_at = Some(run.time);
            }
            from = stage;
        }
        run.reach(self.agents, stream)?;
        let Tally { conversions, met_followers } = run.tally;
        let mut trial = Trial {
            completed_at: Some(run.time),
            conversions: Some(conversions.into()),
            followers_met: Some(met_followers.into()),
            ..Trial::default()
        };
        if run.declared_at.is_some() {
            // A declaration on the conversion that completes the election is correct.
            trial.leader_ok = Some(run.declared_at == trial.completed_at);
        } else if let Some(enough) = self.election.followers_to_declare(conversions) {
            let missing = enough.saturating_sub(met_followers.into()).max(1);
            run.declared_at = Some(run.time + leaders_meetings(stream, self.agents, missing));
            trial.leader_ok = Some(true);
        }
        trial.leader_declared_at = run.declared_at;
        Some(trial)
    }
}
