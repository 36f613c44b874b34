//! The causal depth, and the least over all schedules.
//!
//! A message is one deeper than its sender, and a process as deep as the deepest message that it
//! has received. An election is as deep as its deepest process.

use crate::{
    cost::{
        depth_step::{DepthStep, SmallNumber},
        extremes::RunExtremes,
        token_move::TokenMove,
    },
    explorer::ScheduleExplorer,
    model::TransitionSystem,
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
