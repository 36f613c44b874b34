#![doc = include_str!("../README.md")]

pub mod diagram;
pub mod network;
pub mod page;
pub mod play;
pub mod plot;
pub mod run;
mod svg;
