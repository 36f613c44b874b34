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
    /// What is given up when a cargo has been taken: it makes room for another one on the link.
    type Receipt: Send;

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

    /// Says goodbye on all links. Nothing may be under way any more.
    fn leave(self) -> impl Future<Output = ()> + Send;
}

/// What happens on a link.
pub(crate) enum Event<R> {
    /// A cargo has come.
    Arrival { port: Port, bytes: Box<[u8]>, receipt: R },
    /// The other end has left because all have halted.
    Left(Port),
    /// The other end was there, and nobody has been for a while.
    Gone(Port),
}
