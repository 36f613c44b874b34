//! What `tenure lead` and a connection of a member decide, for simulations in this repository. No part of the interface: it changes without notice.

pub use crate::control::connection::{
    ConnectionInput, ConnectionOutput, ConnectionState, Rights, StandRequest,
};
pub use crate::control::{ClientMessage, CommandNews, MemberMessage};
pub use crate::lead::leader_state::{LeaderAlarm, LeaderInput, LeaderOutput, LeaderState};
pub use crate::lead::office_session::{LeadershipNews, OfficeSession, SessionInput, SessionOutput};
pub use crate::notify::watchdog_state::{WatchdogInput, WatchdogOutput, WatchdogState};

use crate::error::CommandError;
use crate::{LeadAgain, lead};
use clap::Parser;
use std::time::Duration;
use tenure_guard::Workload;
use tenure_node::LeaseTiming;

/// Reads a command line of `tenure lead`, whose first word is the program.
pub fn lead_settings(line: &str) -> Result<lead::Args, clap::Error> {
    LeadAgain::try_parse_from(line.split_whitespace()).map(|parsed| *parsed.lead)
}

/// Returns the guard's workload, given the name of the member, the stop time of the office, and the timing of the
/// cluster.
pub fn workload(
    settings: &lead::Args,
    member: &str,
    stop: Duration,
    timing: &LeaseTiming,
) -> Result<Workload, CommandError> {
    settings.workload(member, stop, timing)
}
