//! The flags of `population`, and the experiment that they describe.

use crate::counts::{Range, count, count32, positive, range, threads};
use crate::flags::FileFlags;
use clap::{Args, ValueEnum};
use std::{num::NonZero, path::PathBuf};
use suffrage::population::{
    experiment::{
        EngineKind, Failures, MeetingModel, NamedProtocol, PopulationExperiment, Question,
    },
    ids::PopulationIds,
    protocols::{DeclarationRule, Margin, SelfTerminating},
};
use suffrage_parallel::cores;

/// The flags that do not apply to rules.
const NUMBERED: [&str; 10] = [
    "margin",
    "rule",
    "min_interactions",
    "ids",
    "engine",
    "question",
    "highest",
    "distribution",
    "failures",
    "self_meetings",
];

/// Elections among agents that meet in random pairs.
#[derive(Clone, Debug, Args)]
pub(super) struct PopulationArgs {
    /// The protocol.
    #[arg(value_enum, required_unless_present = "rules", conflicts_with = "rules")]
    pub(super) protocol: Option<ProtocolName>,
    /// A user's protocol: a file of transitions such as `A, B -> C, D` or `A + B >> C + D`, with
    /// `init A 60%`.
    #[arg(long, value_name = "FILE", conflicts_with_all = NUMBERED)]
    pub(super) rules: Option<PathBuf>,
    /// Interactions after which a trial by rules ends, even if states can still change.
    #[arg(long, value_name = "N", value_parser = count, requires = "rules")]
    pub(super) interactions: Option<u64>,
    /// Number of agents; may be written as 1e12. By default as many as there are identities.
    #[arg(long, value_name = "N", value_parser = count, required_unless_present_any = ["ids", "topology", "rules"])]
    pub(super) agents: Option<u64>,
    /// Margin m of the self-terminating election, such as 4 or 0.5 [default: 4]
    #[arg(long, value_name = "M")]
    pub(super) margin: Option<Margin>,
    /// When an agent declares the election complete; `printed` also selects the printed form of
    /// the epidemic.
    /// [default: text]
    #[arg(long, value_enum)]
    pub(super) rule: Option<RuleName>,
    /// Interactions of an agent before it may declare; by default 25 for the rule `text` and 0 for
    /// the others.
    #[arg(long, value_name = "K", value_parser = count32)]
    pub(super) min_interactions: Option<u32>,
    /// Let agents also meet themselves, as likely as any other: the model of the paper's proofs.
    #[arg(long, conflicts_with = "topology")]
    pub(super) self_meetings: bool,
    /// Interaction graph: agents meet only along its links. A network such as ring:100 or
    /// grid:30x30, or a file; identities are at random nodes, drawn for each trial.
    #[arg(long, value_name = "NETWORK|FILE")]
    pub(super) topology: Option<String>,
    /// Number of trials.
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = count)]
    pub(super) trials: u64,
    /// A trial for each of these seeds, the first and the last among them. Reports in JSON list the
    /// trials, so that `suffrage merge` adds those of seeds that follow each other up, to the report of
    /// all. A random network and random identities are those of --seed.
    #[arg(long, value_name = "A..B", value_parser = range, conflicts_with = "trials")]
    pub(super) seeds: Option<Range<u64>>,
    /// Identities: `random`, or a file with one MAC address, serial or natural number per line.
    #[arg(long, value_name = "random|FILE")]
    pub(super) ids: Option<String>,
    /// Share of the agents, including the leader, that fail once all have been told; the others
    /// elect again. Such as 0.1 or 10%.
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub(super) failures: Option<Failures>,
    /// Engine; auto picks the fastest engine that is exact for the question.
    #[arg(long, value_enum, default_value = "auto")]
    pub(super) engine: EngineName,
    /// The question; by default everything, as far as the number of agents allows.
    #[arg(long, value_enum)]
    pub(super) question: Option<QuestionName>,
    /// The number of highest identities that the batched engine distinguishes.
    #[arg(long, default_value_t = 16, value_name = "K", value_parser = count32)]
    pub(super) highest: u32,
    /// Seed: the same seed gives the same trials everywhere.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = count)]
    pub(super) seed: u64,
    /// Threads, by default one for each core; the trials do not depend on them.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(super) threads: Option<NonZero<usize>>,
    /// List every trial, not only a summary.
    #[arg(long)]
    pub(super) each: bool,
    /// Write the counts of one run over time to this file, as CSV.
    #[arg(long, value_name = "FILE")]
    pub(super) history: Option<PathBuf>,
    /// Write the exact distributions of the times to this file, as CSV; for the engine `oracle`.
    #[arg(long, value_name = "FILE")]
    pub(super) distribution: Option<PathBuf>,
    /// Interactions between two lines of the history; by default a tenth of the agents, or, of
    /// an anonymous election, a thousandth of their square.
    #[arg(long, value_name = "N", value_parser = positive, requires = "history")]
    pub(super) interval: Option<u64>,
    #[command(flatten)]
    pub(super) file: FileFlags,
}

/// Defines the values of a flag from a set of the library.
macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub(super) enum $name { $($(#[$each])* $variant),* }
    };
}

names! {
    /// A protocol's name.
    ProtocolName {
        /// Agents numbered 1 to n that know n (Algorithm 1).
        KnownBounds,
        /// The highest identity spreads (Algorithm 2).
        Epidemic,
        /// The same, and the leader detects the end (Algorithm 3).
        SelfTerminating,
        /// Anonymous election: of two leaders that meet one resigns.
        Anonymous,
        /// The spreading of an infection from one agent.
        TwoWayEpidemic,
    }
}

names! {
    /// A rule's name.
    RuleName {
        /// Conversions < m · followers met, on a conversion, as printed.
        Printed,
        /// Followers met > m · conversions.
        Text,
        /// Followers met >= m · conversions.
        AtLeast,
        /// Followers met > conversions + m.
        Difference,
        /// Followers met >= conversions; has no margin.
        Equal,
    }
}

names! {
    /// An engine's name.
    EngineName {
        /// The fastest engine that is exact for the question.
        Auto,
        /// Every agent in an array.
        Direct,
        /// Agents per state.
        Batched,
        /// Only the eventual leader.
        ClosedForm,
        /// Exact expectations instead of trials.
        Oracle,
    }
}

names! {
    /// A question's name.
    QuestionName {
        /// All fields that the protocol has.
        Everything,
        /// Fields of the eventual leader.
        Leader,
        /// When all hold the maximum.
        Completion,
    }
}

impl PopulationArgs {
    /// Returns the experiment that the flags describe, with the identities and the graph that the
    /// caller has read.
    pub(super) fn experiment(
        &self,
        agents: u64,
        ids: Option<PopulationIds>,
        model: MeetingModel,
    ) -> PopulationExperiment {
        PopulationExperiment {
            model,
            trials: self.trials(),
            seed: self.seed(),
            consecutive: self.seeds.is_some(),
            question: self.question.map(QuestionName::question),
            engine: self.engine.engine(),
            highest: self.highest,
            threads: Some(self.threads.map_or_else(cores, NonZero::get)),
            ids,
            ..PopulationExperiment::new(self.protocol(), agents)
        }
    }

    pub(super) fn trials(&self) -> u64 {
        self.seeds.map_or(self.trials, |Range { first, last }| (last - first).saturating_add(1))
    }

    pub(super) fn seed(&self) -> u64 {
        self.seeds.map_or(self.seed, |seeds| seeds.first)
    }

    /// Interactions between two lines of the history.
    pub(super) fn history_interval(&self, agents: u64) -> u64 {
        let natural = match self.protocol {
            Some(ProtocolName::Anonymous) => agents.saturating_mul(agents) / 1000,
            _ => agents / 10,
        };
        self.interval.unwrap_or(natural).max(1)
    }

    fn rule(&self) -> RuleName {
        self.rule.unwrap_or(RuleName::Text)
    }

    pub(super) fn meaningless(&self) -> Option<(&'static str, &'static str)> {
        const DECLARES: &str = "only self-terminating declares";
        match (self.protocol(), self.rule) {
            (NamedProtocol::SelfTerminating(_), _) => None,
            _ if self.min_interactions.is_some() => Some(("--min-interactions", DECLARES)),
            (NamedProtocol::Epidemic { .. }, None | Some(RuleName::Printed | RuleName::Text))
            | (_, None) => None,
            (NamedProtocol::Epidemic { .. }, _) => {
                Some(("--rule", "an epidemic has the forms text and printed alone"))
            }
            _ => {
                Some(("--rule", "it is for self-terminating, and for the two forms of an epidemic"))
            }
        }
    }

    pub(super) fn protocol(&self) -> NamedProtocol {
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
    const fn rule(self) -> DeclarationRule {
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
    const fn engine(self) -> Option<EngineKind> {
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
mod tests;
