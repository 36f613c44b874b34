//! A peer under the test's control, which can violate the protocol; and a process whose messages
//! are all known.

use bytes::{BufMut, BytesMut};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use suffrage_algorithms::Custom;
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};
use suffrage_networks::wiring::Wiring;
use suffrage_runtime::wire::{
    LONGEST_GREETING, LinkAnswer, LinkFrame, LinkHello, LinkWelcome, VERSION, read_greeting,
    take_frame,
};
use suffrage_runtime::{Membership, Node, NodeSetup, Security, Tcp};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// `Everyone` as an algorithm that nodes can run.
pub(crate) const EVERYONE: Custom<Everyone> = Custom::new("everyone");

/// A process that sends its identity to all, and halts when it knows all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Everyone {
    id: Id,
    degree: u32,
    woken: bool,
    heard: u32,
    best: Id,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Name(pub(crate) Id);

impl Message for Name {
    const KINDS: &'static [Kind] = &[Kind::election("name").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for Everyone {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = Name;

    fn new(id: Id, degree: u32) -> Self {
        Self { id, degree, woken: false, heard: 0, best: id }
    }
    fn wake(&mut self, net: &mut impl Net<Name>) {
        self.woken = true;
        net.send_all(Name(self.id));
    }
    fn receive(&mut self, _: Port, Name(id): Name, net: &mut impl Net<Name>) {
        if !self.woken {
            self.wake(net);
        }
        self.heard += 1;
        self.best = self.best.max(id);
    }
    fn status(&self) -> Status {
        match self.heard == self.degree {
            false => Status::Undecided,
            true if self.best == self.id => Status::Leader,
            true => Status::Follower,
        }
    }
    fn leader(&self) -> Option<Id> {
        (self.heard == self.degree).then_some(self.best)
    }
    fn halted(&self) -> bool {
        self.heard == self.degree
    }
}

/// The payloads of a link, as they are on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Payload {
    Message { depth: u32, msg: Name },
    Halted,
    Released { certain: bool },
}

/// A frame that a peer has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Payload(Payload),
    Taken(u64),
    Bye { certain: bool },
}

/// The other end of a link, after it has welcomed a node.
pub(crate) struct Peer {
    pub(crate) stream: TcpStream,
    buffer: BytesMut,
    sent: u64,
    received: u64,
}

impl Peer {
    /// Waits for a node to dial, and welcomes it.
    pub(crate) async fn welcome(listener: &TcpListener) -> Self {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut buffer = BytesMut::new();
        let frame = loop {
            if let Some(frame) = take_frame(&mut buffer, LONGEST_GREETING).unwrap() {
                break frame;
            }
            assert!(stream.read_buf(&mut buffer).await.unwrap() > 0, "no greeting");
        };
        let hello: LinkHello = read_greeting(&frame).unwrap();
        let welcome = LinkWelcome {
            incarnation: 4711,
            connection: hello.last + 1,
            received: 0,
            window: 1024,
        };
        let mut answer = b"SFRG".to_vec();
        answer.extend(VERSION.to_le_bytes());
        answer.extend(postcard::to_stdvec(&LinkAnswer::Welcome(welcome)).unwrap());
        let mut peer = Self { stream, buffer, sent: 0, received: 0 };
        peer.put(&answer).await;
        peer
    }

    /// Sends bytes as a frame.
    pub(crate) async fn put(&mut self, frame: &[u8]) {
        let mut bytes = BytesMut::new();
        bytes.put_u32_le(frame.len() as u32);
        bytes.put_slice(frame);
        // The other side may be gone already.
        let _ = self.stream.write_all(&bytes).await;
    }

    pub(crate) async fn say(&mut self, payload: Payload) {
        let bytes = postcard::to_stdvec(&payload).unwrap();
        let frame = LinkFrame::Payload { number: self.sent, bytes: &bytes };
        self.put(&postcard::to_stdvec(&frame).unwrap()).await;
        self.sent += 1;
    }

    /// Reads the next frame that is no heartbeat. Confirms every payload.
    pub(crate) async fn hear(&mut self) -> Heard {
        loop {
            while let Some(frame) = take_frame(&mut self.buffer, 4096).unwrap() {
                match LinkFrame::from_bytes(&frame).unwrap() {
                    LinkFrame::Beat => {}
                    LinkFrame::Taken(number) => return Heard::Taken(number),
                    LinkFrame::Bye { certain } => return Heard::Bye { certain },
                    LinkFrame::Payload { bytes, .. } => {
                        let payload = postcard::from_bytes(bytes).unwrap();
                        self.received += 1;
                        let taken = postcard::to_stdvec(&LinkFrame::Taken(self.received)).unwrap();
                        self.put(&taken).await;
                        return Heard::Payload(payload);
                    }
                }
            }
            assert!(self.stream.read_buf(&mut self.buffer).await.unwrap() > 0, "it has closed");
        }
    }

    /// Closes the connection so that nothing that was sent is lost.
    pub(crate) async fn close(mut self) {
        let _ = self.stream.shutdown().await;
        while self.stream.read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {}
    }

    /// Reads until the node sends `what`.
    pub(crate) async fn hear_until(&mut self, what: Heard) {
        while self.hear().await != what {}
    }
}

/// Creates one real node among `nodes` with the identities 1, 2, ..., and listeners for the others.
pub(crate) async fn alone(
    nodes: u32,
    number: u32,
    setup: impl FnOnce(NodeSetup) -> NodeSetup,
) -> (Node, Vec<TcpListener>) {
    let ids = (1..=u64::from(nodes)).map(Id::new).collect();
    let membership = Membership::new("test", Wiring::complete(nodes), ids).unwrap();
    let (mut listeners, mut addresses) = (Vec::new(), Vec::new());
    for _ in 0..nodes {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        addresses.push(listener.local_addr().unwrap().to_string());
        listeners.push(listener);
    }
    let listener = listeners.remove(number as usize);
    let setup = setup(NodeSetup::new(Arc::new(membership), number));
    let tcp = Tcp { listener, addresses: addresses.into(), security: Security::None };
    (Node::tcp(&EVERYONE, setup, tcp).unwrap(), listeners)
}
