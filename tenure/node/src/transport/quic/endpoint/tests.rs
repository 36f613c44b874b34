use super::*;
use quinn::{ConnectionError, Endpoint, TokioRuntime};
use std::net::{SocketAddr, UdpSocket};
use suffrage_net::certificates::{Authority, CertificateSubject};
use suffrage_net::free;
use suffrage_net::tls::any_member_name;
use tokio::time::{sleep, timeout};

#[test]
fn a_dead_connection_is_noticed_soon_whatever_the_lease() {
    let ms = Duration::from_millis;
    let idle = [0, 250, 2_000, 600_000].map(|lease| idle(ms(lease)));
    assert_eq!(idle, [ms(1_000), ms(1_000), ms(4_000), ms(10_000)]);
}

const LEASE: Duration = Duration::from_secs(60);

/// A server with this secret, on the runtime that is entered.
fn serve(tls: &Tls, secret: &[u8], at: SocketAddr) -> Endpoint {
    let socket = UdpSocket::bind(at).unwrap();
    let answers = Some(server(tls, LEASE).unwrap());
    Endpoint::new(endpoint(secret), answers, socket, Arc::new(TokioRuntime)).unwrap()
}

/// Returns why a connection to a server ends that is killed and started again, with another secret or not; `None`
/// if it has not ended after several round trips.
fn ending(first: &[u8], second: &[u8]) -> Option<ConnectionError> {
    let authority = Authority::new().unwrap();
    let own = authority.issue("lab", CertificateSubject::Member("a")).unwrap();
    let tls = Tls::new(authority.with(own)).unwrap();
    let at = free::addresses(1).unwrap()[0];
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let peer = runtime();
    let connection = peer.block_on(async {
        let client = client(&tls, LEASE, SENT_AGAIN).unwrap();
        let killed = runtime();
        let server = {
            let _within = killed.enter();
            serve(&tls, first, at)
        };
        let accepting = std::thread::spawn(move || {
            let accepted = killed.block_on(async { server.accept().await.unwrap().await.unwrap() });
            // Nothing of it runs any more, so that nothing takes leave.
            drop(killed);
            drop((accepted, server));
        });
        let endpoint = Endpoint::client("127.0.0.1:0".parse().unwrap()).unwrap();
        let dns = any_member_name("lab");
        let connection = endpoint.connect_with(client, at, &dns).unwrap().await.unwrap();
        // Some packets are of the handshake yet, and known identifiers come with the last of them.
        while !accepting.is_finished() {
            sleep(Duration::from_millis(5)).await;
        }
        connection
    });
    let _again = {
        let _within = peer.enter();
        serve(&tls, second, at)
    };
    peer.block_on(async {
        for _ in 0..100 {
            let _ = connection.send_datagram(vec![7; 40].into());
            if let Ok(why) = timeout(Duration::from_millis(20), connection.closed()).await {
                return Some(why);
            }
        }
        None
    })
}

#[test]
fn a_connection_to_an_earlier_process_of_a_member_is_reset_and_to_another_s_is_not() {
    assert_eq!(ending(b"one", b"one"), Some(ConnectionError::Reset));
    assert_eq!(ending(b"one", b"two"), None);
}
