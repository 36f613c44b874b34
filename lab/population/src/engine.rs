//! The engines: four ways to run a protocol, one result type.
//!
//! - [`direct`] keeps every agent: any protocol, exact in all it shows.
//! - [`batched`] keeps how many agents are in each state: 10^12 agents in a minute.
//! - [`closed_form`] keeps the eventual leader alone: 10^12 agents in half a second.
//! - [`oracle`] draws nothing: exact probabilities and expectations, up to 10^4 agents.

pub mod batched;
pub mod closed_form;
pub mod direct;
pub mod oracle;

use crate::{random::RandomStream, trial::Trial};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

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

/// An engine, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// Every agent in an array.
    Direct,
    /// Agents per state.
    Batched,
    /// Only the eventual leader, or the stages.
    ClosedForm,
    /// Exact probabilities and expectations instead of trials.
    Oracle,
}

impl EngineKind {
    /// Returns the name on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Batched => "batched",
            Self::ClosedForm => "closed-form",
            Self::Oracle => "oracle",
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
