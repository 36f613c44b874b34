//! Values that shell completions offer for flags whose values are not a fixed set.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use std::ffi::OsStr;
use suffrage::algorithms::{Algorithm, Property};
use suffrage::experiment::real::agents::Agents;
use suffrage::model::Timing;

/// Specifications of networks, one of each kind.
const SPECS: &[&str] = &[
    "complete:16",
    "ring:16",
    "chordal:16:3",
    "path:16",
    "star:16",
    "tree:2:15",
    "tree:random:16",
    "grid:4x5",
    "torus:4x5",
    "hypercube:4",
    "regular:16:3",
    "erdos-renyi:16:0.3",
    "barabasi-albert:16:2",
];

/// Kinds of networks.
const KINDS: &[&str] = &[
    "complete",
    "ring",
    "chordal:3",
    "path",
    "star",
    "tree:2",
    "tree:random",
    "grid",
    "torus",
    "hypercube",
    "regular:3",
    "erdos-renyi:0.3",
    "barabasi-albert:2",
];

const SCHEDULES: &[&str] = &[
    "synchronous",
    "uniform:10",
    "exponential:5",
    "pareto:1.5",
    "per-link:10",
    "rounds",
    "rounds:uniform:10",
    "random",
    "newest",
    "oldest",
    "worst",
    "worst:depth",
    "replay:",
];

const FAULTS: &[&str] = &["no-fifo", "loss:0.1", "duplicate:0.1", "crash:3@10"];
const CRASHES: &[&str] = &["crash:3@100"];
const COUNTED_FAULTS: &[&str] = &["no-fifo", "loss:1", "duplicate:1", "crash:1"];
const IDS: &[&str] =
    &["random", "ascending", "descending", "bit-reversed", "scattered", "homonyms:2"];

/// A parser of values that offers some of them, but accepts others, too.
#[derive(Clone)]
pub(crate) struct Offered<P> {
    values: Vec<&'static str>,
    parser: P,
}

impl<P: TypedValueParser> TypedValueParser for Offered<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, Error> {
        self.parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values.iter().map(PossibleValue::new)))
    }
}

/// Accepts any text.
fn text(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

type Text = Offered<fn(&str) -> Result<String, String>>;

const fn offered(values: Vec<&'static str>) -> Text {
    Offered { values, parser: text }
}

/// Offers names of algorithms.
pub(crate) fn algorithms() -> Text {
    offered(Algorithm::rows().map(|algorithm| algorithm.name).collect())
}

/// The protocol that is no algorithm of the catalogue.
pub(crate) const TENURE: &str = "tenure";

/// Offers names of what may be proved: algorithms, and the protocol of Tenure.
pub(crate) fn proved() -> Text {
    offered(Algorithm::rows().map(|algorithm| algorithm.name).chain([TENURE]).collect())
}

/// Offers names of algorithms that nodes run: those of the catalogue, and agents.
pub(crate) fn nodes() -> Text {
    let catalogue = Algorithm::rows().filter(|row| row.timing == Timing::Asynchronous);
    let catalogue = catalogue.map(|algorithm| algorithm.name);
    offered(catalogue.chain(Agents::ALL.map(Agents::name)).collect())
}

/// Offers specifications of networks.
pub(crate) fn specs() -> Text {
    offered(SPECS.to_vec())
}

/// Offers kinds of networks, for comparisons.
pub(crate) fn kinds() -> Text {
    offered(KINDS.to_vec())
}

/// Offers orders of identities.
pub(crate) fn ids() -> Text {
    offered(IDS.to_vec())
}

/// Offers schedules, which `parser` reads.
pub(crate) fn schedules<P: TypedValueParser>(parser: P) -> Offered<P> {
    Offered { values: SCHEDULES.to_vec(), parser }
}

/// Offers crashes, which `parser` reads.
pub(crate) fn crashes<P: TypedValueParser>(parser: P) -> Offered<P> {
    Offered { values: CRASHES.to_vec(), parser }
}

/// Offers probabilistic faults, which `parser` reads.
pub(crate) fn faults<P: TypedValueParser>(parser: P) -> Offered<P> {
    Offered { values: FAULTS.to_vec(), parser }
}

/// Offers counted faults, which `parser` reads.
pub(crate) fn counted_faults<P: TypedValueParser>(parser: P) -> Offered<P> {
    Offered { values: COUNTED_FAULTS.to_vec(), parser }
}

/// Offers names of properties, which `parser` reads.
pub(crate) fn properties<P: TypedValueParser>(parser: P) -> Offered<P> {
    Offered { values: Property::ALL.iter().map(|property| property.name()).collect(), parser }
}

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage::experiment::conditions::ScheduleChoice;
    use suffrage::networks::{Ids, Spec};
    use suffrage::simulator::Fault;

    #[test]
    fn what_is_offered_is_accepted() {
        for spec in SPECS {
            assert!(spec.parse::<Spec>().is_ok(), "{spec}");
        }
        for kind in KINDS {
            assert!(Spec::of_family(kind, 16).is_ok(), "{kind}");
        }
        for schedule in SCHEDULES.iter().filter(|name| !name.ends_with(':')) {
            assert!(schedule.parse::<ScheduleChoice>().is_ok(), "{schedule}");
        }
        for fault in FAULTS {
            assert!(fault.parse::<Fault>().is_ok(), "{fault}");
        }
        for ids in IDS {
            assert!(ids.parse::<Ids>().is_ok(), "{ids}");
        }
    }

    #[test]
    fn a_network_of_every_kind_is_offered() {
        let all = "mobius".parse::<Spec>().unwrap_err().to_string();
        let (_, kinds) = all.split_once("there are ").unwrap();
        assert_eq!(kinds.split(", ").count(), SPECS.len());
        assert_eq!(kinds.split(", ").count(), KINDS.len());
    }
}
