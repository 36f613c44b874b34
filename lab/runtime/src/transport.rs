//! Reliable FIFO links, over any medium.

pub(crate) mod channels;
pub(crate) mod sockets;

use crate::window::UnderWay;
use std::sync::Arc;
use suffrage_model::Port;

/// The links of one node.
///
/// Payloads that are sent through a port arrive at the other end of its link once and in order,
/// however often connections break.
pub(crate) trait LinkTransport: Send + 'static {
    type Receipt: Receipt;

    /// Waits for room on the link, and sends a payload. If cancelled, it has not sent.
    fn send(&mut self, port: Port, bytes: Box<[u8]>) -> impl Future<Output = ()> + Send;

    /// Waits for the next event. If cancelled, it has taken none.
    fn receive(&mut self) -> impl Future<Output = LinkEvent<Self::Receipt>> + Send;

    fn under_way(&self) -> &Arc<UnderWay>;

    /// Opens a link, even if there is nothing to send.
    fn open(&self, port: Port);

    fn connects(&self) -> bool;

    fn opened(&self) -> usize;

    /// Closes all links. Payloads in transit are lost.
    ///
    /// `certain` if all have halted.
    fn leave(self, certain: bool) -> impl Future<Output = ()> + Send;
}

/// The receipt for a payload, which the process returns when it has taken it.
pub(crate) trait Receipt: Send {
    /// Confirms that the process has taken the payload, which makes room on the link.
    fn taken(self);
}

/// An event on a link.
pub(crate) enum LinkEvent<R> {
    /// A payload has arrived.
    Arrival { port: Port, bytes: Box<[u8]>, receipt: R },
    /// The other end has left; `certain` if it knew that all have halted.
    Left { port: Port, certain: bool },
}
