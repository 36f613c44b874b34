//! Reports of experiments, as text and as JSON.

use crate::{
    engine::oracle::{ExactMoments, ExactQuantile, Oracle, Quantiles},
    experiment::{
        AfterFailures, EngineKind, Findings, MeetingModel, NamedProtocol, PopulationExperiment,
        Question, TrialSample,
    },
    protocols::Margin,
    trial::{Field, Trial, TrialsSummary},
};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt};
use suffrage_numbers::{
    counted, grouped,
    statistics::{Moments, Rate},
};

#[cfg(test)]
mod tests;

/// The trials of an experiment, by their seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeededTrials {
    /// The number of trials asked for.
    #[serde(rename = "trials")]
    pub wanted: u64,
    /// The number of finished trials: fewer after an interruption.
    pub finished: u64,
    /// The seed; of consecutive seeds the first.
    pub seed: u64,
    /// Whether each trial has a seed of its own, from `seed` on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub consecutive: bool,
}

impl SeededTrials {
    /// Adds the trials of the seeds that follow.
    pub(crate) const fn add(&mut self, further: Self) {
        self.wanted += further.wanted;
        self.finished += further.finished;
    }
}

/// Writes the number of trials and their seeds.
impl fmt::Display for SeededTrials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wanted, finished, seed, consecutive } = *self;
        match wanted {
            _ if finished < wanted => {
                let (finished, wanted) = (number(finished as f64), number(wanted as f64));
                write!(f, "interrupted: the first {finished} of {wanted} trials, ")?;
            }
            1 => return write!(f, "one trial, seed {seed}"),
            _ => write!(f, "{} trials, ", number(wanted as f64))?,
        }
        if consecutive {
            write!(f, "seeds {seed} to {}", seed.saturating_add(wanted - 1))
        } else {
            write!(f, "seed {seed}")
        }
    }
}

/// An experiment and its result, with the keys that it has in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PopulationReport {
    /// The protocol's name.
    pub protocol: Cow<'static, str>,
    /// The number of agents.
    pub agents: u64,
    /// The model of meetings, if not two different agents uniformly at random: `with-self-meetings`
    /// or `along-links`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meetings: Option<Cow<'static, str>>,
    /// The interaction graph, as the user named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The margin m, of a protocol that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<Margin>,
    /// The rule, of a protocol that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Cow<'static, str>>,
    /// The least number of interactions of an agent that declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_interactions: Option<u32>,
    /// The engine.
    pub engine: EngineKind,
    /// The question.
    pub question: Question,
    /// The fields for which the engine is exact.
    pub exact_for: Vec<Field>,
    /// If present, `declared_at` and `first_ok` are of this many of the highest identities only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub among_highest: Option<u32>,
    /// The trials and their seeds.
    #[serde(flatten)]
    pub trials: SeededTrials,
    /// The eventual leader's identity, if identities were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leader: Option<u64>,
    /// The leader's identity as it was written in the input, if it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leader_label: Option<String>,
    /// Means and rates of the trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<TrialsSummary>,
    /// The exact expectations, from the oracle.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExactValues>,
    /// The quantiles of the times, from the oracle.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<Quantiles>,
    /// The elections after failures, if any were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_failures: Option<AfterFailures>,
    /// The trials, if asked for or if there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<Trial>>,
}

/// Values of the oracle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ExactValues {
    /// The values of an election among numbered agents.
    Election(Oracle),
    /// The values of a classic protocol.
    Classic {
        /// Its time.
        completed_at: ExactMoments,
    },
}

impl PopulationReport {
    /// Creates the report of an experiment, `each` trial listed or only summarized.
    #[must_use]
    pub fn new(experiment: &PopulationExperiment, outcome: Findings, each: bool) -> Self {
        let terms = match experiment.protocol {
            NamedProtocol::SelfTerminating(protocol) => Some(protocol),
            _ => None,
        };
        let Findings { plan, sample } = outcome;
        let (trials, expected, distributions) = match sample {
            TrialSample::Trials(trials) => (Some(trials), None, None),
            TrialSample::Exact(oracle, times) => (None, Some(ExactValues::Election(oracle)), times),
            TrialSample::Time(completed_at, times) => {
                (None, Some(ExactValues::Classic { completed_at }), times)
            }
        };
        Self {
            protocol: experiment.protocol.name().into(),
            agents: experiment.agents,
            margin: terms.filter(|terms| terms.rule.has_margin()).map(|terms| terms.margin),
            meetings: match experiment.model {
                MeetingModel::Uniform => None,
                MeetingModel::SelfMeetings => Some("with-self-meetings".into()),
                MeetingModel::Graph(_) => Some("along-links".into()),
            },
            network: None,
            after_failures: None,
            rule: experiment.protocol.rule().map(|rule| rule.name().into()),
            min_interactions: terms.map(|terms| terms.min_interactions),
            engine: plan.engine,
            question: plan.question,
            exact_for: plan.exact_for,
            among_highest: plan.among_highest,
            trials: SeededTrials {
                wanted: experiment.trials,
                finished: trials.as_ref().map_or(0, Vec::len) as u64,
                seed: experiment.seed,
                consecutive: experiment.consecutive,
            },
            leader: experiment.ids.map(|ids| ids.leader),
            leader_label: None,
            summary: trials.as_deref().map(TrialsSummary::of),
            expected,
            quantiles: distributions.map(|distributions| distributions.quantiles()),
            results: trials.filter(|_| each || experiment.trials == 1),
        }
    }

    /// Adds the report of the same experiment with the seeds that follow. Both list their trials. The
    /// result is the report of one experiment with all seeds.
    pub fn add(&mut self, further: Self) {
        self.trials.add(further.trials);
        let all = gathered(&mut self.results, further.results);
        self.summary = Some(TrialsSummary::of(all));
        if let (Some(again), Some(more)) = (&mut self.after_failures, further.after_failures) {
            again.finished += more.finished;
            again.summary = TrialsSummary::of(gathered(&mut again.results, more.results));
        }
    }

    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} among {}", self.protocol, counted(self.agents, "agent"))?;
        match (&self.rule, self.margin, self.min_interactions) {
            (Some(rule), Some(margin), _) => write!(f, ", rule {rule}, margin {margin}")?,
            (Some(rule), None, Some(_)) => write!(f, ", rule {rule}")?,
            (Some(rule), None, None) => write!(f, ", as {rule}")?,
            (None, ..) => {}
        }
        if let Some(least @ 1..) = self.min_interactions {
            write!(f, ", at least {}", counted(u64::from(least), "interaction"))?;
        }
        writeln!(f)?;
        match (&self.network, self.meetings.as_deref()) {
            (Some(network), _) => writeln!(f, "meetings along the links of {network}")?,
            (None, Some("along-links")) => writeln!(f, "meetings along the links of a graph")?,
            (None, Some(_)) => {
                writeln!(f, "meetings of uniformly random pairs, self-meetings included")?;
            }
            (None, None) => {}
        }
        let exact: Vec<_> = self.exact_for.iter().map(|field| field.name()).collect();
        writeln!(f, "engine {}, exact for {}", self.engine, exact.join(", "))?;
        if let Some(leader) = self.leader {
            let label = self.leader_label.clone().unwrap_or_else(|| leader.to_string());
            writeln!(f, "the eventual leader's identity is {label}")?;
        }
        match self.expected {
            Some(_) => writeln!(f, "exact expectations, no trials; times in interactions"),
            None => writeln!(f, "{}; times in interactions", self.trials),
        }
    }

    fn completion(&self) -> &'static str {
        match &*self.protocol {
            "anonymous" => "one leader is left",
            "two-way-epidemic" => "all are infected",
            _ => "all hold the maximum",
        }
    }

    fn summary(
        &self,
        summary: &TrialsSummary,
        finished: u64,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let first = match self.among_highest {
            Some(highest) => format!("first declaration among the {highest} highest"),
            None => "first declaration".into(),
        };
        let moments = [
            (self.completion(), summary.completed_at),
            (first.as_str(), summary.declared_at),
            ("leader declares", summary.leader_declared_at),
            ("all are told", summary.told_at),
            ("leader's conversions", summary.conversions),
            ("leader's followers met", summary.followers_met),
        ];
        for (name, moments) in moments {
            let Some(moments) = moments else { continue };
            write!(f, "  {name:<34} {}", mean(&moments))?;
            if moments.count < finished {
                write!(f, ", in {} of {finished}", moments.count)?;
            }
            writeln!(f)?;
        }
        let rates = [
            ("first declaration correct", summary.first_ok),
            ("leader's declaration correct", summary.leader_ok),
            ("all right in the end", summary.final_ok),
        ];
        for (name, rate) in rates {
            let Some(Rate { rate, low, high, successes, trials }) = rate else { continue };
            if trials == 1 {
                let answer = if successes == 1 { "yes" } else { "no" };
                writeln!(f, "  {name:<34} {answer}")?;
            } else {
                let (rate, low, high) = (percent(rate), percent(low), percent(high));
                writeln!(f, "  {name:<34} {rate}  [{low}, {high}]  {successes} of {trials}")?;
            }
        }
        Ok(())
    }
}

/// Appends trials to others, and returns all.
fn gathered(trials: &mut Option<Vec<Trial>>, further: Option<Vec<Trial>>) -> &[Trial] {
    let all = trials.get_or_insert_default();
    all.extend(further.unwrap_or_default());
    all
}

/// Writes the times by which shares of all trials are over.
fn quantiles(f: &mut fmt::Formatter<'_>, name: &str, quantiles: &[ExactQuantile]) -> fmt::Result {
    let each = quantiles.iter().map(|ExactQuantile { share, time }| {
        format!("{:.0} % by {}", 100.0 * share, number(*time as f64))
    });
    writeln!(f, "  {name:<34} {}", each.collect::<Vec<_>>().join(", "))
}

/// Writes the experiment and its results as text; times are numbers of interactions, `±` and
/// brackets are 95 % confidence intervals.
impl fmt::Display for PopulationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head(f)?;
        if let Some(summary) = &self.summary {
            self.summary(summary, self.trials.finished, f)?;
        }
        if let Some(again) = &self.after_failures {
            let left = number(again.survivors as f64);
            match again.failed {
                1 => writeln!(f, "one agent fails, the leader; {left} elect again:")?,
                failed => {
                    let failed = counted(failed, "agent");
                    writeln!(f, "{failed} fail, the leader among them; {left} elect again:")?;
                }
            }
            self.summary(&again.summary, again.finished, f)?;
        }
        let spread = |f: &mut fmt::Formatter<'_>, name: &str, spread: ExactMoments| {
            let (mean, deviation) = (number(spread.mean), number(spread.deviation));
            writeln!(f, "  {name:<34} {mean}, deviation {deviation}")
        };
        match self.expected {
            Some(ExactValues::Classic { completed_at }) => {
                spread(f, self.completion(), completed_at)?;
            }
            Some(ExactValues::Election(oracle)) => {
                spread(f, self.completion(), oracle.completed_at)?;
                spread(f, "leader's conversions", oracle.conversions)?;
                spread(f, "leader's followers met", oracle.followers_met)?;
                if let Some(time) = oracle.leader_declared_at {
                    writeln!(f, "  {:<34} {}", "leader declares", number(time))?;
                }
                if let Some(rate) = oracle.leader_ok {
                    writeln!(f, "  {:<34} {}", "leader's declaration correct", percent(rate))?;
                }
            }
            None => {}
        }
        if let Some(Quantiles { completed_at, leader_declared_at }) = &self.quantiles {
            quantiles(f, self.completion(), completed_at)?;
            if let Some(declared) = leader_declared_at {
                quantiles(f, "leader declares", declared)?;
            }
        }
        let listed = self.results.iter().flatten().filter(|_| self.trials.wanted > 1);
        for (number, trial) in (0..).zip(listed) {
            let value = |field: &Field| Some((field.name(), field.written(trial)?));
            let values = Field::ALL.iter().filter_map(value);
            let values = values.map(|(name, value)| format!("{name}={value}"));
            writeln!(f, "trial {number}: {}", values.collect::<Vec<_>>().join(" "))?;
        }
        Ok(())
    }
}

/// Formats a whole number with its digits in groups of three, a fractional one with two decimals.
#[must_use]
pub fn number(x: f64) -> String {
    let decimals = if x.fract() == 0.0 || x.abs() >= 1e6 { 0 } else { 2 };
    let plain = format!("{:.decimals$}", x.abs());
    let (whole, rest) = plain.split_once('.').unwrap_or((&plain, ""));
    let sign = if x < 0.0 { "-" } else { "" };
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{rest}", grouped(whole, ','))
}

/// Formats a share in per cent, with three decimals.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.3} %", 100.0 * share)
}

/// Formats a mean with its 95 % confidence interval and the standard deviation; a single value alone.
pub(crate) fn mean(moments: &Moments) -> String {
    let mean = number(moments.mean);
    match moments.half_width() {
        Some(width) => {
            format!("{mean} ± {}, deviation {}", number(width), number(moments.deviation))
        }
        None => mean,
    }
}
