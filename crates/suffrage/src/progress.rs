//! A line on the terminal that says how far a long command is.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use suffrage::population::ensemble;

/// What takes less is not worth a line.
const PATIENCE: Duration = Duration::from_secs(1);

/// Progress on standard error; nothing where that is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    since: Instant,
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
        Self { bar, since: Instant::now(), shown: false }
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
pub(crate) struct Shared(Mutex<Progress>);

impl Shared {
    pub(crate) fn new(what: &str) -> Self {
        Self(Mutex::new(Progress::towards(0, what)))
    }
}

impl ensemble::Progress for Shared {
    fn finished(&self, finished: u64, of: u64) {
        // Who comes while another one draws has nothing newer to say that matters.
        if let Ok(mut progress) = self.0.try_lock() {
            progress.bar.set_length(of);
            progress.at(finished);
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Ok(progress) = self.0.get_mut() {
            progress.clear();
        }
    }
}
