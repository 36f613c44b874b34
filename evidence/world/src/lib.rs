//! Tenure's service in a simulated world: what runs on real hosts (the loop of a member, the main loop of `tenure
//! lead`, its client of the guard, and the guard) runs here on simulated ones, with processes that are killed and
//! stopped, disks, clocks and a network, in virtual time and from one seed.
//!
//! What decides is the product's own code: `NodeEngine`, `QuicHub`, `LeaderState`, `HandleState` and `GuardState`. What
//! carries decisions out is simulated: processes and signals, the disk, the network, timers, and the service manager
//! that starts a program again. After each event a judge looks at all hosts at once.

// Nothing in here has tests: where those of all libraries are compiled (`--lib`), this one is not compiled twice.
#![cfg(not(test))]

mod certificates;
mod clock;
pub mod faults;
mod kernel;
mod plan;
mod queue;
mod report;
mod shrink;
mod world;

pub use certificates::CertificateFault;
pub use plan::WorldPlan;
pub use report::{Exception, WorldReport};
pub use shrink::shrink;
pub use world::ServiceWorld;

use std::sync::atomic::AtomicBool;

/// Runs a world; `trace` writes what happens to the standard output.
///
/// # Errors
/// If a command line of `tenure lead` cannot be used.
pub fn run(plan: &WorldPlan, trace: bool, interrupted: &AtomicBool) -> anyhow::Result<WorldReport> {
    Ok(ServiceWorld::new(plan, trace)?.run(interrupted))
}
