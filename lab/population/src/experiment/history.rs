//! Records the history of a trial of an experiment.

use super::{EngineKind, Experiment, Model, Protocol};
use crate::{
    engine::{
        Supervisor,
        batched::{Counts, Goal, Ranks, Table},
    },
    error::Error,
    history::History,
    meetings::{Meetings, SelfMeetings},
    protocol::{Belief, Election, PopulationProtocol},
    protocols::{Agent, Candidate, Fratricide, Infection, NumberedEpidemic, Role, SelfTerminating},
    random::Stream,
};

/// The largest number of numbered agents that are all recorded. Of more, only those with the
/// highest identities are, unless the direct engine is asked for, which would take minutes.
const EVERY_AGENT: u64 = 1 << 20;

impl Experiment {
    /// Records one trial every `interval` interactions until no count changes any more: the classic
    /// protocols by the batched engine, as counts of their states; the numbered ones agent by agent
    /// ([`History::of_election`]), or, of more than 2^20 agents or if the batched engine is asked
    /// for, as far as that engine follows them ([`History::of_ranks`]). If the supervisor stops it,
    /// the history ends there.
    ///
    /// The trial has the experiment's seed, but need not equal the first of its trials, which
    /// another engine may run.
    ///
    /// # Errors
    /// As [`Experiment::plan`]; if every agent is recorded, also if they do not fit in memory.
    pub fn history(&self, interval: u64, supervisor: &dyn Supervisor) -> Result<History, Error> {
        self.plan()?;
        if self.protocol == Protocol::TwoWayEpidemic && !matches!(self.model, Model::Uniform) {
            return Err(Error::Model {
                protocol: self.protocol.name(),
                model: "with a history in this model",
                reason: "its history is one of counts, which know neither neighbours nor \
                         self-meetings; the epidemic of numbered agents spreads in the same way",
            });
        }
        let stream = &mut Stream::of_trial(self.seed, 0);
        let recorder = Recorder { experiment: self, interval, supervisor };
        match self.protocol {
            Protocol::Anonymous => {
                let goal = Goal::Count { state: 0, count: 1 };
                recorder.of_counts(&Fratricide, &[Role::Leader], &[self.agents], goal, stream)
            }
            Protocol::TwoWayEpidemic => {
                let (initial, goal) =
                    ([1, self.agents - 1], Goal::Count { state: 0, count: self.agents });
                let history =
                    recorder.of_counts(&Infection, &[true, false], &initial, goal, stream)?;
                Ok(History { columns: vec!["infected".into(), "healthy".into()], ..history })
            }
            Protocol::KnownBounds => Ok(History::of_known_bounds(self.agents)),
            // Both forms of the epidemic spread the same beliefs.
            Protocol::Epidemic { .. } if recorder.in_batches(false) => {
                Ok(recorder.of_ranks(NumberedEpidemic::default(), stream))
            }
            Protocol::SelfTerminating(protocol) if recorder.in_batches(protocol.freezes()) => {
                Ok(recorder.of_ranks(protocol, stream))
            }
            Protocol::Epidemic { printed } => {
                let all = self.agents;
                let over = move |counts: &[u64; 4]| counts[0] == all;
                recorder.of_election(&NumberedEpidemic { printed }, Candidate::new, over, stream)
            }
            Protocol::SelfTerminating(protocol) => {
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

struct Recorder<'a> {
    experiment: &'a Experiment,
    interval: u64,
    supervisor: &'a dyn Supervisor,
}

impl Recorder<'_> {
    fn agents<S>(&self) -> Result<u32, Error> {
        let agents = self.experiment.agents;
        self.experiment.fits_in_memory(agents.saturating_mul(size_of::<S>() as u64))?;
        Ok(u32::try_from(agents).unwrap_or(u32::MAX))
    }

    fn of_election<P>(
        &self,
        protocol: &P,
        initial: impl Fn(u32) -> P::State,
        over: impl Fn(&[u64; 4]) -> bool,
        stream: &mut Stream,
    ) -> Result<History, Error>
    where
        P: PopulationProtocol<Output = Belief>,
    {
        let agents = self.agents::<P::State>()?;
        let (interval, supervisor) = (self.interval, self.supervisor);
        if agents == 1 {
            return Ok(History::of_one_agent());
        }
        Ok(match &self.experiment.model {
            Model::Uniform => {
                let meetings = Meetings::among(agents);
                History::of_election(
                    protocol, meetings, initial, interval, over, stream, supervisor,
                )
            }
            Model::SelfMeetings => {
                let meetings = SelfMeetings::among(agents);
                History::of_election(
                    protocol, meetings, initial, interval, over, stream, supervisor,
                )
            }
            Model::Graph(links) => {
                let meetings = links.clone();
                History::of_election(
                    protocol, meetings, initial, interval, over, stream, supervisor,
                )
            }
        })
    }

    fn in_batches(&self, freezes: bool) -> bool {
        let Experiment { agents, engine, ref model, .. } = *self.experiment;
        if !matches!(model, Model::Uniform) {
            return false;
        }
        let large = agents > EVERY_AGENT && engine != Some(EngineKind::Direct);
        agents >= 2 && !freezes && (large || engine == Some(EngineKind::Batched))
    }

    fn of_ranks(&self, election: impl Election, stream: &mut Stream) -> History {
        let Experiment { agents, highest, .. } = *self.experiment;
        let mut engine = Ranks::new(election, agents, highest);
        History::of_ranks(&mut engine, self.interval, stream, self.supervisor)
    }

    fn of_counts<P: PopulationProtocol>(
        &self,
        protocol: &P,
        states: &[P::State],
        initial: &[u64],
        goal: Goal,
        stream: &mut Stream,
    ) -> Result<History, Error> {
        self.experiment.fits(EngineKind::Batched)?;
        let Ok(table) = Table::reachable(protocol, states) else {
            unreachable!("a classic protocol has two states");
        };
        let mut engine = Counts::new(table, initial, goal);
        Ok(History::of_counts(&mut engine, self.interval, stream, self.supervisor))
    }
}

#[cfg(test)]
mod tests;
