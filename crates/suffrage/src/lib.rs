//! Leader election: every algorithm written once, as its paper writes it, and run by engines that
//! know nothing of it.
//!
//! This crate gathers the parts under one name.
//!
//! - [`process`] is the model: a process sees its own ports and nothing else.
//! - [`algorithms`] is the catalogue: for each algorithm its network, its rule, its bound and its
//!   paper.
//! - [`topology`] makes networks and reads them from files, numbers their ports and gives
//!   identities.
//! - [`simulator`] holds elections under a schedule, counts what they cost, and holds every run to
//!   the properties of an election.
//! - `runtime` holds them for real: between processes over TCP and TLS, or tasks over channels
//!   (feature `runtime`).
//! - [`checker`] explores every schedule of small elections: what always holds, what elections cost
//!   at least and at most, and the shortest course on which a promise is broken.
//! - [`run`] writes, reads and replays what happened in an election, in one format for all engines;
//!   [`diagram`] draws it.
//! - [`protocols`] are leadership that survives crashes, and [`recovery`] simulates them in a hostile
//!   world.
//! - [`population`] elects among agents that have no network and meet in random pairs, from 2 of
//!   them to 10^12.
//!
//! An election on a network from a specification:
//!
//! ```
//! use suffrage::algorithms::Algorithm;
//! use suffrage::simulator::{Experiment, Schedule, Watch, simulate};
//! use suffrage::topology::{Ids, Ports, Spec};
//!
//! let humblet = Algorithm::named("humblet").ok_or("no such algorithm")?;
//! let network = "complete:100".parse::<Spec>()?.build(7)?.fit(humblet.network)?;
//! let wiring = network.wire(Ports::Random, 7);
//! let ids = Ids::Random.assign(network.nodes(), 7);
//!
//! let experiment =
//!     Experiment { schedule: Schedule::Uniform(10), seed: 7, ..Experiment::new(&wiring, &ids) };
//! let outcome = simulate(humblet, &experiment, Watch::default())?;
//!
//! assert!(outcome.violations.is_empty());
//! assert!(outcome.leader.is_some() && outcome.agreed && outcome.halted);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same seed gives the same election, on any machine. The command says the same in one line:
//! `suffrage elect humblet --nodes 100 --ports random --schedule uniform:10 --seed 7`.

pub use suffrage_algorithms as algorithms;
pub use suffrage_checker as checker;
pub use suffrage_population as population;
pub use suffrage_process as process;
pub use suffrage_protocols as protocols;
pub use suffrage_recovery as recovery;
#[cfg(feature = "runtime")]
pub use suffrage_runtime as runtime;
pub use suffrage_simulator as simulator;
pub use suffrage_topology as topology;

pub mod diagram;
pub mod run;
