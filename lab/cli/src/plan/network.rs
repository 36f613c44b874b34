//! Where a network comes from: a specification, a file, or what is natural for an algorithm.

use super::choice;
use super::room::Shape;
use crate::error::Error;
use crate::flags::{Conditions, FileFlags};
use crate::number::count;
use crate::session;
use std::{ops::RangeInclusive, path::Path, sync::Arc};
use suffrage::algorithms::Algorithm;
use suffrage::model::NetworkClass;
use suffrage::networks::{FileOptions, Spec, SpecError, Topology, read_file};
use suffrage_parallel::memory::{available, size};

/// Where a network comes from.
#[derive(Clone)]
pub enum Source {
    /// It is made anew for every seed.
    Made(Spec),
    /// It was read from a file, once.
    Read {
        /// The network.
        topology: Arc<Topology>,
        /// How the file was to be read.
        options: FileOptions,
    },
    /// It was read from a file in parts, which are elsewhere.
    Parted {
        /// The file.
        name: String,
        /// How the file was to be read.
        options: FileOptions,
        /// The number of nodes.
        nodes: u64,
        /// The number of links.
        links: u64,
    },
}

impl Source {
    /// What `--topology` names: a network of the program that has called, the file of this name, or
    /// else the network of this specification.
    ///
    /// # Errors
    /// If there is neither, or the file cannot be used.
    pub fn named(text: &str, flags: FileFlags) -> Result<Self, Error> {
        Self::read(text, flags, str::parse)
    }

    /// What `--topology` names, where a network that is made may be too large to be stored.
    ///
    /// # Errors
    /// As [`named`](Self::named).
    pub fn of_any_size(text: &str, flags: FileFlags) -> Result<Self, Error> {
        Self::read(text, flags, Spec::unlimited)
    }

    fn read(
        text: &str,
        flags: FileFlags,
        parse: fn(&str) -> Result<Spec, SpecError>,
    ) -> Result<Self, Error> {
        let options = flags.options();
        if let Some(links) = session::links(text) {
            let topology = links.topology(text, options);
            let topology = topology.map_err(|error| Error::of("--topology", error))?;
            return Ok(Self::Read { topology: topology.into(), options });
        }
        let path = Path::new(text);
        if path.exists() {
            let topology =
                read_file(path, options).map_err(|error| Error::of("--topology", error))?;
            return Ok(Self::Read { topology: topology.into(), options });
        }
        match (parse(text), flags.given()) {
            (Ok(_), Some(flag)) => Err(Error::new(format!(
                "{flag} is for files: `{text}` is a network to be made, and connected"
            ))),
            (Ok(spec), None) => Ok(Self::Made(spec)),
            // Where the kind exists, no file was meant.
            (Err(error @ SpecError::Kind { .. }), _) => {
                Err(Error::new(format!("--topology: there is no file `{text}`, and {error}")))
            }
            (Err(error), _) => Err(Error::of("--topology", error)),
        }
    }

    /// What the network is called: its specification, or its file.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Made(spec) => spec.to_string(),
            Self::Read { topology, .. } => topology.source().to_owned(),
            Self::Parted { name, .. } => name.clone(),
        }
    }

    /// How its file was to be read, if it is from one.
    pub(super) fn options(&self) -> FileOptions {
        match self {
            Self::Made(_) => FileOptions::default(),
            Self::Read { options, .. } | Self::Parted { options, .. } => *options,
        }
    }

    /// The number of nodes, and what the network takes.
    #[must_use]
    pub fn shape(&self) -> Shape {
        match self {
            Self::Made(spec) => Shape::of_spec(spec),
            Self::Read { topology, .. } => Shape::of_topology(topology),
            &Self::Parted { nodes, links, .. } => Shape::of_parts(nodes, links),
        }
    }

    /// The network of this seed.
    pub(crate) fn build(&self, seed: u64) -> Result<Arc<Topology>, Error> {
        match self {
            Self::Made(spec) => {
                room_for(spec)?;
                spec.build(seed).map(Arc::new).map_err(|error| Error::new(error.to_string()))
            }
            Self::Read { topology, .. } => Ok(topology.clone()),
            Self::Parted { name, .. } => {
                Err(Error::new(format!("{name} was read in parts: no place has the whole of it")))
            }
        }
    }

    /// The same source; a network from a file in the form that the algorithm wants.
    pub(super) fn fit(self, to: &Algorithm, conditions: &Conditions) -> Result<Self, Error> {
        Ok(match self {
            Self::Read { topology, options } => {
                let topology = choice::fit(to.name, to.network, topology, conditions)?;
                Self::Read { topology: Arc::new(topology), options }
            }
            source => source,
        })
    }
}

/// The network that an algorithm is for, where only the number of nodes is given.
///
/// # Errors
/// If no such network has this number of nodes.
pub fn natural(network: NetworkClass, nodes: u32) -> Result<Spec, Error> {
    sizes(network, &(nodes..=nodes))?;
    Ok(Spec::natural(network, nodes))
}

/// Refuses numbers of nodes that no network of the class has.
pub(crate) fn sizes(network: NetworkClass, nodes: &RangeInclusive<u32>) -> Result<(), Error> {
    let which = match network.unoriented() {
        NetworkClass::Hypercube => "hypercubes, which have a power of two of nodes, such as 16",
        NetworkClass::Mesh => "meshes, of two rows and columns or more, such as 3 times 4",
        NetworkClass::Torus => "tori, of three rows and columns or more, such as 3 times 4",
        _ => return Ok(()),
    };
    if nodes.clone().any(|nodes| network.has_size(nodes)) {
        return Ok(());
    }
    let (least, most) = (nodes.start(), nodes.end());
    let given = if least == most { least.to_string() } else { format!("{least}..{most}") };
    Err(Error::new(format!("--nodes {given}: the algorithm is for {which}")))
}

/// Refuses a network that surely does not fit in memory with its processes, where the system tells
/// how much memory there is: an implicit network takes none, but its processes do.
fn room_for(spec: &Spec) -> Result<(), Error> {
    /// An identity, and the smallest process with what the simulator keeps beside it.
    const PROCESS: u64 = 48;
    let (nodes, _) = spec.size();
    /// What takes less fits everywhere: small networks are made for each of many trials.
    const SMALL: u64 = 64 << 20;
    let needed = nodes.saturating_mul(PROCESS).saturating_add(spec.memory().peak);
    if needed <= SMALL {
        return Ok(());
    }
    match available() {
        Some(available) if needed > available => Err(Error::new(format!(
            "{spec}: the network and {} take more than {}, and {} of memory are free; choose a \
             smaller network",
            count(nodes, "process"),
            size(needed),
            size(available)
        ))),
        _ => Ok(()),
    }
}
