//! The result of an experiment.

use super::{counted, mean, number, percent};
use crate::{
    engine::oracle::{ExactMoments, ExactQuantile, Oracle, Quantiles},
    experiment::{
        AfterFailures, EngineKind, Findings, MeetingModel, NamedProtocol, PopulationExperiment,
        Question, TrialSample,
    },
    protocols::Margin,
    summary::TrialsSummary,
    trial::{Field, Trial},
};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt};
use suffrage_numbers::statistics::{Moments, Rate};

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
    /// The number of trials asked for.
    pub trials: u64,
    /// The number of finished trials: fewer after an interruption.
    pub finished: u64,
    /// The seed; of consecutive seeds the first.
    pub seed: u64,
    /// Whether each trial has a seed of its own, from `seed` on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub consecutive: bool,
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
    /// Creates the report of an experiment, `each` trial listed or only summarised.
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
            trials: experiment.trials,
            finished: trials.as_ref().map_or(0, Vec::len) as u64,
            seed: experiment.seed,
            consecutive: experiment.consecutive,
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
        self.trials += further.trials;
        self.finished += further.finished;
        let all = gathered(&mut self.results, further.results);
        self.summary = Some(TrialsSummary::of(all));
        if let (Some(again), Some(more)) = (&mut self.after_failures, further.after_failures) {
            again.finished += more.finished;
            again.summary = TrialsSummary::of(gathered(&mut again.results, more.results));
        }
    }

    /// Returns the report as indented JSON.
    #[must_use]
    pub fn json(&self) -> String {
        // Cannot fail: a report has only string keys and finite numbers.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} among {}", self.protocol, counted(self.agents, "agent"))?;
        if let (Some(rule), Some(margin)) = (&self.rule, self.margin) {
            write!(f, ", rule {rule}, margin {margin}")?;
        } else if self.min_interactions.is_some()
            && let Some(rule) = &self.rule
        {
            write!(f, ", rule {rule}")?;
        } else if let Some(rule) = &self.rule {
            write!(f, ", as {rule}")?;
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
            Some(_) => writeln!(f, "exact expectations, no trials"),
            None if self.finished < self.trials => writeln!(
                f,
                "interrupted: the first {} of {} trials, {}",
                number(self.finished as f64),
                number(self.trials as f64),
                self.seeds()
            ),
            None if self.trials == 1 => writeln!(f, "one trial, seed {}", self.seed),
            None => writeln!(f, "{} trials, {}", number(self.trials as f64), self.seeds()),
        }
    }

    fn seeds(&self) -> String {
        super::seeds(self.consecutive, self.seed, self.trials)
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
            if let Some(moments) = moments {
                line(f, name, &moments, finished)?;
            }
        }
        let rates = [
            ("first declaration correct", summary.first_ok),
            ("leader's declaration correct", summary.leader_ok),
            ("all right in the end", summary.final_ok),
        ];
        for (name, rate) in rates {
            if let Some(Rate { rate, low, high, successes, trials }) = rate {
                if trials == 1 {
                    let answer = if successes == 1 { "yes" } else { "no" };
                    writeln!(f, "  {name:<34} {answer}")?;
                    continue;
                }
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

/// Writes a time or count, and in how many trials it is known.
fn line(f: &mut fmt::Formatter<'_>, name: &str, moments: &Moments, trials: u64) -> fmt::Result {
    write!(f, "  {name:<34} {}", mean(moments))?;
    if moments.count < trials {
        write!(f, ", in {} of {trials}", moments.count)?;
    }
    writeln!(f)
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
            self.summary(summary, self.finished, f)?;
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
        let listed = self.results.iter().flatten().filter(|_| self.trials > 1);
        for (number, trial) in (0..).zip(listed) {
            let values = Field::ALL.iter().filter_map(|field| {
                let value = field.of(trial)?;
                let value = match (field.is_flag(), value > 0.0) {
                    (true, yes) => yes.to_string(),
                    (false, _) => format!("{value}"),
                };
                Some(format!("{}={value}", field.name()))
            });
            writeln!(f, "trial {number}: {}", values.collect::<Vec<_>>().join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
