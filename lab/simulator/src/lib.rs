//! A deterministic simulator for leader election, from 1 to 10^7 processes.
//!
//! A [`Simulator`] runs one election of an algorithm of the catalogue, or of one of your own, on a network with
//! numbered ports. An [`Experiment`] contains everything that determines the run: network, identities, initiators,
//! [`Schedule`] and faults. The [`Outcome`] gives the leader, the cost, and each [`Property`] that was broken: a run
//! that ends quietly without a leader is a failure, and is reported as one.
//!
//! The same experiment has the same outcome on every machine: time is counted in whole ticks, ties
//! are resolved by the order of sending, and all randomness is a function of the seed.
//!
//! ```
//! use suffrage_algorithms::Algorithm;
//! use suffrage_simulator::{Schedule, Simulator};
//! use suffrage_networks::{Ids, wiring::Wiring};
//!
//! let (ring, ids) = (Wiring::ring(1000), Ids::Random.assign(1000, 7));
//! let algorithm = Algorithm::named("chang-roberts").ok_or("no such algorithm")?;
//! let outcome =
//!     Simulator::new(algorithm, &ring, &ids).schedule(Schedule::Uniform(10)).seed(7).run()?;
//! assert!(outcome.agreed && outcome.violations.is_empty());
//! assert_eq!(outcome.leader.map(|leader| leader.id.get()), Some(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Implementation
//! A *medium* takes the messages that processes send and determines the next event. There are three. The fast ones do
//! not represent links: a message is an entry of a calendar queue, at an arrival tick that is chosen so that links are
//! FIFO, or in rounds an entry of a list of its receiver's range, which is sorted before it is read. The general one
//! keeps the queue of every link, and serves bounded links, links that are not FIFO, adversaries, replay and
//! invariants. A run is compiled for each algorithm; everything else is decided at run time. Undisturbed runs have a
//! fast path, which is also compiled for the network and the delays, with the same outcome.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct SimulatorReadme;

pub mod blocks;
mod calendar;
mod chunks;
mod competition;
mod delay;
mod environment;
mod experiment;
mod fast_path;
mod invariants;
mod links;
mod medium;
mod memory;
mod monitor;
mod node;
mod outcome;
mod reaction;
mod recurrence;
mod replay;
mod rounds;
mod run;
mod schedule;
mod scheduler;
mod simulator;
mod timed;
mod timers;
mod trace;
mod trials;
mod verdict;
mod world;

pub use competition::{CompetitionRound, CompetitionRounds};
pub use delay::FifoMethod;
pub use experiment::{Experiment, Impossible};
pub use medium::ReplayMismatch;
pub use memory::Footprint;
pub use monitor::TimedViolation;
pub use outcome::{Busiest, MessagesByKind, Outcome};
pub use replay::{Recording, RecordingError};
pub use run::{SimulationError, Subject};
pub use schedule::{Adversary, LONGEST_DELAY, Pace, Schedule, ScheduleError};
pub use simulator::Simulator;
pub use suffrage_algorithms::{Leader, Property, Violation};
pub use suffrage_model::Action;
pub use suffrage_networks::{Amount, Fault, FaultError};
pub use timers::Wakes;
pub use trace::{ElectionEvent, Observer, RUN_FORMAT, RunLine, Struck, TracedMessage, Tracer};
pub use trials::{Finished, Trials};
