//! The logs of nodes, and logs that fail.

use crate::peer::alone;
use crate::proxy::hasty;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use suffrage_model::Id;
use suffrage_networks::wiring::Wiring;
use suffrage_runtime::certificates::{Authority, CertificateSubject};
use suffrage_runtime::{ElectionError, Membership, Node, NodeSetup, Security, Tcp, Tls};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id as Span, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// A log that keeps lines, or panics on those of a module.
#[derive(Clone, Default)]
struct Log {
    lines: Arc<Mutex<Vec<(Level, String)>>>,
    panics_in: Option<&'static str>,
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Span {
        Span::from_u64(1)
    }
    fn record(&self, _: &Span, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Span, _: &Span) {}
    fn event(&self, event: &Event<'_>) {
        let target = event.metadata().target();
        if self.panics_in.is_some_and(|module| target.ends_with(module)) {
            panic!("the log is full");
        }
        let mut line = Line(String::new());
        event.record(&mut line);
        self.lines.lock().unwrap().push((*event.metadata().level(), line.0));
    }
    fn enter(&self, _: &Span) {}
    fn exit(&self, _: &Span) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 += &format!("{}={value:?} ", field.name());
    }
}

impl Log {
    fn count(&self, level: Level, part: &str) -> usize {
        let lines = self.lines.lock().unwrap();
        lines.iter().filter(|line| line.0 == level && line.1.contains(part)).count()
    }
}

async fn within<T>(story: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(60), story).await.expect("no end in sight")
}

/// Two nodes log into a writer which panics. Messages on a link whose task is gone do not count as
/// taken, so no node reports that the election is over.
#[tokio::test]
async fn a_link_that_panics_ends_its_node() {
    let log = Log { panics_in: Some("sockets::link"), ..Log::default() };
    let _guard = tracing::subscriber::set_default(log);
    let (mut node, listeners) = alone(2, 1, |setup| NodeSetup { timeouts: hasty(), ..setup }).await;
    let peer = crate::peer::Peer::welcome(&listeners[0]);
    let error = within(async { tokio::join!(node.elect(), peer).0.unwrap_err() }).await;
    let ElectionError::Task(why) = error else { panic!("{error}") };
    assert_eq!(why, "a link panicked: the log is full");
}

#[tokio::test]
async fn a_listener_that_panics_ends_its_node() {
    let log = Log { panics_in: Some("net::acceptor"), ..Log::default() };
    let _guard = tracing::subscriber::set_default(log);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let membership = Membership::new("test", Wiring::complete(2), vec![Id::new(1), Id::new(2)]);
    let setup = NodeSetup { initiator: false, ..NodeSetup::new(Arc::new(membership.unwrap()), 0) };
    let addresses = [address.to_string(), "127.0.0.1:1".to_owned()];
    let tcp = Tcp { listener, addresses: addresses.to_vec().into(), security: Security::None };
    let mut node = Node::tcp(&crate::peer::EVERYONE, setup, tcp).unwrap();
    let garbage = async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let _ = stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await;
    };
    let error = within(async { tokio::join!(node.elect(), garbage).0.unwrap_err() }).await;
    let ElectionError::Task(why) = error else { panic!("{error}") };
    assert_eq!(why, "the listener panicked: the log is full");
}

/// Hundreds of peers with wrong certificates cause a few lines in the log.
#[tokio::test]
async fn failed_handshakes_are_seen_and_do_not_fill_the_log() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let authority = Authority::new().unwrap();
    let tls =
        Tls::new(authority.credentials("test", CertificateSubject::Node(1)).unwrap()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let membership = Membership::new("test", Wiring::complete(2), vec![Id::new(1), Id::new(2)]);
    let setup = NodeSetup { initiator: false, ..NodeSetup::new(Arc::new(membership.unwrap()), 0) };
    let addresses = [address.to_string(), "127.0.0.1:1".to_owned()];
    let tcp = Tcp { listener, addresses: addresses.to_vec().into(), security: Security::Tls(tls) };
    let _node = Node::tcp(&crate::peer::EVERYONE, setup, tcp).unwrap();
    within(async {
        for _ in 0..200 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(&[b'x'; 64]).await.unwrap();
            while stream.read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {}
        }
    })
    .await;
    let lines = log.count(Level::WARN, "the TLS handshake failed");
    assert!((1..=80).contains(&lines), "{lines} lines of 200");
}

/// Greetings of nodes of another cluster cause a few lines in the log.
#[tokio::test]
async fn forged_greetings_do_not_fill_the_log() {
    use suffrage_runtime::wire::{LinkHello, VERSION};
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let membership = Membership::new("test", Wiring::complete(2), vec![Id::new(1), Id::new(2)]);
    let membership = Arc::new(membership.unwrap());
    let hello = LinkHello {
        cluster: "forged".to_owned(),
        algorithm: "everyone".to_owned(),
        digest: membership.digest(),
        from: (1, 0),
        to: (0, 0),
        incarnation: 1,
        expects: None,
        last: 0,
        received: 0,
        window: 1,
    };
    let mut greeting = b"SFRG".to_vec();
    greeting.extend(VERSION.to_le_bytes());
    greeting.extend(postcard::to_stdvec(&hello).unwrap());
    let setup = NodeSetup { initiator: false, ..NodeSetup::new(membership, 0) };
    let addresses = [address.to_string(), "127.0.0.1:1".to_owned()];
    let tcp = Tcp { listener, addresses: addresses.to_vec().into(), security: Security::None };
    let _node = Node::tcp(&crate::peer::EVERYONE, setup, tcp).unwrap();
    within(async {
        for _ in 0..200 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let length = u32::try_from(greeting.len()).unwrap();
            stream.write_all(&length.to_le_bytes()).await.unwrap();
            stream.write_all(&greeting).await.unwrap();
            while stream.read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {}
        }
    })
    .await;
    let lines = log.count(Level::WARN, "refused a node");
    assert!((1..=80).contains(&lines), "{lines} lines of 200");
    // Lines name identities, not internal numbers.
    assert!(log.count(Level::WARN, "id=2") > 0);
}

/// Each connection ends for a reason with another number in it, such as a time: that is one reason,
/// and one line.
#[tokio::test]
async fn a_reason_with_a_number_that_changes_is_logged_once() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let (mut node, listeners) = alone(2, 1, |setup| NodeSetup { timeouts: hasty(), ..setup }).await;
    let story = async {
        for length in 1_000_000_u32..1_000_006 {
            let mut peer = crate::peer::Peer::welcome(&listeners[0]).await;
            peer.stream.write_all(&length.to_le_bytes()).await.unwrap();
            peer.close().await;
        }
    };
    within(async {
        tokio::select! {
            () = story => {}
            _ = node.elect() => panic!("an election without the other"),
        }
    })
    .await;
    assert_eq!(log.count(Level::INFO, "waiting for node 1"), 1);
    assert_eq!(log.count(Level::INFO, "a frame of 1000000 bytes"), 1);
}
