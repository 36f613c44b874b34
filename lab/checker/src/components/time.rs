//! The greatest time over a graph of components, as [`time`](crate::cost::time) finds it.

use crate::components::{
    graph::{ComponentGraph, ComponentStep},
    scene::Scene,
    sweep::Swept,
    tables::{ComponentTables, WAKES},
    ways::KeptWay,
    word::get,
};
use std::{collections::BTreeMap, ops::ControlFlow};

/// Of each process the places of some of the messages under way to it, as bits.
type Messages<const N: usize> = [u16; N];

/// A way to a configuration: the time that it takes, and the messages under way that were sent before the present
/// round.
#[derive(Clone, Copy)]
struct TimedWay<const N: usize> {
    units: u32,
    old: Messages<N>,
    /// Whether a process could wake before the last step.
    wakes: bool,
}

impl<const N: usize> KeptWay for TimedWay<N> {
    /// A greater time makes up for messages of an earlier round, as these end one round later at most; but not where
    /// a wake-up may reset the time.
    fn is_as_good(&self, other: &Self) -> bool {
        let is_less = || self.old.iter().zip(&other.old).all(|(old, others)| old & !others == 0);
        self.units > other.units && !self.wakes || self.units >= other.units && is_less()
    }
}

impl<const N: usize> TimedWay<N> {
    /// Returns the way after a step from a configuration with these messages under way, in which a process can
    /// wake or none can.
    #[inline]
    fn after(
        mut self,
        (all, wakes): &(Messages<N>, bool),
        edge: ComponentStep,
        scene: &Scene,
        tables: &ComponentTables,
    ) -> Self {
        self.wakes = *wakes;
        let event = tables.event(edge.event());
        if event.received == WAKES {
            self.units = 0;
        } else {
            if self.old == [0; N] {
                (self.units, self.old) = (self.units + 1, *all);
            }
            let old = &mut self.old[edge.node()];
            let low = (1 << event.received) - 1;
            *old = *old & low | *old >> 1 & !low;
        }
        for (to, place) in edge.arrivals(scene, tables) {
            let (old, low) = (&mut self.old[to], (1 << place) - 1);
            *old = *old & low | (*old & !low) << 1;
        }
        self
    }
}

impl<const L: usize> ComponentGraph<L> {
    /// Returns the greatest time by the set of the processes that have woken by themselves; `None` if that takes too
    /// much memory.
    pub(crate) fn greatest_time<const N: usize>(
        &self,
        scene: &Scene,
        tables: &ComponentTables,
        swept: &Swept,
        memory: u64,
    ) -> Option<BTreeMap<u128, u64>> {
        let room = self.room::<TimedWay<N>>(tables, memory);
        let first = TimedWay { units: 0, old: [0; N], wakes: true };
        let at = |number: u32| {
            let mut all = [0; N];
            for (node, all) in all.iter_mut().enumerate().take(scene.nodes) {
                *all = (1 << tables.flags(get(self.word(number), node)).under_way) - 1;
            }
            let is_wake = |edge: &ComponentStep| tables.event(edge.event()).received == WAKES;
            (all, self.steps(number).iter().any(is_wake))
        };
        let mut by_woken = BTreeMap::new();
        let end = |number, front: &[TimedWay<N>]| {
            let greatest = by_woken.entry(self.woken(number, scene.nodes, tables)).or_default();
            let units = front.iter().map(|way| u64::from(way.units)).max();
            *greatest = units.unwrap_or(0).max(*greatest);
            ControlFlow::Continue(())
        };
        let after = |here: &_, way: &TimedWay<N>, edge| Some(way.after(here, edge, scene, tables));
        self.follow(&swept.order, (first, room), at, after, end)?.is_continue().then_some(by_woken)
    }
}
