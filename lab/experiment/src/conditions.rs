//! The conditions of elections, in the text forms that flags and files share.

use crate::counts;
use crate::number::{count, grouped};
use crate::text::{names, textual};
use std::{cmp::Reverse, fmt, path::PathBuf, str::FromStr};
use suffrage_algorithms::{Algorithm, Parameters};
use suffrage_checker::Objective;
use suffrage_model::Id;
use suffrage_networks::{CountError, Fault, Ports, parse_count};
use suffrage_simulator::Schedule;

/// The conditions of one election: all settings but its algorithm and its network.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// The identities: the name of a layout, `list:ID,..`, or a file.
    pub ids: String,
    /// The order of the nodes around the virtual ring of a complete network.
    pub order: NodeOrder,
    /// The numbering of the ports.
    pub ports: PortOrder,
    /// Who starts; all by default.
    pub initiators: Option<Initiators>,
    /// When they start; at once by default.
    pub wake: Option<WakeUps>,
    /// When messages arrive.
    pub schedule: ScheduleChoice,
    /// How many messages a link holds.
    pub capacity: Capacity,
    /// The faults of the network.
    pub faults: Vec<Fault>,
    /// The seed of the first election.
    pub seed: u64,
    /// Whether further elections have the seeds that follow, and not random ones.
    pub consecutive: bool,
    /// The number of deliveries after which a run counts as endless, if it is not computed from the bound.
    pub event_limit: Option<u64>,
    /// Whether invariants are checked in every configuration.
    pub invariants: bool,
}

impl Default for Conditions {
    fn default() -> Self {
        Self {
            ids: "random".to_owned(),
            order: NodeOrder::Given,
            ports: PortOrder::Rotation,
            initiators: None,
            wake: None,
            schedule: ScheduleChoice::default(),
            capacity: Capacity::default(),
            faults: Vec::new(),
            seed: 1,
            consecutive: false,
            event_limit: None,
            invariants: false,
        }
    }
}

impl Conditions {
    /// When the initiators start.
    #[must_use]
    pub fn wake_ups(&self) -> WakeUps {
        self.wake.unwrap_or_default()
    }
}

names! {
    /// The order of the nodes around the virtual ring of a complete network.
    NodeOrder {
        /// As the network has them.
        Given = "given",
        /// By identity: the neighbour of a node has the next smaller one.
        Ids = "ids",
        /// By identity: the neighbour of a node has the next larger one.
        IdsAscending = "ids-ascending",
    }
}

impl NodeOrder {
    /// The nodes in this order, if it is not the given one.
    #[must_use]
    pub fn of(self, ids: &[Id]) -> Option<Vec<u32>> {
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

names! {
    /// [`Ports`] by the name in flags and files.
    PortOrder {
        /// In the order of the neighbours, from the next node on and around.
        Rotation = "rotation",
        /// At random, at each node independently.
        Random = "random",
    }
}

impl PortOrder {
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
    /// Every node.
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

/// A choice of the schedule, whose recording, if it has one, has not been read.
#[derive(Clone, Debug, PartialEq)]
pub enum ScheduleChoice {
    /// By this rule.
    Rule(Schedule),
    /// As recorded in the trace in this file.
    Recorded(PathBuf),
    /// The schedule is searched for.
    Worst(Objective),
}

impl FromStr for ScheduleChoice {
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

impl fmt::Display for ScheduleChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(schedule) => schedule.fmt(f),
            Self::Recorded(file) => write!(f, "replay:{}", file.display()),
            Self::Worst(Objective::Messages) => f.write_str("worst"),
            Self::Worst(Objective::Depth) => f.write_str("worst:depth"),
        }
    }
}

/// The capacity of links; `None` if it is unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity(pub Option<u32>);

impl Capacity {
    /// What a person should know if links hold fewer messages than the algorithm needs on a network of this size.
    #[must_use]
    pub fn shortage(self, algorithm: &Algorithm, nodes: u64) -> Option<String> {
        let needed = algorithm.room.at(&Parameters::new(nodes, 0, nodes));
        self.0.filter(|&capacity| u64::from(capacity) < needed).map(|capacity| {
            let (needed, formula) = (grouped(needed), algorithm.room.formula);
            let formula = if formula == needed { "" } else { &format!("{formula} = ") };
            format!(
                "--capacity {capacity}: {} needs links that hold {formula}{needed} messages on {}; \
                 with fewer, processes may wait for each other",
                algorithm.name,
                count(nodes, "node"),
            )
        })
    }
}

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

impl Default for ScheduleChoice {
    fn default() -> Self {
        Self::Rule(Schedule::Synchronous)
    }
}

textual!(Initiators, WakeUps, ScheduleChoice, Capacity);
