//! Looking on while an experiment runs.

use crate::number::{count, rough_time};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use suffrage_checker::CheckProgress;
use suffrage_population::engine::Supervisor;
use suffrage_population::ensemble::TrialProgress;

/// Looks on while an experiment runs, and may stop it. `()` does neither.
///
/// It is called by the threads of the experiment.
pub trait Monitor: Sync {
    /// Is set when the experiment should stop. The report then has the finished part: code that asks for it has begun
    /// something to report.
    fn stop(&self) -> &AtomicBool {
        static NEVER: AtomicBool = AtomicBool::new(false);
        &NEVER
    }

    /// Whether the experiment is to stop. Unlike [`stop`](Self::stop) this may be asked before anything has begun.
    fn is_stopped(&self) -> bool {
        self.stop().load(Relaxed)
    }

    /// Receives the progress of the experiment.
    fn progress(&self, _progress: ExperimentProgress<'_>) {}

    /// Is told what a person should know, as that something was left out.
    fn remark(&self, _remark: &str) {}
}

impl Monitor for () {}

impl dyn Monitor + '_ {
    /// Stops what has begun and is to stop.
    pub fn go_on(&self) -> ControlFlow<()> {
        match self.stop().load(Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Remarks beforehand how long something will take, if that is long: given what it will do, and the
    /// seconds that one thread takes for it.
    pub fn announce(&self, what: &str, seconds: f64, threads: usize) {
        /// From when on, in seconds.
        const LONG: f64 = 10.0;
        let seconds = seconds / threads as f64;
        if seconds >= LONG {
            self.remark(&format!(
                "{what}: about {} on {}. Ctrl-C stops, and reports the finished part",
                rough_time(seconds),
                count(threads as u64, "thread"),
            ));
        }
    }
}

/// The progress of an experiment.
#[derive(Clone, Copy, Debug)]
pub enum ExperimentProgress<'a> {
    /// A part of the experiment is done.
    Done {
        /// What is counted, as `trials`.
        what: &'a str,
        /// How many are done.
        done: u64,
        /// How many there will be at the most, if that is known.
        of: Option<u64>,
    },
    /// A running trial of a population has come to this many interactions.
    Within {
        /// The number of the trial.
        trial: u64,
        /// The interactions.
        interactions: u64,
        /// How many it usually takes.
        usual: f64,
        /// How many trials there will be.
        trials: u64,
    },
    /// An exploration has come to this point.
    Explored {
        /// How far it is.
        now: CheckProgress,
    },
    /// The reported step has ended.
    Ended,
}

/// Tells a monitor of the trials of a population; when it is dropped, they have ended.
pub struct PopulationMonitor<'a> {
    monitor: &'a dyn Monitor,
    what: &'a str,
    trials: u64,
    /// The approximate number of interactions of a trial, where progress within it is told, too.
    usual: Option<f64>,
}

impl<'a> PopulationMonitor<'a> {
    /// Tells of short trials, called so.
    #[must_use]
    pub const fn new(monitor: &'a dyn Monitor, what: &'a str) -> Self {
        Self { monitor, what, trials: 0, usual: None }
    }

    /// Reports the progress of trials of about this many interactions each.
    #[must_use]
    pub const fn of_long(monitor: &'a dyn Monitor, trials: u64, interactions: f64) -> Self {
        Self { monitor, what: "trials", trials, usual: Some(interactions) }
    }
}

impl TrialProgress for PopulationMonitor<'_> {
    fn finished(&self, done: u64, of: u64) {
        self.monitor.progress(ExperimentProgress::Done { what: self.what, done, of: Some(of) });
    }

    fn within(&self, trial: u64, interactions: u64) {
        if let (Some(usual), trials) = (self.usual, self.trials) {
            let within = ExperimentProgress::Within { trial, interactions, usual, trials };
            self.monitor.progress(within);
        }
    }
}

impl Supervisor for PopulationMonitor<'_> {
    fn go_on(&self, time: u64) -> Option<()> {
        self.within(0, time);
        self.monitor.stop().go_on(time)
    }
}

impl Drop for PopulationMonitor<'_> {
    fn drop(&mut self) {
        self.monitor.progress(ExperimentProgress::Ended);
    }
}
