//! Algorithms for rings.

mod chang_roberts;

pub use chang_roberts::{ChangRoberts, Token as ChangRobertsToken};
