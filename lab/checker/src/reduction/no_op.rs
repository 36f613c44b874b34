//! The validation that no-op deliveries are no-ops at any time at which they may occur.

use crate::{
    exploration::state_graph::{Edge, StateGraph},
    model::{
        Event, Step,
        automaton::{Automaton, Input},
        configuration::Configuration,
    },
    reduction::persistent_set::Choice,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A table that records, for each configuration and each message whose delivery was explored as a
/// no-op, whether its delivery is a no-op there and after every step, up to the delivery of another
/// message through the same link that is not a no-op.
pub(crate) struct NoOps {
    bits: FxHashMap<(u16, Input), usize>,
    rows: Rows,
    always: Vec<u64>,
    row: Vec<u64>,
}

impl NoOps {
    pub(crate) fn new(
        graph: &StateGraph,
        choices: &[Choice],
        automaton: &Automaton,
        nodes: usize,
    ) -> Self {
        let mut bits: FxHashMap<(u16, Input), usize> = FxHashMap::default();
        let mut ignored: Vec<(u16, Input)> = Vec::new();
        for choice in choices {
            if let Choice::NoOp(Event::React(node, input)) = *choice {
                bits.entry((node, input)).or_insert_with(|| {
                    ignored.push((node, input));
                    ignored.len() - 1
                });
            }
        }
        let rows = Rows::new(&ignored, automaton.locals(), nodes);
        let always = vec![0; graph.len() * rows.words];
        let row = vec![0; rows.words];
        Self { bits, rows, always, row }
    }

    /// Analyses a configuration whose successors have been analysed. Returns whether a delivery
    /// that was explored as a singleton set because it is a no-op is one at any other time as well.
    pub(crate) fn look(
        &mut self,
        number: u32,
        edges: &[Edge],
        choice: Choice,
        through: Option<(u16, Rc<[u32]>)>,
        here: &Configuration,
        automaton: &mut Automaton,
    ) -> bool {
        let Self { bits, rows, always, row } = self;
        let words = rows.words;
        row.fill(0);
        for node in 0..here.locals.len() {
            if let Some(of_node) = rows.of(node, here.locals[node], automaton) {
                row.iter_mut().zip(of_node).for_each(|(row, of_node)| *row |= of_node);
            }
        }
        if let Some((node, states)) = through {
            for &local in &*states {
                let Some(at) = rows.of(node.into(), local, automaton).map(<[u64]>::to_vec) else {
                    break;
                };
                let own = rows.own(node.into());
                row.iter_mut().zip(at.iter().zip(own)).for_each(|(row, (at, own))| {
                    *row &= at | !own;
                });
            }
        }
        let alone = matches!(choice, Choice::NoOp(_) | Choice::Discard(_));
        for edge in edges {
            let after = &always[edge.to as usize * words..][..words];
            // After another message of the same link it need not be a no-op.
            let behind = match edge.step {
                Step::React(node, effect) if !alone => match automaton.effect(effect).input {
                    Input::Deliver(port, _) => rows.through.get(&(node, port)),
                    _ => None,
                },
                _ => None,
            };
            match behind {
                Some(behind) => {
                    let both = after.iter().zip(behind).map(|(after, behind)| after | behind);
                    row.iter_mut().zip(both).for_each(|(row, both)| *row &= both);
                }
                None => row.iter_mut().zip(after).for_each(|(row, after)| *row &= after),
            }
        }
        always[number as usize * words..][..words].copy_from_slice(row);
        match choice {
            Choice::NoOp(Event::React(node, input)) => {
                let bit = bits[&(node, input)];
                row[bit / 64] >> (bit % 64) & 1 == 1
            }
            _ => true,
        }
    }
}

/// Sets of no-op deliveries, as bits.
struct Rows {
    /// The deliveries that each process has ever ignored.
    by_node: Vec<Vec<(usize, Input)>>,
    /// The deliveries through a port of a process.
    through: FxHashMap<(u16, u16), Vec<u64>>,
    /// The deliveries to each process.
    own: Vec<Vec<u64>>,
    /// The place of the set of each local state and process, if it is known.
    places: Vec<usize>,
    known: Vec<u64>,
    words: usize,
}

const UNKNOWN: usize = usize::MAX;

impl Rows {
    fn new(ignored: &[(u16, Input)], locals: usize, nodes: usize) -> Self {
        let words = ignored.len().div_ceil(64);
        let mut by_node = vec![Vec::new(); nodes];
        let mut own = vec![vec![0; words]; nodes];
        let mut through: FxHashMap<_, Vec<u64>> = FxHashMap::default();
        for (bit, &(node, input)) in ignored.iter().enumerate() {
            by_node[usize::from(node)].push((bit, input));
            own[usize::from(node)][bit / 64] |= 1 << (bit % 64);
            if let Input::Deliver(port, _) = input {
                let row = through.entry((node, port)).or_insert_with(|| vec![0; words]);
                row[bit / 64] |= 1 << (bit % 64);
            }
        }
        let places = vec![UNKNOWN; locals * nodes];
        Self { by_node, through, own, places, known: Vec::new(), words }
    }

    fn own(&self, node: usize) -> &[u64] {
        &self.own[node]
    }

    /// Returns the deliveries that a process ignores in a local state; `None` if it has never
    /// ignored any.
    fn of(&mut self, node: usize, local: u32, automaton: &mut Automaton) -> Option<&[u64]> {
        let Self { by_node, places, known, words, .. } = self;
        if by_node[node].is_empty() {
            return None;
        }
        let place = local as usize * by_node.len() + node;
        if place >= places.len() {
            places.resize(place + 1, UNKNOWN);
        }
        let place = &mut places[place];
        if *place == UNKNOWN {
            *place = known.len();
            known.resize(*place + *words, 0);
            for &(bit, input) in &by_node[node] {
                if automaton.ignores(local, input) {
                    known[*place + bit / 64] |= 1 << (bit % 64);
                }
            }
        }
        Some(&known[*place..][..*words])
    }
}
