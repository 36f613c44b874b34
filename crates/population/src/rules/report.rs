//! The report of rules, as text and as JSON.

use super::{Ending, RulesExperiment};
use crate::{
    engine::EngineKind,
    report::{counted, number},
    statistics::Moments,
};
use serde::Serialize;
use std::{collections::BTreeMap, fmt};

/// The trials of rules, with the keys that they have in JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// The number of trials asked for.
    pub trials: u64,
    /// The number of finished trials.
    pub finished: u64,
    /// The seed.
    pub seed: u64,
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    /// The output.
    pub output: String,
    /// The number of agents that show it.
    pub agents: Moments,
    /// The number of trials in which all agents show it.
    pub by_all: u64,
}

/// The end of one trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// The number of interactions.
    pub interactions: u64,
    /// Whether no state could change any more.
    pub silent: bool,
    /// The number of agents in each state that has any.
    pub states: BTreeMap<String, u64>,
}

impl RulesReport {
    /// Creates the report of finished trials, `each` of them listed or only summarised.
    #[must_use]
    pub fn new(
        name: &str,
        experiment: &RulesExperiment<'_>,
        endings: &[Ending],
        each: bool,
    ) -> Self {
        let (rules, agents) = (experiment.rules, experiment.agents());
        let silent = || endings.iter().filter(|ending| ending.silent);
        let mut outputs: Vec<&String> = Vec::new();
        for output in rules.outputs() {
            if !outputs.contains(&output) {
                outputs.push(output);
            }
        }
        let showing = |output: &String, ending: &Ending| -> u64 {
            let counts = rules.outputs().iter().zip(&ending.counts);
            counts.filter(|(other, _)| *other == output).map(|(_, &count)| count).sum()
        };
        let shown = outputs.into_iter().filter_map(|output| {
            let counts = endings.iter().map(|ending| showing(output, ending) as f64);
            Some(Shown {
                output: output.clone(),
                agents: Moments::of(counts)?,
                by_all: endings.iter().filter(|end| showing(output, end) == agents).count() as u64,
            })
        });
        let listed = |ending: &Ending| Listed {
            interactions: ending.interactions,
            silent: ending.silent,
            states: rules
                .states()
                .iter()
                .cloned()
                .zip(ending.counts.iter().copied())
                .filter(|&(_, count)| count > 0)
                .collect(),
        };
        Self {
            rules: name.to_owned(),
            agents,
            network: None,
            engine: experiment.engine(),
            trials: experiment.trials,
            finished: endings.len() as u64,
            seed: experiment.seed,
            silent: silent().count() as u64,
            interactions: Moments::of(silent().map(|ending| ending.interactions as f64)),
            outputs: shown.collect(),
            results: (each || experiment.trials == 1).then(|| endings.iter().map(listed).collect()),
        }
    }

    /// Returns the report as indented JSON.
    #[must_use]
    pub fn json(&self) -> String {
        // Cannot fail: a report has only string keys and finite numbers.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl fmt::Display for RulesReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rules, agents, engine, trials, finished, seed, silent, .. } = self;
        let count = |count: u64| number(count as f64);
        writeln!(f, "{rules} among {}", counted(*agents, "agent"))?;
        if let Some(network) = &self.network {
            writeln!(f, "meetings along the links of {network}")?;
        }
        writeln!(f, "engine {engine}, exact")?;
        match (finished, trials) {
            (_, 1) => writeln!(f, "one trial, seed {seed}")?,
            (done, all) if done < all => writeln!(
                f,
                "interrupted: the first {} of {} trials, seed {seed}",
                count(*done),
                count(*all)
            )?,
            (_, all) => writeln!(f, "{} trials, seed {seed}", count(*all))?,
        }
        let moments = |moments: &Moments| match moments.count {
            1 => number(moments.mean),
            _ => format!(
                "{} ± {}, deviation {}",
                number(moments.mean),
                number(moments.half_width()),
                number(moments.deviation)
            ),
        };
        if let Some(time) = &self.interactions {
            writeln!(f, "  {:<34} {}", "nothing changes any more", moments(time))?;
        }
        if silent < finished {
            let still = finished - silent;
            writeln!(f, "  {:<34} {} of {}", "still changing in the end", still, finished)?;
        }
        for Shown { output, agents, by_all } in &self.outputs {
            write!(f, "  {:<34} {}", format!("agents that show {output}"), moments(agents))?;
            match by_all {
                0 => writeln!(f)?,
                _ if *trials == 1 => writeln!(f, ": all")?,
                _ => writeln!(f, "; all in {by_all} of {finished}")?,
            }
        }
        let listed = self.results.iter().flatten().filter(|_| *trials > 1);
        for (number, Listed { interactions, silent, states }) in (0..).zip(listed) {
            let states = states.iter().map(|(state, count)| format!("{state}={count}"));
            let states = states.collect::<Vec<_>>().join(" ");
            writeln!(f, "trial {number}: interactions={interactions} silent={silent} {states}")?;
        }
        Ok(())
    }
}
