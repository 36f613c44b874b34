//! Bounds as values that reports carry and print.

use alloc::{
    format,
    string::{String, ToString},
};
use core::fmt::Display;
use serde::{Deserialize, Serialize};

/// The sense in which a bound holds, from the strongest to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Guarantee {
    /// The cost equals the bound on every schedule that ends with a leader, and exceeds it on none.
    #[serde(rename = "exactly")]
    Exactly,
    /// The cost exceeds the bound on no schedule.
    #[serde(rename = "at most")]
    AtMost,
    /// The expected cost, over the random choices of the processes, exceeds the bound on no
    /// schedule. It does not apply to a single election, but to many: the checker computes the
    /// expectation, and trials estimate it.
    #[serde(rename = "on average at most")]
    Expected,
    /// The cost exceeds the bound with a probability of at most `1 / n` on every schedule. It does
    /// not apply to a single election.
    #[serde(rename = "with high probability at most")]
    WithHighProbability,
}

impl Guarantee {
    /// Returns whether such a bound applies to every single election.
    #[must_use]
    pub const fn is_sure(self) -> bool {
        matches!(self, Self::Exactly | Self::AtMost)
    }

    /// Returns the sense in words, to stand before a number, such as "exactly" or "at most".
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Exactly => "exactly",
            Self::AtMost => "at most",
            Self::Expected => "on average at most",
            Self::WithHighProbability => "with high probability at most",
        }
    }

    /// Returns the sense as a sign, such as "=" or "≤".
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Exactly => "=",
            Self::AtMost => "≤",
            Self::Expected => "E ≤",
            Self::WithHighProbability => "whp ≤",
        }
    }
}

/// The ground on which a bound is claimed, from the firmest to the weakest.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[non_exhaustive]
#[serde(rename_all = "kebab-case")]
pub enum BoundStanding {
    /// The header of the algorithm proves it.
    #[default]
    Proved,
    /// A cited work proves it, or the lemmas on which the header's proof rests.
    ProvedElsewhere,
    /// It is believed, and checked wherever it can be.
    Conjectured,
    /// It has been measured, and no more.
    Measured,
}

impl BoundStanding {
    /// Returns the words beside the bound, such as "conjectured"; "" for a bound that is proved here.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Proved => "",
            Self::ProvedElsewhere => "proved elsewhere",
            Self::Conjectured => "conjectured",
            Self::Measured => "measured",
        }
    }

    /// Returns whether it is [`Proved`](Self::Proved).
    #[must_use]
    pub fn is_proved(&self) -> bool {
        *self == Self::Proved
    }
}

/// A bound in words: a formula, the condition that determines its variables, and how firmly it is claimed. All
/// reports print it by these functions.
///
/// ```
/// use suffrage_algorithms::{Bound, BoundStanding};
///
/// let phases = Bound::at_most("n r", |s| s.nodes).given("r is the largest with F_(r+1) <= k");
/// let both = phases.stated().plus(&Bound::exactly("n", |s| s.nodes).stated());
/// assert_eq!(both.signed(), "≤ n r + n, where r is the largest with F_(r+1) <= k");
/// assert_eq!(both.with_value(25), "n r + n = at most 25, where r is the largest with F_(r+1) <= k");
/// let belief = Bound::expected("7 n", |s| 7 * s.nodes).standing(BoundStanding::Conjectured);
/// assert_eq!(belief.stated().sentence(), "on average at most 7 n (conjectured)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Formula {
    /// The formula, without its condition.
    pub formula: String,
    /// The condition that determines variables of the formula; empty if it has none but the network's.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub condition: String,
    /// The sense in which it holds.
    pub guarantee: Guarantee,
    /// The ground on which it is claimed.
    #[serde(default, skip_serializing_if = "BoundStanding::is_proved")]
    pub standing: BoundStanding,
}

impl Formula {
    /// Returns the bound on the sum of two costs. It holds in the weaker sense, on the weaker ground.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let joined = |one: &str, other: &str, empty: &str, between: &str| match (one, other) {
            (one, other) if other == empty || one == other && between != " + " => one.to_string(),
            (one, other) if one == empty => other.to_string(),
            (one, other) => format!("{one}{between}{other}"),
        };
        Self {
            formula: match other.formula.as_str() {
                "0" => self.formula.clone(),
                _ => format!("{} + {}", self.formula, other.formula),
            },
            condition: joined(&self.condition, &other.condition, "", ", and "),
            guarantee: self.guarantee.max(other.guarantee),
            standing: self.standing.max(other.standing),
        }
    }

    /// Returns the formula with a sign, as "≤ n r, where r is ..".
    #[must_use]
    pub fn signed(&self) -> String {
        format!("{} {}{}", self.guarantee.sign(), self.formula, self.remarks())
    }

    /// Returns the formula with a sign and a unit, as "≤ n r messages, where r is ..".
    #[must_use]
    pub fn signed_in(&self, unit: &str) -> String {
        format!("{} {} {unit}{}", self.guarantee.sign(), self.formula, self.remarks())
    }

    /// Returns the formula after the sense in words, as "at most n r, where r is ..".
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{} {}{}", self.guarantee.words(), self.formula, self.remarks())
    }

    /// Returns the formula after the sense in words and before what it bounds, as "at most n r messages, where r is ..".
    #[must_use]
    pub fn sentence_of(&self, what: &str) -> String {
        format!("{} {} {what}{}", self.guarantee.words(), self.formula, self.remarks())
    }

    /// Returns the formula with its value, as "n r = at most 20, where r is ..".
    #[must_use]
    pub fn with_value(&self, value: impl Display) -> String {
        format!("{} = {} {value}{}", self.formula, self.guarantee.words(), self.remarks())
    }

    /// Returns the formula after the sense in words and before its value, as "at most n r = 20, where r is ..".
    #[must_use]
    pub fn equal_to(&self, value: impl Display) -> String {
        format!("{} {} = {value}{}", self.guarantee.words(), self.formula, self.remarks())
    }

    /// Returns the formula alone, with its condition and its standing.
    #[must_use]
    pub fn plain(&self) -> String {
        format!("{}{}", self.formula, self.remarks())
    }

    /// Returns what follows a formula: its condition, and its standing.
    fn remarks(&self) -> String {
        let condition = match self.condition.as_str() {
            "" => String::new(),
            condition => format!(", where {condition}"),
        };
        match self.standing.words() {
            "" => condition,
            words => format!("{condition} ({words})"),
        }
    }
}
