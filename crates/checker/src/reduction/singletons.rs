//! Whether the deliveries that were explored alone were rightly explored alone.
//!
//! That a message is ignored whenever it may arrive, or that it makes no difference when a process
//! counts it, depends on what may still come. It is assumed when a configuration is explored, and
//! looked up afterwards in what was explored: DESIGN.md proves that this is enough.

use crate::{
    exploration::{postorder::postorder, state_graph::StateGraph},
    model::{
        Event, Model,
        automaton::{Automaton, Input},
        configuration::Configuration,
    },
    reduction::{
        independence::Independence, may_receive::MayReceive, no_op::NoOps, persistent_set::Choice,
    },
};
use suffrage_process::Process;

/// The configurations from which a delivery was explored alone and should not have been; `None` if
/// the question cannot be answered because some configuration leads back to itself.
///
/// One pass over all steps, from the last configurations to the first.
pub(crate) fn unjustified<P: Process>(
    model: &Model<'_>,
    graph: &StateGraph,
    choices: &[Choice],
    independence: &mut Independence,
    automaton: &mut Automaton<P>,
    here: &mut Configuration,
) -> Option<Vec<u32>> {
    let absorbs = choices.iter().any(|choice| matches!(choice, Choice::Commuting(_)));
    let ignores = choices.iter().any(|choice| matches!(choice, Choice::NoOp(_)));
    if !absorbs && !ignores {
        return Some(Vec::new());
    }
    let order = postorder(graph)?;
    let mut may_receive = absorbs.then(|| MayReceive::new(graph, model, automaton));
    let mut ignored = ignores.then(|| NoOps::new(graph, choices, automaton, model.nodes()));
    let mut unjustified = Vec::new();
    for number in order {
        here.read(graph.get(number));
        let (choice, edges) = (choices[number as usize], graph.steps(number));
        let mut before = None;
        if let Some(may_receive) = &mut may_receive {
            may_receive.look(number, edges, choice, here, model, automaton);
            if let Choice::Commuting(Event::React(node, input @ Input::Deliver(port, _))) = choice {
                let inbox = model.inbox(node, port, here, may_receive.of(number, node, model));
                let local = here.locals[usize::from(node)];
                match independence.before(automaton, local, input, inbox) {
                    Some(states) => before = Some((node, states)),
                    None => unjustified.push(number),
                }
            }
        }
        if let Some(ignored) = &mut ignored
            && !ignored.look(number, edges, choice, before, here, automaton)
        {
            unjustified.push(number);
        }
    }
    Some(unjustified)
}
