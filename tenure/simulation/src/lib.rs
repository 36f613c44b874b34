#![doc = include_str!("../README.md")]

mod effort;
pub mod exploration;
pub mod promises;
pub mod simulation;
