//! A progress line on the terminal for long commands.

use crate::error::complain;
use crate::interrupt;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::io::{self, IsTerminal};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use suffrage::checker::CheckProgress;
use suffrage::experiment::number::{count, grouped, rough_time};
use suffrage::experiment::{ExperimentProgress, Monitor};

/// The time from which on a command shows progress.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time between two messages.
const PAUSE: Duration = Duration::from_millis(100);

/// The time between two lines of progress if standard error is not a terminal.
const PIPED: Duration = Duration::from_secs(30);

/// `ProgressLine` on standard error, if that is a terminal.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
    since: Instant,
    /// When a message was last changed.
    said: Instant,
    shown: bool,
}

impl ProgressLine {
    /// Creates progress towards a known end, which shows how long it still takes.
    pub(crate) fn towards(end: u64, what: &str) -> Self {
        Self::bar(end, &format!("{what}{{left}}"))
    }

    fn bar(end: u64, what: &str) -> Self {
        let template =
            format!("[{{elapsed}}] {{bar:30}} {{human_pos}}/{{human_len}} {what} {{msg}}");
        Self::new(Some(end), &template)
    }

    /// Creates progress without a known end.
    pub(crate) fn counting(what: &str) -> Self {
        let template = format!("[{{elapsed}}] {{spinner}} {{human_pos}} {what} {{msg}}");
        Self::new(None, &template)
    }

    fn new(end: Option<u64>, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(end, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("left", left));
        }
        let now = Instant::now();
        Self { bar, since: now, said: now, shown: false }
    }

    /// Whether the pause has passed since this last returned `true`.
    fn is_due(&mut self, pause: Duration) -> bool {
        let now = Instant::now();
        let due = now.duration_since(self.said) >= pause;
        if due {
            self.said = now;
        }
        due
    }

    /// Shows that `done` is done.
    pub(crate) fn at(&mut self, done: u64) {
        if !self.shown && self.since.elapsed() >= PATIENCE {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(done);
    }

    /// Removes the line.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Writes how long it still takes, once something is finished.
fn left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        let _ = write!(out, ", about {} left", rough_time(state.eta().as_secs_f64()));
    }
}

/// Shows the progress of an experiment, until Ctrl-C.
#[derive(Default)]
pub struct Terminal(Mutex<Option<ProgressLine>>);

impl Monitor for Terminal {
    fn stop(&self) -> &AtomicBool {
        interrupt::flag()
    }

    fn is_stopped(&self) -> bool {
        interrupt::is_set()
    }

    fn progress(&self, progress: ExperimentProgress<'_>) {
        // A thread that finds the line locked skips its message, but does not leave the line there.
        let mut line = match (progress, self.0.try_lock()) {
            (_, Ok(line)) => line,
            (ExperimentProgress::Ended, Err(_)) => {
                self.0.lock().unwrap_or_else(PoisonError::into_inner)
            }
            _ => return,
        };
        match progress {
            ExperimentProgress::Done { what, done, of: None } => {
                let line = line.get_or_insert_with(|| ProgressLine::counting(what));
                if !io::stderr().is_terminal() && line.is_due(PIPED) {
                    complain(format_args!("{} {what} so far", grouped(done)));
                }
                line.at(done);
            }
            ExperimentProgress::Done { what, done, of: Some(of) } => {
                let line = line.get_or_insert_with(|| ProgressLine::towards(of, what));
                line.bar.set_length(of);
                line.at(done);
            }
            ExperimentProgress::Within { trial, interactions, usual, trials } => {
                let line = line.get_or_insert_with(|| ProgressLine::towards(trials, "trials"));
                if line.is_due(PAUSE) {
                    let interactions = interactions as f64;
                    let share = 100.0 * interactions / usual;
                    line.bar.set_message(format!(
                        "(trial {trial}: {interactions:.2e} interactions, {share:.0} % of the usual)"
                    ));
                    line.at(line.bar.position());
                }
            }
            ExperimentProgress::Explored { now, estimated } => {
                let one = now.of == 1;
                let line = line.get_or_insert_with(|| match one {
                    true => ProgressLine::counting("configurations"),
                    false => ProgressLine::bar(now.of, "instances"),
                });
                let words = so_far(&now, estimated, line.since.elapsed());
                if !io::stderr().is_terminal() && line.is_due(PIPED) {
                    let (done, of) = (grouped(now.instances), count(now.of, "instance"));
                    complain(format_args!("{done} of {of}, {words}"));
                }
                line.bar.set_message(words);
                line.at(if one { now.states } else { now.instances });
            }
            ExperimentProgress::Ended => line.take().iter().for_each(ProgressLine::clear),
        }
    }

    fn remark(&self, remark: &str) {
        complain(remark);
    }
}

/// Formats the progress of an exploration of this estimated number of configurations, its speed,
/// and the remaining time.
fn so_far(now: &CheckProgress, estimated: u64, elapsed: Duration) -> String {
    let elapsed = elapsed.as_secs_f64();
    let rate = now.states as f64 / elapsed.max(0.001);
    // An estimate that has been exceeded is not shown.
    let expected = now.states as f64 / estimated.max(1) as f64;
    let share = if expected < 1.0 { expected } else { 0.0 };
    let share = share.max(now.instances as f64 / now.of.max(1) as f64);
    let left = match share > 0.0 && elapsed > 2.0 {
        true => format!(", about {} left", rough_time(elapsed / share - elapsed)),
        false => String::new(),
    };
    format!("{}, {} a second{left}", count(now.states, "configuration"), grouped(rate as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_is_left_is_estimated() {
        let at = |states, instances| CheckProgress { states, instances, of: 100 };
        let words = |now, seconds| so_far(&now, 1000, Duration::from_secs(seconds));
        assert_eq!(words(at(500, 1), 1), "500 configurations, 500 a second");
        assert_eq!(words(at(500, 1), 10), "500 configurations, 50 a second, about 10 seconds left");
        // More than was estimated: the instances tell how much is left.
        assert_eq!(
            words(at(2000, 20), 10),
            "2,000 configurations, 200 a second, about 40 seconds left"
        );
        assert_eq!(words(at(2000, 0), 10), "2,000 configurations, 200 a second");
    }
}
