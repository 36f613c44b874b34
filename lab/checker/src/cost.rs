//! The cost of an election over all schedules: the least and the greatest number of messages and
//! causal depth, and the greatest time.

pub(crate) mod cost_to_go;
pub(crate) mod depth;
pub(crate) mod ticks;
pub(crate) mod time;

use crate::model::{Model, automaton::Automaton, configuration::Configuration};
use suffrage_algorithms::{Claims, Parameters};

pub(crate) fn parameters(
    claims: &Claims,
    model: &Model<'_>,
    here: &Configuration,
    automaton: &Automaton,
) -> Parameters {
    let woke = here.locals.iter().map(|&local| automaton.view(local).woke);
    let initiators = woke.clone().filter(|&woke| woke).count() as u64;
    let winner = claims.rule.winner(model.instance.ids.iter().copied().zip(woke));
    Parameters { initiators, ..model.instance.parameters(claims) }
        .with_winner(winner.map(|winner| winner.id))
}
