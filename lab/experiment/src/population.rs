//! Specifications of elections among agents that meet in random pairs.

mod run;

pub(crate) use run::run;

use crate::counts::NumberRange;
use crate::error::Error;
use crate::text::{self, names};
use serde::{Deserialize, Serialize, Serializer};
use std::num::NonZero;
use std::path::PathBuf;
use suffrage_networks::{FileOptions, FileSyntax};
use suffrage_parallel::cores;
use suffrage_population::experiment::{
    EngineKind, Failures, MeetingModel, NamedProtocol, PopulationExperiment, Question,
};
use suffrage_population::ids::PopulationIds;
use suffrage_population::protocols::{DeclarationRule, Margin, SelfTerminating};

names! {
    /// The name of a protocol.
    ProtocolName {
        /// Agents numbered 1 to n that know n (Algorithm 1).
        KnownBounds = "known-bounds",
        /// The highest identity spreads (Algorithm 2).
        Epidemic = "epidemic",
        /// The same, and the leader detects the end (Algorithm 3).
        SelfTerminating = "self-terminating",
        /// Anonymous election: when two leaders meet, one resigns.
        Anonymous = "anonymous",
        /// The spreading of an infection from one agent.
        TwoWayEpidemic = "two-way-epidemic",
    }
}

names! {
    /// The name of a rule.
    RuleName {
        /// Conversions < m · followers met, on a conversion, as printed.
        Printed = "printed",
        /// Followers met > m · conversions.
        Text = "text",
        /// Followers met >= m · conversions.
        AtLeast = "at-least",
        /// Followers met > conversions + m.
        Difference = "difference",
        /// Followers met >= conversions; has no margin.
        Equal = "equal",
    }
}

names! {
    /// The name of an engine.
    EngineName {
        /// The fastest engine that is exact for the question.
        Auto = "auto",
        /// Every agent in an array.
        Direct = "direct",
        /// Agents per state.
        Batched = "batched",
        /// Only the eventual leader.
        ClosedForm = "closed-form",
        /// Exact expectations instead of trials.
        Oracle = "oracle",
    }
}

names! {
    /// The name of a question.
    QuestionName {
        /// All fields that the protocol has.
        Everything = "everything",
        /// Fields of the eventual leader.
        Leader = "leader",
        /// When all hold the maximum.
        Completion = "completion",
    }
}

/// The default number of highest identities that the batched engine distinguishes.
const HIGHEST: u32 = 16;

/// Elections among agents that meet in random pairs. Each field has the meaning of the flag of its
/// name in `suffrage population`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct PopulationSpecification {
    /// The protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<ProtocolName>,
    /// A file of transitions, instead of a protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<PathBuf>,
    /// Interactions after which a trial by rules ends.
    #[serde(with = "text::wide::optional", skip_serializing_if = "Option::is_none")]
    pub interactions: Option<u64>,
    /// The number of agents; by default as many as there are identities or nodes.
    #[serde(with = "text::wide::optional", skip_serializing_if = "Option::is_none")]
    pub agents: Option<u64>,
    /// The margin of the self-terminating election.
    #[serde(with = "text::optional", skip_serializing_if = "Option::is_none")]
    pub margin: Option<Margin>,
    /// When an agent declares the election complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleName>,
    /// Interactions of an agent before it may declare.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_interactions: Option<u32>,
    /// Whether agents also meet themselves.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub self_meetings: bool,
    /// The interaction graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<String>,
    /// The format of a file with a network, where it is not recognized.
    #[serde(with = "text::optional", skip_serializing_if = "Option::is_none")]
    pub topology_format: Option<FileSyntax>,
    /// Whether the largest component is taken of a network in a file that is not connected.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub largest_component: bool,
    /// The number of trials. Not used with `seeds`.
    #[serde(with = "text::wide")]
    pub trials: u64,
    /// A trial for each of these seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<NumberRange<u64>>,
    /// Identities: `random`, or a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<String>,
    /// The share of the agents that fail once all have been told.
    #[serde(serialize_with = "share", deserialize_with = "text::optional::deserialize")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<Failures>,
    /// The engine.
    pub engine: EngineName,
    /// The question; by default everything, as far as the number of agents allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionName>,
    /// The number of highest identities that the batched engine distinguishes, by default 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highest: Option<u32>,
    /// The seed.
    #[serde(with = "text::wide")]
    pub seed: u64,
    /// Whether every trial is listed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub each: bool,
}

/// Writes a share as flags take it: without the blank before its sign.
fn share<S: Serializer>(failures: &Option<Failures>, to: S) -> Result<S::Ok, S::Error> {
    match failures {
        Some(failures) => to.serialize_str(&failures.to_string().replace(' ', "")),
        None => to.serialize_none(),
    }
}

impl Default for PopulationSpecification {
    fn default() -> Self {
        Self {
            protocol: None,
            rules: None,
            interactions: None,
            agents: None,
            margin: None,
            rule: None,
            min_interactions: None,
            self_meetings: false,
            topology: None,
            topology_format: None,
            largest_component: false,
            trials: 1,
            seeds: None,
            ids: None,
            failures: None,
            engine: EngineName::Auto,
            question: None,
            highest: None,
            seed: 1,
            each: false,
        }
    }
}

impl PopulationSpecification {
    /// The experiment that it describes, with the identities and the graph that the caller has read.
    #[must_use]
    pub fn experiment(
        &self,
        agents: u64,
        ids: Option<PopulationIds>,
        model: MeetingModel,
        threads: Option<NonZero<usize>>,
    ) -> PopulationExperiment {
        PopulationExperiment {
            model,
            trials: self.trials(),
            seed: self.first_seed(),
            consecutive: self.seeds.is_some(),
            question: self.question.map(QuestionName::question),
            engine: self.engine.engine(),
            highest: self.highest.unwrap_or(HIGHEST),
            threads: Some(threads.map_or_else(cores, NonZero::get)),
            ids,
            ..PopulationExperiment::new(self.protocol(), agents)
        }
    }

    /// How files with networks are read.
    #[must_use]
    pub const fn file_options(&self) -> FileOptions {
        FileOptions { largest_component: self.largest_component, format: self.topology_format }
    }

    /// The number of trials.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.seeds.map_or(self.trials, |seeds| (seeds.last - seeds.first).saturating_add(1))
    }

    /// The seed of the first trial.
    #[must_use]
    pub fn first_seed(&self) -> u64 {
        self.seeds.map_or(self.seed, |seeds| seeds.first)
    }

    /// The natural number of interactions between two lines of a history.
    #[must_use]
    pub const fn history_interval(&self, agents: u64) -> u64 {
        match self.protocol {
            Some(ProtocolName::Anonymous) => agents.saturating_mul(agents) / 1000,
            _ => agents / 10,
        }
    }

    fn rule(&self) -> RuleName {
        self.rule.unwrap_or(RuleName::Text)
    }

    /// Refuses fields that mean nothing for the protocol, or contradict each other.
    ///
    /// # Errors
    /// If there are such.
    pub fn check(&self) -> Result<(), Error> {
        if self.rules.is_some() {
            return self.check_rules();
        }
        if self.protocol.is_none() {
            return Err(Error::new("name a protocol, or a file of transitions with --rules"));
        }
        if self.agents.is_none() && self.ids.is_none() && self.topology.is_none() {
            return Err(Error::new("say how many agents there are: --agents, --ids or --topology"));
        }
        if self.engine == EngineName::Oracle && self.trials() > 1 {
            return Err(Error::new(
                "--engine oracle computes expectations and runs no trials: leave --trials and --seeds out",
            ));
        }
        if self.self_meetings && self.topology.is_some() {
            return Err(Error::new("--self-meetings and --topology: leave one of them out"));
        }
        if self.interactions.is_some() {
            let why = "it is for --rules; an election ends by itself";
            return Err(Error::new(format!("--interactions means nothing here: {why}")));
        }
        let protocol = self.protocol();
        if let Some((flag, why)) = self.meaningless() {
            return Err(Error::new(format!("{flag} means nothing for {}: {why}", protocol.name())));
        }
        match protocol {
            NamedProtocol::SelfTerminating(of)
                if self.margin.is_some() && of.rule == DeclarationRule::Equal =>
            {
                Err(Error::new(
                    "--margin: the rule `equal` compares the plain numbers, and has none",
                ))
            }
            NamedProtocol::SelfTerminating(_) => Ok(()),
            other if self.margin.is_some() => Err(Error::new(format!(
                "--margin: {} never declares anything; only self-terminating has a margin",
                other.name()
            ))),
            _ => Ok(()),
        }
    }

    fn check_rules(&self) -> Result<(), Error> {
        let given = [
            ("protocol", self.protocol.is_some()),
            ("--margin", self.margin.is_some()),
            ("--rule", self.rule.is_some()),
            ("--min-interactions", self.min_interactions.is_some()),
            ("--ids", self.ids.is_some()),
            ("--question", self.question.is_some()),
            ("--failures", self.failures.is_some()),
            ("--self-meetings", self.self_meetings),
            ("--engine", self.engine != EngineName::Auto),
            ("--highest", self.highest.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => {
                Err(Error::new(format!("{flag} and --rules: leave one of them out")))
            }
            None => Ok(()),
        }
    }

    fn meaningless(&self) -> Option<(&'static str, &'static str)> {
        const DECLARES: &str = "only self-terminating declares";
        match (self.protocol(), self.rule) {
            (NamedProtocol::SelfTerminating(_), _) => None,
            _ if self.min_interactions.is_some() => Some(("--min-interactions", DECLARES)),
            (NamedProtocol::Epidemic { .. }, None | Some(RuleName::Printed | RuleName::Text))
            | (_, None) => None,
            (NamedProtocol::Epidemic { .. }, _) => {
                Some(("--rule", "an epidemic has only the forms text and printed"))
            }
            _ => {
                Some(("--rule", "it is for self-terminating, and for the two forms of an epidemic"))
            }
        }
    }

    /// The protocol with its parameters.
    #[must_use]
    pub fn protocol(&self) -> NamedProtocol {
        match self.protocol.unwrap_or(ProtocolName::KnownBounds) {
            ProtocolName::KnownBounds => NamedProtocol::KnownBounds,
            ProtocolName::Epidemic => {
                NamedProtocol::Epidemic { printed: self.rule == Some(RuleName::Printed) }
            }
            ProtocolName::SelfTerminating => NamedProtocol::SelfTerminating(SelfTerminating {
                margin: self.margin.unwrap_or(SelfTerminating::default().margin),
                rule: self.rule().rule(),
                min_interactions: self.min_interactions.unwrap_or(match self.rule() {
                    RuleName::Text => SelfTerminating::default().min_interactions,
                    _ => 0,
                }),
            }),
            ProtocolName::Anonymous => NamedProtocol::Anonymous,
            ProtocolName::TwoWayEpidemic => NamedProtocol::TwoWayEpidemic,
        }
    }
}

impl RuleName {
    /// The rule.
    #[must_use]
    pub const fn rule(self) -> DeclarationRule {
        match self {
            Self::Printed => DeclarationRule::Printed,
            Self::Text => DeclarationRule::Text,
            Self::AtLeast => DeclarationRule::AtLeast,
            Self::Difference => DeclarationRule::Difference,
            Self::Equal => DeclarationRule::Equal,
        }
    }
}

impl EngineName {
    /// The engine; `None` if it is chosen by the question.
    #[must_use]
    pub const fn engine(self) -> Option<EngineKind> {
        match self {
            Self::Auto => None,
            Self::Direct => Some(EngineKind::Direct),
            Self::Batched => Some(EngineKind::Batched),
            Self::ClosedForm => Some(EngineKind::ClosedForm),
            Self::Oracle => Some(EngineKind::Oracle),
        }
    }
}

impl QuestionName {
    const fn question(self) -> Question {
        match self {
            Self::Everything => Question::Everything,
            Self::Leader => Question::Leader,
            Self::Completion => Question::Completion,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> PopulationExperiment {
        let specification: PopulationSpecification = toml_edit::de::from_str(text).unwrap();
        let agents = specification.agents.unwrap_or(0);
        specification.experiment(agents, None, MeetingModel::Uniform, None)
    }

    #[test]
    fn fields_describe_an_experiment() {
        let experiment = described(
            "protocol = 'self-terminating'\nagents = '1e12'\ntrials = 3\nrule = 'difference'\n\
             margin = 7.5\nengine = 'closed-form'\nseed = 9",
        );
        let protocol = SelfTerminating {
            margin: "7.5".parse().unwrap(),
            rule: DeclarationRule::Difference,
            min_interactions: 0,
        };
        assert_eq!(experiment.protocol, NamedProtocol::SelfTerminating(protocol));
        assert_eq!(
            (experiment.agents, experiment.trials, experiment.seed),
            (1_000_000_000_000, 3, 9)
        );
        assert_eq!(experiment.engine, Some(EngineKind::ClosedForm));
        let default = described("protocol = 'self-terminating'\nagents = 10");
        assert_eq!(default.protocol, NamedProtocol::SelfTerminating(SelfTerminating::default()));
        let printed = described("protocol = 'epidemic'\nrule = 'printed'\nagents = 10");
        assert_eq!(printed.protocol, NamedProtocol::Epidemic { printed: true });
    }

    #[test]
    fn names_are_those_of_the_results() {
        for (engine, _) in EngineName::ALL {
            if let Some(kind) = engine.engine() {
                assert_eq!(engine.name(), kind.name());
            }
        }
        for (rule, _) in RuleName::ALL {
            assert_eq!(rule.name(), rule.rule().name());
        }
        for &(protocol, _) in ProtocolName::ALL {
            let of = PopulationSpecification { protocol: Some(protocol), ..Default::default() };
            assert_eq!(of.protocol().name(), protocol.name());
        }
    }
}
