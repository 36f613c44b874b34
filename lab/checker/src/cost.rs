//! The cost of an election over all schedules: the least and the greatest number of messages and
//! causal depth, and the greatest time. The messages to go from each configuration are found here.

pub(crate) mod depth;
pub(crate) mod depth_step;
pub(crate) mod extremes;
pub(crate) mod message_bound;
pub(crate) mod time;
pub(crate) mod token_move;

use crate::{
    model::{Transition, automaton::Automaton},
    state_graph::{StateGraph, Successor},
};
use suffrage_model::Phase;

/// The numbers of messages that are kept before those of each kind: of all but a synchronizer's, and of the two
/// phases.
pub(crate) const SUMS: usize = 3;

/// Returns in which of these a message of a phase counts.
pub(crate) const fn sums(phase: Phase) -> &'static [usize] {
    match phase {
        Phase::Election => &[0, 1],
        Phase::Announcement => &[0, 2],
        Phase::Synchronizer => &[],
    }
}

/// The least and the greatest cost from each configuration to a terminal one.
pub(crate) struct CostToGo(Vec<(i64, i64)>);

impl CostToGo {
    /// Computes the costs to go from the cost of each effect, and from what each terminal
    /// configuration adds to the least and to the greatest cost, in one sweep over the steps. In
    /// `order`, successors come first. Where an election may end or go on, it does what is less, or more.
    pub(crate) fn new(
        graph: &StateGraph,
        order: &[u32],
        cost: &[u32],
        mut last: impl FnMut(u32) -> (i64, i64),
    ) -> Self {
        let mut to_come = vec![(0, 0); graph.len()];
        for &number in order {
            let ahead = ahead(graph, number, cost, &to_come);
            let here = graph.is_end(number).then(|| last(number));
            to_come[number as usize] =
                here.into_iter().chain(ahead).reduce(wider).unwrap_or_default();
        }
        Self(to_come)
    }

    /// Computes the same for a graph with cycles, over the paths that end. A greatest cost that grows
    /// from one time around a cycle to the next is a quarter of [`i64::MAX`]. In `order`, successors
    /// come first where no path leads back.
    pub(crate) fn on_cycles(
        graph: &StateGraph,
        order: &[u32],
        cost: &[u32],
        mut last: impl FnMut(u32) -> (i64, i64),
    ) -> Self {
        const UNKNOWN: (i64, i64) = (i64::MAX >> 1, i64::MIN >> 1);
        const ENDLESS: i64 = i64::MAX >> 2;
        let mut to_come = vec![UNKNOWN; graph.len()];
        let ends = order.iter().filter(|&&number| graph.is_end(number));
        ends.for_each(|&number| to_come[number as usize] = last(number));
        // A path that passes through no configuration twice has fewer steps than there are
        // configurations, so a cost that still changes afterwards does so without an end.
        for sweep in 0.. {
            let mut changed = false;
            for &number in order {
                let known = to_come[number as usize];
                let Some((min, max)) = ahead(graph, number, cost, &to_come) else { continue };
                let min = min.min(known.0);
                let max = match sweep <= graph.len() {
                    _ if max <= known.1 => known.1,
                    true => max,
                    false => ENDLESS,
                };
                changed |= (min, max) != known && known.1 < ENDLESS;
                to_come[number as usize] = (min, max.min(ENDLESS));
            }
            if !changed {
                break;
            }
        }
        Self(to_come)
    }

    pub(crate) fn max(&self) -> i64 {
        self.0[0].1
    }

    pub(crate) fn of(&self, number: u32) -> (i64, i64) {
        self.0[number as usize]
    }

    /// Returns a path from the initial configuration with the least or the greatest cost. Takes
    /// time linear in its length and the number of steps from its configurations.
    pub(crate) fn path(&self, graph: &StateGraph, cost: &[u32], most: bool) -> Vec<Transition> {
        let of_both = |(min, max): (i64, i64)| if most { max } else { min };
        let (mut here, mut path) = (0, Vec::new());
        while let Some(edge) = graph.steps(here).iter().find(|edge| {
            let then = of_both(self.0[edge.to as usize]);
            i64::from(of(edge, cost)) + then == of_both(self.0[here as usize])
        }) {
            path.push(edge.step);
            here = edge.to;
        }
        path
    }
}

fn ahead(
    graph: &StateGraph,
    number: u32,
    cost: &[u32],
    to_come: &[(i64, i64)],
) -> Option<(i64, i64)> {
    let ends = graph.steps(number).iter().map(|edge| {
        let now = i64::from(of(edge, cost));
        let (min, max) = to_come[edge.to as usize];
        (now + min, now + max)
    });
    ends.reduce(wider)
}

/// Returns the lesser of two least costs, and the greater of two greatest ones.
fn wider(one: (i64, i64), other: (i64, i64)) -> (i64, i64) {
    (one.0.min(other.0), one.1.max(other.1))
}

pub(crate) fn of(edge: &Successor, cost: &[u32]) -> u32 {
    match edge.step {
        Transition::React(_, effect) => cost[effect as usize],
        Transition::Lose(_) | Transition::Double(_) | Transition::Tick => 0,
    }
}

pub(crate) fn sent(automaton: &Automaton, counts: impl Fn(usize) -> bool) -> Vec<u32> {
    let of = |effect| {
        let sends = automaton.sends(automaton.effect(effect));
        sends.iter().filter(|&&(_, msg)| counts(automaton.kind(msg))).count() as u32
    };
    (0..automaton.effects() as u32).map(of).collect()
}
