//! The graph of configurations that have been reached.

use crate::model::Transition;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// A graph of configurations, numbered in the order of their discovery.
pub(crate) struct StateGraph {
    /// The encodings of all configurations, one after another.
    bytes: Vec<u8>,
    /// The offset at which each encoding begins, and the total length.
    first: Vec<u64>,
    index: HashTable<u32>,
    /// The configuration from which each was first reached.
    pub parents: Vec<u32>,
    /// The first step of each configuration, and the number of its steps.
    steps: Vec<(u32, u32)>,
    edges: Vec<Successor>,
}

/// A step, and the configuration to which it leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor {
    pub to: u32,
    pub step: Transition,
}

impl StateGraph {
    pub(crate) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            first: vec![0],
            index: HashTable::new(),
            parents: Vec::new(),
            steps: Vec::new(),
            edges: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.first.truncate(1);
        self.index.clear();
        self.parents.clear();
        self.steps.clear();
        self.edges.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    pub(crate) fn get(&self, number: u32) -> &[u8] {
        get(&self.bytes, &self.first, number)
    }

    /// Inserts a configuration. Returns its number, and whether it is new.
    pub(crate) fn insert(&mut self, written: &[u8], parent: u32) -> (u32, bool) {
        let Self { bytes, first, index, .. } = self;
        let hash = hash(written);
        let same = |&number: &u32| get(bytes, first, number) == written;
        if let Some(&number) = index.find(hash, same) {
            return (number, false);
        }
        let number = self.parents.len() as u32;
        let rehash = |&number: &u32| self::hash(get(bytes, first, number));
        index.insert_unique(hash, number, rehash);
        bytes.extend_from_slice(written);
        first.push(bytes.len() as u64);
        self.parents.push(parent);
        self.steps.push((0, 0));
        (number, true)
    }

    /// Begins to add steps of a configuration, after any that it has.
    pub(crate) fn begin(&mut self, number: u32) {
        let (first, count) = self.steps[number as usize];
        self.steps[number as usize] = (self.edges.len() as u32, count);
        self.edges.extend_from_within(first as usize..(first + count) as usize);
    }

    /// Adds a step of the configuration that has begun.
    pub(crate) fn step(&mut self, from: u32, step: Transition, to: u32) {
        self.edges.push(Successor { to, step });
        self.steps[from as usize].1 += 1;
    }

    pub(crate) fn steps(&self, number: u32) -> &[Successor] {
        let (first, count) = self.steps[number as usize];
        &self.edges[first as usize..][..count as usize]
    }

    pub(crate) fn transitions(&self) -> u64 {
        self.steps.iter().map(|&(_, count)| u64::from(count)).sum()
    }

    pub(crate) fn memory(&self) -> u64 {
        let each = size_of::<u64>() + size_of::<u32>() + size_of::<(u32, u32)>();
        let vectors = self.bytes.capacity()
            + self.first.capacity() * each
            + self.edges.capacity() * size_of::<Successor>();
        (vectors + self.index.allocation_size()) as u64
    }
}

fn get<'b>(bytes: &'b [u8], first: &[u64], number: u32) -> &'b [u8] {
    let number = number as usize;
    &bytes[first[number] as usize..first[number + 1] as usize]
}

fn hash(written: &[u8]) -> u64 {
    FxBuildHasher.hash_one(written)
}

/// Returns the steps that lead to a place, by the step to it and the place before it; `None` at the start.
pub(crate) fn steps_to<P: Copy>(
    place: P,
    before: impl Fn(P) -> Option<(Transition, P)>,
) -> Vec<Transition> {
    let back = std::iter::successors(before(place), |&(_, place)| before(place));
    let mut steps: Vec<Transition> = back.map(|(step, _)| step).collect();
    steps.reverse();
    steps
}

/// Returns the reachable configurations, each after all of its successors; `None` if there is a
/// cycle.
///
/// Takes time linear in the number of steps.
pub(crate) fn postorder(graph: &StateGraph) -> Option<Vec<u32>> {
    search(graph, true)
}

/// Returns the reachable configurations in the order in which a search in depth leaves them: each
/// after those of its successors from which it cannot be reached.
///
/// Takes time linear in the number of steps.
pub(crate) fn reverse_topological(graph: &StateGraph) -> Vec<u32> {
    search(graph, false).unwrap_or_default()
}

fn search(graph: &StateGraph, acyclic: bool) -> Option<Vec<u32>> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut colours = vec![NEW; graph.len()];
    let mut order = Vec::with_capacity(graph.len());
    let mut path = vec![(0_u32, 0_usize)];
    colours[0] = OPEN;
    while let Some((here, next)) = path.last_mut() {
        let Some(edge) = graph.steps(*here).get(*next) else {
            colours[*here as usize] = DONE;
            order.push(*here);
            path.pop();
            continue;
        };
        *next += 1;
        match colours[edge.to as usize] {
            NEW => {
                colours[edge.to as usize] = OPEN;
                path.push((edge.to, 0));
            }
            OPEN if acyclic => return None,
            _ => {}
        }
    }
    Some(order)
}
