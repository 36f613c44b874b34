//! The format of connections.
//!
//! A connection is a sequence of frames: a length of four bytes, little-endian, and as many bytes.
//! The first frame each way begins with `SFRG` and the version of the protocol in two bytes; what
//! follows in it is a [`Hello`] from the one who has dialled and an [`Answer`] from the other.
//! All others are a [`Frame`]. These are written by `postcard`.

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

/// The longest frame before a connection has introduced itself, in bytes.
pub const LONGEST_GREETING: usize = 512;
