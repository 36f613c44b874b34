//! Whether the deliveries that were explored alone were rightly explored alone.
//!
//! That a message is ignored whenever it may arrive, or that it makes no difference when a process
//! counts it, depends on what may still come. It is assumed when a configuration is explored, and
//! looked up afterwards in what was explored: DESIGN.md proves that this is enough.

use crate::{
    automaton::{Automaton, Cause},
    burst::Bursts,
    configuration::Configuration,
    growth::Growth,
    ignored::Ignored,
    model::{Event, Model},
    order::successors_first,
    reduction::Choice,
    space::Space,
};
use suffrage_process::Process;

/// The configurations from which a delivery was explored alone and should not have been; `None` if
/// the question cannot be answered because some configuration leads back to itself.
///
/// One pass over all steps, from the last configurations to the first.
pub(crate) fn mistaken<P: Process>(
    model: &Model<'_>,
    space: &Space,
    choices: &[Choice],
    bursts: &mut Bursts,
    automaton: &mut Automaton<P>,
    here: &mut Configuration,
) -> Option<Vec<u32>> {
    let absorbs = choices.iter().any(|choice| matches!(choice, Choice::Absorb(_)));
    let ignores = choices.iter().any(|choice| matches!(choice, Choice::Ignore(_)));
    if !absorbs && !ignores {
        return Some(Vec::new());
    }
    let order = successors_first(space)?;
    let mut growth = absorbs.then(|| Growth::new(space, model, automaton));
    let mut ignored = ignores.then(|| Ignored::new(space, choices, automaton, model.nodes()));
    let mut mistaken = Vec::new();
    for number in order {
        here.read(space.get(number));
        let (choice, edges) = (choices[number as usize], space.steps(number));
        let mut before = None;
        if let Some(growth) = &mut growth {
            growth.look(number, edges, choice, here, model, automaton);
            if let Choice::Absorb(Event::React(node, cause @ Cause::Deliver(port, _))) = choice {
                let inbox = model.inbox(node, port, here, growth.of(number, node, model));
                let local = here.locals[usize::from(node)];
                match bursts.before(automaton, local, cause, inbox) {
                    Some(states) => before = Some((node, states)),
                    None => mistaken.push(number),
                }
            }
        }
        if let Some(ignored) = &mut ignored
            && !ignored.look(number, edges, choice, before, here, automaton)
        {
            mistaken.push(number);
        }
    }
    Some(mistaken)
}
