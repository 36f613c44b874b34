//! The extremes of the messages of each kind and of the causal depth, in one sweep over the steps.
//!
//! The sweep goes forward, from the initial configuration on. Of each configuration it keeps the least and
//! the greatest of every number over all paths to it, until the steps from there have been swept. A step
//! adds its messages to their numbers. It maps depths to depths by adding one and taking maxima, so the
//! greatest depth of each process and of each message under way follows from the greatest ones before. This
//! does not hold of the least: one path seldom has the least of every component, so these are only a lower
//! bound (`depth.rs` finds the least depth itself).

use crate::{
    cost::{
        SUMS,
        depth_step::{DepthStep, SmallNumber},
        sums,
        token_move::TokenMove,
    },
    explorer::ScheduleExplorer,
    model::{Transition, TransitionSystem, automaton::Automaton, configuration::NEW},
    outcome::{ExactCosts, Extremes},
    state_graph::Successor,
};
use std::collections::BTreeMap;

/// The extremes over all runs to some ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunExtremes {
    /// The number of all messages, of those of each [`Phase`], and of those of each kind.
    pub messages: Vec<Extremes>,
    pub greatest_depth: u64,
    /// The depth of the deepest message that has reached a process that had halted.
    pub latest: u64,
    /// A lower bound on the least depth.
    pub least_depth: u64,
}

impl RunExtremes {
    /// Returns the extremes over all these runs together; `None` if there are none.
    pub(crate) fn of_all(parts: &BTreeMap<u128, Self>) -> Option<Self> {
        parts.values().cloned().reduce(|mut all, part| {
            all.join(&part);
            all
        })
    }

    pub(crate) fn join(&mut self, other: &Self) {
        let both = self.messages.iter_mut().zip(&other.messages);
        both.for_each(|(known, &new)| *known = known.and(new));
        self.greatest_depth = self.greatest_depth.max(other.greatest_depth);
        self.latest = self.latest.max(other.latest);
        self.least_depth = self.least_depth.min(other.least_depth);
    }

    /// Returns an upper bound on the greatest time, if no alarms ring.
    ///
    /// A message that is under way as round *j* begins, after the last wake-up, is at least *j* deep: it was
    /// sent in the round before, in reaction to a message that was under way as that began, or by a chain of
    /// such reactions. It reaches a process that becomes as deep, or one that has halted.
    pub(crate) fn time_at_most(&self) -> u64 {
        self.greatest_depth.max(self.latest)
    }

    pub(crate) fn most_messages(&self) -> u64 {
        self.messages[0].max
    }

    /// Returns them as costs, with the least depth and the greatest time, which are found elsewhere.
    pub(crate) fn costs(
        &self,
        automaton: &Automaton,
        least_depth: Option<u64>,
        greatest_time: Option<u64>,
    ) -> ExactCosts {
        ExactCosts {
            messages: self.messages[0],
            by_phase: [self.messages[1], self.messages[2]],
            by_kind: automaton.kinds().iter().zip(self.messages[SUMS..].iter().copied()).collect(),
            greatest_depth: self.greatest_depth,
            least_depth,
            greatest_time,
        }
    }
}

impl ScheduleExplorer {
    /// Finds the extremes of a finished exploration without cycles, by the set of the processes that have
    /// woken by themselves. In `order`, successors come first. Takes time linear in the number of steps.
    pub(crate) fn extremes(
        &mut self,
        model: &TransitionSystem<'_>,
        order: &[u32],
    ) -> BTreeMap<u128, RunExtremes> {
        let narrow = self.sweep::<u8>(model, order);
        let Some(found) = narrow.or_else(|| self.sweep::<u32>(model, order)) else {
            unreachable!("a configuration is reached within 2^32 messages")
        };
        found
    }

    /// Sweeps with numbers of this type; `None` if one of them has no room.
    fn sweep<N: SmallNumber>(
        &mut self,
        model: &TransitionSystem<'_>,
        order: &[u32],
    ) -> Option<BTreeMap<u128, RunExtremes>> {
        let Self { automaton, graph, choices, here, .. } = self;
        let moves = TokenMove::all(graph);
        let most = moves.iter().map(|step| step.tags.len()).max().unwrap_or(0);
        let mut records = Records::<N>::new(model.nodes(), most, automaton);
        let mut places = vec![NOWHERE; graph.len()];
        places[0] = records.add();
        records.all.fill(N::default());
        let mut found: BTreeMap<u128, RunExtremes> = BTreeMap::new();
        for &number in order.iter().rev() {
            records.take(places[number as usize]);
            let edges = graph.steps(number);
            if graph.is_end(number) {
                here.read(graph.get(number));
                let end = records.extremes();
                let known = found.entry(model.woken(here, automaton));
                known.and_modify(|known| known.join(&end)).or_insert(end);
            }
            for edge in edges {
                let step = DepthStep::new(edge, &moves, automaton, choices[number as usize]);
                let to = &mut places[edge.to as usize];
                if *to == NOWHERE {
                    *to = records.add();
                }
                records.pass(edge, &step, *to)?;
            }
        }
        Some(found)
    }
}

const NOWHERE: u32 = u32::MAX;

/// The records of the configurations whose steps have not been swept. Each has a greatest half and a least
/// half: the depths of the processes, then those of the messages under way, then the numbers of messages, then
/// the depth of the deepest message that has reached a process that had halted.
struct Records<'a, N> {
    automaton: &'a Automaton,
    nodes: usize,
    /// The length of the depths.
    depths: usize,
    half: usize,
    all: Vec<N>,
    /// The places of `all` that are not in use.
    free: Vec<u32>,
    /// The record of the configuration whose steps are swept, and the same after a step.
    here: Vec<N>,
    after: Vec<N>,
}

impl<'a, N: SmallNumber> Records<'a, N> {
    fn new(nodes: usize, most_under_way: usize, automaton: &'a Automaton) -> Self {
        let depths = nodes + most_under_way;
        let half = depths + SUMS + automaton.kinds().len() + 1;
        let (here, after) = (vec![N::default(); 2 * half], vec![N::default(); 2 * half]);
        Self { automaton, nodes, depths, half, all: Vec::new(), free: Vec::new(), here, after }
    }

    /// Adds a record of no path. Returns its place.
    fn add(&mut self) -> u32 {
        let length = 2 * self.half;
        let place = self.free.pop().unwrap_or_else(|| {
            let place = self.all.len() / length;
            self.all.resize(self.all.len() + length, N::default());
            place as u32
        });
        let (greatest, least) =
            self.all[place as usize * length..][..length].split_at_mut(self.half);
        greatest.fill(N::default());
        least.fill(N::MAX);
        place
    }

    /// Removes a record, and uses it for the configuration whose steps are swept.
    fn take(&mut self, place: u32) {
        let length = 2 * self.half;
        self.here.copy_from_slice(&self.all[place as usize * length..][..length]);
        self.free.push(place);
    }

    /// Passes the paths to a configuration on along a step, to the record at `to`; `None` if a number has no
    /// room.
    fn pass(&mut self, edge: &Successor, step: &DepthStep<'_>, to: u32) -> Option<()> {
        let Self { automaton, nodes, depths, half, all, here, after, .. } = self;
        after.copy_from_slice(here);
        let halves = here.chunks_exact(*half).zip(after.chunks_exact_mut(*half));
        for (least, (here, after)) in [false, true].into_iter().zip(halves) {
            let depth = step.depth(here, least, *nodes);
            after[step.node] = depth;
            if let Some(tag) = step.late {
                after[*half - 1] = after[*half - 1].max(here[*nodes + tag as usize]);
            }
            for (after, &tag) in after[*nodes..*depths].iter_mut().zip(step.tags) {
                *after = match tag {
                    NEW => depth.next()?,
                    old => here[*nodes + old as usize],
                };
            }
            let Transition::React(_, effect) = edge.step else { continue };
            for &(_, msg) in automaton.sends(automaton.effect(effect)) {
                let kind = automaton.kind(msg);
                let sums = sums(automaton.kinds()[kind].phase);
                for number in sums.iter().copied().chain([SUMS + kind]) {
                    let sent = &mut after[*depths + number];
                    *sent = sent.next()?;
                }
            }
        }
        let record = &mut all[to as usize * 2 * *half..][..2 * *half];
        let (greatest, least) = record.split_at_mut(*half);
        greatest.iter_mut().zip(&*after).for_each(|(known, &new)| *known = new.max(*known));
        least.iter_mut().zip(&after[*half..]).for_each(|(known, &new)| *known = new.min(*known));
        Some(())
    }

    /// Returns the extremes of the configuration whose steps are swept, as an end.
    fn extremes(&self) -> RunExtremes {
        let (greatest, least) = self.here.split_at(self.half);
        let last = self.half - 1;
        let both = least[self.depths..last].iter().zip(&greatest[self.depths..last]);
        let deepest =
            |half: &[N]| half[..self.nodes].iter().copied().max().unwrap_or_default().into();
        RunExtremes {
            messages: both
                .map(|(&min, &max)| Extremes { min: min.into(), max: max.into() })
                .collect(),
            greatest_depth: deepest(greatest),
            latest: greatest[last].into(),
            least_depth: deepest(least),
        }
    }
}
