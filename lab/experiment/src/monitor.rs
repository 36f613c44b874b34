//! Looking on while an experiment runs.

use std::ops::ControlFlow;
use suffrage_checker::Objective;

/// Looks on while an experiment runs, and may stop it. `()` does neither.
///
/// It is called by the threads of the experiment.
pub trait Monitor: Sync {
    /// Whether the experiment should stop. The report then has the finished part.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Receives the progress of the experiment.
    fn progress(&self, _progress: ExperimentProgress<'_>) {}

    /// Is told what a person should know, as that something was left out.
    fn remark(&self, _remark: &str) {}
}

impl Monitor for () {}

/// The progress of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExperimentProgress<'a> {
    /// This many messages of one election have been delivered.
    Delivered(u64),
    /// The costliest run that a search has found costs this much.
    Found(Objective, u64),
    /// The number of finished trials.
    Trials {
        /// What they are trials of, where there are several series.
        of: Option<&'a str>,
        /// How many are done.
        done: u64,
        /// How many there will be at the most.
        most: u64,
    },
    /// The reported step has ended.
    Ended,
}

pub(crate) fn stop_if_asked(monitor: &dyn Monitor) -> ControlFlow<()> {
    if monitor.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
