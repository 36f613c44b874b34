//! What a step does to causal depths.

use crate::{
    cost::token_move::TokenMove,
    model::{Transition, automaton::Automaton, configuration::NEW, processes::LocalViolation},
    reduction::persistent_set::Expansion,
    state_graph::Successor,
};

/// A number of messages or a depth. Most elections that can be explored have small ones, and the records of
/// millions of configurations take a quarter of the memory, and of the time to copy them.
pub(crate) trait SmallNumber: Copy + Ord + Default + Into<u64> {
    const MAX: Self;

    /// Returns the next number; `None` if it has no room here.
    fn next(self) -> Option<Self>;
}

impl SmallNumber for u8 {
    const MAX: Self = Self::MAX;

    fn next(self) -> Option<Self> {
        self.checked_add(1)
    }
}

impl SmallNumber for u32 {
    const MAX: Self = Self::MAX;

    fn next(self) -> Option<Self> {
        self.checked_add(1)
    }
}

/// What a step does to depths: those of the processes, and after them those of the messages under way.
pub(crate) struct DepthStep<'a> {
    pub node: usize,
    /// The message that is received, if it deepens the process.
    pub received: Option<u32>,
    /// The message that reaches a process that has halted.
    pub late: Option<u32>,
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
        let (node, drops) = match edge.step {
            Transition::React(node, effect) => {
                let fault = automaton.effect(effect).fault;
                (usize::from(node), fault == Some(LocalViolation::Late))
            }
            Transition::Lose(_) | Transition::Double(_) | Transition::Tick => (0, true),
        };
        let ignored = matches!(choice, Expansion::NoOp(_));
        let late = received.filter(|_| drops && matches!(edge.step, Transition::React(..)));
        Self { node, received: received.filter(|_| !drops), late, ignored, tags }
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
    pub(crate) fn after<N: SmallNumber>(&self, before: &[N], limit: N, nodes: usize) -> Vec<N> {
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
