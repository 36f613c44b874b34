//! Wave algorithms that one process starts, for [`Extinction`](crate::Extinction).

pub(crate) mod depth_first;
mod echo;
pub(crate) mod ring_token;
pub(crate) mod tree;

pub use depth_first::DepthFirst;
pub use echo::{Echo, Token};
pub use ring_token::RingToken;
pub use tree::{Msg as TreeMsg, Tree};

use crate::Bound;
use core::{fmt::Debug, hash::Hash};
use serde::{Serialize, de::DeserializeOwned};
use suffrage_model::{Message, Net, NetworkClass, Port};

/// The part of one process in a wave of a centralized wave algorithm (G. Tel, *Introduction to
/// Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000, section 6.1).
///
/// One process starts a wave. Every process takes part in it, and in the end the process that
/// started it decides; each process has then sent or received a message that led to the decision.
/// By then, on FIFO links, everything that was sent before the wave came has arrived: a message of
/// the wave has followed it on every link, in each direction in which messages of waves are sent.
pub trait Wave:
    Clone + Debug + Eq + Hash + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The networks on which it is a wave.
    const NETWORK: NetworkClass;

    /// The greatest number of messages of an election by extinction with `k` initiators: at most
    /// `k` times those of one wave, which is the bound for `k = 1`.
    const MESSAGES: Bound;

    /// The number of messages for which a bounded link needs room.
    const ROOM: Bound;

    /// The greatest time of one wave, from its start until it is decided, in units of the time that a
    /// message takes at most.
    const TIME: Bound;

    /// What holds in elections by extinction over it, beside what holds over any wave: a name each, and a
    /// sentence with its formula.
    const INVARIANTS: &'static [(&'static str, &'static str)] = &[];

    /// A message.
    type Msg: Message + Serialize + DeserializeOwned;

    /// Creates a process with `degree` ports that the wave has not reached.
    fn new(degree: u32) -> Self;

    /// Starts a wave. Returns whether that is already the decision.
    fn start(&mut self, net: &mut impl Net<Self::Msg>) -> bool;

    /// Handles a message of the wave. Returns whether this process decides, having started it.
    ///
    /// A message that cannot arrive in a wave on FIFO links is [rejected](Net::reject).
    fn receive(&mut self, from: Port, msg: Self::Msg, net: &mut impl Net<Self::Msg>) -> bool;
}
