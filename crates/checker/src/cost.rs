//! The cost of an election over all schedules: the least and the greatest number of messages and
//! causal depth, and the greatest time.

pub(crate) mod cost_to_go;
pub(crate) mod depth;
pub(crate) mod ticks;
pub(crate) mod time;

use crate::model::{Model, automaton::Automaton, configuration::Configuration};
use suffrage_algorithms::Parameters;

/// Returns the quantities on which the bounds depend, at a terminal configuration.
pub(crate) fn parameters(
    model: &Model<'_>,
    here: &Configuration,
    automaton: &Automaton,
) -> Parameters {
    let wiring = &model.instance.wiring;
    let views = here.locals.iter().map(|&local| automaton.view(local));
    Parameters::new(
        wiring.nodes().into(),
        wiring.links(),
        views.filter(|view| view.woke).count() as u64,
    )
    .with_ids(model.instance.ids.iter().copied())
}
