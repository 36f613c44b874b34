//! Networks from the nodes and links that a program has, in place of a file.

use super::FileOptions;
use super::error::FileError;
use super::raw::{self, Flaw, Raw};
use crate::topology::Topology;
use suffrage_numbers::counted;

/// The nodes and links of a graph in a program's memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Links {
    /// The number of nodes.
    pub nodes: u32,
    /// The names of the nodes, if they have some; others are named by their numbers.
    pub names: Vec<String>,
    /// The two ends of each link.
    pub links: Vec<(u32, u32)>,
    /// Whether the links have a direction.
    pub directed: bool,
}

impl Links {
    /// Creates the network, as [`read_file`](super::read_file) does from a file; messages call it by
    /// this name. If each of two nodes has a directed link to the other, the two count as one link and
    /// not as parallel ones.
    ///
    /// ```
    /// use suffrage_networks::{FileOptions, Links};
    ///
    /// let names = ["Praha", "Brno", "Plzeň"].map(str::to_owned).to_vec();
    /// let graph = Links { nodes: 3, names, links: vec![(0, 1), (0, 2)], directed: false };
    /// let network = graph.topology("cities", FileOptions::default())?;
    /// assert_eq!((network.kind(), network.node_named("Plzeň")), ("tree", Some(2)));
    ///
    /// let parted = Links { links: vec![(0, 1)], ..graph };
    /// let error = parted.topology("cities", FileOptions::default()).unwrap_err();
    /// assert!(error.to_string().starts_with("cities is not connected"));
    /// # Ok::<(), suffrage_networks::FileError>(())
    /// ```
    ///
    /// # Errors
    /// If a link leads to a node that does not exist, or there is no node, or the network is not
    /// connected or too large.
    pub fn topology(&self, name: &str, options: FileOptions) -> Result<Topology, FileError> {
        let raw = self.raw().map_err(|fault| fault.in_file(name))?;
        raw::topology(raw, name, options.largest_component, None)
    }

    fn raw(&self) -> Result<Raw, Flaw> {
        let mut raw = Raw::default();
        for node in 0..self.nodes {
            raw.ids.number(&node.to_string())?;
        }
        raw.labels = (0..self.nodes).zip(self.names.iter().cloned()).collect();
        raw.room_for(self.links.len())?;
        if let Some((a, b)) = self.links.iter().find(|(a, b)| a.max(b) >= &self.nodes) {
            let what = format!(
                "a link joins {a} and {b}, and the network has {}",
                counted(self.nodes.into(), "node")
            );
            return Err(Flaw::Unsupported { what });
        }
        if self.directed {
            raw.directed = self.links.len() as u64;
            raw.link_listed(self.links.clone())?;
        } else {
            raw.links.clone_from(&self.links);
        }
        Ok(raw)
    }
}
