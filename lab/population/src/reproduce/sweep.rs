//! The rate of right declarations of the eventual leader, against the margin and against the
//! minimum of interactions.

#[cfg(test)]
mod tests;

use super::MARGIN;
use crate::{
    engine::{
        EngineKind, TrialEngine,
        closed_form::EventualLeader,
        direct::{Packed, TrialTail},
        oracle::{MAX_AGENTS, Oracle},
    },
    ensemble::{Ensemble, Silent, TrialProgress},
    meetings::Meetings,
    protocol::NumberedElection,
    protocols::{DeclarationRule, Margin, SelfTerminating},
    random::TrialSeeds,
    report::{number, percent},
};
use serde::Serialize;
use std::fmt::{self, Write as _};
use std::sync::atomic::AtomicBool;
use suffrage_numbers::statistics::Rate;
use suffrage_parallel::Jobs;

/// The parameter that is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parameter {
    /// The margin, from 0.5 to 16, of 10^2 to 10^6 agents.
    Margin,
    /// The minimum of interactions, from 0 to 100, of 10 to 1000 agents, with the paper's margin.
    Minimum,
}

/// The maximal number of agents times trials of the direct engine: large populations that only this
/// engine runs get fewer trials.
const DIRECT_WORK: u64 = 10_000_000;

impl Parameter {
    /// Returns the name of the experiment, on the command line and of its files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Margin => "margin",
            Self::Minimum => "minimum",
        }
    }

    const fn sizes(self) -> &'static [u64] {
        match self {
            Self::Margin => &[100, 1000, 10_000, 100_000, 1_000_000],
            Self::Minimum => &[10, 20, 50, 100, 200, 500, 1000],
        }
    }

    fn protocols(self) -> Vec<SelfTerminating> {
        let mut all = Vec::new();
        for rule in DeclarationRule::ALL {
            let of = |margin, min_interactions| SelfTerminating { margin, rule, min_interactions };
            match self {
                // In halves.
                Self::Margin if rule.has_margin() => {
                    all.extend(
                        [1, 2, 3, 4, 6, 8, 12, 16, 24, 32].map(|m| of(Margin::halves(m), 0)),
                    );
                }
                Self::Margin => all.push(of(Margin::whole(MARGIN), 0)),
                Self::Minimum => {
                    all.extend((0..=20).map(|k| of(Margin::whole(MARGIN), 5 * k)));
                }
            }
        }
        all
    }
}

/// The success of each rule for each value of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sweep {
    /// The parameter that is varied.
    pub parameter: Parameter,
    /// The number of trials asked for of each population, rule and value.
    pub trials: u64,
    /// The seed.
    pub seed: u64,
    /// The number of combinations.
    pub of: u64,
    /// The finished combinations, by rule, then by the number of agents, then by value.
    pub successes: Vec<Success>,
}

/// The rate of right declarations of the eventual leader.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Success {
    /// The rule.
    pub rule: DeclarationRule,
    /// The number of agents.
    pub agents: u64,
    /// The margin, of a rule that has one.
    pub margin: Option<Margin>,
    /// The minimum of interactions.
    pub min_interactions: u32,
    /// The exact probability, for up to 10^4 agents and rules that do not freeze beliefs.
    pub exact: Option<f64>,
    /// The engine of the trials.
    pub engine: EngineKind,
    /// The rate in trials. A trial in which the leader never declares counts as no success.
    pub measured: Rate,
}

/// Runs trials one after the other; `None` if interrupted.
fn successes<E: TrialEngine>(
    make: impl Fn() -> E + Sync,
    trials: u64,
    seed: u64,
    interrupted: &AtomicBool,
) -> Option<u64> {
    let ensemble = Ensemble { trials, seeds: TrialSeeds::One(seed), threads: 1 };
    let all = ensemble.run(make, &Silent, interrupted);
    let right = all.iter().filter(|trial| trial.leader_ok == Some(true)).count() as u64;
    (all.len() as u64 == trials).then_some(right)
}

impl Success {
    fn of(
        protocol: SelfTerminating,
        agents: u64,
        trials: u64,
        seed: u64,
        interrupted: &AtomicBool,
    ) -> Option<Self> {
        // Each population has different meetings; all rules and values see the same ones.
        let seed = seed ^ agents << 32;
        let few = u32::try_from(agents).ok();
        let (engine, trials, right) = if protocol.freezes() {
            let trials = trials.min(DIRECT_WORK / agents).max(1);
            let meetings = Meetings::among(few?);
            let direct = || Packed::new(protocol, meetings, TrialTail::Skipped);
            (EngineKind::Direct, trials, successes(direct, trials, seed, interrupted)?)
        } else {
            let alone = || EventualLeader::new(protocol, agents);
            (EngineKind::ClosedForm, trials, successes(alone, trials, seed, interrupted)?)
        };
        let exact = few.filter(|&few| few <= MAX_AGENTS && !protocol.freezes());
        Some(Self {
            rule: protocol.rule,
            agents,
            margin: protocol.rule.has_margin().then_some(protocol.margin),
            min_interactions: protocol.min_interactions,
            exact: exact.and_then(|agents| Oracle::of(&protocol, agents).leader_ok),
            engine,
            measured: Rate::of(right, trials)?,
        })
    }

    fn value(&self, parameter: Parameter) -> String {
        match parameter {
            Parameter::Margin => self.margin.map_or("-".into(), |margin| margin.to_string()),
            Parameter::Minimum => self.min_interactions.to_string(),
        }
    }
}

impl Sweep {
    /// Runs `trials` elections, at least one, for each rule, number of agents and value: by the
    /// closed form, or by the direct engine if the rule freezes beliefs, then at most 10^7 / n of n
    /// agents. The result is the same for any number of threads.
    ///
    /// After an interruption it has the finished combinations up to the first unfinished one.
    #[must_use]
    pub fn run(
        parameter: Parameter,
        trials: u64,
        seed: u64,
        threads: usize,
        progress: &dyn TrialProgress,
        interrupted: &AtomicBool,
    ) -> Self {
        let protocols = parameter.protocols();
        let mut combinations = Vec::new();
        for of_rule in protocols.chunk_by(|a, b| a.rule == b.rule) {
            for &agents in parameter.sizes() {
                combinations.extend(of_rule.iter().map(|&protocol| (protocol, agents)));
            }
        }
        let count = combinations.len() as u64;
        let job = |(): &mut (), number: u64| {
            let (protocol, agents) = combinations[number as usize];
            Success::of(protocol, agents, trials.max(1), seed, interrupted)
        };
        let successes = Jobs { count, threads, interrupted }.map(
            || (),
            job,
            |finished| progress.finished(finished, count),
        );
        Self { parameter, trials, seed, of: count, successes }
    }

    /// Returns whether no combination is missing.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.successes.len() as u64 == self.of
    }

    /// Returns the combinations as CSV, one per line; a missing value is empty.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::from(
            "rule,agents,margin,min_interactions,exact,engine,trials,successes,rate,low,high\n",
        );
        for success in &self.successes {
            let Success { rule, agents, margin, min_interactions, exact, engine, measured } =
                success;
            let margin = margin.map(|margin| margin.to_string()).unwrap_or_default();
            let exact = exact.map(|exact| format!("{exact:.9}")).unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},{agents},{margin},{min_interactions},{exact},{engine},{},{},{:.9},{:.9},{:.9}",
                rule.name(),
                measured.trials,
                measured.successes,
                measured.rate,
                measured.low,
                measured.high
            );
        }
        text
    }
}

/// Writes a table for each rule: the parameter's values down, the numbers of agents across; with
/// the exact probability if it is known, else the rate in trials.
impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, terms) = match self.parameter {
            Parameter::Margin => ("m", "no minimum of interactions"),
            Parameter::Minimum => ("K", "margin 4; K is the minimum of interactions"),
        };
        writeln!(
            f,
            "how often the eventual leader's declaration is right; {terms}; seed {}",
            self.seed
        )?;
        writeln!(
            f,
            "exact where no sign follows; ~ in up to {} trials, with intervals in the CSV",
            number(self.trials as f64)
        )?;
        for of_rule in self.successes.chunk_by(|a, b| a.rule == b.rule) {
            let columns: Vec<_> = of_rule.chunk_by(|a, b| a.agents == b.agents).collect();
            write!(f, "\n  {:<12} {what:>5}", of_rule[0].rule.name())?;
            for column in &columns {
                write!(f, "  {:>11}", format!("n = {}", column[0].agents))?;
            }
            writeln!(f)?;
            for (row, first) in columns[0].iter().enumerate() {
                write!(f, "  {:<12} {:>5}", "", first.value(self.parameter))?;
                for success in columns.iter().filter_map(|column| column.get(row)) {
                    let text = match success.exact {
                        Some(exact) => percent(exact) + " ",
                        None => percent(success.measured.rate) + "~",
                    };
                    write!(f, "  {text:>11}")?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}
