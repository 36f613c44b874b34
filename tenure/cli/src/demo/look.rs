//! What there is to see of a member and its program.

use super::script::HOSTS;
use std::fmt::{self, Display};
use std::time::Duration;
use tenure_node::Status;

/// The office.
pub(crate) const OFFICE: &str = "demo";

/// The condition of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Condition {
    Runs,
    Suspended,
    Killed,
    /// Its member has crashed, too.
    Crashed,
    #[default]
    Stopped,
}

impl Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Runs => "running",
            Self::Suspended => "suspended",
            Self::Killed => "killed",
            Self::Crashed => "crashed",
            Self::Stopped => "stopped",
        })
    }
}

/// A host as it is now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) condition: Condition,
    /// Whether its member hears the others.
    pub(crate) hears: bool,
    /// Whether the others hear its member.
    pub(crate) heard: bool,
    /// Whether its member votes.
    pub(crate) votes: bool,
    /// Whether its program stands for the office, or leads.
    pub(crate) stands: bool,
    /// For how long its leadership is certain.
    pub(crate) held: Option<Duration>,
    /// For how long its member owes each host a lease; for no time if it owes it none.
    pub(crate) owed: [Duration; HOSTS],
}

impl Look {
    /// Looks at a member in this state. `number` gives the index of a host.
    pub(crate) fn at(
        status: &Status,
        condition: Condition,
        number: impl Fn(&str) -> Option<usize>,
    ) -> Self {
        let office = status.offices.iter().find(|office| office.name == OFFICE);
        let mut owed = [Duration::ZERO; HOSTS];
        for peer in &status.members {
            if let (Some(host), Some(left)) = (number(&peer.name), peer.lease_owed) {
                owed[host] = left;
            }
        }
        Self {
            condition,
            hears: true,
            heard: true,
            votes: status.up && !status.learning && !status.quarantined,
            stands: office.is_some_and(|office| office.stands || office.here),
            held: office.and_then(|office| office.valid_for),
            owed,
        }
    }
}
