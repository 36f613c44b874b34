//! Canonical forms of instances, equal for candidates for isomorphism.
//!
//! Two instances are candidates if one becomes the other when its nodes are renamed and initiators
//! keep the order of their identities: on graphs, where ports are used alike, with the same links;
//! elsewhere with the same ports as well; on trees with the same links, the same initiators, and
//! the smallest identity in the same place. Whether they *are* isomorphic depends on the algorithm,
//! and is proved for each (`bisimulation.rs`).

use crate::{
    family::enumeration::{factorial, permutation},
    instance::Instance,
    model::processes::AnyMessage,
    outcome::Exploration,
    specification::Properties,
};
use suffrage_model::{NetworkClass, Port};

/// A canonical form: equal for instances that may be isomorphic.
pub(crate) struct CanonicalForm {
    pub key: Box<[u8]>,
    /// The orders of the nodes under which the instance has this form. Paired position by position,
    /// the orders of two instances with one form give the maps between them.
    pub orders: Vec<Vec<u8>>,
}

/// An explored instance that stands for others.
pub(crate) struct Representative {
    pub instance: Instance,
    /// One of the orders of its [`CanonicalForm`].
    pub order: Vec<u8>,
    /// The messages that are sent on each link, by its number.
    pub sent: Vec<(u16, AnyMessage)>,
    /// The maximum number of local states to compare.
    pub most: usize,
    pub found: Exploration,
}

/// The maximum number of nodes of an instance that is compared: rules are compared for every set of
/// initiators.
const MAX_NODES: u32 = 10;

/// The maximum number of nodes of a graph for which all orders are tried.
const MOST_ORDERS: u32 = 6;

/// The rank of a node that is no initiator.
const NONE: u8 = u8::MAX;

/// Returns whether symmetry reduction applies. It does not apply if faults are counted over all
/// processes together, nor to homonyms, since several processes may have the same label, nor to
/// properties of the user's own, which may depend on anything, nor to rounds, whose steps are not
/// compared.
pub(crate) fn is_applicable(specification: &dyn Properties, instance: &Instance) -> bool {
    !specification.has_own()
        && specification.network() != NetworkClass::HomonymRing
        && !specification.timing().in_rounds()
        && !instance.faults.counted()
        && (2..=MAX_NODES).contains(&instance.wiring.nodes())
}

/// Returns the canonical form of an instance; `None` if it is not compared. Takes time factorial in
/// the number of non-initiators on graphs, quadratic in the number of nodes elsewhere.
pub(crate) fn canonical_form(instance: &Instance, network: NetworkClass) -> Option<CanonicalForm> {
    let nodes = instance.wiring.nodes();
    let neighbours: Vec<u64> = (0..nodes)
        .map(|node| {
            let ports = (0..instance.wiring.degree(node)).map(Port);
            ports.fold(0, |set, port| set | 1 << instance.wiring.across(node, port).node)
        })
        .collect();
    // Between two nodes there is at most one link, so a node determines the port to it.
    let simple = (0..nodes).zip(&neighbours).all(|(node, &set)| {
        set >> node & 1 == 0 && set.count_ones() == instance.wiring.degree(node)
    });
    let mut initiators: Vec<u8> = instance.initiators.iter().map(|&node| node as u8).collect();
    initiators.sort_unstable_by_key(|&node| instance.ids[usize::from(node)]);
    initiators.dedup();
    if !simple || initiators.len() < instance.initiators.len() {
        return None;
    }
    let mut form = CanonicalForm { key: Box::default(), orders: Vec::new() };
    match network {
        NetworkClass::Tree => {
            // A message on a link of a tree is about everything behind it, so that it may be enough
            // that the smallest identity is in the same place.
            let ids = &instance.ids;
            let least = (0..nodes as u8).min_by_key(|&node| ids[usize::from(node)])?;
            let waking = initiators.iter().fold(0, |set, &node| set | 1 << node);
            let (code, order) = branch(&neighbours, waking, least, None);
            form.offer(code, order);
        }
        NetworkClass::Connected | NetworkClass::Mesh if nodes > MOST_ORDERS => return None,
        NetworkClass::Connected | NetworkClass::Mesh => {
            let others: Vec<u8> =
                (0..nodes as u8).filter(|node| !initiators.contains(node)).collect();
            for rank in 0..factorial(others.len() as u32) {
                let rest = permutation(others.len() as u32, rank).into_iter();
                let mut order = initiators.clone();
                order.extend(rest.map(|place| others[usize::from(place)]));
                let mut code = vec![initiators.len() as u8];
                code.extend(order.iter().enumerate().flat_map(|(place, &node)| {
                    let set = neighbours[usize::from(node)];
                    order[..place].iter().map(move |&other| (set >> other & 1) as u8)
                }));
                form.offer(code, order);
            }
        }
        NetworkClass::Ring
        | NetworkClass::OrientedRing
        | NetworkClass::HomonymRing
        | NetworkClass::Complete
        | NetworkClass::OrientedComplete
        | NetworkClass::Hypercube
        | NetworkClass::OrientedHypercube
        | NetworkClass::Torus
        | NetworkClass::OrientedTorus => {
            for start in 0..nodes as u8 {
                let (code, order) = walk(instance, &initiators, start);
                form.offer(code, order);
            }
        }
    }
    Some(form)
}

impl CanonicalForm {
    /// Keeps the smaller of two codes.
    fn offer(&mut self, code: Vec<u8>, order: Vec<u8>) {
        if self.orders.is_empty() || *code < *self.key {
            self.key = code.into();
            self.orders.clear();
        } else if *code > *self.key {
            return;
        }
        self.orders.push(order);
    }
}

/// Returns the code of a tree seen from a node, independent of the order of its branches, and its
/// nodes in that order.
fn branch(neighbours: &[u64], waking: u64, node: u8, from: Option<u8>) -> (Vec<u8>, Vec<u8>) {
    let beyond = (0..neighbours.len() as u8)
        .filter(|&next| neighbours[usize::from(node)] >> next & 1 == 1 && Some(next) != from);
    let mut branches: Vec<_> =
        beyond.map(|next| branch(neighbours, waking, next, Some(node))).collect();
    branches.sort();
    let (mut code, mut order) =
        (vec![branches.len() as u8, (waking >> node & 1) as u8], vec![node]);
    for (branch, nodes) in branches {
        code.extend(branch);
        order.extend(nodes);
    }
    (code, order)
}

/// Returns the code of a network seen from a node by breadth-first traversal, and the order in
/// which it visits the nodes.
fn walk(instance: &Instance, initiators: &[u8], start: u8) -> (Vec<u8>, Vec<u8>) {
    let (mut code, mut order) = (Vec::new(), vec![start]);
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        let rank = initiators.iter().position(|&other| other == node);
        code.push(rank.map_or(NONE, |rank| rank as u8));
        for port in (0..instance.wiring.degree(node.into())).map(Port) {
            let there = instance.wiring.across(node.into(), port);
            let place = order.iter().position(|&other| u32::from(other) == there.node);
            let place = place.unwrap_or_else(|| {
                order.push(there.node as u8);
                order.len() - 1
            });
            code.extend([place as u8, there.port.0 as u8]);
        }
        next += 1;
    }
    (code, order)
}
