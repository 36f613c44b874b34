//! May-receive analysis: the messages that may be sent to a process before it takes a step.

use crate::{
    exploration::state_graph::{Edge, StateGraph},
    model::{Event, Model, Step, automaton::Automaton, configuration::Configuration},
    reduction::persistent_set::{ALL_PROCESSES, Choice},
};
use rustc_hash::FxHashMap;

/// A table that records, for each configuration and each message on a link, whether it may be sent
/// before the receiver takes a step, and whether it may be sent again, in one bit each.
pub(crate) struct MayReceive {
    /// The messages with their links. Each has two bits: that it is sent, and that it is sent
    /// again.
    messages: Vec<(u16, u32)>,
    /// The bits of the messages to each process, and on each link.
    to: Vec<Vec<u64>>,
    on: Vec<Vec<u64>>,
    /// The bits of the messages that an effect sends.
    sent: FxHashMap<(u16, u32), Vec<usize>>,
    words: usize,
    rows: Vec<u64>,
    row: Vec<u64>,
    all: Vec<u64>,
    events: Vec<Event>,
}

impl MayReceive {
    pub(crate) fn new(graph: &StateGraph, model: &Model<'_>, automaton: &Automaton) -> Self {
        let (mut messages, mut sent) = (Vec::new(), FxHashMap::default());
        let mut bits: FxHashMap<(u16, u32), usize> = FxHashMap::default();
        for number in 0..graph.len() as u32 {
            for edge in graph.steps(number) {
                let Step::React(node, effect) = edge.step else { continue };
                sent.entry((node, effect)).or_insert_with(|| {
                    let sends = automaton.sends(automaton.effect(effect)).iter();
                    let bit = |&(port, msg): &(u16, u32)| {
                        let link = model.links.leaving(node.into(), port.into()) as u16;
                        *bits.entry((link, msg)).or_insert_with(|| {
                            messages.push((link, msg));
                            messages.len() - 1
                        })
                    };
                    sends.map(bit).collect()
                });
            }
        }
        let words = messages.len().div_ceil(64);
        let mut to = vec![vec![0; 2 * words]; model.nodes()];
        let mut on = vec![vec![0; 2 * words]; model.links.len()];
        for (bit, &(link, _)) in messages.iter().enumerate() {
            let node = model.links.to(link.into()).node as usize;
            for row in [&mut to[node], &mut on[usize::from(link)]] {
                row[bit / 64] |= 1 << (bit % 64);
                row[words + bit / 64] |= 1 << (bit % 64);
            }
        }
        let rows = vec![0; graph.len() * 2 * words];
        let (row, all, events) = (Vec::new(), Vec::new(), Vec::new());
        Self { messages, to, on, sent, words, rows, row, all, events }
    }

    /// Analyses a configuration whose successors have been analysed.
    pub(crate) fn look(
        &mut self,
        number: u32,
        edges: &[Edge],
        choice: Choice,
        here: &Configuration,
        model: &Model<'_>,
        automaton: &Automaton,
    ) {
        let Self { to, on, sent, words, rows, row, all, events, .. } = self;
        let (words, width) = (*words, 2 * *words);
        let range = |number: u32| number as usize * width..(number as usize + 1) * width;
        // A configuration may have been explored for a second time, with other steps than before.
        let (cluster, alone) = match choice {
            Choice::Persistent(cluster) => (cluster, false),
            _ => (ALL_PROCESSES, true),
        };
        let (mut only, mut single) = (None, true);
        all.clear();
        all.resize(width, 0);
        for edge in edges {
            let Step::React(node, effect) = edge.step else { continue };
            if cluster >> node & 1 == 1 {
                single &= *only.get_or_insert(node) == node;
            }
            row.clear();
            row.extend_from_slice(&rows[range(edge.to)]);
            for &bit in &sent[&(node, effect)] {
                let (word, bit) = (bit / 64, 1 << (bit % 64));
                row[words + word] |= row[word] & bit;
                row[word] |= bit;
            }
            for ((all, &row), &own) in all.iter_mut().zip(&*row).zip(&to[usize::from(node)]) {
                *all |= row & !own;
            }
        }
        if let (true, Some(node)) = (single, only) {
            if !alone {
                model.events(here, automaton, !(1 << node), events);
            }
            // If no other process can take a step, nothing is sent.
            if alone || !events.is_empty() {
                row.clear();
                row.extend_from_slice(&to[usize::from(node)]);
                let own = |edge: &&Edge| matches!(edge.step, Step::React(of, _) if of == node);
                for edge in edges.iter().filter(own) {
                    row.iter_mut()
                        .zip(&rows[range(edge.to)])
                        .for_each(|(row, after)| *row &= after);
                }
                if !alone {
                    // Nothing is sent into its empty links before it takes a step.
                    for port in 0..model.links.degree(node.into()) {
                        let link = model.links.entering(node.into(), port);
                        if here.queues[link].is_empty() {
                            row.iter_mut().zip(&on[link]).for_each(|(row, on)| *row &= !on);
                        }
                    }
                }
                all.iter_mut().zip(&*row).for_each(|(all, row)| *all |= row);
            }
        }
        rows[range(number)].copy_from_slice(all);
    }

    pub(crate) fn of(&self, number: u32, node: u16, model: &Model<'_>) -> Vec<(u16, u32, bool)> {
        let row = &self.rows[number as usize * 2 * self.words..][..2 * self.words];
        let (once, again) = row.split_at(self.words);
        let mut later = Vec::new();
        for (word, (&once, &to)) in once.iter().zip(&self.to[usize::from(node)]).enumerate() {
            let mut left = once & to;
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                let (link, msg) = self.messages[word * 64 + bit];
                let port = model.links.to(link.into()).port.0 as u16;
                later.push((port, msg, again[word] >> bit & 1 == 1));
            }
        }
        later
    }
}
