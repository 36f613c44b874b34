//! The state of a participant, as an operator looks at it.

use serde::Serialize;
use std::time::Duration;

/// The state of a participant.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// Its name.
    pub name: String,
    /// The name of the cluster.
    pub cluster: String,
    /// Whether it has a vote.
    pub member: bool,
    /// The number of this start, greater than that of every start before.
    pub boot: u64,
    /// Whether its process is up. It is not while the record cannot be written.
    pub up: bool,
    /// Whether it has no record, and cannot grant before enough of the others have told it theirs.
    pub learning: bool,
    /// Whether it has come up so recently that it grants nothing yet.
    pub quarantined: bool,
    /// The state of its record.
    pub storage: StorageStatus,
    /// For how long a majority of the members has not been heard: about a heartbeat if all is well.
    pub majority_heard: Duration,
    /// How long the last writing of the record took.
    pub last_sync: Duration,
    /// How long the slowest one took.
    pub longest_sync: Duration,
    /// By how much the loop was late at most.
    pub longest_pause: Duration,
    /// How often the record was written.
    pub syncs: u64,
    /// Messages sent.
    pub sent: u64,
    /// Messages received.
    pub received: u64,
    /// Messages that could not be read.
    pub undecodable: u64,
    /// Messages that the protocol has rejected, since no correct participant sends them.
    pub rejected: u64,
    /// Messages dropped because too many of one peer waited.
    pub dropped: u64,
    /// How often the process crashed and came up again, in this program.
    pub restarts: u64,
    /// How many leaderships began here.
    pub elections: u64,
    /// How many of them were lost.
    pub losses: u64,
    /// How often an office was seen here to become vacant.
    pub vacancies: u64,
    /// How many connections were refused.
    pub refused: u64,
    /// The offices that this participant stands for, leads in or watches.
    pub offices: Vec<OfficeStatus>,
    /// The other members.
    pub members: Vec<PeerStatus>,
    /// The standers that are connected.
    pub standers: Vec<PeerStatus>,
}

impl Status {
    /// Why this participant cannot take part in an election now; `None` if it can.
    #[must_use]
    pub fn unready(&self) -> Option<String> {
        let members = self.members.len() + usize::from(self.member);
        let connected = self.members.iter().filter(|peer| peer.connected).count();
        let reached = connected + usize::from(self.member);
        if let StorageStatus::Failed { why } = &self.storage {
            Some(format!("the record cannot be written: {why}"))
        } else if !self.up {
            Some("the process is down".to_owned())
        } else if self.learning {
            Some("it has no record, and too few others have told it theirs".to_owned())
        } else if reached < members / 2 + 1 {
            Some(format!("it reaches {reached} of {members} members: no majority"))
        } else if self.quarantined {
            Some("it has just come up, and grants nothing yet".to_owned())
        } else {
            None
        }
    }
}

/// The state of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[non_exhaustive]
pub enum StorageStatus {
    /// It can be read and written.
    Good,
    /// A copy was damaged when it was read, and was mended from the other one.
    Repaired,
    /// It cannot be written. It is tried again; until then the participant grants nothing.
    Failed {
        /// The error of the system.
        why: String,
    },
}

/// Another participant, as this one sees it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PeerStatus {
    /// Its name.
    pub name: String,
    /// Its number.
    pub number: u32,
    /// Whether there is a connection to it.
    pub connected: bool,
    /// The version of the protocol that is spoken with it.
    pub version: Option<u16>,
    /// The time of a round trip to it.
    pub round_trip: Option<Duration>,
    /// For how long it has not been heard.
    pub last_heard: Option<Duration>,
    /// Why there is no connection, where that is known.
    pub trouble: Option<String>,
}

/// An office, as this participant sees it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct OfficeStatus {
    /// Its name.
    pub name: String,
    /// Who leads.
    pub leader: Option<String>,
    /// The term of the leader, or of the last one known.
    pub term: Option<u64>,
    /// How old this is.
    pub staleness: Duration,
    /// Whether a program of this participant leads in it, or has not ended its work yet.
    pub here: bool,
    /// Whether this participant stands for it.
    pub stands: bool,
    /// For how long this participant's own leadership is certain.
    pub valid_for: Option<Duration>,
}
