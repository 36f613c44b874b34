//! The flags of `population`, and the experiment that they describe.

use crate::flags::{FileFlags, offered_names};
use clap::Args;
use std::{num::NonZero, path::PathBuf};
use suffrage::experiment::PopulationSpecification;
use suffrage::experiment::counts::{NumberRange, count, count32, positive, range, threads};
use suffrage::experiment::population::{EngineName, ProtocolName, QuestionName, RuleName};
use suffrage::population::experiment::Failures;
use suffrage::population::protocols::Margin;

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
    #[arg(value_parser = protocols(), required_unless_present = "rules", conflicts_with = "rules")]
    pub(super) protocol: Option<ProtocolName>,
    /// A user's protocol: a file of transitions such as `A, B -> C, D` or `A + B >> C + D`, with
    /// `init A 60%`.
    #[arg(long, value_name = "FILE", conflicts_with_all = NUMBERED)]
    rules: Option<PathBuf>,
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
    #[arg(long, value_name = "RULE", value_parser = rules())]
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
    /// A trial for each of these seeds, from A to B inclusive. `suffrage merge` adds up JSON
    /// reports of consecutive seeds. A random network and random identities still depend on --seed.
    #[arg(long, value_name = "A..B", value_parser = range, conflicts_with = "trials")]
    pub(super) seeds: Option<NumberRange<u64>>,
    /// Identities: `random`, or a file with one MAC address, serial or natural number per line.
    #[arg(long, value_name = "random|FILE")]
    pub(super) ids: Option<String>,
    /// Share of the agents, including the leader, that fail once all have been told; the others
    /// elect again. Such as 0.1 or 10%.
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub(super) failures: Option<Failures>,
    /// Engine; auto picks the fastest engine that is exact for the question.
    #[arg(long, value_name = "ENGINE", value_parser = engines(), default_value = "auto")]
    pub(super) engine: EngineName,
    /// The question; by default everything, as far as the number of agents allows.
    #[arg(long, value_name = "QUESTION", value_parser = questions())]
    pub(super) question: Option<QuestionName>,
    /// The number of highest identities that the batched engine distinguishes; by default 16.
    #[arg(long, value_name = "K", value_parser = count32)]
    pub(super) highest: Option<u32>,
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

offered_names!(protocols, ProtocolName);
offered_names!(rules, RuleName);
offered_names!(engines, EngineName);
offered_names!(questions, QuestionName);

impl PopulationArgs {
    /// The specification that the flags describe.
    pub(super) fn specification(&self) -> PopulationSpecification {
        PopulationSpecification {
            protocol: self.protocol,
            rules: self.rules.clone(),
            interactions: self.interactions,
            agents: self.agents,
            margin: self.margin,
            rule: self.rule,
            min_interactions: self.min_interactions,
            self_meetings: self.self_meetings,
            topology: self.topology.clone(),
            topology_format: self.file.topology_format,
            largest_component: self.file.largest_component,
            trials: self.trials,
            seeds: self.seeds,
            ids: self.ids.clone(),
            failures: self.failures,
            engine: self.engine,
            question: self.question,
            highest: self.highest,
            seed: self.seed,
            each: self.each,
        }
    }
}

#[cfg(test)]
mod tests;
