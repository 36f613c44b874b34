//! Estimates of the memory that networks take, and limits on their size.

/// An estimate of the memory that a network takes, in bytes.
///
/// It covers the network alone. An election also takes memory for its processes, their identities
/// (8 bytes each) and the messages in flight.
///
/// ```
/// use suffrage_networks::Spec;
///
/// // Half a million million links; none is stored.
/// let clique: Spec = "complete:1000000".parse()?;
/// assert_eq!(clique.memory().peak, 0);
///
/// let cube: Spec = "hypercube:20".parse()?;
/// let memory = cube.memory();
/// assert_eq!(memory.topology >> 20, 84);
/// assert_eq!(memory.wiring >> 20, 164);
/// assert_eq!(memory.peak >> 20, 496);
/// # Ok::<(), suffrage_networks::SpecError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetworkMemory {
    /// The size of the [`Topology`](crate::Topology).
    pub topology: u64,
    /// The size of its [`Wiring`](crate::wiring::Wiring).
    pub wiring: u64,
    /// The greatest amount at any time while the topology is made and wired, including both at the
    /// end.
    pub peak: u64,
}

impl NetworkMemory {
    /// Returns the estimate for a stored network, without names; saturating.
    ///
    /// The peak is reached in wiring: the network's own lists, a copy of them in the order of the
    /// ports, the ends of each link and the way back. No generator takes more.
    pub(crate) const fn stored(nodes: u64, links: u64) -> Self {
        const fn bytes(nodes: u64, each: u64, links: u64, every: u64) -> u64 {
            nodes.saturating_mul(each).saturating_add(links.saturating_mul(every))
        }
        Self {
            topology: bytes(nodes, 4, links, 8),
            wiring: bytes(nodes, 4, links, 16),
            peak: bytes(nodes, 16, links, 48),
        }
    }

    pub(crate) const fn and_names(self, bytes: u64) -> Self {
        Self { topology: self.topology + bytes, peak: self.peak + bytes, ..self }
    }
}

/// The largest number of nodes: the greatest `u32` but one, since engines reserve values for "none"
/// and for a count one higher.
pub(crate) const NODES: u32 = u32::MAX - 1;

/// The greatest amount of memory, in bytes, that a stored network may take while it is made and
/// wired: 8 GiB.
///
/// It is a constant and not the memory of this machine, so that a network that works does so on
/// every machine.
pub(crate) const MEMORY: u64 = 8 << 30;

/// Returns whether a stored network of this size is allowed. It then has fewer than 2^32 one-way
/// links.
pub(crate) const fn fit(nodes: u64, links: u64) -> bool {
    nodes <= NODES as u64 && NetworkMemory::stored(nodes, links).peak <= MEMORY
}

pub(crate) fn too_large(nodes: u64, links: u64) -> String {
    let gib = NetworkMemory::stored(nodes, links).peak as f64 / (1_u64 << 30) as f64;
    format!(
        "has {nodes} nodes and about {links} links, which take about {gib:.1} GiB; the limit for a \
         stored network is {} GiB (16 bytes a node and 48 a link), \
         only complete networks and rings take none",
        MEMORY >> 30
    )
}
