//! Digests of what is too large to be compared.

use ring::digest::{Context, SHA256, digest};
use std::fmt;
use suffrage_process::Port;
use suffrage_topology::wiring::{Numbering, Wiring};

/// A SHA-256.
pub(crate) struct Digest([u8; 32]);

impl Digest {
    /// Returns the digest of a sequence of numbers.
    pub(crate) fn of(words: impl IntoIterator<Item = u64>) -> Self {
        let mut context = Context::new(&SHA256);
        let mut buffer = Vec::with_capacity(1 << 16);
        for word in words {
            buffer.extend(word.to_le_bytes());
            if buffer.len() == buffer.capacity() {
                context.update(&buffer);
                buffer.clear();
            }
        }
        context.update(&buffer);
        let mut digest = [0; 32];
        digest.copy_from_slice(context.finish().as_ref());
        Self(digest)
    }

    /// Returns the digest of bytes.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        let mut whole = [0; 32];
        whole.copy_from_slice(digest(&SHA256, bytes).as_ref());
        Self(whole)
    }

    /// Returns its first bytes, against damage and not against malice.
    pub(crate) fn short(&self) -> [u8; 8] {
        let mut short = [0; 8];
        short.copy_from_slice(&self.0[..8]);
        short
    }

    /// Returns the digest of a network with its port numbers.
    pub(crate) fn of_network(wiring: &Wiring) -> Self {
        let nodes = u64::from(wiring.nodes());
        let (kind, seed) = match wiring.numbering() {
            Numbering::Complete => (0, 0),
            Numbering::CompleteShuffled(seed) => (1, seed),
            Numbering::Ring => (2, 0),
            Numbering::RingShuffled(seed) => (3, seed),
            Numbering::Stored(_) => return Self::of([nodes, 4, 0].into_iter().chain(ends(wiring))),
        };
        Self::of([nodes, kind, seed])
    }
}

/// Returns the degree of each node, followed by the other ends of its links.
fn ends(wiring: &Wiring) -> impl Iterator<Item = u64> {
    (0..wiring.nodes()).flat_map(move |node| {
        let degree = wiring.degree(node);
        let end = move |port| {
            let end = wiring.across(node, Port(port));
            u64::from(end.node) << 32 | u64::from(end.port.0)
        };
        [degree.into()].into_iter().chain((0..degree).map(end))
    })
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
