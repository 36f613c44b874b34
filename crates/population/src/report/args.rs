//! The flags of `population` and `reproduce`, as `clap` derives them: a command line has nothing
//! to add but the reading of a file of identities, an interrupt handler and a progress bar.

use crate::{
    ensemble::cores,
    experiment::{EngineKind, Experiment, Protocol, Question},
    ids::Ids,
    protocols::{Rule, SelfTerminating},
};
use clap::{Args, Subcommand, ValueEnum};
use std::{num::NonZero, path::PathBuf};

/// Elections among agents that meet in random pairs.
#[derive(Clone, Debug, Args)]
pub struct PopulationArgs {
    /// The protocol.
    #[arg(value_enum)]
    pub protocol: ProtocolName,
    /// Number of agents; may be written as 1e12. By default as many as there are identities.
    #[arg(long, value_name = "N", value_parser = count, required_unless_present = "ids")]
    pub agents: Option<u64>,
    /// Margin m of the self-terminating election.
    #[arg(long, value_name = "M", default_value_t = 4)]
    pub margin: u32,
    /// When an agent declares the election complete; `printed` also selects the printed form of
    /// the epidemic.
    #[arg(long, value_enum, default_value = "text")]
    pub rule: RuleName,
    /// An agent declares only after so many interactions of its own; by default 25 for the rule
    /// `text` and 0 for the others.
    #[arg(long, value_name = "K")]
    pub min_interactions: Option<u32>,
    /// Number of trials.
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = count)]
    pub trials: u64,
    /// Identities: `random`, or a file with one MAC address, serial or natural number a line.
    #[arg(long, value_name = "random|FILE")]
    pub ids: Option<String>,
    /// Engine; by default the fastest one that is exact for the question.
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: EngineName,
    /// What is asked; by default everything, as far as the number of agents allows.
    #[arg(long, value_enum)]
    pub question: Option<QuestionName>,
    /// How many of the highest identities the batched engine tells apart.
    #[arg(long, default_value_t = 16, value_name = "K")]
    pub highest: u32,
    /// Seed: the same seed gives the same trials everywhere.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Threads, by default one for each core; the trials do not depend on them.
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZero<usize>>,
    /// List every trial and not only a summary.
    #[arg(long)]
    pub each: bool,
    /// Write the counts of one run over time to this file, as CSV.
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// Write the exact distributions of the times to this file, as CSV; for the engine `oracle`.
    #[arg(long, value_name = "FILE")]
    pub distribution: Option<PathBuf>,
    /// Interactions between two lines of the history; by default a tenth of the agents, or, of
    /// an anonymous election, a thousandth of their square.
    #[arg(long, value_name = "N", value_parser = count, requires = "history")]
    pub interval: Option<u64>,
}

/// The paper's experiments.
#[derive(Clone, Debug, Subcommand)]
pub enum ReproduceArgs {
    /// Completion and declaration against the number of agents, with the success rates of each
    /// rule: an SVG, a PNG, the data as CSV and the numbers as text.
    #[command(name = "figure-1")]
    FigureOne {
        /// Where the files go.
        #[arg(long, value_name = "DIR", default_value = ".")]
        out: PathBuf,
        /// Trials for each of 91 populations and each rule.
        #[arg(long, value_name = "T", default_value_t = 100)]
        #[arg(value_parser = clap::value_parser!(u64).range(1..))]
        trials: u64,
        /// Seed.
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
    },
    /// Theorems 1 to 3 beside simulation, for 1000 and 10000 agents.
    Theorems {
        /// Trials for each population, at least two.
        #[arg(long, value_name = "T", default_value_t = 10_000)]
        #[arg(value_parser = clap::value_parser!(u64).range(2..))]
        trials: u64,
        /// Seed.
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
    },
}

/// Names a set of values as the library does.
macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub enum $name { $($(#[$each])* $variant),* }
    };
}

names! {
    /// A protocol's name.
    ProtocolName {
        /// Agents numbered 1 to n who know n (Algorithm 1).
        KnownBounds,
        /// The highest identity spreads (Algorithm 2).
        Epidemic,
        /// The same, and the leader finds out when it is over (Algorithm 3).
        SelfTerminating,
        /// Anonymous election: of two leaders that meet one resigns.
        Anonymous,
        /// One infected agent, and everybody whom it reaches.
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
    }
}

names! {
    /// An engine's name.
    EngineName {
        /// The fastest one that is exact for the question.
        Auto,
        /// Every agent in an array.
        Direct,
        /// Agents per state.
        Batched,
        /// The eventual leader alone.
        ClosedForm,
        /// Exact expectations instead of trials.
        Oracle,
    }
}

names! {
    /// A question's name.
    QuestionName {
        /// All that the protocol shows.
        Everything,
        /// What concerns the eventual leader.
        Leader,
        /// When all hold the maximum.
        Completion,
    }
}

/// A whole number, also with an exponent: `1e12`.
fn count(text: &str) -> Result<u64, String> {
    if let Ok(number) = text.parse() {
        return Ok(number);
    }
    let wrong = || format!("`{text}` is not a whole number such as 1000 or 1e12");
    let (digits, exponent) = text.split_once(['e', 'E']).ok_or_else(wrong)?;
    let digits: u64 = digits.parse().map_err(|_| wrong())?;
    let power = exponent.parse().ok().and_then(|exponent| 10_u64.checked_pow(exponent));
    power.and_then(|power| digits.checked_mul(power)).ok_or_else(wrong)
}

impl PopulationArgs {
    /// The experiment that the flags describe, with the identities that the caller has read.
    #[must_use]
    pub fn experiment(&self, ids: Option<Ids>) -> Experiment {
        let agents = self.agents.or(ids.map(|ids| ids.count)).unwrap_or(0);
        Experiment {
            trials: self.trials,
            seed: self.seed,
            question: self.question.map(QuestionName::question),
            engine: self.engine.engine(),
            highest: self.highest,
            threads: Some(self.threads.map_or_else(cores, NonZero::get)),
            ids,
            ..Experiment::new(self.protocol(), agents)
        }
    }

    /// Interactions between two lines of the history.
    #[must_use]
    pub fn history_interval(&self, agents: u64) -> u64 {
        let natural = match self.protocol {
            ProtocolName::Anonymous => agents.saturating_mul(agents) / 1000,
            _ => agents / 10,
        };
        self.interval.unwrap_or(natural).max(1)
    }

    fn protocol(&self) -> Protocol {
        match self.protocol {
            ProtocolName::KnownBounds => Protocol::KnownBounds,
            ProtocolName::Epidemic => {
                Protocol::Epidemic { printed: self.rule == RuleName::Printed }
            }
            ProtocolName::SelfTerminating => Protocol::SelfTerminating(SelfTerminating {
                margin: self.margin,
                rule: self.rule.rule(),
                min_interactions: self.min_interactions.unwrap_or(match self.rule {
                    RuleName::Text => SelfTerminating::default().min_interactions,
                    _ => 0,
                }),
            }),
            ProtocolName::Anonymous => Protocol::Anonymous,
            ProtocolName::TwoWayEpidemic => Protocol::TwoWayEpidemic,
        }
    }
}

impl RuleName {
    const fn rule(self) -> Rule {
        match self {
            Self::Printed => Rule::Printed,
            Self::Text => Rule::Text,
            Self::AtLeast => Rule::AtLeast,
            Self::Difference => Rule::Difference,
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
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Population {
        #[command(flatten)]
        args: PopulationArgs,
    }

    #[derive(Debug, Parser)]
    struct Reproduce {
        #[command(subcommand)]
        args: ReproduceArgs,
    }

    fn parse(line: &str) -> Result<PopulationArgs, clap::Error> {
        Population::try_parse_from(line.split(' ')).map(|population| population.args)
    }

    #[test]
    fn flags_describe_an_experiment() {
        let args = parse(
            "population self-terminating --agents 1e12 --trials 3 --rule difference \
            --margin 7 --engine closed-form --seed 9",
        )
        .unwrap();
        let experiment = args.experiment(None);
        let protocol = SelfTerminating { margin: 7, rule: Rule::Difference, min_interactions: 0 };
        assert_eq!(experiment.protocol, Protocol::SelfTerminating(protocol));
        assert_eq!(
            (experiment.agents, experiment.trials, experiment.seed),
            (1_000_000_000_000, 3, 9)
        );
        assert_eq!(experiment.engine, Some(EngineKind::ClosedForm));
        let default = parse("population self-terminating --agents 10").unwrap().experiment(None);
        assert_eq!(default.protocol, Protocol::SelfTerminating(SelfTerminating::default()));
        let printed = parse("population epidemic --rule printed --agents 10").unwrap();
        assert_eq!(printed.experiment(None).protocol, Protocol::Epidemic { printed: true });
    }

    #[test]
    fn agents_are_counted_by_their_identities() {
        let args = parse("population epidemic --ids serials.txt").unwrap();
        assert_eq!(args.experiment(Ids::given(&[5, 8, 2]).ok()).agents, 3);
        assert!(parse("population epidemic").is_err(), "neither agents nor identities");
    }

    #[test]
    fn names_are_those_of_the_results() {
        for engine in EngineName::value_variants() {
            if let Some(kind) = engine.engine() {
                assert_eq!(engine.to_possible_value().unwrap().get_name(), kind.name());
            }
        }
        for rule in RuleName::value_variants() {
            assert_eq!(rule.to_possible_value().unwrap().get_name(), rule.rule().name());
        }
        for protocol in ProtocolName::value_variants() {
            let name = protocol.to_possible_value().unwrap();
            let args = parse(&format!("population {} --agents 2", name.get_name())).unwrap();
            assert_eq!(args.experiment(None).protocol.name(), name.get_name());
        }
    }

    #[test]
    fn counts_are_whole_numbers() {
        assert_eq!([count("17"), count("1e3"), count("25E1")], [Ok(17), Ok(1000), Ok(250)]);
        for wrong in ["", "-1", "1.5", "1e", "e3", "1e20", "99e18"] {
            assert!(count(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_papers_experiments_have_their_flags() {
        let parse = |line: &str| Reproduce::try_parse_from(line.split(' ')).map(|r| r.args);
        assert!(matches!(
            parse("reproduce figure-1 --out d --trials 7").unwrap(),
            ReproduceArgs::FigureOne { trials: 7, seed: 1, .. }
        ));
        assert!(matches!(
            parse("reproduce theorems").unwrap(),
            ReproduceArgs::Theorems { trials: 10_000, seed: 1 }
        ));
    }
}
