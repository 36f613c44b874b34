//! Exact sampling from the distributions that replace many meetings by one draw.
//!
//! Exact means that the algorithms use no approximation, and that their floating-point error stays
//! near 10^-9 at 10^13 agents. Logarithms of factorials are never subtracted from each other, since
//! at 10^12 such a difference has an error of 4e-3. The logarithms of ratios are computed instead
//! ([`factorial_ratio`]).
//!
//! `ln` and `ln(1 + x)` come from the `libm` crate: those of the standard library call the
//! platform's and may differ in the last bit, hence in a whole run, from one machine to another.

mod binomial;
mod discrete;
mod hypergeometric;
mod run_length;
mod stirling;
#[cfg(test)]
pub(crate) mod testing;

pub use binomial::binomial;
pub use discrete::{geometric, negative_binomial, poisson};
pub use hypergeometric::hypergeometric;
pub use run_length::RunLength;
pub use stirling::{factorial_ratio, falling_share};
