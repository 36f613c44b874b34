//! The source of a network: a specification, a file, or the natural network of an algorithm.

use crate::choice;
use crate::conditions::PortOrder;
use crate::error::Error;
use crate::memory::NetworkShape;
use crate::number::count;
use std::{ops::RangeInclusive, path::Path, sync::Arc};
use suffrage_algorithms::Algorithm;
use suffrage_model::NetworkClass;
use suffrage_networks::{FileOptions, Input, Links, Spec, SpecError, Topology, read_file};
use suffrage_parallel::memory::{available, size};

/// Networks that a program gives, by the names that specifications call them by.
pub type GivenNetworks = [(String, Links)];

/// The source of a network.
#[derive(Clone)]
pub enum NetworkSource {
    /// It is generated for every seed.
    Made(Spec),
    /// It was read from a file, once.
    Read {
        /// The network.
        topology: Arc<Topology>,
        /// How the file was to be read.
        options: FileOptions,
    },
    /// It was read from a file by several workers, and no place has the whole of it.
    Parted {
        /// Its file.
        name: String,
        /// How the file was to be read.
        options: FileOptions,
        /// The number of nodes.
        nodes: u64,
        /// The number of links.
        links: u64,
    },
}

impl NetworkSource {
    /// The network that `--topology` names: one that the calling program has given, the file of
    /// this name, or otherwise the network of this specification.
    ///
    /// # Errors
    /// If there is no such network, or the file cannot be read.
    pub fn named(text: &str, options: FileOptions, given: &GivenNetworks) -> Result<Self, Error> {
        if let Some((_, links)) = given.iter().find(|(name, _)| name == text) {
            let topology = links.topology(text, options);
            let topology = topology.map_err(|error| Error::of("--topology", error))?;
            return Ok(Self::Read { topology: topology.into(), options });
        }
        Self::read(text, options, str::parse)
    }

    /// The network that `--topology` names; a generated network may be too large to be stored.
    ///
    /// # Errors
    /// As [`named`](Self::named).
    pub fn of_any_size(text: &str, options: FileOptions) -> Result<Self, Error> {
        Self::read(text, options, Spec::unlimited)
    }

    fn read(
        text: &str,
        options: FileOptions,
        parse: fn(&str) -> Result<Spec, SpecError>,
    ) -> Result<Self, Error> {
        let path = Path::new(text);
        if Input::exists(path) {
            let topology =
                read_file(path, options).map_err(|error| Error::of("--topology", error))?;
            return Ok(Self::Read { topology: topology.into(), options });
        }
        match (parse(text), for_files(options)) {
            (Ok(_), Some(flag)) => Err(Error::new(format!(
                "{flag} is for files: `{text}` is generated, and connected"
            ))),
            (Ok(spec), None) => Ok(Self::Made(spec)),
            // Where the kind exists, no file was meant.
            (Err(error @ SpecError::Kind { .. }), _) => {
                Err(Error::new(format!("--topology: there is no file `{text}`, and {error}")))
            }
            (Err(error), _) => Err(Error::of("--topology", error)),
        }
    }

    /// The name of the network: its specification, or its file.
    pub fn text(&self) -> String {
        match self {
            Self::Made(spec) => spec.to_string(),
            Self::Read { topology, .. } => topology.source().to_owned(),
            Self::Parted { name, .. } => name.clone(),
        }
    }

    /// How its file was to be read, if it is from one.
    pub(crate) fn options(&self) -> FileOptions {
        match self {
            Self::Made(_) => FileOptions::default(),
            Self::Read { options, .. } | Self::Parted { options, .. } => *options,
        }
    }

    /// The number of nodes, and what the network takes.
    pub fn shape(&self) -> NetworkShape {
        match self {
            Self::Made(spec) => NetworkShape::of_spec(spec),
            Self::Read { topology, .. } => NetworkShape::of_topology(topology),
            &Self::Parted { nodes, links, .. } => NetworkShape::of_parts(nodes, links),
        }
    }

    /// The network of this seed.
    pub fn build(&self, seed: u64) -> Result<Arc<Topology>, Error> {
        self.build_unless(seed, &|| false)
    }

    /// The network of this seed, unless it is stopped.
    pub(crate) fn build_unless(
        &self,
        seed: u64,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Arc<Topology>, Error> {
        match self {
            Self::Made(spec) => {
                room_for(spec)?;
                spec.build_unless(seed, stopped)
                    .map(Arc::new)
                    .map_err(|error| Error::new(error.to_string()))
            }
            Self::Read { topology, .. } => Ok(topology.clone()),
            Self::Parted { name, .. } => {
                Err(Error::new(format!("{name} was read in parts: no place has the whole of it")))
            }
        }
    }

    /// The same source; a network from a file in the form that the algorithm wants.
    pub(crate) fn fit(self, to: &Algorithm, ports: PortOrder) -> Result<Self, Error> {
        Ok(match self {
            Self::Read { topology, options } => {
                let topology = choice::fit(to.name, to.network, topology, ports)?;
                Self::Read { topology: Arc::new(topology), options }
            }
            source => source,
        })
    }
}

/// The flag that is given, and for files alone.
#[must_use]
pub const fn for_files(options: FileOptions) -> Option<&'static str> {
    match options {
        FileOptions { largest_component: true, .. } => Some("--largest-component"),
        FileOptions { format: Some(_), .. } => Some("--topology-format"),
        _ => None,
    }
}

/// The network that an algorithm is for, where only the number of nodes is given.
pub fn natural(network: NetworkClass, nodes: u32) -> Result<Spec, Error> {
    if nodes == 0 {
        return Err(Error::new("--nodes 0: write a whole number from 1 on"));
    }
    sizes(network, &(nodes..=nodes))?;
    Ok(Spec::natural(network, nodes))
}

/// Refuses numbers of nodes that no network of the class has.
pub fn sizes(network: NetworkClass, nodes: &RangeInclusive<u32>) -> Result<(), Error> {
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
    /// An identity, and the smallest process with the simulator's data about it.
    const PROCESS: u64 = 48;
    let (nodes, _) = spec.size();
    /// Smaller amounts fit everywhere: small networks are made for each of many trials.
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
