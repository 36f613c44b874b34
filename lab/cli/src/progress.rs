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
    pace: Pace,
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
        Self { bar, since: now, said: now, shown: false, pace: Pace::default() }
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
            ExperimentProgress::Explored { now } => {
                let one = now.of == 1;
                let line = line.get_or_insert_with(|| match one {
                    true => ProgressLine::counting("configurations"),
                    false => ProgressLine::bar(now.of, "instances"),
                });
                let words = so_far(&now, line.since.elapsed(), &mut line.pace);
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

/// Formats the progress of an exploration, its speed, and the remaining time if that is known.
fn so_far(now: &CheckProgress, elapsed: Duration, pace: &mut Pace) -> String {
    let elapsed = elapsed.as_secs_f64();
    let rate = now.states as f64 / elapsed.max(0.001);
    let left = match pace.left(elapsed, now.instances, now.of).filter(|_| now.alike) {
        Some(seconds) => format!(", about {} left", rough_time(seconds)),
        None => String::new(),
    };
    format!("{}, {} a second{left}", count(now.states, "configuration"), grouped(rate as u64))
}

/// How many parts of a whole were done when.
#[derive(Default)]
struct Pace(Vec<(f64, u64)>);

impl Pace {
    /// The seconds from which on a pace is known, and the fewest that are worth saying.
    const FEW: f64 = 3.0;

    /// The parts that must have been done in the last half of the time.
    const ENOUGH: u64 = 10;

    /// Returns how many seconds the rest takes at the pace of the last half of the time; `None` unless the whole
    /// time has about the same pace. Where it has another, later parts take more or less time than earlier ones.
    fn left(&mut self, elapsed: f64, done: u64, of: u64) -> Option<f64> {
        // A twentieth later is soon enough, so that there are few.
        if self.0.last().is_none_or(|&(last, _)| elapsed > 1.05 * last) {
            self.0.push((elapsed, done));
        }
        let &(then, before) = self.0.iter().rev().find(|(then, _)| 2.0 * then <= elapsed)?;
        let recent = done.saturating_sub(before);
        if elapsed < Self::FEW || recent < Self::ENOUGH {
            return None;
        }
        let rest = of.saturating_sub(done) as f64;
        let left = rest * (elapsed - then) / recent as f64;
        let steady = left / (rest * elapsed / done as f64);
        ((0.7..1.4).contains(&steady) && left >= Self::FEW).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_is_left_is_said_where_it_is_known() {
        let words = |alike| {
            let mut pace = Pace::default();
            let at = |instances| CheckProgress { states: 1000, instances, of: 100, alike };
            let mut words = |instances, seconds| {
                so_far(&at(instances), Duration::from_secs(seconds), &mut pace)
            };
            [words(10, 1), words(20, 2), words(40, 4)]
        };
        let steady = ["1,000 configurations, 1,000 a second", "1,000 configurations, 500 a second"];
        assert_eq!(words(true)[..2], steady);
        assert_eq!(words(true)[2], "1,000 configurations, 250 a second, about 6 seconds left");
        assert_eq!(words(false)[2], "1,000 configurations, 250 a second");
    }

    /// What was recorded of explorations, as seconds and instances: of rings of seven, and of complete networks of
    /// four with every order of ports.
    #[test]
    fn what_is_said_to_be_left_is_right_within_a_factor_of_two() {
        let rings: &[_] = &[
            (1.1, 2_921),
            (1.8, 5_207),
            (2.6, 7_874),
            (3.5, 10_922),
            (4.8, 15_494),
            (6.5, 20_066),
            (8.7, 25_527),
            (11.8, 33_528),
            (16.0, 43_942),
            (21.7, 56_388),
            (29.3, 69_850),
            (39.3, 91_440),
        ];
        let ports: &[_] = &[
            (1.1, 74),
            (1.8, 118),
            (2.6, 195),
            (3.5, 269),
            (4.8, 398),
            (6.5, 566),
            (8.8, 914),
            (11.1, 1_296),
        ];
        for (recorded, said) in [(rings, 8), (ports, 4)] {
            let &[.., (end, of)] = recorded else { unreachable!("a sequence") };
            let mut pace = Pace::default();
            let left = recorded.iter().filter_map(|&(at, done)| {
                let left = pace.left(at, done, of)?;
                let ratio = left / (end - at);
                assert!((0.5..2.0).contains(&ratio), "{left} at {at}");
                Some(left)
            });
            assert_eq!(left.count(), said, "{recorded:?}");
        }
    }
}
