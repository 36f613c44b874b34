//! The cost of an election over all schedules: the least and the greatest number of messages and
//! causal depth, and the greatest time.

pub(crate) mod cost_to_go;
pub(crate) mod depth;
pub(crate) mod time;

use crate::model::{Model, automaton::Automaton, configuration::Configuration};
use suffrage_algorithms::Parameters;
use suffrage_process::Process;

/// The quantities on which the bounds depend at an end.
pub(crate) fn parameters<P: Process>(
    model: &Model<'_>,
    here: &Configuration,
    automaton: &Automaton<P>,
) -> Parameters {
    let wiring = &model.instance.wiring;
    let views = here.locals.iter().map(|&local| automaton.view(local));
    Parameters::new(
        wiring.nodes().into(),
        wiring.links(),
        views.filter(|view| view.woke).count() as u64,
    )
}
