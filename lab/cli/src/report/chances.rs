//! The expectations of elections whose processes make random choices.

use super::sheet::Sheet;
use serde::Serialize;
use suffrage::checker;

/// What is expected over the random choices: the least and the greatest over all schedules.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct ReportedChances {
    messages: Expected,
    election: Expected,
    announcement: Expected,
    /// The probability that exactly one process leads in the end.
    elected: Expected,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Expected {
    min: f64,
    max: f64,
}

impl ReportedChances {
    /// Adds its lines to a report.
    pub(super) fn say(&self, sheet: &mut Sheet) {
        sheet.line("expected", &format!("{} messages, by the schedule", self.messages.text()));
        sheet.line("  election", &self.election.text());
        sheet.line("  announcement", &self.announcement.text());
        sheet.line("one leads", &format!("with probability {}", self.elected.text()));
    }
}

impl From<checker::Expectations> for ReportedChances {
    fn from(of: checker::Expectations) -> Self {
        let expected = |of: checker::ExpectedExtremes| Expected { min: of.min, max: of.max };
        Self {
            messages: expected(of.messages),
            election: expected(of.by_phase[0]),
            announcement: expected(of.by_phase[1]),
            elected: expected(of.elected),
        }
    }
}

impl Expected {
    /// Formats the range to six digits after the point, which are exact; one number, where they are
    /// the same.
    fn text(self) -> String {
        let [min, max] = [self.min, self.max].map(|of| format!("{of:.6}"));
        if min == max { min } else { format!("{min} to {max}") }
    }
}
