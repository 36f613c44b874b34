//! Validation of singleton sets.
//!
//! Whether a delivery is a no-op at any time, or commutes with every input that may precede it,
//! depends on what may still be sent. This is assumed when a configuration is expanded, and
//! validated here against the explored graph; `docs/why/design/checker.md` proves that this is enough.
//!
//! # Why in this order
//! 1. *The postorder comes first*: what may be received before a step, and what stays a no-op, follow from
//!    the same of its successors, so one pass is enough. With a cycle there is no such order, and the
//!    caller explores everything.
//! 2. *May-receive before commutation*: what may reach a process before a delivery ([`MayReceive`]) decides
//!    whether the delivery commutes with it.
//! 3. *Commutation before no-ops*: a commuting delivery is taken early, so its receiver passes through
//!    local states in which it has taken it, and through those in which it has not. A no-op must be one
//!    in all of them ([`NoOps`]), and the commutation found them.
//! 4. *All configurations are examined, also below a refuted one*, so that one pass returns all that are to be expanded
//!    again. What they lead to is validated by the next pass.

use crate::{
    model::{
        EnabledEvent, Transition, TransitionSystem, automaton::Automaton,
        configuration::GlobalState, processes::LocalInput,
    },
    reduction::{
        independence::Independence,
        persistent_set::{ALL_PROCESSES, Expansion},
    },
    state_graph::{StateGraph, Successor, postorder},
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Returns the configurations that were expanded by a singleton set that is not justified; `None`
/// if there is a cycle, so that this cannot be determined.
///
/// Takes one pass over all steps, in postorder.
pub(crate) fn unjustified(
    model: &TransitionSystem<'_>,
    graph: &StateGraph,
    choices: &[Expansion],
    independence: &mut Independence,
    automaton: &mut Automaton,
    here: &mut GlobalState,
) -> Option<Vec<u32>> {
    let absorbs = choices.iter().any(|choice| matches!(choice, Expansion::Commuting(_)));
    let ignores = choices.iter().any(|choice| matches!(choice, Expansion::NoOp(_)));
    if !absorbs && !ignores {
        return Some(Vec::new());
    }
    let order = postorder(graph)?;
    let mut may_receive = absorbs.then(|| MayReceive::new(graph, model, automaton));
    let mut ignored = ignores.then(|| NoOps::new(graph, choices, automaton, model.nodes()));
    let mut unjustified = Vec::new();
    for number in order {
        here.read(graph.get(number));
        let (choice, edges) = (choices[number as usize], graph.steps(number));
        let mut before = None;
        if let Some(may_receive) = &mut may_receive {
            may_receive.look(number, edges, choice, here, model, automaton);
            if let Expansion::Commuting(EnabledEvent::React(
                node,
                input @ LocalInput::Deliver(port, _),
            )) = choice
            {
                let inbox = model.inbox(node, port, here, may_receive.of(number, node, model));
                let local = here.locals[usize::from(node)];
                match independence.before(automaton, local, input, inbox) {
                    Some(states) => before = Some((node, states)),
                    None => unjustified.push(number),
                }
            }
        }
        if let Some(ignored) = &mut ignored
            && !ignored.look(number, edges, choice, before, here, automaton)
        {
            unjustified.push(number);
        }
    }
    Some(unjustified)
}

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
    events: Vec<EnabledEvent>,
}

impl MayReceive {
    pub(crate) fn new(
        graph: &StateGraph,
        model: &TransitionSystem<'_>,
        automaton: &Automaton,
    ) -> Self {
        let (mut messages, mut sent) = (Vec::new(), FxHashMap::default());
        let mut bits: FxHashMap<(u16, u32), usize> = FxHashMap::default();
        for number in 0..graph.len() as u32 {
            for edge in graph.steps(number) {
                let Transition::React(node, effect) = edge.step else { continue };
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
        edges: &[Successor],
        choice: Expansion,
        here: &GlobalState,
        model: &TransitionSystem<'_>,
        automaton: &Automaton,
    ) {
        let Self { to, on, sent, words, rows, row, all, events, .. } = self;
        let (words, width) = (*words, 2 * *words);
        let range = |number: u32| number as usize * width..(number as usize + 1) * width;
        // A configuration may have been explored for a second time, with other steps than before.
        let (cluster, alone) = match choice {
            Expansion::Persistent(cluster) => (cluster, false),
            _ => (ALL_PROCESSES, true),
        };
        let (mut only, mut single) = (None, true);
        all.clear();
        all.resize(width, 0);
        for edge in edges {
            let Transition::React(node, effect) = edge.step else { continue };
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
                model.events(here, automaton, !(1_u128 << node), events);
            }
            // If no other process can take a step, nothing is sent.
            if alone || !events.is_empty() {
                row.clear();
                row.extend_from_slice(&to[usize::from(node)]);
                let own =
                    |edge: &&Successor| matches!(edge.step, Transition::React(of, _) if of == node);
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

    pub(crate) fn of(
        &self,
        number: u32,
        node: u16,
        model: &TransitionSystem<'_>,
    ) -> Vec<(u16, u32, bool)> {
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

/// A table that records, for each configuration and each message whose delivery was explored as a
/// no-op, whether its delivery is a no-op there and after every step, up to the delivery of another
/// message through the same link that is not a no-op.
pub(crate) struct NoOps {
    bits: FxHashMap<(u16, LocalInput), usize>,
    rows: NoOpRows,
    always: Vec<u64>,
    row: Vec<u64>,
}

impl NoOps {
    pub(crate) fn new(
        graph: &StateGraph,
        choices: &[Expansion],
        automaton: &Automaton,
        nodes: usize,
    ) -> Self {
        let mut bits: FxHashMap<(u16, LocalInput), usize> = FxHashMap::default();
        let mut ignored: Vec<(u16, LocalInput)> = Vec::new();
        for choice in choices {
            if let Expansion::NoOp(EnabledEvent::React(node, input)) = *choice {
                bits.entry((node, input)).or_insert_with(|| {
                    ignored.push((node, input));
                    ignored.len() - 1
                });
            }
        }
        let rows = NoOpRows::new(&ignored, automaton.locals(), nodes);
        let always = vec![0; graph.len() * rows.words];
        let row = vec![0; rows.words];
        Self { bits, rows, always, row }
    }

    /// Analyses a configuration whose successors have been analysed. Returns whether a delivery
    /// that was explored as a singleton set because it is a no-op is one at any other time as well.
    pub(crate) fn look(
        &mut self,
        number: u32,
        edges: &[Successor],
        choice: Expansion,
        through: Option<(u16, Rc<[u32]>)>,
        here: &GlobalState,
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
        let alone = matches!(choice, Expansion::NoOp(_) | Expansion::Discard(_));
        for edge in edges {
            let after = &always[edge.to as usize * words..][..words];
            // After another message of the same link it need not be a no-op.
            let behind = match edge.step {
                Transition::React(node, effect) if !alone => match automaton.effect(effect).input {
                    LocalInput::Deliver(port, _) => rows.through.get(&(node, port)),
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
            Expansion::NoOp(EnabledEvent::React(node, input)) => {
                let bit = bits[&(node, input)];
                row[bit / 64] >> (bit % 64) & 1 == 1
            }
            _ => true,
        }
    }
}

/// Sets of no-op deliveries, as bits.
struct NoOpRows {
    /// The deliveries that each process has ever ignored.
    by_node: Vec<Vec<(usize, LocalInput)>>,
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

impl NoOpRows {
    fn new(ignored: &[(u16, LocalInput)], locals: usize, nodes: usize) -> Self {
        let words = ignored.len().div_ceil(64);
        let mut by_node = vec![Vec::new(); nodes];
        let mut own = vec![vec![0; words]; nodes];
        let mut through: FxHashMap<_, Vec<u64>> = FxHashMap::default();
        for (bit, &(node, input)) in ignored.iter().enumerate() {
            by_node[usize::from(node)].push((bit, input));
            own[usize::from(node)][bit / 64] |= 1 << (bit % 64);
            if let LocalInput::Deliver(port, _) = input {
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
