//! The deadlines at which a command is asked to stop, and is killed.

use crate::Boottime;
use std::time::Duration;

/// The action that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Let the command run; check again at this instant.
    Run(Boottime),
    /// Send SIGTERM, unless it was sent; check again at this instant.
    Terminate(Boottime),
    /// Send SIGKILL.
    Kill,
}

/// The deadlines of a tenure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Returns the instant by which the command must be gone.
    pub(crate) fn last(&self) -> Boottime {
        let lost = self.until.after(self.stop);
        self.ending.map_or(lost, |ending| ending.min(lost))
    }

    /// Gives the office up: the command has at most `grace` to end.
    pub(crate) fn end(&mut self, now: Boottime, grace: Duration) {
        let ending = now.after(grace).after(self.margin);
        self.ending = Some(self.ending.map_or(ending, |before| before.min(ending)));
    }

    pub(crate) fn due(&self, now: Boottime) -> Due {
        let kill = self.last().before(self.margin);
        let terminate = self.until.before(self.margin);
        if now >= kill {
            Due::Kill
        } else if self.ending.is_some() || now >= terminate {
            Due::Terminate(kill)
        } else {
            Due::Run(terminate.min(kill))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Boottime {
        Boottime::from_nanos(milliseconds * 1_000_000)
    }

    fn tenure(stop: u64) -> Deadlines {
        Deadlines {
            until: at(1000),
            stop: Duration::from_millis(stop),
            margin: Duration::from_millis(20),
            ending: None,
        }
    }

    #[test]
    fn without_a_stop_time_the_command_is_killed_before_the_leadership_ends() {
        let tenure = tenure(0);
        assert_eq!(tenure.due(at(0)), Due::Run(at(980)));
        assert_eq!(tenure.due(at(979)), Due::Run(at(980)));
        assert_eq!(tenure.due(at(980)), Due::Kill);
    }

    #[test]
    fn with_a_stop_time_it_is_asked_first() {
        let tenure = tenure(500);
        assert_eq!(tenure.due(at(979)), Due::Run(at(980)));
        assert_eq!(tenure.due(at(980)), Due::Terminate(at(1480)));
        assert_eq!(tenure.due(at(1480)), Due::Kill);
    }

    #[test]
    fn an_office_that_is_given_up_is_held_while_the_command_stops() {
        let mut tenure = tenure(0);
        tenure.end(at(100), Duration::from_millis(300));
        assert_eq!(tenure.due(at(100)), Due::Terminate(at(400)));
        assert_eq!(tenure.due(at(400)), Due::Kill);
    }

    #[test]
    fn but_not_beyond_its_validity() {
        let mut tenure = tenure(0);
        tenure.end(at(100), Duration::from_secs(10));
        assert_eq!(tenure.due(at(100)), Due::Terminate(at(980)));
        tenure.until = at(2000);
        assert_eq!(tenure.due(at(980)), Due::Terminate(at(1980)));
    }

    #[test]
    fn a_second_end_can_only_be_sooner() {
        let mut tenure = tenure(500);
        tenure.end(at(100), Duration::from_millis(300));
        tenure.end(at(200), Duration::from_secs(1));
        assert_eq!(tenure.due(at(399)), Due::Terminate(at(400)));
        tenure.end(at(250), Duration::ZERO);
        assert_eq!(tenure.due(at(250)), Due::Kill);
    }
}
