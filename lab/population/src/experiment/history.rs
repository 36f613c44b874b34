//! Records the history of a trial of an experiment.

use super::{EngineKind, MeetingModel, NamedProtocol, PopulationExperiment};
use crate::{
    engine::{
        Supervisor,
        batched::{Goal, MeetingTable, Ranks, StateCounts},
    },
    error::PopulationError,
    history::CountHistory,
    meetings::{Meetings, SelfMeetings},
    protocol::{Belief, NumberedElection, PopulationProtocol},
    protocols::{
        Agent, Fratricide, FratricideRole, Infection, NumberedCandidate, NumberedEpidemic,
        SelfTerminating,
    },
    random::RandomStream,
};

/// The largest number of numbered agents that are all recorded. Of more agents, only those with the
/// highest identities are recorded, unless the direct engine is chosen, which would take minutes.
const EVERY_AGENT: u64 = 1 << 20;

impl PopulationExperiment {
    /// Records one trial every `interval` interactions until no count changes any more: the classic
    /// protocols by the batched engine, as counts of their states; the numbered ones agent by agent
    /// ([`CountHistory::of_election`]), or, for more than 2^20 agents or with the batched engine,
    /// the counts that that engine follows ([`CountHistory::of_ranks`]). If the supervisor stops
    /// it, the history ends there.
    ///
    /// The trial has the experiment's seed, but need not equal the first of its trials, which
    /// another engine may run.
    ///
    /// # Errors
    /// As [`PopulationExperiment::plan`]; if every agent is recorded, also if they do not fit in memory.
    pub fn history(
        &self,
        interval: u64,
        supervisor: &dyn Supervisor,
    ) -> Result<CountHistory, PopulationError> {
        self.plan()?;
        if self.protocol == NamedProtocol::TwoWayEpidemic
            && !matches!(self.model, MeetingModel::Uniform)
        {
            return Err(PopulationError::Model {
                protocol: self.protocol.name(),
                model: "with a history in this model",
                reason: "its history is one of counts, which know neither neighbours nor \
                         self-meetings; the epidemic of numbered agents spreads in the same way",
            });
        }
        let stream = &mut RandomStream::of_trial(self.seed, 0);
        let recorder = HistoryRecorder { experiment: self, interval, supervisor };
        match self.protocol {
            NamedProtocol::Anonymous => {
                let goal = Goal::Count { state: 0, count: 1 };
                recorder.of_counts(
                    &Fratricide,
                    &[FratricideRole::Leader],
                    &[self.agents],
                    goal,
                    stream,
                )
            }
            NamedProtocol::TwoWayEpidemic => {
                let (initial, goal) =
                    ([1, self.agents - 1], Goal::Count { state: 0, count: self.agents });
                let history =
                    recorder.of_counts(&Infection, &[true, false], &initial, goal, stream)?;
                Ok(CountHistory { columns: vec!["infected".into(), "healthy".into()], ..history })
            }
            NamedProtocol::KnownBounds => Ok(CountHistory::of_known_bounds(self.agents)),
            // Both forms of the epidemic spread the same beliefs.
            NamedProtocol::Epidemic { .. } if recorder.in_batches(false) => {
                Ok(recorder.of_ranks(NumberedEpidemic::default(), stream))
            }
            NamedProtocol::SelfTerminating(protocol) if recorder.in_batches(protocol.freezes()) => {
                Ok(recorder.of_ranks(protocol, stream))
            }
            NamedProtocol::Epidemic { printed } => {
                let all = self.agents;
                let over = move |counts: &[u64; 4]| counts[0] == all;
                recorder.of_election(
                    &NumberedEpidemic { printed },
                    NumberedCandidate::new,
                    over,
                    stream,
                )
            }
            NamedProtocol::SelfTerminating(protocol) => {
                let over = over(protocol, self.agents);
                recorder.of_election(&protocol, Agent::new, over, stream)
            }
        }
    }
}

/// Returns whether no count changes any more: all hold the maximum and have been told, or, if
/// beliefs freeze, all have been told or no agent ever will be.
fn over(protocol: SelfTerminating, agents: u64) -> impl Fn(&[u64; 4]) -> bool {
    move |&[hold, _, told, declared]| {
        let (complete, all_told) = (hold == agents, told == agents);
        if protocol.freezes() {
            all_told || (complete && declared == 0)
        } else {
            // A population of one never meets anyone who could tell it.
            complete && (all_told || agents == 1)
        }
    }
}

struct HistoryRecorder<'a> {
    experiment: &'a PopulationExperiment,
    interval: u64,
    supervisor: &'a dyn Supervisor,
}

impl HistoryRecorder<'_> {
    fn agents<S>(&self) -> Result<u32, PopulationError> {
        let agents = self.experiment.agents;
        self.experiment.fits_in_memory(agents.saturating_mul(size_of::<S>() as u64))?;
        Ok(u32::try_from(agents).unwrap_or(u32::MAX))
    }

    fn of_election<P>(
        &self,
        protocol: &P,
        initial: impl Fn(u32) -> P::State,
        over: impl Fn(&[u64; 4]) -> bool,
        stream: &mut RandomStream,
    ) -> Result<CountHistory, PopulationError>
    where
        P: PopulationProtocol<Output = Belief>,
    {
        let agents = self.agents::<P::State>()?;
        let (interval, supervisor) = (self.interval, self.supervisor);
        if agents == 1 {
            return Ok(CountHistory::of_one_agent());
        }
        Ok(match &self.experiment.model {
            MeetingModel::Uniform => {
                let meetings = Meetings::among(agents);
                CountHistory::of_election(
                    protocol, meetings, initial, interval, over, stream, supervisor,
                )
            }
            MeetingModel::SelfMeetings => {
                let meetings = SelfMeetings::among(agents);
                CountHistory::of_election(
                    protocol, meetings, initial, interval, over, stream, supervisor,
                )
            }
            MeetingModel::Graph(links) => {
                let meetings = links.clone();
                CountHistory::of_election(
                    protocol, meetings, initial, interval, over, stream, supervisor,
                )
            }
        })
    }

    fn in_batches(&self, freezes: bool) -> bool {
        let PopulationExperiment { agents, engine, ref model, .. } = *self.experiment;
        if !matches!(model, MeetingModel::Uniform) {
            return false;
        }
        let large = agents > EVERY_AGENT && engine != Some(EngineKind::Direct);
        agents >= 2 && !freezes && (large || engine == Some(EngineKind::Batched))
    }

    fn of_ranks(&self, election: impl NumberedElection, stream: &mut RandomStream) -> CountHistory {
        let PopulationExperiment { agents, highest, .. } = *self.experiment;
        let mut engine = Ranks::new(election, agents, highest);
        CountHistory::of_ranks(&mut engine, self.interval, stream, self.supervisor)
    }

    fn of_counts<P: PopulationProtocol>(
        &self,
        protocol: &P,
        states: &[P::State],
        initial: &[u64],
        goal: Goal,
        stream: &mut RandomStream,
    ) -> Result<CountHistory, PopulationError> {
        self.experiment.fits(EngineKind::Batched)?;
        let Ok(table) = MeetingTable::reachable(protocol, states) else {
            unreachable!("a classic protocol has two states");
        };
        let mut engine = StateCounts::new(table, initial, goal);
        Ok(CountHistory::of_counts(&mut engine, self.interval, stream, self.supervisor))
    }
}

#[cfg(test)]
mod tests;
