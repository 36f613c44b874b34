//! A line on the terminal that says how far a long command is.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

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

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
