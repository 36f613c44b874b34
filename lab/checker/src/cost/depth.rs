//! The causal depth, and the least over all schedules.
//!
//! A message is one deeper than its sender, and a process as deep as the deepest message that it
//! has received. An election is as deep as its deepest process.

use crate::{
    cost::{
        extremes::{RunExtremes, SmallNumber},
        token_move::TokenMove,
    },
    explorer::ScheduleExplorer,
    model::{
        Transition, TransitionSystem, automaton::Automaton, configuration::NEW,
        processes::LocalViolation,
    },
    reduction::persistent_set::Expansion,
    state_graph::Successor,
};
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// The maximum number of depths that the Pareto fronts of all configurations may hold at the same
/// time.
const MOST: usize = 1 << 27;

impl ScheduleExplorer {
    /// Returns the least depth, between the bounds that are known. It is `None` if the Pareto fronts take
    /// too much memory, or the search is stopped. Time and memory are exponential in the worst case,
    /// because a front may hold every path.
    pub(crate) fn least_depth(
        &self,
        model: &TransitionSystem<'_>,
        order: &[u32],
        known: &RunExtremes,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Option<u64> {
        let RunExtremes { least_depth: least, greatest_depth: greatest, .. } = *known;
        let moves = TokenMove::all(&self.graph);
        // All paths that may still be the least are kept, unless they are deeper than the limit that is
        // tried.
        for limit in least..greatest {
            let way = (&*moves, model.nodes(), order);
            // No number exceeds the limit by more than one.
            let reached = match u8::try_from(limit) {
                Ok(limit) if limit < u8::MAX => self.reaches(way, limit, heartbeat),
                _ => self.reaches(way, limit as u32, heartbeat),
            };
            if reached? {
                return Some(limit);
            }
        }
        Some(greatest)
    }

    /// Returns whether the depth of some schedule is at most `limit`; `None` if that takes too much
    /// memory, or is stopped.
    fn reaches<N: SmallNumber>(
        &self,
        (moves, nodes, order): (&[TokenMove], usize, &[u32]),
        limit: N,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Option<bool> {
        let Self { automaton, graph, choices, .. } = self;
        let mut ways: FxHashMap<u32, Vec<Vec<N>>> = FxHashMap::default();
        ways.insert(0, vec![vec![N::default(); nodes]]);
        let mut held = 0;
        for (place, &number) in order.iter().rev().enumerate() {
            if place % 1024 == 0 && heartbeat(order.len() as u64).is_break() {
                return None;
            }
            // All paths to this configuration may be deeper than the limit.
            let Some(before) = ways.remove(&number).filter(|ways| !ways.is_empty()) else {
                continue;
            };
            held -= before.iter().map(Vec::len).sum::<usize>().min(held);
            if graph.is_end(number) {
                return Some(true);
            }
            for edge in graph.steps(number) {
                let step = DepthStep::new(edge, moves, automaton, choices[number as usize]);
                let known = ways.entry(edge.to).or_default();
                for way in &before {
                    if step.received.is_some_and(|tag| way[nodes + tag as usize] > limit) {
                        continue;
                    }
                    held += add(known, step.after(way, limit, nodes));
                }
            }
            if held > MOST {
                return None;
            }
        }
        Some(false)
    }
}

/// Inserts a vector into the Pareto front of a configuration, unless another one dominates it, and
/// removes those that it dominates. Returns the number of depths that were inserted.
fn add<N: SmallNumber>(known: &mut Vec<Vec<N>>, way: Vec<N>) -> usize {
    let as_good = |a: &Vec<N>, b: &Vec<N>| a.iter().zip(b).all(|(a, b)| a <= b);
    if known.iter().any(|other| as_good(other, &way)) {
        return 0;
    }
    known.retain(|other| !as_good(&way, other));
    let length = way.len();
    known.push(way);
    length
}

/// What a step does to depths: those of the processes, and after them those of the messages under way.
pub(crate) struct DepthStep<'a> {
    pub node: usize,
    /// The message that is received, if it deepens the process.
    received: Option<u32>,
    /// Whether the delivery is a no-op, which may also occur later.
    ignored: bool,
    /// The messages that are under way afterwards.
    pub tags: &'a [u32],
}

impl<'a> DepthStep<'a> {
    pub(crate) fn new(
        edge: &Successor,
        moves: &'a [TokenMove],
        automaton: &Automaton,
        choice: Expansion,
    ) -> Self {
        let TokenMove { received, tags } = &moves[edge.moved as usize];
        let (node, late) = match edge.step {
            Transition::React(node, effect) => {
                let fault = automaton.effect(effect).fault;
                (usize::from(node), fault == Some(LocalViolation::Late))
            }
            Transition::Lose(_) | Transition::Double(_) | Transition::Tick => (0, true),
        };
        let ignored = matches!(choice, Expansion::NoOp(_));
        Self { node, received: received.filter(|_| !late), ignored, tags }
    }

    /// Returns the depth of the process after the step.
    pub(crate) fn depth<N: SmallNumber>(&self, before: &[N], least: bool, nodes: usize) -> N {
        let depth = before[self.node];
        match self.received {
            // For the least depth, a no-op is received as late as possible: docs/why/design/checker.md
            // explains why that makes no process deeper, except in the end.
            Some(tag) if !(least && self.ignored) => depth.max(before[nodes + tag as usize]),
            _ => depth,
        }
    }

    /// Returns all depths after the step, where those above the limit need not be distinguished.
    fn after<N: SmallNumber>(&self, before: &[N], limit: N, nodes: usize) -> Vec<N> {
        let above = limit.next().unwrap_or(limit);
        let depth = self.depth(before, true, nodes);
        let mut after = before[..nodes].to_vec();
        after[self.node] = depth;
        after.extend(self.tags.iter().map(|&tag| match tag {
            NEW => depth.next().map_or(above, |deeper| deeper.min(above)),
            old => before[nodes + old as usize],
        }));
        after
    }
}
