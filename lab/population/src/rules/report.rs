//! The report of rules, as text and as JSON.

use super::{RulesEnding, RulesExperiment};
use crate::{
    engine::EngineKind,
    report::{SeededTrials, mean},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};
use suffrage_numbers::{counted, statistics::Moments};

/// The trials of rules, with the keys that they have in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RulesReport {
    /// The name of the rules, such as their file.
    pub rules: String,
    /// The number of agents.
    pub agents: u64,
    /// The interaction graph, as the user named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The engine.
    pub engine: EngineKind,
    /// The trials and their seeds.
    #[serde(flatten)]
    pub trials: SeededTrials,
    /// The number of trials that ended because no state could change any more.
    pub silent: u64,
    /// The number of interactions until then, in those trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interactions: Option<Moments>,
    /// The outputs at the end.
    pub outputs: Vec<Shown>,
    /// The trials, if asked for or if there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<Listed>>,
}

/// The frequency of an output at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The output.
    pub output: String,
    /// The number of agents that show it.
    pub agents: Moments,
    /// The number of trials in which all agents show it.
    pub by_all: u64,
}

/// The end of one trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listed {
    /// The number of interactions.
    pub interactions: u64,
    /// Whether no state could change any more.
    pub silent: bool,
    /// The number of agents in each state that has any.
    pub states: BTreeMap<String, u64>,
    /// The number of agents that show each output, of those that any shows.
    pub outputs: BTreeMap<String, u64>,
}

impl RulesReport {
    /// Creates the report of finished trials, `each` of them listed or only summarized.
    #[must_use]
    pub fn new(
        name: &str,
        experiment: &RulesExperiment<'_>,
        endings: &[RulesEnding],
        each: bool,
    ) -> Self {
        let rules = experiment.rules;
        let none = Moments { count: 0, mean: 0.0, deviation: 0.0, error: 0.0, min: 0.0, max: 0.0 };
        let mut outputs: Vec<Shown> = Vec::new();
        for output in rules.outputs() {
            if outputs.iter().all(|shown| shown.output != *output) {
                outputs.push(Shown { output: output.clone(), agents: none, by_all: 0 });
            }
        }
        let by_name = |names: &[String], ending: &RulesEnding| {
            let mut counts = BTreeMap::new();
            for (name, &count) in names.iter().zip(&ending.counts).filter(|(_, n)| **n > 0) {
                *counts.entry(name.clone()).or_default() += count;
            }
            counts
        };
        let listed = |ending: &RulesEnding| Listed {
            interactions: ending.interactions,
            silent: ending.silent,
            states: by_name(rules.states(), ending),
            outputs: by_name(rules.outputs(), ending),
        };
        let mut report = Self {
            rules: name.to_owned(),
            agents: experiment.agents(),
            network: None,
            engine: experiment.engine(),
            trials: SeededTrials {
                wanted: experiment.trials,
                finished: endings.len() as u64,
                seed: experiment.seed,
                consecutive: experiment.consecutive,
            },
            silent: 0,
            interactions: None,
            outputs,
            results: Some(endings.iter().map(listed).collect()),
        };
        report.summarize();
        if !each && experiment.trials > 1 {
            report.results = None;
        }
        report
    }

    /// Computes the statistics of all trials from the list of them.
    fn summarize(&mut self) {
        let listed = self.results.as_deref().unwrap_or_default();
        let silent = || listed.iter().filter(|trial| trial.silent);
        self.silent = silent().count() as u64;
        self.interactions = Moments::of(silent().map(|trial| trial.interactions as f64));
        for shown in &mut self.outputs {
            let counts = listed.iter().map(|trial| trial.outputs.get(&shown.output).copied());
            let counts = counts.map(Option::unwrap_or_default);
            if let Some(agents) = Moments::of(counts.clone().map(|count| count as f64)) {
                shown.agents = agents;
            }
            shown.by_all = counts.filter(|&count| count == self.agents).count() as u64;
        }
    }

    /// Adds the report of the same rules with the seeds that follow. Both list their trials. The
    /// result is the report of one experiment with all seeds.
    pub fn add(&mut self, further: Self) {
        self.trials.add(further.trials);
        self.results.get_or_insert_default().extend(further.results.unwrap_or_default());
        self.summarize();
    }
}

impl fmt::Display for RulesReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rules, agents, engine, trials, silent, .. } = self;
        let SeededTrials { wanted, finished, .. } = trials;
        writeln!(f, "{rules} among {}", counted(*agents, "agent"))?;
        if let Some(network) = &self.network {
            writeln!(f, "meetings along the links of {network}")?;
        }
        writeln!(f, "engine {engine}, exact")?;
        writeln!(f, "{trials}; times in interactions")?;
        if let Some(time) = &self.interactions {
            writeln!(f, "  {:<34} {}", "nothing changes any more", mean(time))?;
        }
        if silent < finished {
            let still = finished - silent;
            writeln!(f, "  {:<34} {} of {}", "still changing in the end", still, finished)?;
        }
        for Shown { output, agents, by_all } in &self.outputs {
            write!(f, "  {:<34} {}", format!("agents that show {output}"), mean(agents))?;
            match by_all {
                0 => writeln!(f)?,
                _ if *wanted == 1 => writeln!(f, ": all")?,
                _ => writeln!(f, "; all in {by_all} of {finished}")?,
            }
        }
        let listed = self.results.iter().flatten().filter(|_| *wanted > 1);
        for (number, Listed { interactions, silent, states, .. }) in (0..).zip(listed) {
            let states = states.iter().map(|(state, count)| format!("{state}={count}"));
            let states = states.collect::<Vec<_>>().join(" ");
            writeln!(f, "trial {number}: interactions={interactions} silent={silent} {states}")?;
        }
        Ok(())
    }
}
