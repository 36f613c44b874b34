//! Reports of experiments, as text and as JSON.

mod result;
mod text;

pub use result::PopulationReport;
pub use text::{counted, number, percent};
pub(crate) use text::{mean, seeds};
