//! The command, as people and programs meet it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod algorithms;
mod check;
mod cluster;
mod common;
mod compare;
mod elect;
mod files;
mod interrupt;
mod node;
mod population;
mod refusals;
mod replay;
mod reproduce;
mod run;
mod service;
mod tenure;
