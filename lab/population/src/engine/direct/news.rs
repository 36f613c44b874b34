//! The spreading of the news that the election is complete, once all believe in the same agent.

use crate::{
    engine::{
        Supervisor,
        closed_form::stages::{Epidemic, elapse},
    },
    random::RandomStream,
};

/// The number of meetings between two calls of the supervisor.
const SLICE: u64 = 1 << 16;

/// The number of agents that have been told, at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct DirectNews {
    pub(super) agents: u32,
    pub(super) self_meetings: bool,
    pub(super) told: u32,
    pub(super) time: u64,
}

impl DirectNews {
    /// Draws when all agents have been told, if no agent declares any more: a two-way epidemic.
    pub(super) fn all_told(
        self,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Option<u64> {
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
    pub(super) fn until_leader_told(
        &mut self,
        declared_at: u64,
        followers: u64,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Option<()> {
        let others = u64::from(self.agents) - 1;
        let mut meetings = followers - 1;
        while self.time + 1 < declared_at {
            if self.time.is_multiple_of(SLICE) {
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
