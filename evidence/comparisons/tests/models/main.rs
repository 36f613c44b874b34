//! Other checkers judge the models that the checker exports.
//!
//! Every algorithm is exported at small sizes, with its published forms, and in every setting: where all start at once,
//! under faults, with bounded links, and in rounds. All of them (`PART=1/1`) take half an hour: with `PART=2/12` every
//! twelfth one is judged, from the second on, and with `PART=humblet` those of one algorithm. A checker that is not
//! installed is skipped, with a message.

mod elections;
#[allow(unreachable_pub)]
#[path = "../../../mutants/src/part.rs"]
mod part;
mod spin;
mod storm;
mod tlc;
