//! Views of reports for people.

pub(crate) mod agents;
pub(crate) mod beside;
pub(crate) mod checked;
pub(crate) mod comparison;
pub(crate) mod election;
pub(crate) mod member;
pub(crate) mod sampled;
mod stages;
pub(crate) mod trials;
