//! Reproduces the experiments of R. Chaturvedi, P. Dymond, M. Jenkin, "Efficient leader election
//! among numbered agents": their figure, their rates of success and their theorems.

mod figure;
mod sweep;
mod theorems;

pub use figure::{FigureOne, FigurePoint, Fit, Period, RuleRates};
pub use sweep::{Parameter, Success, Sweep};
pub use theorems::{TheoremComparison, Theorems};

/// The paper's margin.
const MARGIN: u32 = 4;
