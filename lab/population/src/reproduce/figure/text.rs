//! The figure's numbers as a table, as JSON and as CSV.

use super::{FigureOne, MARGIN, Period, RuleRates};
use crate::report::percent;
use std::fmt::{self, Write as _};

/// Euler's constant: H(n-1) is about ln n + γ.
const EULER: f64 = 0.577_215_664_901_532_9;

impl FigureOne {
    /// Returns the fits and rates as indented JSON.
    #[must_use]
    pub fn json(&self) -> String {
        // Cannot fail: a figure has only string keys and finite numbers.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Returns the trials as CSV, one per line: agents and the fields of a trial, empty if there is
    /// no value.
    #[must_use]
    pub fn csv(&self) -> String {
        let fields = crate::trial::Field::ALL;
        let mut text = String::from("agents");
        for field in fields {
            text.push(',');
            text.push_str(field.name());
        }
        text.push('\n');
        for point in &self.points {
            // Writing to a string cannot fail.
            let _ = write!(text, "{}", point.agents);
            for field in fields {
                text.push(',');
                match field.of(&point.trial) {
                    Some(value) if field.is_flag() => {
                        text += if value > 0.0 { "true" } else { "false" }
                    }
                    Some(value) => _ = write!(text, "{value}"),
                    None => {}
                }
            }
            text.push('\n');
        }
        text
    }
}

/// Writes the rates of success beside the paper's, and the fits beside the theorems.
impl fmt::Display for FigureOne {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "n = 1000, 1100, ..., 10000; m = {MARGIN}; {} trials of each and of each rule; seed {}",
            self.trials, self.seed
        )?;
        writeln!(f, "first: the first declaration, by whomever, is correct; leader: the eventual")?;
        writeln!(f, "leader's; brackets are 95 % confidence intervals")?;
        writeln!(f)?;
        writeln!(f, "  {:<22} {:<12} {:<32} {:<32} declared", "rule", "n", "first", "leader")?;
        for rates in &self.rates {
            row(f, rates)?;
        }
        writeln!(f, "  {:<22} {:<12} over 99.2 %", "the paper", "< 3335")?;
        writeln!(f, "  {:<22} {:<12} 99.8 %", "the paper", "> 6666")?;
        writeln!(f)?;
        let m = f64::from(MARGIN);
        for (name, fit, log_linear, linear) in [
            ("completion", self.completion, 1.0, EULER),
            (
                "declaration",
                self.declaration,
                (m + 1.0) / 2.0,
                f64::midpoint((m + 1.0) * EULER, 1.0),
            ),
            // The news spreads as the identity does.
            ("all told", self.told, (m + 3.0) / 2.0, f64::midpoint((m + 3.0) * EULER, 1.0)),
        ] {
            writeln!(
                f,
                "  {name:<12} fitted {:.3} n ln n {:+.3} n; the theorems say about {log_linear:.3} \
                 n ln n {linear:+.3} n",
                fit.log_linear, fit.linear
            )?;
        }
        Ok(())
    }
}

fn row(f: &mut fmt::Formatter<'_>, rates: &RuleRates) -> fmt::Result {
    let rule = match rates.min_interactions {
        0 => rates.rule.name().to_owned(),
        least => format!("{}, at least {least}", rates.rule.name()),
    };
    let period = match rates.period {
        Period::Small => "< 3335",
        Period::Middle => "3335 to 6666",
        Period::Large => "> 6666",
    };
    let interval = |rate: suffrage_numbers::statistics::Rate| {
        format!("{} [{}, {}]", percent(rate.rate), percent(rate.low), percent(rate.high))
    };
    let (first, leader) = (interval(rates.first_ok), interval(rates.leader_ok));
    let declared = percent(rates.declared.rate);
    writeln!(f, "  {rule:<22} {period:<12} {first:<32} {leader:<32} {declared}")
}
