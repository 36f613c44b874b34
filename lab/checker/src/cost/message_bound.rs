//! The shortest execution that violates a message bound.

use crate::{
    cost::{CostToGo, of, sent},
    execution::Execution,
    explorer::ScheduleExplorer,
    model::{Transition, TransitionSystem, leaders},
    outcome::Counterexample,
    search::Search,
    state_graph::{StateGraph, Successor, steps_to},
};
use hashbrown::HashSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use suffrage_algorithms::{Bound, Claims, Violation};
use suffrage_model::Phase;

/// The bound on the messages of one phase.
struct PhaseLimit {
    /// The number of messages that each effect sends.
    cost: Vec<u32>,
    /// The least and the greatest excess over the bound at the terminal configurations ahead,
    /// counting the messages sent from each configuration on. A terminal configuration without a
    /// leader exceeds any least number: the violation there is the missing leader.
    excess: CostToGo,
    /// The same at each of them, of messages that were sent before.
    ends: FxHashMap<u32, (i64, i64)>,
}

impl PhaseLimit {
    /// Returns whether the bound is violated at some terminal configuration ahead, if this number
    /// of messages was sent before.
    fn is_missed(&self, number: u32, sent: u32) -> bool {
        is_missed(self.excess.of(number), sent)
    }

    /// Returns whether the bound is violated by an election that ends in this configuration.
    fn is_missed_at(&self, number: u32, sent: u32) -> bool {
        self.ends.get(&number).is_some_and(|&excess| is_missed(excess, sent))
    }
}

fn is_missed((least, most): (i64, i64), sent: u32) -> bool {
    i64::from(sent) + most > 0 || i64::from(sent) + least < 0
}

/// A configuration, with the number of messages sent on the path to it.
struct CountedPath {
    number: u32,
    sent: u32,
    /// The previous place.
    from: u32,
}

/// The number of places that are visited between two heartbeats.
const HEARTBEAT: usize = 1 << 13;

impl ScheduleExplorer {
    /// Returns a shortest execution to a terminal configuration with more messages than is claimed,
    /// or fewer than a lower bound. Equivalent executions have the same steps, so the reduced
    /// graph contains a shortest one. `acyclic` says whether successors come first in `order`. Where nothing is
    /// drawn, a bound that is a statement about chance applies to every single execution.
    pub(crate) fn beyond(
        &mut self,
        claims: &Claims,
        order: &[u32],
        acyclic: bool,
        search: &mut Search<'_>,
    ) -> Option<Counterexample> {
        let (model, draws) = (search.model, self.draws());
        let mut missed = Vec::new();
        for (bound, phase, what) in [
            (&claims.election, Phase::Election, "election"),
            (&claims.announcement, Phase::Announcement, "announcement"),
        ] {
            if draws && !bound.is_sure() {
                continue;
            }
            let limit = self.limit(model, claims, (bound, phase), order, acyclic);
            if limit.is_missed(0, 0) {
                let shortest = shortest(&self.graph, &limit, search);
                let worst = || {
                    let most = limit.excess.max() > 0;
                    match acyclic {
                        true => limit.excess.path(&self.graph, &limit.cost, most),
                        false => Vec::new(), // A path of the greatest cost may never end.
                    }
                };
                let known = shortest.is_some();
                missed.push((shortest.unwrap_or_else(worst), known, limit, bound, what));
            }
        }
        let shortest = missed.iter().all(|&(_, known, ..)| known);
        let (path, _, limit, bound, what) = missed.into_iter().min_by_key(|way| way.0.len())?;
        let (mut end, mut sent) = (0, 0);
        for &step in &path {
            let edge = self.graph.steps(end).iter().find(|edge| edge.step == step)?;
            (end, sent) = (edge.to, sent + of(edge, &limit.cost));
        }
        self.here.read(self.graph.get(end));
        let woken = model.woken(&self.here, &self.automaton);
        let parameters = model.parameters(claims, woken);
        let violation = Violation::bound(bound, what, sent.into(), &parameters);
        let execution = Execution::new(model, &mut self.automaton, &path);
        Some(Counterexample { violation, execution, shortest })
    }

    fn limit(
        &mut self,
        model: &TransitionSystem<'_>,
        claims: &Claims,
        (bound, phase): (&Bound, Phase),
        order: &[u32],
        acyclic: bool,
    ) -> PhaseLimit {
        let Self { graph, automaton, here, .. } = self;
        let kinds = automaton.kinds();
        let cost = sent(automaton, |kind| kinds[kind].phase == phase);
        let mut ends = FxHashMap::default();
        let at_the_end = |number| {
            here.read(graph.get(number));
            let parameters = model.parameters(claims, model.woken(here, automaton));
            let [least, most] = [bound.least(&parameters), bound.at(&parameters)]
                .map(|number| i64::try_from(number).unwrap_or(i64::MAX >> 2));
            let complete = leaders(here, automaton).count() == 1;
            let excess = (if complete { -least } else { i64::MAX >> 2 }, -most);
            ends.insert(number, excess);
            excess
        };
        let excess = match acyclic {
            true => CostToGo::new(graph, order, &cost, at_the_end),
            false => CostToGo::on_cycles(graph, order, &cost, at_the_end),
        };
        PhaseLimit { cost, excess, ends }
    }
}

/// Finds the fewest steps to a terminal configuration at which the bound is violated, by
/// breadth-first search over pairs of a configuration and a number of messages. Returns `None` if
/// that takes too much memory, or is stopped.
fn shortest(
    graph: &StateGraph,
    limit: &PhaseLimit,
    search: &mut Search<'_>,
) -> Option<Vec<Transition>> {
    let mut places = vec![CountedPath { number: 0, sent: 0, from: 0 }];
    let mut known = HashSet::with_hasher(FxBuildHasher);
    known.insert((0, 0));
    let mut next = 0;
    while let Some(&CountedPath { number, sent, .. }) = places.get(next) {
        if next % HEARTBEAT == 0 {
            let memory = places.capacity() * size_of::<CountedPath>() + known.allocation_size();
            if graph.memory() + memory as u64 > search.memory
                || (search.heartbeat)(graph.len() as u64).is_break()
            {
                return None;
            }
        }
        let edges = graph.steps(number);
        if limit.is_missed_at(number, sent) {
            let before = |place: usize| {
                let CountedPath { number, sent, from } = places[place];
                let (from, place) = (&places[from as usize], from as usize);
                let leads = |edge: &&Successor| {
                    edge.to == number && from.sent + of(edge, &limit.cost) == sent
                };
                Some((graph.steps(from.number).iter().find(leads)?.step, place))
            };
            return Some(steps_to(next, |place| (place > 0).then(|| before(place))?));
        }
        for edge in edges {
            let (number, sent) = (edge.to, sent + of(edge, &limit.cost));
            if limit.is_missed(number, sent) && known.insert((number, sent)) {
                places.push(CountedPath { number, sent, from: next as u32 });
            }
        }
        next += 1;
    }
    None
}
