//! The deadlines at which a command is asked to stop, and is killed.

use crate::Boottime;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DueAction {
    /// Let the command run; check again at this instant.
    Run(Boottime),
    /// Send SIGTERM, unless it was sent; check again at this instant.
    Terminate(Boottime),
    Kill,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deadlines {
    /// The end of the leadership, unless it is prolonged.
    pub(crate) until: Boottime,
    /// How long the command may go on after that.
    pub(crate) stop: Duration,
    /// How long before a deadline the work starts that must be done by the deadline.
    pub(crate) margin: Duration,
    /// Where the office is given up: the end of the command's grace period.
    pub(crate) ending: Option<Boottime>,
}

impl Deadlines {
    pub(crate) fn last(&self) -> Boottime {
        let lost = self.until.after(self.stop);
        self.ending.map_or(lost, |ending| ending.min(lost))
    }

    /// Gives the office up: the command has at most `grace` to end.
    pub(crate) fn end(&mut self, now: Boottime, grace: Duration) {
        let ending = now.after(grace).after(self.margin);
        self.ending = Some(self.ending.map_or(ending, |before| before.min(ending)));
    }

    pub(crate) fn due(&self, now: Boottime) -> DueAction {
        let kill = self.last().before(self.margin);
        let terminate = self.until.before(self.margin);
        if now >= kill {
            DueAction::Kill
        } else if self.ending.is_some() || now >= terminate {
            DueAction::Terminate(kill)
        } else {
            DueAction::Run(terminate.min(kill))
        }
    }
}

#[cfg(test)]
mod tests;
