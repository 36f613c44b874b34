//! The format of connections.
//!
//! A connection is a sequence of frames: a length of four bytes, little-endian, and as many bytes.
//! The first frame in each direction begins with `SFRG` and the version of the protocol in two
//! bytes, followed by a [`Hello`] from the dialling side and an [`Answer`] from the other. Each
//! later frame is a [`Frame`]. All are encoded by `postcard`.

mod frame;
mod hello;
mod payload;

pub(crate) use frame::put_frame;
pub use frame::{Frame, FrameError, take_frame};
pub(crate) use hello::greeting;
pub use hello::{Answer, GreetingError, Hello, Refusal, Welcome, read_greeting};
pub(crate) use payload::Payload;

/// The version of the protocol. Nodes of different versions refuse each other.
pub const VERSION: u16 = 2;

/// The maximal length of a first frame, in bytes.
pub const LONGEST_GREETING: usize = 512;
