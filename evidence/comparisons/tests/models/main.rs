//! Other checkers judge the models that the checker exports.
//!
//! Every algorithm is exported at small sizes, with its published forms, and in every setting: where all start at once,
//! under faults, with bounded links, and in rounds. A checker that is not installed is skipped, with a message.

mod elections;
mod spin;
mod storm;
mod tlc;
