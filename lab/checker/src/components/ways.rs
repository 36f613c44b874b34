//! The ways to configurations, as far as it matters how one was reached.

use crate::components::graph::{ComponentGraph, ComponentStep};
use std::ops::ControlFlow;

/// A way to a configuration.
pub(crate) trait KeptWay: Copy {
    /// Returns whether this way can replace the other one to the same configuration: whatever follows, it ends as well.
    fn is_as_good(&self, other: &Self) -> bool;
}

/// The place of no ways.
const NOWHERE: u32 = u32::MAX;

/// The greatest number of ways that are kept at the same time.
const MOST_WAYS: usize = 1 << 22;

impl<const L: usize> ComponentGraph<L> {
    /// Follows all ways from the first one on, in an order in which each configuration comes before those to which its
    /// steps lead. Of the ways to a configuration, drops those that another one can replace. Shows the ways to each end to
    /// `end`, which may stop this. `after` returns the way after a step, if it is wanted, and is given what `at` says
    /// of the configuration before. Returns `None` if there is no room for the ways.
    pub(crate) fn follow<W: KeptWay, T>(
        &self,
        order: &[u32],
        (first, room): (W, usize),
        at: impl Fn(u32) -> T,
        after: impl Fn(&T, &W, ComponentStep) -> Option<W>,
        mut end: impl FnMut(u32, &[W]) -> ControlFlow<()>,
    ) -> Option<ControlFlow<()>> {
        let (mut fronts, mut free) = (vec![vec![first]], Vec::new());
        let mut places = vec![NOWHERE; self.len()];
        places[0] = 0;
        let mut held = 1;
        for &number in order {
            let place = places[number as usize];
            if place == NOWHERE {
                continue;
            }
            let mut front = std::mem::take(&mut fronts[place as usize]);
            held -= front.len();
            if self.is_end(number) && end(number, &front).is_break() {
                return Some(ControlFlow::Break(()));
            }
            let here = at(number);
            for &edge in self.steps(number) {
                for then in front.iter().filter_map(|way| after(&here, way, edge)) {
                    let place = &mut places[edge.to as usize];
                    if *place == NOWHERE {
                        *place = free.pop().unwrap_or(fronts.len() as u32);
                        if *place as usize == fronts.len() {
                            fronts.push(Vec::new());
                        }
                    }
                    let to = &mut fronts[*place as usize];
                    held -= to.len();
                    add(to, then);
                    held += to.len();
                }
            }
            if held > room.min(MOST_WAYS) {
                return None;
            }
            front.clear();
            fronts[place as usize] = front;
            free.push(place);
        }
        Some(ControlFlow::Continue(()))
    }
}

/// Adds a way, unless another one is as good, and removes those that are not better.
fn add<W: KeptWay>(front: &mut Vec<W>, way: W) {
    if !front.iter().any(|other| other.is_as_good(&way)) {
        front.retain(|other| !way.is_as_good(other));
        front.push(way);
    }
}
