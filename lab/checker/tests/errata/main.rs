//! What the checker finds by itself in published descriptions that are taken at their word, and
//! that it finds nothing in the repaired forms: the evidence of `docs/why/errata.md`.
//!
//! The shortest courses are in `golden`, as text; `UPDATE_GOLDEN=1` rewrites them.

mod afek_gafni;
mod extinction;
mod forms;
mod links;
#[path = "../../../algorithms/tests/elections/printed/mod.rs"]
mod printed;
mod replay;
mod search;
mod side_by_side;
mod villadangos;
