//! The numbers of a sweep as a table, as CSV and as JSON.

use super::{Parameter, Success, Sweep};
use crate::report::{number, percent};
use std::fmt::{self, Write as _};

impl Sweep {
    /// Returns the sweep as indented JSON.
    #[must_use]
    pub fn json(&self) -> String {
        // Cannot fail: a sweep has only string keys and finite numbers.
        serde_json::to_string_pretty(self).unwrap_or_default()
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

impl Success {
    pub(super) fn value(&self, parameter: Parameter) -> String {
        match parameter {
            Parameter::Margin => self.margin.map_or("-".into(), |margin| margin.to_string()),
            Parameter::Minimum => self.min_interactions.to_string(),
        }
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
