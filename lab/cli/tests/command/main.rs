//! Tests of the command as users and programs run it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod agents;
mod algorithms;
mod book;
mod certificates;
mod check;
mod ci;
mod cluster;
mod common;
mod compare;
mod documents;
mod draw;
mod elect;
mod examples;
mod files;
mod grade;
mod help;
mod interrupt;
mod memory;
mod node;
mod numbers;
mod output;
mod plot;
mod population;
mod provenance;
mod replay;
mod reproduce;
mod run;
mod shells;
mod specifications;
mod statistics;
mod tenure;
mod terminal;
mod transcripts;
mod watch;
