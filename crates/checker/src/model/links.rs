//! A small network as the checker sees it: one-way links, numbered.

use suffrage_process::Port;
use suffrage_topology::wiring::{End, Wiring};

/// The one-way links of a network.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// For each node and port, the link that leaves there.
    out: Vec<Vec<u16>>,
    /// For each node and port, the link that enters there.
    into: Vec<Vec<u16>>,
    /// For each link, where it comes from and where it leads.
    ends: Vec<(End, End)>,
}

impl Links {
    pub(crate) fn of(wiring: &Wiring) -> Self {
        let mut links = Self { out: Vec::new(), into: Vec::new(), ends: Vec::new() };
        for node in 0..wiring.nodes() {
            let first = links.ends.len() as u16;
            let ports = (0..wiring.degree(node)).map(Port);
            links.ends.extend(ports.map(|port| (End { node, port }, wiring.across(node, port))));
            links.out.push((first..links.ends.len() as u16).collect());
        }
        let back = |&link: &u16| {
            let far = links.ends[usize::from(link)].1;
            links.out[far.node as usize][far.port.0 as usize]
        };
        links.into = links.out.iter().map(|out| out.iter().map(back).collect()).collect();
        links
    }

    pub(crate) fn nodes(&self) -> usize {
        self.out.len()
    }

    /// The number of one-way links.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn degree(&self, node: usize) -> usize {
        self.out[node].len()
    }

    /// The link that leaves a node through a port.
    pub(crate) fn leaving(&self, node: usize, port: usize) -> usize {
        usize::from(self.out[node][port])
    }

    /// The link that enters a node through a port.
    pub(crate) fn entering(&self, node: usize, port: usize) -> usize {
        usize::from(self.into[node][port])
    }

    /// Where a link comes from.
    pub(crate) fn from(&self, link: usize) -> End {
        self.ends[link].0
    }

    /// Where a link leads.
    pub(crate) fn to(&self, link: usize) -> End {
        self.ends[link].1
    }
}
