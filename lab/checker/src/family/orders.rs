//! Orders of identities on one network, and those among them that stand for all.
//!
//! Let *H* be the group of the automorphisms of a network that keep whatever is fixed: its links, its
//! ports if they are fixed, and the set of initiators if it is. An order and its image under an
//! automorphism are the same election with other numbers of nodes. Identities are distinct, so only the
//! identity of *H* maps an order to itself, and there are *n*!/|*H*| classes. The representatives of
//! these are built by placing the largest identity at one node of each orbit of *H*, then the next
//! largest at one node of each orbit of the automorphisms that keep the first, and so on: a class is met
//! exactly once. Every automorphism was checked, link by link; where none is known, all orders are listed.

use crate::family::enumeration::{
    FamilyTooLarge, automorphisms, factorial, graph_automorphisms, lyndon_words, permutation,
};
use suffrage_model::Id;
use suffrage_networks::wiring::Wiring;

/// Orders of identities on a network of *n* nodes, or labels.
#[derive(Clone, Debug)]
pub enum Orders {
    /// Every order of the identities 1 to *n*.
    Every,
    /// The listed orders, each with the identity of every node.
    Listed(Vec<Vec<Id>>),
    /// Every turn of these words around the ring; no word is a turn of itself or of another one.
    Turned(Vec<Vec<Id>>),
}

/// The maximum number of nodes for which all labellings are listed.
const MOST_LISTED: u32 = 8;

/// The maximum number of nodes of a graph whose automorphisms are looked for, in up to *n*! ways.
const MOST_SEARCHED: usize = 8;

impl Orders {
    /// Returns every labelling of a ring that no rotation but the full one maps to itself: the turns
    /// of the Lyndon words of this length whose letters are the labels from 1 on, without a gap.
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
        let ids = |word: Vec<u8>| word.into_iter().map(id).collect();
        Ok(Self::Turned(words.into_iter().map(ids).collect()))
    }
}

fn id(place: u8) -> Id {
    Id::new(u64::from(place) + 1)
}

/// The orders that stand for all.
pub(super) enum Representatives {
    /// One order of each class under these automorphisms, given by the images of the nodes. The
    /// automorphism that keeps every node is always among them.
    UpTo(Vec<Vec<u8>>),
    /// The orders that ascend along the nodes of each part: any two nodes of a part may be exchanged.
    Ascending([Vec<u8>; 2]),
}

impl Representatives {
    /// Every order stands for itself.
    pub(super) fn all(nodes: u32) -> Self {
        Self::UpTo(vec![(0..nodes as u8).collect()])
    }

    /// The automorphisms keep ports, and these initiators if they are fixed.
    pub(super) fn of_wiring(wiring: &Wiring, fixed: Option<&[u32]>) -> Self {
        Self::UpTo(keeping(automorphisms(wiring), fixed))
    }

    /// The automorphisms keep links, and these initiators if they are fixed.
    pub(super) fn of_graph(lists: &[Vec<u32>], fixed: Option<&[u32]>) -> Self {
        let nodes = lists.len();
        if lists.iter().all(|list| list.len() == nodes - 1) {
            return Self::of_every_graph(nodes as u32, fixed);
        }
        match nodes <= MOST_SEARCHED {
            true => Self::UpTo(keeping(graph_automorphisms(lists), fixed)),
            false => Self::all(nodes as u32),
        }
    }

    /// Any two nodes may be exchanged, if none or both of them are fixed initiators: in a complete
    /// network with every port numbering, and in all graphs together.
    pub(super) fn of_every_graph(nodes: u32, fixed: Option<&[u32]>) -> Self {
        let initiates = |node: &u8| fixed.is_some_and(|fixed| fixed.contains(&u32::from(*node)));
        let (some, others) = (0..nodes as u8).partition(initiates);
        Self::Ascending([some, others])
    }

    pub(super) fn len(&self, orders: &Orders) -> u64 {
        match (orders, self) {
            (Orders::Listed(orders), _) => orders.len() as u64,
            (Orders::Every, Self::UpTo(group)) => {
                let nodes = group[0].len() as u32;
                match factorial(nodes) {
                    u64::MAX => u64::MAX,
                    ways => ways / group.len() as u64,
                }
            }
            (Orders::Every, Self::Ascending([some, others])) => {
                let (some, all) = (some.len() as u64, (some.len() + others.len()) as u64);
                choices(all, some)
            }
            (Orders::Turned(words), _) => {
                (words.len() as u64).saturating_mul(self.starts(words).len() as u64)
            }
        }
    }

    pub(super) fn ids(&self, orders: &Orders, number: u64) -> Vec<Id> {
        match (orders, self) {
            (Orders::Listed(orders), _) => orders[number as usize].clone(),
            (Orders::Every, Self::UpTo(group)) => placed(group, number),
            (Orders::Every, Self::Ascending([some, others])) => {
                let nodes = (some.len() + others.len()) as u8;
                let chosen = choice(u64::from(nodes), some.len() as u64, number);
                let (mine, theirs): (Vec<u8>, Vec<u8>) =
                    (0..nodes).partition(|place| chosen.contains(place));
                let mut ids = vec![Id::new(0); nodes.into()];
                for (&node, place) in some.iter().zip(mine).chain(others.iter().zip(theirs)) {
                    ids[usize::from(node)] = id(place);
                }
                ids
            }
            (Orders::Turned(words), _) => {
                let starts = self.starts(words);
                let word = &words[(number / starts.len() as u64) as usize];
                let start = starts[(number % starts.len() as u64) as usize];
                let mut ids = word.clone();
                ids.rotate_right(start);
                ids
            }
        }
    }

    /// Returns the nodes at which a word begins: one of each orbit of the rotations among the
    /// automorphisms.
    fn starts(&self, words: &[Vec<Id>]) -> Vec<usize> {
        let nodes = words.first().map_or(0, Vec::len);
        let turns: Vec<usize> = match self {
            Self::UpTo(group) => group.iter().filter_map(|image| turn(image)).collect(),
            Self::Ascending(_) => vec![0],
        };
        let first = |&node: &usize| turns.iter().all(|by| node <= (node + by) % nodes);
        (0..nodes).filter(first).collect()
    }
}

fn turn(image: &[u8]) -> Option<usize> {
    let by = usize::from(*image.first()?);
    let turns = |(node, &to): (usize, &u8)| (node + by) % image.len() == usize::from(to);
    image.iter().enumerate().all(turns).then_some(by)
}

fn keeping(mut group: Vec<Vec<u8>>, fixed: Option<&[u32]>) -> Vec<Vec<u8>> {
    if let Some(fixed) = fixed {
        let keeps = |image: &Vec<u8>| {
            let image = |&node: &u32| u32::from(image[node as usize]);
            fixed.iter().all(|node| fixed.contains(&image(node)))
        };
        group
            .retain(|image| fixed.iter().any(|&node| node as usize >= image.len()) || keeps(image));
    }
    group
}

fn placed(group: &[Vec<u8>], mut number: u64) -> Vec<Id> {
    let nodes = group[0].len();
    let mut group: Vec<&[u8]> = group.iter().map(Vec::as_slice).collect();
    let mut ids = vec![None; nodes];
    let mut left = nodes;
    while group.len() > 1 {
        // The classes with the largest identity left at this node are as many as the orders of the
        // others, up to the automorphisms that keep the node.
        let ways = factorial(left as u32 - 1);
        let free = (0..nodes).filter(|&node| ids[node].is_none());
        let mut firsts =
            free.filter(|&node| group.iter().all(|image| node <= usize::from(image[node])));
        let keep = |node: usize| group.iter().filter(move |image| usize::from(image[node]) == node);
        let node = loop {
            let Some(node) = firsts.next() else { unreachable!("there are as many as `len` says") };
            let classes = ways / keep(node).count() as u64;
            if number < classes {
                break node;
            }
            number -= classes;
        };
        group = keep(node).copied().collect();
        left -= 1;
        ids[node] = Some(id(left as u8));
    }
    let rest = permutation(left as u32, number);
    let mut rest = rest.into_iter().map(id);
    ids.into_iter().map(|known| known.or_else(|| rest.next()).unwrap_or(Id::new(0))).collect()
}

fn choices(all: u64, some: u64) -> u64 {
    let some = some.min(all - some);
    (0..some).fold(1, |ways: u64, place| {
        let wide = u128::from(ways) * u128::from(all - place) / u128::from(place + 1);
        wide.try_into().unwrap_or(u64::MAX)
    })
}

fn choice(all: u64, some: u64, mut number: u64) -> Vec<u8> {
    let (mut chosen, mut need) = (Vec::new(), some);
    for place in 0..all {
        if need == 0 {
            break;
        }
        let with = choices(all - place - 1, need - 1);
        if number < with {
            chosen.push(place as u8);
            need -= 1;
        } else {
            number -= with;
        }
    }
    chosen
}
