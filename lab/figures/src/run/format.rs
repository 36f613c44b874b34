//! The lines of the format, as serde reads and writes them.

use super::RunHeader;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use suffrage_algorithms::Algorithm;
use suffrage_model::{Action, End, Id, NetworkClass, Port};
use suffrage_networks::wiring::{Adjacency, Numbering, Wiring};
use suffrage_networks::{Fault, FaultError};
use suffrage_simulator::RunLine;

/// The version of the format.
pub(super) const VERSION: u32 = suffrage_simulator::RUN_FORMAT;

/// The property that a run breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breaks {
    /// The name of the property.
    pub property: String,
    /// How it is broken, in words.
    pub detail: String,
}

impl From<&suffrage_algorithms::Violation> for Breaks {
    fn from(violation: &suffrage_algorithms::Violation) -> Self {
        Self { property: violation.property.to_string(), detail: violation.detail.clone() }
    }
}

/// The first line. Unknown keys are refused: they may mean that something else happened.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderLine {
    #[serde(rename = "suffrage-run")]
    format: u32,
    version: String,
    command: Option<String>,
    algorithm: String,
    network: String,
    nodes: u32,
    links: u64,
    ports: PortLists,
    ids: Vec<u64>,
    initiators: Option<Vec<u32>>,
    schedule: String,
    capacity: Option<u32>,
    faults: Vec<String>,
    seed: u64,
    coins: Vec<u32>,
    breaks: Option<Breaks>,
    loop_start: Option<usize>,
}

/// A network with its ports numbered.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum PortLists {
    Complete(ComputedPorts),
    Ring(ComputedPorts),
    Ends(Vec<Vec<(u32, u32)>>),
}

/// A network whose links are computed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ComputedPorts {
    nodes: u32,
    /// By what the ports are shuffled, if they are.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    seed: Option<u64>,
}

impl PortLists {
    fn of(wiring: &Wiring) -> Self {
        let nodes = wiring.nodes();
        let implicit = |seed| ComputedPorts { nodes, seed };
        match wiring.numbering() {
            Numbering::Complete => Self::Complete(implicit(None)),
            Numbering::CompleteShuffled(seed) => Self::Complete(implicit(Some(seed))),
            Numbering::Ring => Self::Ring(implicit(None)),
            Numbering::RingShuffled(seed) => Self::Ring(implicit(Some(seed))),
            Numbering::Stored(_) => {
                let ends = |node| {
                    let ports = (0..wiring.degree(node)).map(Port);
                    ports.map(|port| wiring.across(node, port)).map(pair).collect()
                };
                Self::Ends((0..nodes).map(ends).collect())
            }
        }
    }

    fn nodes(&self) -> usize {
        match self {
            Self::Complete(ComputedPorts { nodes, .. })
            | Self::Ring(ComputedPorts { nodes, .. }) => *nodes as usize,
            Self::Ends(ends) => ends.len(),
        }
    }

    fn wiring(self) -> Result<Wiring, String> {
        Ok(match self {
            Self::Complete(ComputedPorts { nodes: 0, .. })
            | Self::Ring(ComputedPorts { nodes: 0, .. }) => {
                return Err("`ports`: a network has at least one node".to_owned());
            }
            Self::Complete(ComputedPorts { nodes, seed: None }) => Wiring::complete(nodes),
            Self::Complete(ComputedPorts { nodes, seed: Some(seed) }) => {
                Wiring::complete_shuffled(nodes, seed)
            }
            Self::Ring(ComputedPorts { nodes, seed: None }) => Wiring::ring(nodes),
            Self::Ring(ComputedPorts { nodes, seed: Some(seed) }) => {
                Wiring::ring_shuffled(nodes, seed)
            }
            Self::Ends(ends) => {
                let ends: Vec<Vec<End>> =
                    ends.into_iter().map(|ends| ends.into_iter().map(end).collect()).collect();
                Adjacency::from_ends(&ends)
                    .map(Wiring::stored)
                    .map_err(|error| format!("`ports`: {error}"))?
            }
        })
    }
}

const fn end((node, port): (u32, u32)) -> End {
    End { node, port: Port(port) }
}

const fn pair(End { node, port }: End) -> (u32, u32) {
    (node, port.0)
}

impl HeaderLine {
    pub(super) fn of(header: &RunHeader) -> Self {
        Self {
            format: VERSION,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: header.command.clone(),
            algorithm: header.algorithm.clone(),
            network: header.network.clone(),
            nodes: header.wiring.nodes(),
            links: header.wiring.links(),
            ports: PortLists::of(&header.wiring),
            ids: header.ids.iter().map(|id| id.get()).collect(),
            initiators: header.initiators.clone(),
            schedule: header.schedule.clone(),
            capacity: header.capacity,
            faults: words(&header.faults),
            seed: header.seed,
            coins: header.coins.clone(),
            breaks: header.breaks.clone(),
            loop_start: header.loop_start,
        }
    }

    /// The header, or what is wrong with it.
    pub(super) fn header(self) -> Result<RunHeader, String> {
        let nodes = self.ports.nodes();
        if self.nodes as usize != nodes {
            return Err(format!(
                "`ports` are those of a network of size {nodes}, and `nodes` is {}",
                self.nodes
            ));
        }
        if self.ids.len() != nodes {
            return Err(format!("`ids`: each node has one, so {nodes}, not {}", self.ids.len()));
        }
        let mut sorted = self.ids.clone();
        sorted.sort_unstable();
        let homonyms = Algorithm::named(&self.algorithm)
            .is_some_and(|algorithm| algorithm.network == NetworkClass::HomonymRing);
        if let Some(twice) = sorted.windows(2).find(|two| !homonyms && two[0] == two[1]) {
            return Err(format!("`ids`: {} occurs twice; every node has its own", twice[0]));
        }
        if self.capacity == Some(0) {
            return Err("`capacity`: a link that holds no message carries none; the least is 1, \
                        and null is any number"
                .to_owned());
        }
        let beyond = |&&node: &&u32| node as usize >= nodes;
        if let Some(node) = self.initiators.iter().flatten().find(beyond) {
            return Err(format!("`initiators`: there is no node {node} among {nodes}"));
        }
        let faults = faults(&self.faults).map_err(|error| format!("`faults`: {error}"))?;
        let wiring = self.ports.wiring()?;
        if wiring.links() != self.links {
            let has = wiring.links();
            return Err(format!("`ports` are those of {has} links, and `links` is {}", self.links));
        }
        Ok(RunHeader {
            command: self.command,
            algorithm: self.algorithm,
            network: self.network,
            wiring,
            ids: self.ids.into_iter().map(Id::new).collect(),
            initiators: self.initiators,
            schedule: self.schedule,
            capacity: self.capacity,
            faults,
            seed: self.seed,
            coins: self.coins,
            breaks: self.breaks,
            loop_start: self.loop_start,
        })
    }
}

/// Faults as flags write them, and no-fifo first.
fn words(faults: &[Fault]) -> Vec<String> {
    let (order, others): (Vec<_>, Vec<_>) =
        faults.iter().partition(|fault| **fault == Fault::NoFifo);
    order.into_iter().chain(others).map(ToString::to_string).collect()
}

fn faults(words: &[String]) -> Result<Vec<Fault>, FaultError> {
    let faults: Vec<Fault> = words.iter().map(|word| word.parse()).collect::<Result<_, _>>()?;
    Fault::check_all(&faults)?;
    Ok(faults)
}

pub(super) fn write_header(out: &mut impl Write, header: &RunHeader) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &HeaderLine::of(header))?;
    out.write_all(b"\n")
}

pub(super) fn write_action(out: &mut impl Write, at: u64, action: Action) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &RunLine::of(at, action))?;
    out.write_all(b"\n")
}

/// A run as one JSON object: the keys of its header, and its lines as `events`.
impl Serialize for super::Run {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Object {
            #[serde(flatten)]
            header: HeaderLine,
            events: Vec<RunLine<'static>>,
        }
        let events = self.actions.iter().map(|&(at, action)| RunLine::of(at, action)).collect();
        Object { header: HeaderLine::of(&self.header), events }.serialize(to)
    }
}

/// Reads the object that [`Serialize`] writes, by the same rules as the lines of a file.
impl<'de> Deserialize<'de> for super::Run {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Object {
            events: Vec<serde_json::Value>,
            #[serde(flatten)]
            header: serde_json::Map<String, serde_json::Value>,
        }
        let Object { events, header } = Object::deserialize(from)?;
        let lines = std::iter::once(serde_json::Value::Object(header)).chain(events);
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        Self::read("the run", text.as_bytes()).map_err(serde::de::Error::custom)
    }
}
