//! Limits on the size of networks.

use crate::memory::Memory;

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
    nodes <= NODES as u64 && Memory::stored(nodes, links).peak <= MEMORY
}

pub(crate) fn too_large(nodes: u64, links: u64) -> String {
    let gib = Memory::stored(nodes, links).peak as f64 / (1_u64 << 30) as f64;
    format!(
        "has {nodes} nodes and about {links} links, which take about {gib:.1} GiB; the limit for a \
         stored network is {} GiB (16 bytes a node and 48 a link), complete networks and rings \
         alone take none",
        MEMORY >> 30
    )
}
