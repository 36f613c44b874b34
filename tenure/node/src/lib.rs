#![doc = include_str!("../README.md")]

pub mod clock;
pub mod config;
mod ends;
mod engine;
mod hearing;
#[cfg(feature = "http")]
pub mod http;
mod leadership;
mod office;
mod packet;
mod participant;
mod random;
pub mod records;
mod reload;
mod standing;
mod start;
pub mod status;
#[doc(hidden)]
pub mod testing;
mod timing;
pub mod transport;

pub use config::Config;
pub use leadership::{Extensions, Leadership, Lost, TransferError};
pub use office::{LONGEST_NAME, OfficeError, OfficeName};
pub use participant::{
    Ended, LocalCluster, Member, Office, Participant, StandError, Stander, StartError,
};
pub use standing::{Leader, Standing, Watch};
pub use start::StanderConfig;
pub use status::Status;
#[cfg(feature = "certificates")]
pub use suffrage_net::certificates;
pub use timing::{CLOCK_BOUND, Timing, TimingError};
pub use transport::quic::{Address, Conversation, Errand, Herald, HeraldError, Operators};
