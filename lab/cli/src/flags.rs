//! The flags that several subcommands share.

mod conditions;
mod trials;

pub use conditions::ConditionFlags;
pub(crate) use trials::{Many, TrialFlags};

use crate::counts;
use crate::error::Error;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::{cmp::Reverse, fmt, path::PathBuf, str::FromStr, time::Duration};
use suffrage::checker::Objective;
use suffrage::model::Id;
use suffrage::networks::{CountError, FileFormat, FileOptions, Ports, parse_count};
use suffrage::runtime::Timeouts;
use suffrage::simulator::{Fault, Schedule};

/// The flags for files with networks.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Network")]
pub struct FileFlags {
    /// If the network of a file is not connected, take its largest component
    #[arg(long)]
    pub(crate) largest_component: bool,

    /// The format of a file, instead of the recognized one
    ///
    /// edge-list, adjacency-list, multiline-adjacency-list, adjacency-matrix, graphml, dot, gml,
    /// pajek, metis, node-link (the JSON of networkx), dimacs or matrix-market.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) topology_format: Option<FileFormat>,
}

impl FileFlags {
    /// How a file is read.
    #[must_use]
    pub const fn options(self) -> FileOptions {
        FileOptions { largest_component: self.largest_component, format: self.topology_format }
    }

    /// A flag that is given.
    #[must_use]
    pub const fn given(self) -> Option<&'static str> {
        match self {
            Self { largest_component: true, .. } => Some("--largest-component"),
            Self { topology_format: Some(_), .. } => Some("--topology-format"),
            _ => None,
        }
    }
}

/// The conditions of an election: all settings but its algorithm and its network.
#[derive(Clone)]
pub struct Conditions {
    /// The layout of the identities, a list or a file.
    pub ids: String,
    /// The order of the nodes of a complete network.
    pub order: NodeOrder,
    /// The numbering of the ports.
    pub ports: PortOrder,
    /// Who starts; all, if the flag is left out.
    pub initiators: Option<Initiators>,
    /// When they start; at once, if the flag is left out.
    pub wake: Option<WakeUps>,
    /// When messages arrive.
    pub schedule: Timing,
    /// The capacity of links.
    pub capacity: Capacity,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// The seed of the first election.
    pub seed: u64,
    /// Whether further elections have the seeds that follow, and not random ones.
    pub consecutive: bool,
    /// The number of deliveries after which an election counts as endless.
    pub event_limit: Option<u64>,
    /// Whether the algorithm's invariants are checked.
    pub invariants: bool,
}

/// The flag of timeouts.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct TimeoutFlags {
    /// The timeouts of a node, by their names in the section `timeouts` of its file, as in
    /// gone=10,abandon=20
    ///
    /// `suffrage node --print-config` describes all of them, with their defaults.
    #[arg(
        long,
        value_name = "NAME=SECONDS,..",
        value_delimiter = ',',
        help_heading = "Conditions"
    )]
    pub(crate) timeouts: Vec<NamedTimeout>,
}

/// A timeout with its name in [`Timeouts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NamedTimeout {
    pub(crate) name: &'static str,
    pub(crate) time: Duration,
}

impl FromStr for NamedTimeout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Timeouts::NAMES.join(", ");
        let Some((name, seconds)) = text.split_once('=') else {
            return Err(format!(
                "write NAME=SECONDS, as in gone=10, where NAME is one of {}; --timeout SECONDS is \
                 when to give up",
                names()
            ));
        };
        let known = Timeouts::NAMES.into_iter().find(|known| *known == name);
        let name = known.ok_or_else(|| {
            format!("there is no timeout `{}`; there are {}", name.escape_debug(), names())
        })?;
        Ok(Self { name, time: counts::seconds(seconds)? })
    }
}

impl TimeoutFlags {
    /// Applies the timeouts of the flags, and checks the result.
    pub(crate) fn apply(&self, timeouts: &mut Timeouts) -> Result<(), Error> {
        for NamedTimeout { name, time } in &self.timeouts {
            if let Some(timeout) = timeouts.named(name) {
                *timeout = *time;
            }
        }
        timeouts.check().map_err(|error| Error::of(format!("--timeouts {}", error.name()), error))
    }
}

/// The order of the nodes around the virtual ring of a complete network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum NodeOrder {
    /// As the network has them
    #[default]
    Given,
    /// By identity: the neighbour of a node has the next smaller one
    Ids,
    /// By identity: the neighbour of a node has the next larger one
    IdsAscending,
}

impl NodeOrder {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Ids => "ids",
            Self::IdsAscending => "ids-ascending",
        }
    }

    pub(crate) fn of(self, ids: &[Id]) -> Option<Vec<u32>> {
        let mut nodes: Vec<u32> = (0..ids.len() as u32).collect();
        let id = |node: &u32| ids[*node as usize];
        match self {
            Self::Given => return None,
            Self::Ids => nodes.sort_by_key(|node| Reverse(id(node))),
            Self::IdsAscending => nodes.sort_by_key(id),
        }
        Some(nodes)
    }
}

/// [`Ports`] as a value of a flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PortOrder {
    /// In the order of the neighbours, from the node on and around
    #[default]
    Rotation,
    /// At random, at each node independently
    Random,
}

impl PortOrder {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Rotation => "rotation",
            Self::Random => "random",
        }
    }

    /// The numbering.
    #[must_use]
    pub const fn ports(self) -> Ports {
        match self {
            Self::Rotation => Ports::Rotation,
            Self::Random => Ports::Random,
        }
    }
}

/// The initiators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Initiators {
    /// All nodes.
    #[default]
    All,
    /// This many, at random.
    Some(u32),
    /// The text of a list of labels and numbers, which is resolved in the network.
    Listed(String),
}

impl FromStr for Initiators {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        if let Some(list) = text.strip_prefix("nodes:") {
            return Ok(Self::Listed(list.to_owned()));
        }
        match parse_count(text) {
            Ok(0) => Err("an election needs at least one initiator".to_owned()),
            Ok(count) => u32::try_from(count).map(Self::Some).map_err(|_| counts::limit32()),
            Err(CountError::TooLarge) => Err(counts::limit32()),
            Err(CountError::Form) => Err("write all, a number of initiators such as 3, or a list \
                                          such as nodes:0,4,9"
                .to_owned()),
        }
    }
}

impl fmt::Display for Initiators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Some(count) => count.fmt(f),
            Self::Listed(list) => write!(f, "nodes:{list}"),
        }
    }
}

/// The wake-up times of the initiators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WakeUps {
    /// All at tick 0.
    #[default]
    Once,
    /// Each at a random tick up to this one.
    Spread(u64),
}

impl FromStr for WakeUps {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("spread:").map(parse_count) {
            // The simulator's clock must not overflow.
            Some(Ok(last)) if last <= 1 << 40 => Ok(Self::Spread(last)),
            Some(Ok(_) | Err(CountError::TooLarge)) => {
                Err("the last tick is at most 1099511627776".to_owned())
            }
            None if text == "once" => Ok(Self::Once),
            _ => Err("write once, or the last tick as in spread:100".to_owned()),
        }
    }
}

impl fmt::Display for WakeUps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Once => f.write_str("once"),
            Self::Spread(last) => write!(f, "spread:{last}"),
        }
    }
}

/// A schedule whose recording, if it has one, has not been read.
#[derive(Clone, Debug, PartialEq)]
pub enum Timing {
    /// A schedule.
    Rule(Schedule),
    /// The order of the trace in this file.
    Recorded(PathBuf),
    /// The schedule is searched for.
    Worst(Objective),
}

impl FromStr for Timing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("replay:") {
            Some("") => Err("name the trace to replay, as in replay:FILE".to_owned()),
            Some(file) => Ok(Self::Recorded(file.into())),
            None if text == "worst" => Ok(Self::Worst(Objective::Messages)),
            None if text == "worst:depth" => Ok(Self::Worst(Objective::Depth)),
            None if text.starts_with("worst") => {
                Err("write worst, for many messages, or worst:depth".to_owned())
            }
            None => text.parse().map(Self::Rule).map_err(|error| format!("{error}")),
        }
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(schedule) => schedule.fmt(f),
            Self::Recorded(file) => write!(f, "replay:{}", file.display()),
            Self::Worst(Objective::Messages) => f.write_str("worst"),
            Self::Worst(Objective::Depth) => f.write_str("worst:depth"),
        }
    }
}

/// The capacity of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity(
    /// The number of messages; `None` for any number.
    pub Option<u32>,
);

impl FromStr for Capacity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match parse_count(text) {
            Ok(0) => Err("a link that holds no message carries none; the least is 1".to_owned()),
            Ok(most) => {
                u32::try_from(most).map(|most| Self(Some(most))).map_err(|_| counts::limit32())
            }
            Err(_) if text == "unbounded" => Ok(Self(None)),
            Err(CountError::TooLarge) => Err(counts::limit32()),
            Err(CountError::Form) => {
                Err("write unbounded, or a number of messages from 1 on".to_owned())
            }
        }
    }
}

impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(most) => most.fmt(f),
            None => f.write_str("unbounded"),
        }
    }
}
