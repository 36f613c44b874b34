#![doc = include_str!("../README.md")]

pub mod clock;
mod engine;
mod hearing;
mod leadership;
mod office;
mod packet;
mod participant;
pub mod records;
mod standing;
pub mod status;
mod timing;
pub mod transport;

pub use leadership::{Leadership, Lost, TransferError};
pub use office::{LONGEST_NAME, OfficeError, OfficeName};
pub use participant::{
    Ended, LocalCluster, Member, Office, Participant, StandError, Stander, StartError,
};
pub use standing::{Leader, Standing, Watch};
pub use status::Status;
pub use timing::{CLOCK_BOUND, Timing, TimingError};
