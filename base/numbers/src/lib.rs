#![doc = include_str!("../README.md")]

mod count;
mod fields;
pub mod random;
pub mod statistics;

pub use count::{CountError, counted, grouped, parse_count, short};
pub use fields::{DistinctKeys, in_words};
