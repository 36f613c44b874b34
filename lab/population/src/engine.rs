//! The engines: four ways to run a protocol, one result type.
//!
//! - [`direct`] keeps every agent: any protocol, exact in all it shows.
//! - [`batched`] keeps how many agents are in each state: 10^12 agents in a minute.
//! - [`closed_form`] keeps the eventual leader alone: 10^12 agents in half a second.
//! - [`oracle`] draws nothing: exact probabilities and expectations, up to 10^4 agents.

pub mod batched;
pub mod closed_form;
pub mod direct;
mod kind;
pub mod oracle;

pub use kind::EngineKind;

use crate::{random::RandomStream, trial::Trial};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// An observer that may stop a run. An [`AtomicBool`] stops it once it is set.
pub trait Supervisor: Sync {
    /// Called when the run has come to interaction number `time`. Returns `None` to stop it there,
    /// so that `?` leaves it. Called often: the work between two calls takes well below a second.
    fn go_on(&self, time: u64) -> Option<()>;
}

impl Supervisor for AtomicBool {
    fn go_on(&self, _: u64) -> Option<()> {
        (!self.load(Relaxed)).then_some(())
    }
}

/// An engine: runs trials, and reuses its memory for each.
pub trait TrialEngine {
    /// Runs one trial; `None` if the supervisor has stopped it.
    fn trial(&mut self, stream: &mut RandomStream, supervisor: &dyn Supervisor) -> Option<Trial>;
}
