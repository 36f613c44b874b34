//! The library under one name: what its parts do together.

mod agents;
mod own_property;
mod readme;
mod verdicts;
