//! A progress line on the terminal for long commands.

use crate::error::complain;
use crate::interrupt;
use crate::session::{self, Board};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::borrow::Cow;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use suffrage::checker::Objective;
use suffrage::experiment;
use suffrage::experiment::number::count;
use suffrage::population::ensemble;

/// The estimated time in seconds from which on a command is announced.
const LONG: f64 = 10.0;

/// Says beforehand, on a terminal or not, how long a command will take, if that is long: given what
/// it will do, and the seconds that one thread takes for it.
pub(crate) fn announce(what: &str, seconds: f64, threads: usize) {
    let seconds = seconds / threads as f64;
    if seconds >= LONG {
        complain(format_args!(
            "{what}: about {} on {}. Ctrl-C stops, and reports the finished part",
            duration(seconds),
            count(threads as u64, "thread"),
        ));
    }
}

/// Formats a time to one or two digits.
pub(crate) fn duration(seconds: f64) -> Cow<'static, str> {
    let (number, unit) = match seconds {
        ..90.0 => (seconds.ceil(), "second"),
        ..5400.0 => (seconds / 60.0, "minute"),
        ..172_800.0 => (seconds / 3600.0, "hour"),
        _ => ((seconds / 86_400.0).min(1e9), "day"),
    };
    count(number.round() as u64, unit)
}

/// The time from which on a command shows progress.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time between two messages.
const PAUSE: Duration = Duration::from_millis(100);

/// `ProgressLine` on standard error, if that is a terminal.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
    since: Instant,
    /// When a message was last changed.
    said: Instant,
    shown: bool,
    /// Where it is shown in place of a terminal.
    board: Option<Board>,
}

impl ProgressLine {
    /// Creates progress towards a known end, which shows how long it still takes.
    pub(crate) fn towards(end: u64, what: &str) -> Self {
        Self::bar(end, &format!("{what}{{left}}"))
    }

    /// Creates progress towards a known end, whose messages say how long it still takes.
    pub(crate) fn estimated(end: u64, what: &str) -> Self {
        Self::bar(end, what)
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
        Self { bar, since: now, said: now, shown: false, board: session::board() }
    }

    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = now.duration_since(self.said) >= PAUSE;
        if due {
            self.said = now;
        }
        due
    }

    /// Shows that `done` is done.
    pub(crate) fn at(&mut self, done: u64) {
        if !self.shown && self.since.elapsed() >= PATIENCE {
            self.shown = true;
            self.bar.set_draw_target(match &self.board {
                Some(board) => board.target(),
                None => ProgressDrawTarget::stderr(),
            });
        }
        self.bar.set_position(done);
    }

    /// Sets the message behind it.
    pub(crate) fn say(&self, message: String) {
        self.bar.set_message(message);
    }

    /// Removes the line.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Writes how long it still takes, once something is finished.
fn left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        let _ = write!(out, ", about {} left", duration(state.eta().as_secs_f64()));
    }
}

/// Shows the progress of an experiment, until Ctrl-C.
#[derive(Default)]
pub struct Terminal(Mutex<Option<ProgressLine>>);

impl experiment::Monitor for Terminal {
    fn is_stopped(&self) -> bool {
        interrupt::asked()
    }

    fn progress(&self, progress: experiment::ExperimentProgress<'_>) {
        use experiment::ExperimentProgress::{Delivered, Ended, Found, Trials};
        let mut line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (begin, done): (&dyn Fn() -> ProgressLine, u64) = match progress {
            Delivered(delivered) => (&|| ProgressLine::counting("messages delivered"), delivered),
            Found(Objective::Messages, most) => {
                (&|| ProgressLine::counting("messages in the costliest run found"), most)
            }
            Found(Objective::Depth, most) => {
                (&|| ProgressLine::counting("messages in the longest chain found"), most)
            }
            Trials { of: None, done, most } => {
                (&move || ProgressLine::towards(most, "trials"), done)
            }
            Trials { of: Some(of), done, most } => {
                (&move || ProgressLine::towards(most, &format!("trials: {of}")), done)
            }
            Ended => {
                line.take().iter().for_each(ProgressLine::clear);
                return;
            }
        };
        line.get_or_insert_with(begin).at(done);
    }

    fn remark(&self, remark: &str) {
        complain(remark);
    }
}

/// `ProgressLine` of trials that many threads report. The number of trials is known when the first is
/// done.
pub(crate) struct Shared {
    line: Mutex<ProgressLine>,
    /// The approximate number of interactions of a trial.
    each: Option<f64>,
}

impl Shared {
    pub(crate) fn new(what: &str) -> Self {
        Self { line: Mutex::new(ProgressLine::towards(0, what)), each: None }
    }

    /// Creates progress of `trials` trials of about `interactions` each, which also shows the
    /// progress within a trial.
    pub(crate) fn of_long(trials: u64, interactions: f64) -> Self {
        Self { line: Mutex::new(ProgressLine::towards(trials, "trials")), each: Some(interactions) }
    }
}

impl ensemble::TrialProgress for Shared {
    fn finished(&self, finished: u64, of: u64) {
        // A thread that finds the line locked skips its message.
        if let Ok(mut progress) = self.line.try_lock() {
            progress.bar.set_length(of);
            progress.at(finished);
        }
    }

    fn within(&self, trial: u64, interactions: u64) {
        let (Some(each), Ok(mut progress)) = (self.each, self.line.try_lock()) else { return };
        if progress.is_due() {
            let done = progress.bar.position();
            let share = 100.0 * interactions as f64 / each;
            progress.bar.set_message(format!(
                "(trial {trial}: {interactions:.2e} interactions, {share:.0} % of the usual)",
                interactions = interactions as f64
            ));
            progress.at(done);
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Ok(progress) = self.line.get_mut() {
            progress.clear();
        }
    }
}
