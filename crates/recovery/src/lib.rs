//! Engines for processes that crash and recover: whatever is [`Recoverable`].
//!
//! - [`simulation`] runs one execution at a time in a hostile world: a network that delays, loses,
//!   doubles and cuts, processes that crash, stop and lose their disks, clocks of different rates.
//!   It is deterministic by seed.
//! - [`exploration`] runs every execution of a few processes within a budget of terms, alarms and
//!   crashes, or walks at random through what can happen.
//! - [`promises`] says what an execution is held to, in one place for all engines.
//!
//! # Example
//! Five members, ten simulated minutes, every kind of fault that the model allows:
//!
//! ```
//! use std::time::Duration;
//! use suffrage_protocols::tenure::Tenure;
//! use suffrage_recovery::simulation::{Faults, Simulation};
//!
//! let report = Simulation::<Tenure>::new()
//!     .members(5)
//!     .duration(Duration::from_secs(600))
//!     .faults(Faults::all())
//!     .seed(7)
//!     .run()?;
//! println!("vacant for at most {} ms", report.longest_vacancy() / 1_000_000);
//! assert_eq!(report.violations, []);
//! # Ok::<(), suffrage_recovery::simulation::Invalid>(())
//! ```
//!
//! [`Recoverable`]: suffrage_process::recovery::Recoverable

pub mod exploration;
pub mod promises;
pub mod simulation;
