//! The experiments of R. Chaturvedi, P. Dymond, M. Jenkin, "Efficient leader election among
//! numbered agents", again: their figure, their rates of success and their theorems.

mod figure;
mod theorems;

#[cfg(feature = "figures")]
pub use figure::DrawError;
pub use figure::{FigureOne, Fit, Period, Point, RuleRates};
pub use theorems::{Comparison, Theorems};

/// The paper's margin.
const MARGIN: u32 = 4;
