//! The command, as people and programs meet it.

mod algorithms;
mod common;
mod compare;
mod elect;
mod files;
mod interrupt;
mod refusals;
mod replay;
