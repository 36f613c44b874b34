//! Reports of experiments, as text and as JSON.

mod result;
mod text;

pub use result::Report;
pub(crate) use text::seeds;
pub use text::{counted, number, percent};
