//! Reliable FIFO links, whatever they are made of.

pub(crate) mod channels;
pub(crate) mod sockets;

use crate::window::UnderWay;
use std::sync::Arc;
use suffrage_process::Port;

/// The links of one node.
///
/// What is sent through a port arrives at the other end of its link once and in the order of
/// sending, however often what lies between them breaks.
pub(crate) trait Transport: Send + 'static {
    /// What comes with a payload.
    type Receipt: Receipt;

    /// Sends, and waits for room on the link first. Cancelled, it has not sent.
    fn send(&mut self, port: Port, bytes: Box<[u8]>) -> impl Future<Output = ()> + Send;

    /// The next event. Cancelled, it has taken none.
    fn receive(&mut self) -> impl Future<Output = Event<Self::Receipt>> + Send;

    /// What has been sent and not been taken.
    fn under_way(&self) -> &Arc<UnderWay>;

    /// Makes sure that there is a link, though there is nothing to send.
    fn open(&self, port: Port);

    /// Whether links are connections, which the view counts.
    fn connects(&self) -> bool;

    /// How many links there are by now.
    fn opened(&self) -> usize;

    /// Says goodbye on all links. What is still under way is lost.
    ///
    /// `certain` if all have halted.
    fn leave(self, certain: bool) -> impl Future<Output = ()> + Send;
}

/// The receipt for a payload, which the process returns when it has taken it.
pub(crate) trait Receipt: Send {
    /// The process has taken the payload: there is room for another one on the link.
    fn taken(self);
}

/// What happens on a link.
pub(crate) enum Event<R> {
    /// A payload has come.
    Arrival { port: Port, bytes: Box<[u8]>, receipt: R },
    /// The other end has left; `certain` if it knew that all have halted.
    Left { port: Port, certain: bool },
}
