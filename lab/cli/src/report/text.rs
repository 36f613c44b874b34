//! Views of reports for people.

pub(crate) mod comparison;
pub(crate) mod election;
mod stages;
pub(crate) mod trials;
