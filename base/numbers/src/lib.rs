#![doc = include_str!("../README.md")]

mod count;
pub mod random;

pub use count::{CountError, parse_count};
