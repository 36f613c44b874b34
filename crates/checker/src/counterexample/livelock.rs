//! The shortest livelock: an execution that returns to a configuration.

use crate::{
    counterexample::execution::Execution,
    exploration::{Counterexample, explorer::Explorer, state_graph::StateGraph},
    model::{Model, Step},
};
use petgraph::{algo::kosaraju_scc, graph::DiGraph};
use suffrage_algorithms::{Property, Violation};

/// The number of steps examined after which the search settles for the best loop found so far.
const ENOUGH: u64 = 1 << 30;

const NOWHERE: u32 = u32::MAX;

impl Explorer {
    /// Returns a livelock with the fewest steps, on the path to the loop and once around it, if
    /// there is one.
    pub(crate) fn livelock(&mut self, model: &Model<'_>) -> Option<Counterexample> {
        let Lasso { way, around, shortest } = lasso(&self.graph)?;
        let (before, length) = (way.len() - 1, around.len() - 1);
        let steps = [steps(&self.graph, &way), steps(&self.graph, &around)].concat();
        let detail = format!(
            "livelock: after {before} steps the election can go around for ever, {length} steps a \
             time"
        );
        let broken = Violation { property: Property::Termination, detail };
        let execution = Execution::new(model, &mut self.automaton, &steps);
        let execution = Execution { loop_start: Some(before), ..execution };
        Some(Counterexample { broken, execution, shortest })
    }
}

/// A path to a loop, and the loop, as configurations; both include their first and last one.
struct Lasso {
    way: Vec<u32>,
    around: Vec<u32>,
    /// Whether no other lasso has fewer steps.
    shortest: bool,
}

fn lasso(graph: &StateGraph) -> Option<Lasso> {
    let distances = Distances::new(graph);
    let loops = loops(graph);
    let (mut best, mut looks, mut shortest) = (None, 0, true);
    let mut walk = Walk { graph, loops: &loops, met: vec![NOWHERE; graph.len()] };
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
        if loops[start as usize] != NOWHERE
            && let Some(around) = walk.around(start, fewest - way, &mut looks)
        {
            fewest = way + around.len() - 1;
            best = Some((start, around));
        }
    }
    let (start, around) = best?;
    Some(Lasso { way: distances.way(start), around, shortest })
}

/// Returns for each configuration the number of its strongly connected component, or [`NOWHERE`] if
/// it is on no cycle.
fn loops(graph: &StateGraph) -> Vec<u32> {
    let edges = (0..graph.len() as u32)
        .flat_map(|from| graph.steps(from).iter().map(move |edge| (from, edge.to)));
    let mut loops = vec![NOWHERE; graph.len()];
    for (number, component) in (0..).zip(kosaraju_scc(&DiGraph::<(), ()>::from_edges(edges))) {
        let alone = component.len() == 1;
        for node in component {
            let node = node.index() as u32;
            if !alone || graph.steps(node).iter().any(|edge| edge.to == node) {
                loops[node as usize] = number;
            }
        }
    }
    loops
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
struct Walk<'a> {
    graph: &'a StateGraph,
    loops: &'a [u32],
    /// The start from which each configuration was last reached.
    met: Vec<u32>,
}

impl Walk<'_> {
    /// Returns a shortest loop through a configuration, if it has fewer steps than `below`. Takes
    /// time linear in the size of its strongly connected component.
    fn around(&mut self, start: u32, below: usize, looks: &mut u64) -> Option<Vec<u32>> {
        // Each with its place of origin and the number of steps.
        let mut queue = vec![(start, 0, 0)];
        let mut next = 0;
        while let Some(&(here, _, steps)) = queue.get(next)
            && steps + 1 < below
        {
            for edge in self.graph.steps(here) {
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
                if self.loops[to] == self.loops[start as usize] && self.met[to] != start {
                    self.met[to] = start;
                    queue.push((edge.to, next, steps + 1));
                }
            }
            next += 1;
        }
        None
    }
}

/// Returns the steps from each of these configurations to the next.
fn steps(graph: &StateGraph, way: &[u32]) -> Vec<Step> {
    let step = |two: &[u32]| graph.steps(two[0]).iter().find(|edge| edge.to == two[1]);
    way.windows(2).filter_map(step).map(|edge| edge.step).collect()
}
