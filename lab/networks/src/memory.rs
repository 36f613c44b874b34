//! Estimates of the memory that networks take.

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
pub struct Memory {
    /// The size of the [`Topology`](crate::Topology).
    pub topology: u64,
    /// The size of its [`Wiring`](crate::wiring::Wiring).
    pub wiring: u64,
    /// The greatest amount that is held at any one time while the topology is made and wired: the
    /// topology and the wiring, once both are made, are part of it.
    pub peak: u64,
}

impl Memory {
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
