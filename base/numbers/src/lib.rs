#![doc = include_str!("../README.md")]

mod count;
pub mod random;
pub mod statistics;

pub use count::{CountError, counted, grouped, parse_count};
