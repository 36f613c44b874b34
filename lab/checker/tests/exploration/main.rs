//! The checker against itself, against a naive explorer, and against what is known.

mod alike;
mod chance;
mod common;
mod exact;
mod families;
mod family;
mod homonyms;
mod invariants;
mod lots;
mod models;
mod monte_carlo;
mod oracle;
mod own;
mod reduction;
mod refusals;
mod rounds;
mod sample;
mod sets;
mod shortest;
mod time;
mod worst_search;
