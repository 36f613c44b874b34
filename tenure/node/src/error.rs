//! The errors of this crate: why a participant does not start, a program does not stand, a leadership is over, and an
//! office is not transferred.

use crate::config::ConfigError;
use crate::office::OfficeError;
use crate::records::StoreError;
use crate::timing::TimingError;
use std::time::Duration;

/// An error: the participant has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the participant has ended")]
pub struct ParticipantEnded;

/// An error: a participant cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The timing cannot be kept.
    #[error(transparent)]
    Timing(#[from] TimingError),
    /// The record must not be used.
    #[error("the record: {0}")]
    Store(#[from] StoreError),
    /// The cluster has no member of this name, or too many members.
    #[error("{0}")]
    Members(String),
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The names of two offices collide.
    #[error(transparent)]
    Office(#[from] OfficeError),
    /// The clock of this host cannot be relied on.
    #[error("{0}")]
    Clock(String),
    /// The network cannot be used.
    #[error("the network: {0}")]
    Network(std::io::Error),
    /// No thread could be started.
    #[error("no thread can be started: {0}; raise the limit of threads (`ulimit -u`, `pids.max`)")]
    Thread(std::io::Error),
}

impl StartError {
    /// The network cannot be used, or no thread be started for it: then the system says to try again.
    pub(crate) fn network(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::WouldBlock => Self::Thread(error),
            _ => Self::Network(error),
        }
    }
}

/// An error: a program cannot stand for or watch an office.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StandError {
    /// The office cannot have this name.
    #[error(transparent)]
    Office(#[from] OfficeError),
    /// The work may not go on for so long.
    #[error(
        "a stop time of {stop:?} is longer than the {longest:?} that successors wait: set the stop \
         time of the office in the configuration of all members"
    )]
    Stop {
        /// The stop time.
        stop: Duration,
        /// The longest stop time of all offices.
        longest: Duration,
    },
    /// A witness never leads.
    #[error("this member is a witness: it votes, and never leads")]
    Witness,
    /// The participant has ended, or is about to.
    #[error("the participant has ended")]
    Ended,
}

/// An error: the leadership is over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the leadership of `{office}` in term {term} is over")]
pub struct LeadershipLost {
    /// The name of the office.
    pub office: String,
    /// The term that is over.
    pub term: u64,
}

/// An error: the members are not changed, for this reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ChangeError(pub(crate) String);

/// An error: an office was not transferred.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    /// This participant knows none of this name.
    #[error("no participant is named `{0}`")]
    Unknown(String),
    /// The participant does not lead the office, or the one that should lead does not stand for it.
    #[error("{0}")]
    NotLeading(String),
    /// The leader has left, and not the participant that was named leads now.
    #[error("{0}")]
    NotTransferred(String),
}
