//! Runs an experiment by its plan.

use super::{EngineKind, Experiment, Model, Plan, Protocol};
use crate::{
    engine::{
        Engine, Supervisor,
        batched::{Counts, Goal, Ranks, Table},
        closed_form::{Leader, OneLeaderLeft, Spread},
        direct::{Packed, Reference, Tail, WatchElection, WatchUntil},
        oracle::{self, Distributions, Oracle},
    },
    ensemble::{Ensemble, Progress},
    error::Error,
    meetings::{Meetings, SelfMeetings},
    protocol::{Belief, Election, PopulationProtocol},
    protocols::{Agent, Candidate, Fratricide, Infection, NumberedEpidemic, Role},
    random::Stream,
    trial::Trial,
};
use std::sync::atomic::AtomicBool;

/// The result of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The way in which it was run.
    pub plan: Plan,
    /// The trials, or the exact values.
    pub sample: Sample,
}

/// Trials, or the exact values that they estimate.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// Trials, in order; fewer than asked for if the experiment was interrupted.
    Trials(Vec<Trial>),
    /// Exact expectations of an election among numbered agents, and the distributions of its times
    /// unless it was interrupted.
    Exact(Oracle, Option<Distributions>),
    /// Exact moments of the time of a classic protocol, and its distribution for the epidemic.
    Time(oracle::Spread, Option<Distributions>),
}

impl Experiment {
    /// Runs the experiment on its threads.
    ///
    /// # Errors
    /// As [`Experiment::plan`].
    pub fn run(
        &self,
        progress: &dyn Progress,
        interrupted: &AtomicBool,
    ) -> Result<Findings, Error> {
        let plan = self.plan()?;
        let runner = Runner { experiment: self, plan: &plan, progress, interrupted };
        let sample = match self.protocol {
            _ if self.agents == 1 => runner.trials(|| Still(self.alone())),
            Protocol::KnownBounds => runner.trials(|| Still(self.alone())),
            Protocol::Epidemic { printed } => {
                let mut sample = runner.election(NumberedEpidemic { printed }, Candidate::new);
                if let Sample::Trials(trials) = &mut sample {
                    // As printed, the leader eventually resigns; otherwise it never does.
                    trials.iter_mut().for_each(|trial| trial.final_ok = Some(!printed));
                }
                sample
            }
            Protocol::SelfTerminating(protocol) => runner.election(protocol, Agent::new),
            Protocol::Anonymous => runner.anonymous(),
            Protocol::TwoWayEpidemic => runner.infection(),
        };
        Ok(Findings { plan, sample })
    }

    fn alone(&self) -> Trial {
        let nothing = Trial { completed_at: Some(0), ..Trial::default() };
        match self.protocol {
            Protocol::KnownBounds => Trial { final_ok: Some(true), ..nothing },
            Protocol::Epidemic { .. } => Trial {
                conversions: Some(0),
                followers_met: Some(0),
                final_ok: Some(true),
                ..nothing
            },
            Protocol::SelfTerminating(_) => {
                Trial { conversions: Some(0), followers_met: Some(0), ..nothing }
            }
            Protocol::Anonymous | Protocol::TwoWayEpidemic => nothing,
        }
    }
}

/// An engine whose trials are all the same.
struct Still(Trial);

impl Engine for Still {
    fn trial(&mut self, _: &mut Stream, _: &dyn Supervisor) -> Option<Trial> {
        Some(self.0)
    }
}

struct Runner<'a> {
    experiment: &'a Experiment,
    plan: &'a Plan,
    progress: &'a dyn Progress,
    interrupted: &'a AtomicBool,
}

impl Runner<'_> {
    fn trials<E: Engine>(&self, make: impl Fn() -> E + Sync) -> Sample {
        let Experiment { trials, .. } = *self.experiment;
        let seeds = self.experiment.seeds(0);
        let ensemble = Ensemble { trials, seeds, threads: self.plan.threads };
        Sample::Trials(ensemble.run(make, self.progress, self.interrupted))
    }

    fn few(&self) -> u32 {
        u32::try_from(self.experiment.agents).unwrap_or(u32::MAX)
    }

    fn election<P>(&self, election: P, initial: fn(u32) -> P::State) -> Sample
    where
        P: Election + PopulationProtocol<Output = Belief>,
    {
        let Experiment { agents, highest, .. } = *self.experiment;
        match (self.plan.engine, &self.experiment.model) {
            (EngineKind::Direct, Model::Uniform) => {
                let meetings = Meetings::among(self.few());
                self.trials(|| Packed::new(election, meetings, Tail::Skipped))
            }
            (EngineKind::Direct, Model::SelfMeetings) => {
                let meetings = SelfMeetings::among(self.few());
                self.trials(|| Packed::new(election, meetings, Tail::Skipped))
            }
            (EngineKind::Direct, Model::Graph(links)) => {
                let declares = election.freezes() || election.followers_to_declare(1).is_some();
                let watch = WatchElection::new(declares, election.freezes());
                self.trials(|| Reference::new(election, links.clone(), initial, watch))
            }
            (EngineKind::Batched, _) => self.trials(|| Ranks::new(election, agents, highest)),
            (EngineKind::ClosedForm, model) => self.trials(|| {
                let leader = Leader::new(election, agents);
                if self.meets_itself(model) { leader.with_self_meetings() } else { leader }
            }),
            (EngineKind::Oracle, _) => {
                let distributions = Distributions::of(&election, self.few(), self.interrupted);
                Sample::Exact(Oracle::of(&election, self.few()), distributions)
            }
        }
    }

    const fn meets_itself(&self, model: &Model) -> bool {
        matches!(model, Model::SelfMeetings)
    }

    fn anonymous(&self) -> Sample {
        let agents = self.experiment.agents;
        match self.plan.engine {
            EngineKind::Direct => self.trials(|| {
                let one = WatchUntil::new(Role::Leader, 1);
                Reference::new(Fratricide, Meetings::among(self.few()), |_| Role::Leader, one)
            }),
            EngineKind::Batched => self.trials(|| {
                let goal = Goal::Count { state: 0, count: 1 };
                Counts::new(table(&Fratricide, &[Role::Leader]), &[agents], goal)
            }),
            EngineKind::ClosedForm => self.trials(|| OneLeaderLeft(agents)),
            EngineKind::Oracle => Sample::Time(oracle::fratricide(agents), None),
        }
    }

    fn infection(&self) -> Sample {
        let agents = self.experiment.agents;
        let model = &self.experiment.model;
        let all = WatchUntil::new(true, agents);
        let first = |agent: u32| agent == 0;
        match (self.plan.engine, model) {
            (EngineKind::Direct, Model::Uniform) => {
                let meetings = Meetings::among(self.few());
                self.trials(|| Reference::new(Infection, meetings, first, all))
            }
            (EngineKind::Direct, Model::SelfMeetings) => {
                let meetings = SelfMeetings::among(self.few());
                self.trials(|| Reference::new(Infection, meetings, first, all))
            }
            (EngineKind::Direct, Model::Graph(links)) => {
                self.trials(|| Reference::new(Infection, links.clone(), first, all))
            }
            (EngineKind::Batched, _) => self.trials(|| {
                let goal = Goal::Count { state: 0, count: agents };
                Counts::new(table(&Infection, &[true, false]), &[1, agents - 1], goal)
            }),
            (EngineKind::ClosedForm, model) => {
                let self_meetings = self.meets_itself(model);
                self.trials(|| Spread { agents, self_meetings })
            }
            // It spreads like the highest identity, and no agent declares.
            (EngineKind::Oracle, _) => {
                let epidemic = NumberedEpidemic::default();
                let distributions = Distributions::of(&epidemic, self.few(), self.interrupted);
                Sample::Time(oracle::completion(agents), distributions)
            }
        }
    }
}

fn table<P>(protocol: &P, initial: &[P::State]) -> Table<P::State>
where
    P: PopulationProtocol,
{
    match Table::reachable(protocol, initial) {
        Ok(table) => table,
        Err(_) => unreachable!("a classic protocol has two states"),
    }
}

#[cfg(test)]
mod tests;
