//! Specifications of explorations.

mod explore;
mod family;

pub(crate) use explore::run;
pub use family::{
    Families, FamilyDescription, NodeRange, Numberings, RoomRange, WakeMoment, every_shape,
    everything,
};

use crate::conditions::Initiators;
use crate::counts::NumberRange;
use crate::error::Error;
use crate::text::{self, textual};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use suffrage_algorithms::{Algorithm, Property};
use suffrage_checker::{FaultBudget, SampleScheduler};
use suffrage_networks::{Fault, FileOptions, FileSyntax};

/// A question to `suffrage check`: what to explore or sample. Each field has the meaning of the
/// flag of its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct CheckSpecification {
    /// The name of the algorithm.
    pub algorithm: String,
    /// The number of nodes; for a sample also a range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodeRange>,
    /// One network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<String>,
    /// The format of a file with a network, where it is not recognized.
    #[serde(with = "text::optional", skip_serializing_if = "Option::is_none")]
    pub topology_format: Option<FileSyntax>,
    /// Whether the largest component is taken of a network in a file that is not connected.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub largest_component: bool,
    /// Every order of the identities.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_ids: bool,
    /// Every set of initiators.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_initiators: bool,
    /// Every numbering of the ports.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_ports: bool,
    /// The numbering of the ports, or how many random ones.
    pub ports: Numberings,
    /// Every connected network of this size, with every order of the identities. Ports are in the order of the
    /// neighbours' identities.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_graphs: bool,
    /// Every connected network of this size up to isomorphism.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_shapes: bool,
    /// The order of the identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<String>,
    /// Who may start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiators: Option<Initiators>,
    /// When they start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake: Option<WakeMoment>,
    /// How many messages a link holds; for a sample also a range.
    pub capacity: RoomRange,
    /// The faults, with how often they happen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fault: Vec<Fault>,
    /// The properties that are checked; all, without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub property: Vec<Property>,
    /// How many random runs are checked, instead of all.
    #[serde(with = "text::wide::optional", skip_serializing_if = "Option::is_none")]
    pub sample: Option<u64>,
    /// A random run for each of these seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<NumberRange<u64>>,
    /// The schedulers of random runs; all, without any.
    #[serde(with = "text::several", skip_serializing_if = "Vec::is_empty")]
    pub scheduler: Vec<SampleScheduler>,
    /// Whether every configuration of every instance is explored, without reductions.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub full: bool,
    /// Whether it goes on after a broken property.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep_going: bool,
    /// The memory for configurations.
    pub memory: MemorySize,
    /// Whether it explores even if the estimate is too large.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    /// The seed of everything random: networks, initiators.
    #[serde(with = "text::wide", default = "one")]
    pub seed: u64,
}

const fn one() -> u64 {
    1
}

impl CheckSpecification {
    /// The exploration of an algorithm, of the largest feasible family.
    #[must_use]
    pub fn of(algorithm: &str) -> Self {
        Self { algorithm: algorithm.to_owned(), seed: one(), ..Self::default() }
    }

    /// How files with networks are read.
    #[must_use]
    pub const fn file_options(&self) -> FileOptions {
        FileOptions { largest_component: self.largest_component, format: self.topology_format }
    }

    /// The faults.
    ///
    /// # Errors
    /// If one has a probability in place of a count.
    pub fn faults(&self) -> Result<FaultBudget, Error> {
        FaultBudget::of(&self.fault).map_err(|error| Error::of("--fault", error))
    }

    /// Refuses fields that contradict each other, and an invariant of another algorithm.
    ///
    /// # Errors
    /// If there are such: names them.
    pub fn check(&self, algorithm: &Algorithm) -> Result<(), Error> {
        self.check_fields()?;
        self.check_properties(algorithm)
    }

    /// Refuses fields that contradict each other.
    fn check_fields(&self) -> Result<(), Error> {
        let sampled = self.sample.is_some() || self.seeds.is_some();
        let set = |flag: &'static str, is: bool| is.then_some(flag);
        let conflicts: [(Option<&str>, &[Option<&str>]); 6] = [
            (set("--nodes", self.nodes.is_some()), &[set("--topology", self.topology.is_some())]),
            (set("--all-ids", self.all_ids), &[set("--ids", self.ids.is_some())]),
            (
                set("--all-initiators", self.all_initiators),
                &[set("--initiators", self.initiators.is_some())],
            ),
            (
                set("--all-graphs", self.all_graphs),
                &[
                    set("--topology", self.topology.is_some()),
                    set("--ids", self.ids.is_some()),
                    set("--all-ports", self.all_ports),
                    set("--all-shapes", self.all_shapes),
                ],
            ),
            (
                set("--all-shapes", self.all_shapes),
                &[
                    set("--topology", self.topology.is_some()),
                    set("--ids", self.ids.is_some()),
                    set("--all-ports", self.all_ports),
                    set("--all-ids", self.all_ids),
                ],
            ),
            (
                set("--sample or --seeds", sampled),
                &[
                    set("--topology", self.topology.is_some()),
                    set("--ids", self.ids.is_some()),
                    set("--all-ids", self.all_ids),
                    set("--initiators", self.initiators.is_some()),
                    set("--all-initiators", self.all_initiators),
                    set("--all-ports", self.all_ports),
                    set("--all-graphs", self.all_graphs),
                    set("--all-shapes", self.all_shapes),
                    set("--ports", self.ports != Numberings::default()),
                    set("--full", self.full),
                    set("--keep-going", self.keep_going),
                ],
            ),
        ];
        for (flag, others) in conflicts {
            if let (Some(flag), Some(other)) = (flag, others.iter().flatten().next()) {
                return Err(Error::new(format!("{flag} and {other}: leave one of them out")));
            }
        }
        Ok(())
    }

    /// Refuses an invariant of another algorithm.
    fn check_properties(&self, algorithm: &Algorithm) -> Result<(), Error> {
        let own = algorithm.invariants();
        for property in &self.property {
            if let Property::Invariant(name) = property
                && !own.contains(name)
            {
                return Err(Error::new(format!(
                    "--property {name}: {} has no such invariant; it has {}",
                    algorithm.name,
                    own.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// The invariants that are checked.
    #[must_use]
    pub fn invariants(&self, algorithm: &Algorithm, faults: FaultBudget) -> Vec<&'static str> {
        let mut all = algorithm.invariants();
        match self.property.as_slice() {
            [] if faults.is_none() => {}
            properties => all.retain(|&name| properties.contains(&Property::Invariant(name))),
        }
        all
    }
}

/// The property of a name.
///
/// # Errors
/// If there is none: names them.
pub fn property(name: &str) -> Result<Property, String> {
    Property::named(name).ok_or_else(|| {
        let names: Vec<_> = Property::ALL.iter().map(|property| property.name()).collect();
        format!(
            "there is no property `{name}`; choose {}, or an invariant that `suffrage \
             algorithms NAME` lists",
            names.join(", ")
        )
    })
}

/// A size of memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySize(pub u64);

impl Default for MemorySize {
    fn default() -> Self {
        Self(4 << 30)
    }
}

impl FromStr for MemorySize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            _ => 0,
        };
        match digits.parse::<u64>().ok().and_then(|size| size.checked_mul(unit)) {
            Some(bytes) if bytes >= 1 << 20 => Ok(Self(bytes)),
            _ => Err("write a number with MiB or GiB, from 1MiB on, as in 8GiB".to_owned()),
        }
    }
}

impl fmt::Display for MemorySize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes.is_multiple_of(1 << 30) => write!(f, "{}GiB", bytes >> 30),
            bytes => write!(f, "{}MiB", bytes >> 20),
        }
    }
}

textual!(MemorySize);
