//! Experiments: a protocol, a number of agents and of trials, and an engine.

mod failures;

#[cfg(test)]
mod tests;

pub use crate::{engine::EngineKind, protocols::NamedProtocol, trial::Question};
pub use failures::{AfterFailures, Failures, FailuresError};

use crate::{
    engine::{
        Supervisor, TrialEngine,
        batched::{self, Goal, MeetingTable, Ranks, StateCounts},
        closed_form::{self, EpidemicSpread, EventualLeader, OneLeaderLeft},
        direct::{self, Packed, Reference, TrialTail, WatchElection, WatchUntil},
        oracle::{self, Distributions, Oracle, harmonic},
    },
    ensemble::{Ensemble, TrialProgress},
    error::PopulationError,
    history::{CountHistory, HistoryRecorder},
    ids::PopulationIds,
    meetings::{LinkMeetings, Meetings, Pairs, SelfMeetings},
    protocol::{Belief, NumberedElection, PopulationProtocol},
    protocols::{
        Agent, DeclarationRule, Fratricide, FratricideRole, Infection, NumberedCandidate,
        NumberedEpidemic, SelfTerminating,
    },
    random::{RandomStream, TrialSeeds},
    trial::{Field, Trial},
};
use std::sync::atomic::AtomicBool;
use suffrage_parallel::{cores, memory};

/// With more agents than this, the default question is about the leader only. The limit does not
/// depend on the machine's memory, so that a command means the same on every machine.
const EVERYTHING_BY_DEFAULT: u64 = 1 << 27;

/// The largest number of numbered agents that are all recorded. Of more agents, only those with the
/// highest identities are recorded, unless the direct engine is chosen, which would take minutes.
const EVERY_AGENT: u64 = 1 << 20;

/// The bytes of an agent's place on a graph.
const RANK: u64 = size_of::<u32>() as u64;

/// A model of meetings.
#[derive(Clone, Debug, Default)]
pub enum MeetingModel {
    /// Every ordered pair of two different agents is equally likely.
    #[default]
    Uniform,
    /// Every ordered pair of agents is equally likely, those of an agent with itself included.
    SelfMeetings,
    /// The agents are the nodes of an interaction graph, and every link is equally likely, in each
    /// direction.
    Graph(LinkMeetings),
}

impl MeetingModel {
    const fn has_self_meetings(&self) -> bool {
        matches!(self, Self::SelfMeetings)
    }
}

/// An experiment.
#[derive(Clone, Debug)]
pub struct PopulationExperiment {
    /// The protocol.
    pub protocol: NamedProtocol,
    /// The number of agents; in a graph, its nodes.
    pub agents: u64,
    /// The model of meetings; by default two different agents, uniformly at random.
    pub model: MeetingModel,
    /// The number of trials.
    pub trials: u64,
    /// The seed: the same seed gives the same trials, on any machine.
    pub seed: u64,
    /// Whether each trial has a seed of its own, from `seed` on; otherwise all are trials of one seed.
    pub consecutive: bool,
    /// The requested fields; by default everything or, if that would take an array of more than
    /// 2^27 agents, the fields about the leader.
    pub question: Option<Question>,
    /// The engine; by default the fastest that is exact for the question.
    pub engine: Option<EngineKind>,
    /// The number of highest identities that the batched engine distinguishes.
    pub highest: u32,
    /// The number of threads; by default one for each core, if memory allows.
    pub threads: Option<usize>,
    /// The bytes that the direct engine may use; by default those that are free.
    pub memory: Option<u64>,
    /// The agents' identities, if the report is to name the leader.
    pub ids: Option<PopulationIds>,
}

/// The way in which an experiment is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnginePlan {
    /// The engine.
    pub engine: EngineKind,
    /// The question.
    pub question: Question,
    /// The fields for which the engine is exact.
    pub exact_for: Vec<Field>,
    /// The number of highest identities among which the first declaration shown is the first; `None`
    /// if it is the first of all, or is not shown.
    pub among_highest: Option<u32>,
    /// The number of threads.
    pub threads: usize,
}

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
    /// Creates an experiment of one trial with seed 1; all other fields have their defaults.
    #[must_use]
    pub const fn new(protocol: NamedProtocol, agents: u64) -> Self {
        Self {
            protocol,
            agents,
            model: MeetingModel::Uniform,
            trials: 1,
            seed: 1,
            consecutive: false,
            question: None,
            engine: None,
            highest: 16,
            threads: None,
            memory: None,
            ids: None,
        }
    }

    /// Returns the seeds of the trials of a part of the experiment.
    const fn seeds(&self, after: u64) -> TrialSeeds {
        let seed = self.seed.wrapping_add(after);
        if self.consecutive { TrialSeeds::From(seed) } else { TrialSeeds::One(seed) }
    }

    /// Estimates the interactions of a trial among uniformly random pairs, for progress.
    #[must_use]
    pub fn usual_interactions(&self) -> f64 {
        let n = self.agents as f64;
        match self.protocol {
            NamedProtocol::KnownBounds => 0.0,
            NamedProtocol::Anonymous => n * n,
            _ => n * harmonic(self.agents),
        }
    }

    /// Checks the experiment and chooses the settings that are left open. Does not allocate.
    ///
    /// # Errors
    /// Those of [`PopulationError`]; the messages name a remedy.
    pub fn plan(&self) -> Result<EnginePlan, PopulationError> {
        self.check()?;
        let question = self.question.unwrap_or_else(|| self.natural_question());
        let engine = match self.engine {
            Some(engine) => {
                self.fits(engine)?;
                engine
            }
            None => self.choose(question)?,
        };
        let exact_for = self.exact_for(engine);
        if self.question.is_some() {
            let missing: Vec<_> = self
                .asked(question)
                .filter(|field| !exact_for.contains(field))
                .map(Field::name)
                .collect();
            if !missing.is_empty() {
                return Err(PopulationError::NotExact { engine, question, missing });
            }
        }
        let shows_first = engine == EngineKind::Batched
            && matches!(self.protocol, NamedProtocol::SelfTerminating(_))
            && u64::from(self.highest) < self.agents;
        Ok(EnginePlan {
            engine,
            question,
            exact_for,
            among_highest: shows_first.then_some(self.highest),
            threads: self.threads(engine),
        })
    }

    fn asked(&self, question: Question) -> impl Iterator<Item = Field> {
        self.protocol.fields().iter().copied().filter(move |&field| question.asks(field))
    }

    fn check(&self) -> Result<(), PopulationError> {
        if self.agents == 0 {
            return Err(PopulationError::NoAgents);
        }
        if self.trials == 0 {
            return Err(PopulationError::NoTrials);
        }
        if let Some(ids) = self.ids.filter(|ids| ids.count != self.agents) {
            return Err(PopulationError::IdCount { ids: ids.count as usize, agents: self.agents });
        }
        if let NamedProtocol::SelfTerminating(SelfTerminating { margin, rule, .. }) = self.protocol
            && (margin.is_zero() && rule.has_margin() && rule != DeclarationRule::Difference)
        {
            return Err(PopulationError::NoMargin { rule: rule.name() });
        }
        let anonymous = self.protocol == NamedProtocol::Anonymous;
        let refused = |model, reason| PopulationError::Model {
            protocol: self.protocol.name(),
            model,
            reason,
        };
        match &self.model {
            MeetingModel::Graph(links) if u64::from(links.agents()) != self.agents => {
                Err(PopulationError::GraphSize { nodes: links.agents(), agents: self.agents })
            }
            MeetingModel::Graph(_) if anonymous => Err(refused(
                "on an interaction graph",
                "two leaders that are not neighbours never resign",
            )),
            MeetingModel::SelfMeetings if anonymous => {
                Err(refused("with self-meetings", "a leader that met itself would resign"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the default question: everything, unless that needs the direct engine and there are
    /// very many agents.
    fn natural_question(&self) -> Question {
        let all = self.exact_for(EngineKind::ClosedForm) == self.protocol.fields();
        let leaders_alone = self.fits(EngineKind::ClosedForm).is_ok();
        if !all && leaders_alone && self.agents > EVERYTHING_BY_DEFAULT {
            Question::Leader
        } else {
            Question::Everything
        }
    }

    fn choose(&self, question: Question) -> Result<EngineKind, PopulationError> {
        let fastest_first = [EngineKind::ClosedForm, EngineKind::Batched, EngineKind::Direct];
        let mut refusal = None;
        for engine in fastest_first {
            let exact_for = self.exact_for(engine);
            if self.asked(question).all(|field| exact_for.contains(&field)) {
                match self.fits(engine) {
                    Ok(()) => return Ok(engine),
                    Err(error) => refusal = refusal.or(Some(error)),
                }
            }
        }
        // The direct engine is exact for everything, so it was tried last.
        Err(refusal.unwrap_or(PopulationError::NoAgents))
    }

    /// Returns the fields for which an engine's trials have exactly the distribution that the
    /// protocol has.
    fn exact_for(&self, engine: EngineKind) -> Vec<Field> {
        let fields = self.protocol.fields();
        let NamedProtocol::SelfTerminating(protocol) = self.protocol else {
            return fields.to_vec();
        };
        let frozen = protocol.freezes();
        match engine {
            EngineKind::Direct => fields.to_vec(),
            _ if frozen => Vec::new(),
            EngineKind::ClosedForm | EngineKind::Oracle => self.asked(Question::Leader).collect(),
            EngineKind::Batched => {
                let all_apart = u64::from(self.highest) >= self.agents;
                let follows = |field: &Field| match field {
                    Field::DeclaredAt | Field::FirstOk => all_apart,
                    Field::ToldAt | Field::FinalOk => false,
                    _ => true,
                };
                fields.iter().copied().filter(follows).collect()
            }
        }
    }

    /// Checks that an engine runs the protocol in the model and can hold the agents.
    fn fits(&self, engine: EngineKind) -> Result<(), PopulationError> {
        if engine != EngineKind::Direct && self.protocol_freezes() {
            return Err(PopulationError::Unsuitable {
                engine,
                reason: "as printed, any agent's declaration freezes what others believe",
                instead: EngineKind::Direct,
            });
        }
        let unsuitable = match (&self.model, engine) {
            (MeetingModel::Uniform, _)
            | (_, EngineKind::Direct)
            | (MeetingModel::SelfMeetings, EngineKind::ClosedForm) => None,
            (MeetingModel::SelfMeetings, _) => {
                Some(("it knows no self-meetings", EngineKind::ClosedForm))
            }
            (MeetingModel::Graph(_), _) => {
                Some(("it does not know neighbours", EngineKind::Direct))
            }
        };
        if let Some((reason, instead)) = unsuitable {
            return Err(PopulationError::Unsuitable { engine, reason, instead });
        }
        if engine == EngineKind::Batched
            && let Some((needed, available)) = self.lacking(self.class_bytes())
        {
            let highest = u64::from(self.highest).min(self.agents);
            return Err(PopulationError::Identities { highest, needed, available });
        }
        let limit = match (engine, self.protocol) {
            (_, NamedProtocol::KnownBounds) => u64::MAX,
            (EngineKind::Oracle, _) => u64::from(oracle::MAX_AGENTS),
            // The direct engine would take n² interactions besides.
            (_, NamedProtocol::Anonymous) => closed_form::MAX_FRATRICIDE,
            (EngineKind::Direct, _) => return self.fits_in_memory(self.bytes()),
            _ => closed_form::MAX_AGENTS,
        };
        if self.agents <= limit {
            return Ok(());
        }
        let instead = match engine {
            EngineKind::Oracle => "; the closed-form engine draws trials of more",
            _ => "",
        };
        let agents = self.agents;
        Err(PopulationError::TooManyAgents { agents, engine, limit, instead: instead.into() })
    }

    /// Returns what is needed and what is free, if that is less.
    fn lacking(&self, needed: u64) -> Option<(u64, u64)> {
        let available = self.memory.or_else(memory::available)?;
        (available < needed).then_some((needed, available))
    }

    fn class_bytes(&self) -> u64 {
        match self.protocol {
            NamedProtocol::Epidemic { .. } | NamedProtocol::SelfTerminating(_) => {
                batched::BYTES_PER_CLASS * u64::from(self.highest).min(self.agents)
            }
            _ => 0,
        }
    }

    fn protocol_freezes(&self) -> bool {
        matches!(self.protocol, NamedProtocol::SelfTerminating(protocol) if protocol.freezes())
    }

    /// Checks that this many bytes are free, and that agents can be numbered by 32 bits.
    fn fits_in_memory(&self, needed: u64) -> Result<(), PopulationError> {
        let agents = self.agents;
        let instead = if self.protocol_freezes() || matches!(self.model, MeetingModel::Graph(_)) {
            String::new()
        } else {
            "; the closed-form and the batched engine keep no agents and follow the eventual leader"
                .into()
        };
        if agents > u64::from(u32::MAX) {
            let (engine, limit) = (EngineKind::Direct, u32::MAX.into());
            return Err(PopulationError::TooManyAgents { agents, engine, limit, instead });
        }
        match self.lacking(needed) {
            Some((needed, available)) => {
                Err(PopulationError::Memory { agents, needed, available, instead })
            }
            None => Ok(()),
        }
    }

    fn bytes(&self) -> u64 {
        let on_graph = matches!(self.model, MeetingModel::Graph(_));
        let each = match self.protocol {
            NamedProtocol::Epidemic { .. } if on_graph => {
                size_of::<NumberedCandidate>() as u64 + RANK
            }
            NamedProtocol::SelfTerminating(_) if on_graph => size_of::<Agent>() as u64 + RANK,
            NamedProtocol::KnownBounds => 0,
            NamedProtocol::Anonymous | NamedProtocol::TwoWayEpidemic => 1,
            NamedProtocol::Epidemic { .. } => direct::BYTES_PER_AGENT,
            // And a flag for each, once an agent has declared too early.
            NamedProtocol::SelfTerminating(_) => direct::BYTES_PER_AGENT + 1,
        };
        self.agents.saturating_mul(each)
    }

    fn threads(&self, engine: EngineKind) -> usize {
        let threads = self.threads.unwrap_or_else(cores).max(1);
        let each = match engine {
            EngineKind::Direct => self.bytes(),
            EngineKind::Batched => self.class_bytes(),
            EngineKind::ClosedForm | EngineKind::Oracle => return threads,
        };
        let room = self.memory.or_else(memory::available).unwrap_or(u64::MAX);
        let fit = room / each.max(1);
        threads.min(usize::try_from(fit).unwrap_or(usize::MAX)).max(1)
    }

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
        let still = || runner.trials(|| StillEngine(self.alone()));
        let sample = match self.protocol {
            _ if self.agents == 1 => still(),
            NamedProtocol::KnownBounds => still(),
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

    /// Records one trial every `interval` interactions until no count changes any more: the classic
    /// protocols by the batched engine, as counts of their states; the numbered ones agent by agent
    /// ([`HistoryRecorder::of_election`]), or, for more than 2^20 agents or with the batched engine,
    /// the counts that that engine follows ([`HistoryRecorder::of_ranks`]). If the supervisor stops
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
        let stream = RandomStream::of_trial(self.seed, 0);
        let recorder = HistoryRecorder { interval, stream, supervisor };
        Ok(match self.protocol {
            NamedProtocol::Anonymous => {
                self.fits(EngineKind::Batched)?;
                recorder.of_counts(fratricide_counts(self.agents))
            }
            NamedProtocol::TwoWayEpidemic => {
                self.fits(EngineKind::Batched)?;
                let columns = vec!["infected".into(), "healthy".into()];
                CountHistory { columns, ..recorder.of_counts(infection_counts(self.agents)) }
            }
            // Every agent knows the leader before the first meeting.
            NamedProtocol::KnownBounds => {
                CountHistory::of_still_election([self.agents, 1, self.agents, 0])
            }
            // Both forms of the epidemic spread the same beliefs.
            NamedProtocol::Epidemic { .. } if self.is_recorded_in_batches(false) => {
                let epidemic = NumberedEpidemic::default();
                recorder.of_ranks(Ranks::new(epidemic, self.agents, self.highest))
            }
            NamedProtocol::SelfTerminating(protocol)
                if self.is_recorded_in_batches(protocol.freezes()) =>
            {
                recorder.of_ranks(Ranks::new(protocol, self.agents, self.highest))
            }
            NamedProtocol::Epidemic { printed } => {
                let over = |counts: &[u64; 4]| counts[0] == self.agents;
                let epidemic = NumberedEpidemic { printed };
                self.election_history(recorder, epidemic, NumberedCandidate::new, over)?
            }
            NamedProtocol::SelfTerminating(protocol) => {
                // No count changes any more: all hold the maximum and have been told, or, if beliefs
                // freeze, all have been told or no agent ever will be.
                let over = |&[hold, _, told, declared]: &[u64; 4]| {
                    let (complete, all_told) = (hold == self.agents, told == self.agents);
                    if protocol.freezes() {
                        all_told || (complete && declared == 0)
                    } else {
                        complete && all_told
                    }
                };
                self.election_history(recorder, protocol, Agent::new, over)?
            }
        })
    }

    fn is_recorded_in_batches(&self, freezes: bool) -> bool {
        let large = self.agents > EVERY_AGENT && self.engine != Some(EngineKind::Direct);
        let batched = large || self.engine == Some(EngineKind::Batched);
        self.agents >= 2 && !freezes && batched && matches!(self.model, MeetingModel::Uniform)
    }

    fn election_history<P: PopulationProtocol<Output = Belief>>(
        &self,
        to: HistoryRecorder<'_>,
        protocol: P,
        initial: impl Fn(u32) -> P::State,
        over: impl Fn(&[u64; 4]) -> bool,
    ) -> Result<CountHistory, PopulationError> {
        self.fits_in_memory(self.agents.saturating_mul(size_of::<P::State>() as u64))?;
        let few = self.few();
        Ok(match &self.model {
            // One agent never meets any that could tell it.
            _ if few == 1 => CountHistory::of_still_election([1, 1, 0, 0]),
            MeetingModel::Uniform => to.of_election(protocol, Meetings::among(few), initial, over),
            MeetingModel::SelfMeetings => {
                to.of_election(protocol, SelfMeetings::among(few), initial, over)
            }
            MeetingModel::Graph(links) => to.of_election(protocol, links.clone(), initial, over),
        })
    }

    /// The number of agents, which an engine that keeps them all has checked.
    fn few(&self) -> u32 {
        u32::try_from(self.agents).unwrap_or(u32::MAX)
    }
}

/// An engine whose trials are all the same.
struct StillEngine(Trial);

impl TrialEngine for StillEngine {
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

    fn election<P>(&self, election: P, initial: fn(u32) -> P::State) -> TrialSample
    where
        P: NumberedElection + PopulationProtocol<Output = Belief>,
    {
        let PopulationExperiment { agents, highest, .. } = *self.experiment;
        match (self.plan.engine, &self.experiment.model) {
            (EngineKind::Direct, MeetingModel::Uniform) => {
                let meetings = Meetings::among(self.experiment.few());
                self.trials(|| Packed::new(election, meetings, TrialTail::Skipped))
            }
            (EngineKind::Direct, MeetingModel::SelfMeetings) => {
                let meetings = SelfMeetings::among(self.experiment.few());
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
                if model.has_self_meetings() { leader.with_self_meetings() } else { leader }
            }),
            (EngineKind::Oracle, _) => {
                let distributions =
                    Distributions::of(&election, self.experiment.few(), self.interrupted);
                TrialSample::Exact(Oracle::of(&election, self.experiment.few()), distributions)
            }
        }
    }

    fn anonymous(&self) -> TrialSample {
        let agents = self.experiment.agents;
        match self.plan.engine {
            EngineKind::Direct => self.trials(|| {
                let one = WatchUntil::new(FratricideRole::Leader, 1);
                let meetings = Meetings::among(self.experiment.few());
                Reference::new(Fratricide, meetings, |_| FratricideRole::Leader, one)
            }),
            EngineKind::Batched => self.trials(|| fratricide_counts(agents)),
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
                let meetings = Meetings::among(self.experiment.few());
                self.trials(|| Reference::new(Infection, meetings, first, all))
            }
            (EngineKind::Direct, MeetingModel::SelfMeetings) => {
                let meetings = SelfMeetings::among(self.experiment.few());
                self.trials(|| Reference::new(Infection, meetings, first, all))
            }
            (EngineKind::Direct, MeetingModel::Graph(links)) => {
                self.trials(|| Reference::new(Infection, links.clone(), first, all))
            }
            (EngineKind::Batched, _) => self.trials(|| infection_counts(agents)),
            (EngineKind::ClosedForm, model) => {
                let self_meetings = model.has_self_meetings();
                self.trials(|| EpidemicSpread { agents, self_meetings })
            }
            // It spreads like the highest identity, and no agent declares.
            (EngineKind::Oracle, _) => {
                let epidemic = NumberedEpidemic::default();
                let distributions =
                    Distributions::of(&epidemic, self.experiment.few(), self.interrupted);
                TrialSample::Time(oracle::completion(agents), distributions)
            }
        }
    }
}

/// The anonymous election, as counts of states.
fn fratricide_counts(agents: u64) -> StateCounts<FratricideRole> {
    let states = [FratricideRole::Leader];
    StateCounts::new(table(&Fratricide, &states), &[agents], Goal::Count { state: 0, count: 1 })
}

/// The two-way epidemic, as counts of states.
fn infection_counts(agents: u64) -> StateCounts<bool> {
    let goal = Goal::Count { state: 0, count: agents };
    StateCounts::new(table(&Infection, &[true, false]), &[1, agents - 1], goal)
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
