//! The least and the greatest causal depth over all schedules.
//!
//! A message is one deeper than its sender, and a process as deep as the deepest message that it
//! has received. An election is as deep as its deepest process.

use crate::{
    explorer::ScheduleExplorer,
    model::{
        Transition, TransitionSystem,
        automaton::Automaton,
        configuration::{GlobalState, NEW},
        processes::LocalViolation,
    },
    reduction::persistent_set::Expansion,
    state_graph::StateGraph,
};
use std::{collections::BTreeMap, ops::ControlFlow};

/// The depths of all processes and of all messages under way, in the order of the encoding.
type Depths = Vec<u16>;

/// The maximum number of depths that the Pareto fronts of all configurations may hold at the same
/// time.
const MOST: usize = 1 << 27;

/// Computes the extremes of the causal depth. The least is `None` if the Pareto fronts take too
/// much memory, or the search is stopped. Time and memory are exponential in the worst case, because
/// a front may hold every path.
pub(crate) fn extremes(
    model: &TransitionSystem<'_>,
    explorer: &mut ScheduleExplorer,
    order: &[u32],
    heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> (Option<u64>, u64) {
    let ScheduleExplorer { automaton, graph, choices, here, .. } = explorer;
    let mut walk = DepthSweep { model, automaton, graph, choices, here };
    // A step maps depths to depths by adding one and taking maxima, so the greatest value of each
    // component, over all paths to a configuration, follows from the greatest values before. This
    // does not hold of the least values, since one path seldom has the least of every component:
    // propagated from step to step, they are only a lower bound. So all paths that may still be the
    // least are kept, unless they are deeper than the limit that is tried.
    let (least, greatest) = walk.bounds(order);
    if least == greatest {
        return (Some(least.into()), greatest.into());
    }
    let found = (least..=greatest).find_map(|limit| match walk.reaches(order, limit, heartbeat) {
        Some(false) => None,
        Some(true) => Some(Some(u64::from(limit))),
        None => Some(None),
    });
    (found.flatten(), greatest.into())
}

struct DepthSweep<'e> {
    model: &'e TransitionSystem<'e>,
    automaton: &'e Automaton,
    graph: &'e StateGraph,
    choices: &'e [Expansion],
    here: &'e mut GlobalState,
}

impl DepthSweep<'_> {
    /// Prepares a step, to be applied to each vector of depths of a configuration.
    fn step(&mut self, number: u32, step: Transition) -> DepthMove {
        self.here.read(self.graph.get(number));
        let received = self.model.apply(step, self.here, self.automaton).map(|token| token.tag);
        let (node, late) = match step {
            Transition::React(node, effect) => {
                let fault = self.automaton.effect(effect).fault;
                (usize::from(node), fault == Some(LocalViolation::Late))
            }
            Transition::Lose(_) | Transition::Double(_) | Transition::Tick => (0, true),
        };
        let tags = self.here.tokens().map(|token| token.tag).collect();
        let ignored = matches!(self.choices[number as usize], Expansion::NoOp(_));
        DepthMove { node, received: received.filter(|_| !late), ignored, tags }
    }

    /// Computes a lower bound on the least depth, and the greatest depth, in one sweep over all
    /// steps.
    fn bounds(&mut self, order: &[u32]) -> (u16, u16) {
        let nodes = self.model.nodes();
        let mut known: Vec<Option<(Depths, Depths)>> = vec![None; self.graph.len()];
        known[0] = Some((vec![0; nodes], vec![0; nodes]));
        let mut end: Option<(u16, u16)> = None;
        for &number in order.iter().rev() {
            let Some((least, greatest)) = known[number as usize].take() else { continue };
            let edges = self.graph.steps(number);
            if edges.is_empty() {
                let here = (deepest(&least[..nodes]), deepest(&greatest[..nodes]));
                end = Some(end.map_or(here, |end| (end.0.min(here.0), end.1.max(here.1))));
            }
            for edge in edges {
                let step = self.step(number, edge.step);
                let new = (step.depths(&least, true, nodes), step.depths(&greatest, false, nodes));
                match &mut known[edge.to as usize] {
                    Some((least, greatest)) => {
                        least.iter_mut().zip(&new.0).for_each(|(a, &b)| *a = (*a).min(b));
                        greatest.iter_mut().zip(&new.1).for_each(|(a, &b)| *a = (*a).max(b));
                    }
                    unknown => *unknown = Some(new),
                }
            }
        }
        end.unwrap_or_default()
    }

    /// Returns whether the depth of some schedule is at most `limit`; `None` if that takes too much
    /// memory, or is stopped.
    fn reaches(
        &mut self,
        order: &[u32],
        limit: u16,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Option<bool> {
        let nodes = self.model.nodes();
        let mut ways: BTreeMap<u32, Vec<Depths>> = BTreeMap::new();
        ways.insert(0, vec![vec![0; nodes]]);
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
            let edges = self.graph.steps(number);
            if edges.is_empty() {
                return Some(true);
            }
            for edge in edges {
                let step = self.step(number, edge.step);
                let known = ways.entry(edge.to).or_default();
                for way in &before {
                    if step.received.is_some_and(|tag| way[nodes + tag as usize] > limit) {
                        continue;
                    }
                    let mut after = step.depths(way, true, nodes);
                    // Depths above the limit need not be distinguished.
                    after.iter_mut().for_each(|depth| *depth = (*depth).min(limit + 1));
                    held += add(known, after);
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
fn add(known: &mut Vec<Depths>, way: Depths) -> usize {
    let as_good = |a: &Depths, b: &Depths| a.iter().zip(b).all(|(a, b)| a <= b);
    if known.iter().any(|other| as_good(other, &way)) {
        return 0;
    }
    known.retain(|other| !as_good(&way, other));
    let length = way.len();
    known.push(way);
    length
}

fn deepest(depths: &[u16]) -> u16 {
    depths.iter().copied().max().unwrap_or(0)
}

struct DepthMove {
    node: usize,
    /// The message that is received, if it deepens the process.
    received: Option<u32>,
    /// Whether the delivery is a no-op, which may also occur later.
    ignored: bool,
    /// The messages that are under way afterwards.
    tags: Vec<u32>,
}

impl DepthMove {
    fn depths(&self, before: &[u16], least: bool, nodes: usize) -> Depths {
        let mut depth = before[self.node];
        if let Some(tag) = self.received {
            let of_message = before[nodes + tag as usize];
            // For the least depth, a no-op is received as late as possible: docs/why/design/checker.md
            // explains why that makes no process deeper, except in the end.
            if !(least && self.ignored) {
                depth = depth.max(of_message);
            }
        }
        let mut after = before[..nodes].to_vec();
        after[self.node] = depth;
        after.extend(self.tags.iter().map(|&tag| match tag {
            NEW => depth + 1,
            old => before[nodes + old as usize],
        }));
        after
    }
}
