//! Runs an experiment by its plan.

use super::{EngineKind, EnginePlan, MeetingModel, NamedProtocol, PopulationExperiment};
use crate::{
    engine::{
        Supervisor, TrialEngine,
        batched::{Goal, MeetingTable, Ranks, StateCounts},
        closed_form::{EpidemicSpread, EventualLeader, OneLeaderLeft},
        direct::{Packed, Reference, TrialTail, WatchElection, WatchUntil},
        oracle::{self, Distributions, Oracle},
    },
    ensemble::{Ensemble, TrialProgress},
    error::PopulationError,
    meetings::{Meetings, SelfMeetings},
    protocol::{Belief, NumberedElection, PopulationProtocol},
    protocols::{
        Agent, Fratricide, FratricideRole, Infection, NumberedCandidate, NumberedEpidemic,
    },
    random::RandomStream,
    trial::Trial,
};
use std::sync::atomic::AtomicBool;

/// The result of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The way in which it was run.
    pub plan: EnginePlan,
    /// The trials, or the exact values.
    pub sample: TrialSample,
}

/// Trials, or the exact values that they estimate.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialSample {
    /// Trials, in order; fewer than asked for if the experiment was interrupted.
    Trials(Vec<Trial>),
    /// Exact expectations of an election among numbered agents, and the distributions of its times
    /// unless it was interrupted.
    Exact(Oracle, Option<Distributions>),
    /// Exact moments of the time of a classic protocol, and its distribution for the epidemic.
    Time(oracle::ExactMoments, Option<Distributions>),
}

impl PopulationExperiment {
    /// Runs the experiment on its threads.
    ///
    /// # Errors
    /// As [`PopulationExperiment::plan`].
    pub fn run(
        &self,
        progress: &dyn TrialProgress,
        interrupted: &AtomicBool,
    ) -> Result<Findings, PopulationError> {
        let plan = self.plan()?;
        let runner = ExperimentRunner { experiment: self, plan: &plan, progress, interrupted };
        let sample = match self.protocol {
            _ if self.agents == 1 => runner.trials(|| Still(self.alone())),
            NamedProtocol::KnownBounds => runner.trials(|| Still(self.alone())),
            NamedProtocol::Epidemic { printed } => {
                let mut sample =
                    runner.election(NumberedEpidemic { printed }, NumberedCandidate::new);
                if let TrialSample::Trials(trials) = &mut sample {
                    // As printed, the leader eventually resigns; otherwise it never does.
                    trials.iter_mut().for_each(|trial| trial.final_ok = Some(!printed));
                }
                sample
            }
            NamedProtocol::SelfTerminating(protocol) => runner.election(protocol, Agent::new),
            NamedProtocol::Anonymous => runner.anonymous(),
            NamedProtocol::TwoWayEpidemic => runner.infection(),
        };
        Ok(Findings { plan, sample })
    }

    fn alone(&self) -> Trial {
        let nothing = Trial { completed_at: Some(0), ..Trial::default() };
        match self.protocol {
            NamedProtocol::KnownBounds => Trial { final_ok: Some(true), ..nothing },
            NamedProtocol::Epidemic { .. } => Trial {
                conversions: Some(0),
                followers_met: Some(0),
                final_ok: Some(true),
                ..nothing
            },
            NamedProtocol::SelfTerminating(_) => {
                Trial { conversions: Some(0), followers_met: Some(0), ..nothing }
            }
            NamedProtocol::Anonymous | NamedProtocol::TwoWayEpidemic => nothing,
        }
    }
}

/// An engine whose trials are all the same.
struct Still(Trial);

impl TrialEngine for Still {
    fn trial(&mut self, _: &mut RandomStream, _: &dyn Supervisor) -> Option<Trial> {
        Some(self.0)
    }
}

struct ExperimentRunner<'a> {
    experiment: &'a PopulationExperiment,
    plan: &'a EnginePlan,
    progress: &'a dyn TrialProgress,
    interrupted: &'a AtomicBool,
}

impl ExperimentRunner<'_> {
    fn trials<E: TrialEngine>(&self, make: impl Fn() -> E + Sync) -> TrialSample {
        let PopulationExperiment { trials, .. } = *self.experiment;
        let seeds = self.experiment.seeds(0);
        let ensemble = Ensemble { trials, seeds, threads: self.plan.threads };
        TrialSample::Trials(ensemble.run(make, self.progress, self.interrupted))
    }

    fn few(&self) -> u32 {
        u32::try_from(self.experiment.agents).unwrap_or(u32::MAX)
    }

    fn election<P>(&self, election: P, initial: fn(u32) -> P::State) -> TrialSample
    where
        P: NumberedElection + PopulationProtocol<Output = Belief>,
    {
        let PopulationExperiment { agents, highest, .. } = *self.experiment;
        match (self.plan.engine, &self.experiment.model) {
            (EngineKind::Direct, MeetingModel::Uniform) => {
                let meetings = Meetings::among(self.few());
                self.trials(|| Packed::new(election, meetings, TrialTail::Skipped))
            }
            (EngineKind::Direct, MeetingModel::SelfMeetings) => {
                let meetings = SelfMeetings::among(self.few());
                self.trials(|| Packed::new(election, meetings, TrialTail::Skipped))
            }
            (EngineKind::Direct, MeetingModel::Graph(links)) => {
                let declares = election.freezes() || election.followers_to_declare(1).is_some();
                let watch = WatchElection::new(declares, election.freezes());
                self.trials(|| Reference::new(election, links.clone(), initial, watch))
            }
            (EngineKind::Batched, _) => self.trials(|| Ranks::new(election, agents, highest)),
            (EngineKind::ClosedForm, model) => self.trials(|| {
                let leader = EventualLeader::new(election, agents);
                if self.meets_itself(model) { leader.with_self_meetings() } else { leader }
            }),
            (EngineKind::Oracle, _) => {
                let distributions = Distributions::of(&election, self.few(), self.interrupted);
                TrialSample::Exact(Oracle::of(&election, self.few()), distributions)
            }
        }
    }

    const fn meets_itself(&self, model: &MeetingModel) -> bool {
        matches!(model, MeetingModel::SelfMeetings)
    }

    fn anonymous(&self) -> TrialSample {
        let agents = self.experiment.agents;
        match self.plan.engine {
            EngineKind::Direct => self.trials(|| {
                let one = WatchUntil::new(FratricideRole::Leader, 1);
                Reference::new(
                    Fratricide,
                    Meetings::among(self.few()),
                    |_| FratricideRole::Leader,
                    one,
                )
            }),
            EngineKind::Batched => self.trials(|| {
                let goal = Goal::Count { state: 0, count: 1 };
                StateCounts::new(table(&Fratricide, &[FratricideRole::Leader]), &[agents], goal)
            }),
            EngineKind::ClosedForm => self.trials(|| OneLeaderLeft(agents)),
            EngineKind::Oracle => TrialSample::Time(oracle::fratricide(agents), None),
        }
    }

    fn infection(&self) -> TrialSample {
        let agents = self.experiment.agents;
        let model = &self.experiment.model;
        let all = WatchUntil::new(true, agents);
        let first = |agent: u32| agent == 0;
        match (self.plan.engine, model) {
            (EngineKind::Direct, MeetingModel::Uniform) => {
                let meetings = Meetings::among(self.few());
                self.trials(|| Reference::new(Infection, meetings, first, all))
            }
            (EngineKind::Direct, MeetingModel::SelfMeetings) => {
                let meetings = SelfMeetings::among(self.few());
                self.trials(|| Reference::new(Infection, meetings, first, all))
            }
            (EngineKind::Direct, MeetingModel::Graph(links)) => {
                self.trials(|| Reference::new(Infection, links.clone(), first, all))
            }
            (EngineKind::Batched, _) => self.trials(|| {
                let goal = Goal::Count { state: 0, count: agents };
                StateCounts::new(table(&Infection, &[true, false]), &[1, agents - 1], goal)
            }),
            (EngineKind::ClosedForm, model) => {
                let self_meetings = self.meets_itself(model);
                self.trials(|| EpidemicSpread { agents, self_meetings })
            }
            // It spreads like the highest identity, and no agent declares.
            (EngineKind::Oracle, _) => {
                let epidemic = NumberedEpidemic::default();
                let distributions = Distributions::of(&epidemic, self.few(), self.interrupted);
                TrialSample::Time(oracle::completion(agents), distributions)
            }
        }
    }
}

fn table<P>(protocol: &P, initial: &[P::State]) -> MeetingTable<P::State>
where
    P: PopulationProtocol,
{
    match MeetingTable::reachable(protocol, initial) {
        Ok(table) => table,
        Err(_) => unreachable!("a classic protocol has two states"),
    }
}

#[cfg(test)]
mod tests;
