//! Orders of identities on one network, by number.

use super::{
    FamilyTooLarge,
    enumeration::{automorphisms, factorial, lyndon_words, permutation},
};
use suffrage_model::{Id, Port};
use suffrage_networks::wiring::Wiring;

/// Orders of the identities 1 to n, or labels.
#[derive(Clone, Debug)]
pub enum Orders {
    /// All orders.
    Every(u32),
    /// All orders in which node 0 has the largest identity: those of a network that looks the same
    /// from every node.
    LargestFirst(u32),
    /// The listed orders, each with the identity of every node less 1.
    Listed(Vec<Vec<u8>>),
}

/// The maximum number of nodes for which isomorphic orders are left out by listing all.
const MOST_LISTED: u32 = 8;

impl Orders {
    /// Returns every order of identities on a network, up to automorphisms of the network. Takes
    /// time *n*! times the number of automorphisms, unless the network is symmetric under rotation.
    ///
    /// # Errors
    /// If there are too many nodes to compare all orders.
    pub fn of(wiring: &Wiring) -> Result<Self, FamilyTooLarge> {
        let nodes = wiring.nodes();
        let rotates = |node: u32| {
            (0..wiring.degree(node)).map(Port).all(|port| {
                let (first, here) = (wiring.across(0, port), wiring.across(node, port));
                here.port == first.port && (first.node + node) % nodes == here.node
            })
        };
        if (0..nodes).all(|node| wiring.degree(node) == wiring.degree(0) && rotates(node)) {
            return Ok(Self::LargestFirst(nodes));
        }
        if nodes > MOST_LISTED {
            return Err(FamilyTooLarge { nodes, most: MOST_LISTED, what: "orders" });
        }
        let automorphisms = automorphisms(wiring);
        let all = (0..factorial(nodes)).map(|rank| permutation(nodes, rank));
        let first = |order: &Vec<u8>| {
            automorphisms.iter().all(|image| {
                let moved = image.iter().map(|&node| order[usize::from(node)]);
                order.iter().copied().le(moved)
            })
        };
        Ok(Self::Listed(all.filter(first).collect()))
    }

    /// Returns every labelling of a ring that no rotation but the full one maps to itself, up to
    /// rotation: the Lyndon words of this length whose letters are the labels from 1 on, without a
    /// gap. A labelling with other labels is like one of these, since only their order counts.
    ///
    /// # Errors
    /// If there are too many nodes to list them.
    pub fn asymmetric_labels(nodes: u32) -> Result<Self, FamilyTooLarge> {
        if nodes > MOST_LISTED {
            return Err(FamilyTooLarge { nodes, most: MOST_LISTED, what: "labellings" });
        }
        let mut words = lyndon_words(nodes as usize);
        words.retain(|word| {
            let largest = word.iter().max().copied().unwrap_or(0);
            (0..largest).all(|letter| word.contains(&letter))
        });
        Ok(Self::Listed(words))
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Every(nodes) => factorial(*nodes),
            Self::LargestFirst(nodes) => factorial(nodes.saturating_sub(1)),
            Self::Listed(orders) => orders.len() as u64,
        }
    }

    pub(super) fn get(&self, number: u64) -> Vec<Id> {
        let id = |place: u8| Id::new(u64::from(place) + 1);
        match self {
            Self::Every(nodes) => permutation(*nodes, number).into_iter().map(id).collect(),
            Self::LargestFirst(nodes) => {
                let others = permutation(nodes - 1, number).into_iter().map(id);
                std::iter::once(Id::new((*nodes).into())).chain(others).collect()
            }
            Self::Listed(orders) => {
                orders[number as usize].iter().map(|&place| id(place)).collect()
            }
        }
    }
}
