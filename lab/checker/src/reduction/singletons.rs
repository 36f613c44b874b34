//! Validation of singleton sets.
//!
//! Whether a delivery is a no-op at any time, or commutes with every input that may precede it,
//! depends on what may still be sent. This is assumed when a configuration is expanded, and
//! validated here against the explored graph; `docs/why/design/checker.md` proves that this is enough.

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

/// Returns the configurations that were expanded by a singleton set that is not justified; `None`
/// if there is a cycle, so that this cannot be determined.
///
/// Takes one pass over all steps, in postorder.
pub(crate) fn unjustified(
    model: &Model<'_>,
    graph: &StateGraph,
    choices: &[Choice],
    independence: &mut Independence,
    automaton: &mut Automaton,
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
