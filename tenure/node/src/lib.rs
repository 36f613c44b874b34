#![doc = include_str!("../README.md")]

pub mod clock;
pub mod config;
mod engine;
mod error;
#[cfg(feature = "http")]
pub mod http;
mod leadership;
mod membership;
mod office;
mod packet;
mod participant;
mod random;
pub mod records;
mod roster;
mod standing;
mod start;
pub mod status;
#[doc(hidden)]
pub mod testing;
mod timing;
pub mod transport;

pub use config::ClusterConfig;
pub use engine::MembershipChange;
pub use error::{
    ChangeError, LeadershipLost, ParticipantEnded, StandError, StartError, TransferError,
};
pub use leadership::{Extensions, Leadership};
pub use membership::ClusterMembers;
pub use office::{LONGEST_NAME, OfficeError, OfficeName};
pub use participant::{Client, LocalCluster, Member, OfficeHandle, Participant};
pub use roster::{LONGEST_ADDRESS, MOST_HOSTS, Roster, RosterHost};
pub use standing::{KnownLeader, OfficeStanding, OfficeWatch};
pub use start::{CheckedConfig, ClientConfig};
pub use status::ParticipantStatus;
#[cfg(feature = "certificates")]
pub use suffrage_net::certificates;
pub use tenure_protocol::value::{LONGEST_VALUE, LeaderValue, ValueError};
pub use timing::{CLOCK_BOUND, LeaseTiming, TimingError};
pub use transport::quic::{
    Address, Conversation, ConversationRights, Conversations, CrashNotifier, ReleaseTicket,
};
