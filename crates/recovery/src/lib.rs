#![doc = include_str!("../README.md")]

pub mod exploration;
pub mod promises;
pub mod simulation;
