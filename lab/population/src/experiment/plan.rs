//! Plans: the engine that runs an experiment, and the fields for which it is exact.

use super::{EngineKind, MeetingModel, NamedProtocol, PopulationExperiment, Question};
use crate::{
    engine::{batched, closed_form, direct, oracle},
    error::PopulationError,
    meetings::Pairs,
    protocol::NumberedElection,
    protocols::{Agent, DeclarationRule, NumberedCandidate, SelfTerminating},
    trial::Field,
};
use suffrage_parallel::{cores, memory};

/// With more agents than this, the default question is about the leader only. The limit does not
/// depend on the machine's memory, so that a command means the same on every machine.
const EVERYTHING_BY_DEFAULT: u64 = 1 << 27;

/// The bytes of an agent's place on a graph.
const RANK: u64 = size_of::<u32>() as u64;

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

impl PopulationExperiment {
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
        if let Some(ids) = self.ids
            && ids.count != self.agents
        {
            return Err(PopulationError::IdCount { ids: ids.count as usize, agents: self.agents });
        }
        match self.protocol {
            NamedProtocol::SelfTerminating(SelfTerminating { margin, rule, .. })
                if margin.is_zero() && rule.has_margin() && rule != DeclarationRule::Difference =>
            {
                return Err(PopulationError::NoMargin { rule: rule.name() });
            }
            _ => {}
        }
        self.check_model()
    }

    fn check_model(&self) -> Result<(), PopulationError> {
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
    pub(super) fn fits(&self, engine: EngineKind) -> Result<(), PopulationError> {
        if engine != EngineKind::Direct && self.protocol_freezes() {
            return Err(PopulationError::Unsuitable {
                engine,
                reason: "as printed, any agent's declaration freezes what others believe",
                instead: EngineKind::Direct,
            });
        }
        let suitable = match self.model {
            MeetingModel::Uniform => true,
            MeetingModel::SelfMeetings => {
                matches!(engine, EngineKind::Direct | EngineKind::ClosedForm)
            }
            MeetingModel::Graph(_) => engine == EngineKind::Direct,
        };
        if !suitable {
            let (reason, instead) = match self.model {
                MeetingModel::Graph(_) => ("it does not know neighbours", EngineKind::Direct),
                _ => ("it knows no self-meetings", EngineKind::ClosedForm),
            };
            return Err(PopulationError::Unsuitable { engine, reason, instead });
        }
        if engine == EngineKind::Batched {
            self.classes_fit()?;
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

    /// Checks that the batched engine's classes of identities fit in memory.
    fn classes_fit(&self) -> Result<(), PopulationError> {
        let needed = self.class_bytes();
        match self.memory.or_else(memory::available) {
            Some(available) if available < needed => Err(PopulationError::Identities {
                highest: u64::from(self.highest).min(self.agents),
                needed,
                available,
            }),
            _ => Ok(()),
        }
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
    pub(super) fn fits_in_memory(&self, needed: u64) -> Result<(), PopulationError> {
        let agents = self.agents;
        let instead = if self.protocol_freezes() || matches!(self.model, MeetingModel::Graph(_)) {
            String::new()
        } else {
            "; the closed-form and the batched engine keep no agents and follow the eventual leader"
                .into()
        };
        if agents > u64::from(u32::MAX) {
            let limit = u32::MAX.into();
            return Err(PopulationError::TooManyAgents {
                agents,
                engine: EngineKind::Direct,
                limit,
                instead,
            });
        }
        match self.memory.or_else(memory::available) {
            Some(available) if available < needed => {
                Err(PopulationError::Memory { agents, needed, available, instead })
            }
            _ => Ok(()),
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
}

#[cfg(test)]
mod tests;
