//! The state of a participant, for operators.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use tenure_model::Peer;

/// The state of a participant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ParticipantStatus {
    /// The name.
    pub name: String,
    /// The name of the cluster.
    pub cluster: String,
    /// Whether it has a vote.
    pub member: bool,
    /// The number of this start, greater than the numbers of all earlier starts.
    pub boot: u64,
    /// Whether the process is up. It is down while the record cannot be written.
    pub up: bool,
    /// Whether the record was lost, so that it grants nothing until it has learnt enough from
    /// others.
    pub learning: bool,
    /// Whether it has started too recently to grant offices.
    pub quarantined: bool,
    /// The state of the record.
    pub storage: StorageStatus,
    /// What an operator should know, such as that a certificate ends soon, or that no other member can be reached.
    pub warnings: Vec<String>,
    /// When the certificate of this participant ends, in seconds since 1970; `None` within one program.
    pub certificate_end: Option<u64>,
    /// How often a task in the background has panicked, and was begun again.
    pub panics: u64,
    /// The time since a majority of the members was heard: normally about a heartbeat.
    pub majority_heard: Duration,
    /// How long the last write of the record took.
    pub last_sync: Duration,
    /// How long the slowest write took.
    pub longest_sync: Duration,
    /// The longest delay of the loop.
    pub longest_pause: Duration,
    /// By how many millionths the clock of this host ran off the rate of its hardware when this
    /// participant started, as [`clock::check`](crate::clock::check) has measured; `None` within one
    /// program, where nothing is measured.
    pub clock_drift_ppm: Option<u64>,
    /// How often the record was written.
    pub syncs: u64,
    /// Messages sent.
    pub sent: u64,
    /// Messages received.
    pub received: u64,
    /// Messages that could not be read.
    pub undecodable: u64,
    /// Messages that the protocol has rejected, which no correct participant sends.
    pub rejected: u64,
    /// Messages dropped because too many of their sender waited.
    pub dropped: u64,
    /// How often the process crashed and restarted within this program.
    pub restarts: u64,
    /// The number of leaderships that began here.
    pub elections: u64,
    /// The number of them that were lost.
    pub losses: u64,
    /// How often this participant saw an office become vacant.
    pub vacancies: u64,
    /// How often another participant was killed, and its crash notifier released an office for it.
    pub crash_releases: u64,
    /// The number of refused connections.
    pub refused: u64,
    /// The offices that this participant stands for, leads in or watches.
    pub offices: Vec<OfficeStatus>,
    /// The other members.
    pub members: Vec<PeerStatus>,
    /// The clients that are connected.
    pub clients: Vec<PeerStatus>,
}

impl ParticipantStatus {
    /// Returns why this participant cannot take part in an election now; `None` if it can.
    #[must_use]
    pub fn unready(&self) -> Option<String> {
        let members = self.members.len() + usize::from(self.member);
        let connected = self.members.iter().filter(|peer| peer.connected).count();
        let reached = connected + usize::from(self.member);
        if let StorageStatus::Failed { why } = &self.storage {
            Some(format!("the record cannot be written: {why}"))
        } else if self.storage == StorageStatus::Hangs {
            Some("the disk hangs".to_owned())
        } else if !self.up {
            Some("the process is down".to_owned())
        } else if self.learning {
            Some(
                "it has no record, and too few others have told it what it has promised".to_owned(),
            )
        } else if reached < members / 2 + 1 {
            Some(format!("it reaches {reached} of {members} members: no majority"))
        } else if self.quarantined {
            Some("it has just come up, and grants nothing yet".to_owned())
        } else {
            None
        }
    }
}

/// Who the members are, to the knowledge of a participant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct MembershipStatus {
    /// The number of the configuration: two more after each change of the members or of the hosts that may become members.
    pub number: u64,
    /// Whether they are changing.
    pub changing: bool,
    /// The members, in the order of their numbers.
    pub hosts: Vec<HostStatus>,
    /// The names of hosts that wait to be added, as they have told this member.
    pub waiting: Vec<String>,
}

/// A member, to the knowledge of a participant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct HostStatus {
    /// The name.
    pub name: String,
    /// The number, which is never given to another host.
    pub number: u32,
    /// The address at which other members reach it.
    pub address: String,
    /// Whether it votes and never leads.
    pub witness: bool,
    /// Whether it is a member no longer when the change is over that is under way.
    pub leaves: bool,
    /// Whether it is a member alone when that change is over.
    pub comes: bool,
    /// Whether it is connected, or is this participant.
    pub connected: bool,
}

/// The state of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[non_exhaustive]
pub enum StorageStatus {
    /// It can be read and written.
    #[default]
    Good,
    /// A copy was damaged when it was read, and was repaired from the other one.
    Repaired,
    /// A write found it deleted or replaced since the write before, and made it anew.
    Recreated,
    /// Another member remembered a later one: an old data folder was restored. It was not used, as if it had been lost.
    Outdated,
    /// A write takes so long that the disk hangs. Until it ends the participant sends nothing.
    Hangs,
    /// It cannot be written. Until a new attempt succeeds the participant grants nothing.
    Failed {
        /// The error of the system.
        why: String,
    },
}

impl StorageStatus {
    pub(crate) const fn is_writable(&self) -> bool {
        matches!(self, Self::Good | Self::Repaired | Self::Recreated | Self::Outdated)
    }
}

/// The state of another participant, as this one sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PeerStatus {
    /// The name.
    pub name: String,
    /// The number.
    pub number: u32,
    /// Whether it is connected.
    pub connected: bool,
    /// The negotiated version of the protocol.
    pub version: Option<u16>,
    /// The round-trip time.
    pub round_trip: Option<Duration>,
    /// The UDP datagrams that were sent on the present connection.
    pub datagrams_sent: u64,
    /// The UDP datagrams that were received on the present connection.
    pub datagrams_received: u64,
    /// The time since it was last heard.
    pub last_heard: Option<Duration>,
    /// For how long this participant can count on what that one has granted to it: the lease that it
    /// holds there. `None` if it holds none, since it stands for no office, that one does not answer,
    /// or is a client.
    pub lease_held: Option<Duration>,
    /// How long this member keeps what it has granted to the other one, even if it never hears from it again: the lease
    /// that it owes, which is longer than the lease that is held. `None` if it owes none to its knowledge. A member
    /// that has just come up may owe others ([`ParticipantStatus::quarantined`]).
    pub lease_owed: Option<Duration>,
    /// Why there is no connection, if known.
    pub trouble: Option<String>,
}

impl PeerStatus {
    /// Returns whether this is a connection to this peer.
    pub(crate) fn reaches(&self, peer: Peer) -> bool {
        self.number == peer.0 && self.connected
    }
}

/// The state of an office, as this participant sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct OfficeStatus {
    /// The name.
    pub name: String,
    /// The leader.
    pub leader: Option<String>,
    /// The term of the leader, or of the last one known.
    pub term: Option<u64>,
    /// How old this information is.
    pub staleness: Duration,
    /// Whether a program of this participant leads, or has led and has not ended its work yet.
    pub here: bool,
    /// Whether this participant stands for it.
    pub stands: bool,
    /// For how long this participant's own leadership is certain.
    pub valid_for: Option<Duration>,
    /// The value that the leader has set; `None` if there is none, or it is not known here yet.
    pub value: Option<String>,
    /// How often the leader of this term has changed its value, if that is known.
    pub change: Option<u64>,
    /// Whether the work of the leader is under way: of a program that leads here, or of a client, which tells all members.
    /// `None` if neither leads, or the program does not tell.
    pub work: Option<WorkStatus>,
}

/// Whether the work of a leadership is under way, as its program tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct WorkStatus {
    /// Whether it is under way.
    pub running: bool,
    /// For how long it has been so.
    pub since: Duration,
    /// Why it is not under way.
    pub why: Option<String>,
}
