//! Elections on simulated networks.

mod accounting;
mod bounds;
mod common;
mod conformance;
mod expected;
mod extinction;
mod fast_path;
mod faults;
mod fifo;
mod golden;
mod homonyms;
mod hypercubes;
mod invariants;
mod monte_carlo;
mod processes;
mod random;
mod recurrence;
mod replay;
mod rings;
mod rounds;
mod steps;
mod timing;
mod zoo;
