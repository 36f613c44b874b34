//! The one-way links of a network, numbered.

use suffrage_model::Port;
use suffrage_networks::wiring::{End, Wiring};

/// The one-way links of a network.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// The outgoing link of each port of each node.
    out: Vec<Vec<u16>>,
    /// The incoming link of each port of each node.
    into: Vec<Vec<u16>>,
    /// The sending and the receiving end of each link.
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

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn degree(&self, node: usize) -> usize {
        self.out[node].len()
    }

    pub(crate) fn leaving(&self, node: usize, port: usize) -> usize {
        usize::from(self.out[node][port])
    }

    pub(crate) fn entering(&self, node: usize, port: usize) -> usize {
        usize::from(self.into[node][port])
    }

    pub(crate) fn from(&self, link: usize) -> End {
        self.ends[link].0
    }

    pub(crate) fn to(&self, link: usize) -> End {
        self.ends[link].1
    }
}
