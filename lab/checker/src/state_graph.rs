//! The graph of configurations that have been reached.

use crate::{encoding_set::EncodingSet, model::Transition};

/// A graph of configurations, numbered in the order of their discovery.
pub(crate) struct StateGraph {
    configurations: EncodingSet,
    /// What the steps do to the messages under way, each an encoded
    /// [`TokenMove`](crate::cost::token_move::TokenMove). They are few, and most steps share theirs.
    pub moves: EncodingSet,
    /// The configuration from which each was first reached.
    pub parents: Vec<u32>,
    /// The first step of each configuration, and the number of its steps.
    steps: Vec<(u32, u32)>,
    /// Whether an election may end in each configuration.
    ends: Vec<bool>,
    edges: Vec<Successor>,
}

/// A step, and the configuration to which it leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor {
    pub to: u32,
    pub step: Transition,
    /// What it does to the messages under way, by its number; 0 where that is not recorded.
    pub moved: u32,
}

impl StateGraph {
    pub(crate) fn new() -> Self {
        Self {
            configurations: EncodingSet::new(),
            moves: EncodingSet::new(),
            parents: Vec::new(),
            steps: Vec::new(),
            ends: Vec::new(),
            edges: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.configurations.clear();
        self.moves.clear();
        self.parents.clear();
        self.steps.clear();
        self.ends.clear();
        self.edges.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    pub(crate) fn get(&self, number: u32) -> &[u8] {
        self.configurations.get(number)
    }

    /// Inserts a configuration. Returns its number, and whether it is new.
    pub(crate) fn insert(&mut self, written: &[u8], parent: u32) -> (u32, bool) {
        let (number, new) = self.configurations.insert(written);
        if new {
            self.parents.push(parent);
            self.steps.push((0, 0));
            self.ends.push(false);
        }
        (number, new)
    }

    /// Records whether an election may end in a configuration.
    pub(crate) fn ends(&mut self, number: u32, may_end: bool) {
        self.ends[number as usize] = may_end;
    }

    /// Returns whether an election may end in a configuration that has been expanded: where it has no steps,
    /// or only those of processes that need not wake.
    pub(crate) fn is_end(&self, number: u32) -> bool {
        self.ends[number as usize]
    }

    /// Begins to add steps of a configuration, after any that it has.
    pub(crate) fn begin(&mut self, number: u32) {
        let (first, count) = self.steps[number as usize];
        self.steps[number as usize] = (self.edges.len() as u32, count);
        self.edges.extend_from_within(first as usize..(first + count) as usize);
    }

    /// Adds a step of the configuration that has begun.
    pub(crate) fn step(&mut self, from: u32, edge: Successor) {
        self.edges.push(edge);
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
        let each = size_of::<u32>() + size_of::<(u32, u32)>() + size_of::<bool>();
        let vectors =
            self.parents.capacity() * each + self.edges.capacity() * size_of::<Successor>();
        (vectors + self.configurations.memory() + self.moves.memory()) as u64
    }
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
