//! The shortest livelock: an execution that returns to a configuration.

use crate::{
    chance::end_components::{DecisionProcess, EndComponents, NOWHERE},
    execution::Execution,
    explorer::ScheduleExplorer,
    model::{Transition, TransitionSystem},
    outcome::Counterexample,
    specification::Cycles,
    state_graph::StateGraph,
};
use suffrage_algorithms::{Property, Violation};

/// The number of steps examined after which the search settles for the best loop found so far.
const ENOUGH: u64 = 1 << 30;

impl ScheduleExplorer {
    /// Returns a livelock of this kind with the fewest steps, on the path to the loop and once around
    /// it, if there is one.
    pub(crate) fn livelock(
        &mut self,
        model: &TransitionSystem<'_>,
        of: Cycles,
    ) -> Option<Counterexample> {
        let process = DecisionProcess::new(&self.graph, &self.automaton, model.instance.wake);
        let loops = EndComponents::new(&process, &self.automaton, of);
        let Lasso { way, around, shortest } = lasso(&process, &loops)?;
        let [way, around] = [steps(&self.graph, &way), steps(&self.graph, &around)];
        // An execution has no ticks among its actions.
        let actions =
            |steps: &[Transition]| steps.iter().filter(|&&step| step != Transition::Tick).count();
        let (before, length) = (actions(&way), actions(&around));
        let steps = [way, around].concat();
        let detail = format!(
            "livelock: after {before} steps the election can go around forever, {length} steps a \
             time"
        );
        let violation = Violation { property: Property::Termination, detail };
        let execution = Execution::new(model, &mut self.automaton, &steps);
        let execution = Execution { loop_start: Some(before), ..execution };
        Some(Counterexample { violation, execution, shortest })
    }
}

/// A path to a loop, and the loop, as configurations; both include their first and last one.
struct Lasso {
    way: Vec<u32>,
    around: Vec<u32>,
    /// Whether no other lasso has fewer steps.
    shortest: bool,
}

fn lasso(process: &DecisionProcess<'_>, loops: &EndComponents) -> Option<Lasso> {
    if loops.is_empty() {
        return None;
    }
    let distances = Distances::new(process.graph);
    let (mut best, mut looks, mut shortest) = (None, 0, true);
    let mut walk = LoopSearch { process, loops, met: vec![NOWHERE; process.graph.len()] };
    let mut fewest = usize::MAX;
    for &start in &distances.order {
        // A loop has at least one step.
        let way = distances.steps[start as usize] as usize;
        if way + 1 >= fewest {
            break;
        }
        if best.is_some() && looks > ENOUGH {
            shortest = false;
            break;
        }
        if loops.of[start as usize] != NOWHERE
            && let Some(around) = walk.around(start, fewest - way, &mut looks)
        {
            fewest = way + around.len() - 1;
            best = Some((start, around));
        }
    }
    let (start, around) = best?;
    Some(Lasso { way: distances.way(start), around, shortest })
}

/// The distance of each configuration from the initial one.
struct Distances {
    /// The reachable configurations in breadth-first order.
    order: Vec<u32>,
    steps: Vec<u32>,
    before: Vec<u32>,
}

impl Distances {
    fn new(graph: &StateGraph) -> Self {
        let mut order = vec![0];
        let mut steps = vec![NOWHERE; graph.len()];
        let mut before = vec![NOWHERE; graph.len()];
        steps[0] = 0;
        let mut next = 0;
        while let Some(&here) = order.get(next) {
            for edge in graph.steps(here) {
                let to = edge.to as usize;
                if steps[to] == NOWHERE {
                    (steps[to], before[to]) = (steps[here as usize] + 1, here);
                    order.push(edge.to);
                }
            }
            next += 1;
        }
        Self { order, steps, before }
    }

    fn way(&self, to: u32) -> Vec<u32> {
        let before = |&number: &u32| Some(self.before[number as usize]).filter(|&b| b != NOWHERE);
        let mut way: Vec<u32> = std::iter::successors(Some(to), before).collect();
        way.reverse();
        way
    }
}

/// A search for loops from one configuration after another.
struct LoopSearch<'a> {
    process: &'a DecisionProcess<'a>,
    loops: &'a EndComponents,
    /// The start from which each configuration was last reached.
    met: Vec<u32>,
}

impl LoopSearch<'_> {
    /// Returns a shortest loop through a configuration, if it has fewer steps than `below`. Takes
    /// time linear in the size of its component.
    fn around(&mut self, start: u32, below: usize, looks: &mut u64) -> Option<Vec<u32>> {
        // Each with its place of origin and the number of steps.
        let mut queue = vec![(start, 0, 0)];
        let mut next = 0;
        while let Some(&(here, _, steps)) = queue.get(next)
            && steps + 1 < below
        {
            for edge in self.loops.within(self.process, here) {
                *looks += 1;
                if edge.to == start {
                    let back = |&place: &usize| (place > 0).then(|| queue[place].1);
                    let places = std::iter::successors(Some(next), back);
                    let mut around: Vec<u32> = places.map(|place| queue[place].0).collect();
                    around.reverse();
                    around.push(start);
                    return Some(around);
                }
                let to = edge.to as usize;
                if self.met[to] != start {
                    self.met[to] = start;
                    queue.push((edge.to, next, steps + 1));
                }
            }
            next += 1;
        }
        None
    }
}

fn steps(graph: &StateGraph, way: &[u32]) -> Vec<Transition> {
    let step = |two: &[u32]| graph.steps(two[0]).iter().find(|edge| edge.to == two[1]);
    way.windows(2).filter_map(step).map(|edge| edge.step).collect()
}
