//! The postorder of a state graph.

use crate::exploration::state_graph::StateGraph;

/// Returns the reachable configurations, each after all of its successors; `None` if there is a
/// cycle.
///
/// Takes time linear in the number of steps.
pub(crate) fn postorder(graph: &StateGraph) -> Option<Vec<u32>> {
    search(graph, true)
}

/// Returns the reachable configurations in the order in which a search in depth leaves them: each
/// after those of its successors from which it cannot be reached.
///
/// Takes time linear in the number of steps.
pub(crate) fn reverse_topological(graph: &StateGraph) -> Vec<u32> {
    search(graph, false).unwrap_or_default()
}

fn search(graph: &StateGraph, acyclic: bool) -> Option<Vec<u32>> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut colours = vec![NEW; graph.len()];
    let mut order = Vec::with_capacity(graph.len());
    let mut path = vec![(0_u32, 0_usize)];
    colours[0] = OPEN;
    while let Some((here, next)) = path.last_mut() {
        let Some(edge) = graph.steps(*here).get(*next) else {
            colours[*here as usize] = DONE;
            order.push(*here);
            path.pop();
            continue;
        };
        *next += 1;
        match colours[edge.to as usize] {
            NEW => {
                colours[edge.to as usize] = OPEN;
                path.push((edge.to, 0));
            }
            OPEN if acyclic => return None,
            _ => {}
        }
    }
    Some(order)
}
