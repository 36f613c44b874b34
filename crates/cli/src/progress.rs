//! A line on the terminal that says how far a long command is.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use suffrage::population::ensemble;

/// What takes less is not worth a line.
const PATIENCE: Duration = Duration::from_secs(1);

/// Between two messages.
const PAUSE: Duration = Duration::from_millis(100);

/// Progress on standard error; nothing where that is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    since: Instant,
    /// When a message was last changed.
    said: Instant,
    shown: bool,
}

impl Progress {
    /// Of something whose end is known.
    pub(crate) fn towards(end: u64, what: &str) -> Self {
        let template =
            format!("[{{elapsed}}] {{bar:30}} {{human_pos}}/{{human_len}} {what} {{msg}}");
        Self::new(Some(end), &template)
    }

    /// Of something whose end is not known.
    pub(crate) fn counting(what: &str) -> Self {
        let template = format!("[{{elapsed}}] {{spinner}} {{human_pos}} {what} {{msg}}");
        Self::new(None, &template)
    }

    fn new(end: Option<u64>, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(end, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let now = Instant::now();
        Self { bar, since: now, said: now, shown: false }
    }

    /// Whether it is worth while to say something new: ten times a second.
    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = now.duration_since(self.said) >= PAUSE;
        if due {
            self.said = now;
        }
        due
    }

    /// So much is done.
    pub(crate) fn at(&mut self, done: u64) {
        if !self.shown && self.since.elapsed() >= PATIENCE {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(done);
    }

    /// What is said behind it.
    pub(crate) fn say(&self, message: String) {
        self.bar.set_message(message);
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of trials that many threads report, of a number that is known when the first is done.
pub(crate) struct Shared {
    line: Mutex<Progress>,
    /// The interactions that a trial takes, about.
    each: Option<f64>,
}

impl Shared {
    pub(crate) fn new(what: &str) -> Self {
        Self { line: Mutex::new(Progress::towards(0, what)), each: None }
    }

    /// Of so many trials that take about so many interactions each: says how far one is.
    pub(crate) fn of_long(trials: u64, interactions: f64) -> Self {
        Self { line: Mutex::new(Progress::towards(trials, "trials")), each: Some(interactions) }
    }
}

impl ensemble::Progress for Shared {
    fn finished(&self, finished: u64, of: u64) {
        // Who comes while another one draws has nothing newer to say that matters.
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
