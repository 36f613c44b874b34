//! Certificates: their names, revocation and replacement.

use crate::disagreement::{complaint, named};
use crate::proxy::hasty;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use suffrage_algorithms::Algorithm;
use suffrage_model::Id;
use suffrage_networks::wiring::Wiring;
use suffrage_runtime::certificates::{Authority, CertificateSubject};
use suffrage_runtime::{
    Credentials, Membership, Node, NodeSetup, Security, Tcp, Tls, TlsFiles, node_name,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

const CLUSTER: &str = "ours";

fn credentials(authority: &Authority, trusts: &Authority, cluster: &str, id: u64) -> Credentials {
    Credentials {
        authority: trusts.own().certificate.into_bytes(),
        ..authority.credentials(cluster, CertificateSubject::Node(id)).unwrap()
    }
}

fn tls(authority: &Authority, trusts: &Authority, id: u64) -> Security {
    Security::Tls(Tls::new(credentials(authority, trusts, CLUSTER, id)).unwrap())
}

#[tokio::test]
async fn certificates_are_checked_on_both_sides() {
    let (ours, theirs) = (Authority::new().unwrap(), Authority::new().unwrap());
    let membership = || named(CLUSTER, [1, 2]);
    let first = || ("humblet", membership(), tls(&ours, &ours, 1));
    // Another authority; another node's certificate; none at all.
    for second in [tls(&theirs, &ours, 2), tls(&ours, &ours, 7), Security::None] {
        complaint([first(), ("humblet", membership(), second)]).await;
    }
    // The dialling node has another node's certificate.
    let why = complaint([
        ("humblet", membership(), tls(&ours, &ours, 7)),
        ("humblet", membership(), tls(&ours, &ours, 2)),
    ])
    .await;
    assert!(why.contains("the certificate is not that of the node"), "{why}");
}

/// One authority serves two clusters, whose nodes cannot impersonate each other.
#[tokio::test]
async fn a_certificate_is_good_for_one_cluster() {
    let authority = Authority::new().unwrap();
    let other = |id| Tls::new(credentials(&authority, &authority, "theirs", id)).unwrap();
    let side = |security| ("humblet", named(CLUSTER, [1, 2]), security);
    let ours = |id| side(tls(&authority, &authority, id));
    let why = complaint([ours(1), side(Security::Tls(other(2)))]).await;
    assert!(why.contains("node-2.ours") && why.contains("node-2.theirs"), "{why}");
    let why = complaint([side(Security::Tls(other(1))), ours(2)]).await;
    assert!(why.contains("the certificate is not that of the node in this cluster"), "{why}");
}

/// A list revokes a node's certificate, no matter which side dials.
#[tokio::test]
async fn a_revoked_certificate_is_refused() {
    let authority = Authority::new().unwrap();
    let good = credentials(&authority, &authority, CLUSTER, 1);
    let bad = credentials(&authority, &authority, CLUSTER, 2);
    let list = authority.revoke([std::str::from_utf8(&bad.certificate).unwrap()]).unwrap();
    let careful = Credentials { revoked: Some(list.into_bytes()), ..good };
    let side = |credentials| {
        ("humblet", named(CLUSTER, [1, 2]), Security::Tls(Tls::new(credentials).unwrap()))
    };
    let why = complaint([side(careful.clone()), side(bad.clone())]).await;
    assert!(why.to_lowercase().contains("revoked"), "{why}");
    // A certificate that is not on the list stays valid.
    let other = credentials(&authority, &authority, CLUSTER, 2);
    let (first, second) = elect([careful, other].map(|one| Tls::new(one).unwrap())).await;
    assert_eq!((first, second), (Ok(()), Ok(())));
}

/// The side that dials and the side that is dialled both look at their lists.
#[tokio::test]
async fn both_sides_of_a_connection_refuse_a_revoked_certificate() {
    let authority = Authority::new().unwrap();
    let good = credentials(&authority, &authority, CLUSTER, 1);
    let bad = credentials(&authority, &authority, CLUSTER, 2);
    let list = authority.revoke([std::str::from_utf8(&bad.certificate).unwrap()]).unwrap();
    let careful = Tls::new(Credentials { revoked: Some(list.into_bytes()), ..good }).unwrap();
    let revoked = Tls::new(bad).unwrap();
    for dials in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (dialling, dialled) = if dials { (&careful, &revoked) } else { (&revoked, &careful) };
        let name = node_name(CLUSTER, if dials { 2 } else { 1 });
        let (connected, accepted) = tokio::join!(
            async { dialling.connect(TcpStream::connect(address).await.unwrap(), &name).await },
            async { dialled.accept(listener.accept().await.unwrap().0).await },
        );
        let why = match dials {
            true => connected.err(),
            false => accepted.err(),
        };
        let why = why.expect("it is refused").to_string();
        assert!(why.to_lowercase().contains("revoked"), "{why}");
    }
}

/// Holds an election of two nodes, and returns their results.
async fn elect(both: [Tls; 2]) -> (Result<(), String>, Result<(), String>) {
    let mut nodes = nodes(named(CLUSTER, [1, 2]), both).await;
    let (mut second, mut first) = (nodes.pop().unwrap(), nodes.pop().unwrap());
    let both = async { tokio::join!(first.elect(), second.elect()) };
    let (first, second) = timeout(Duration::from_secs(60), both).await.expect("no end in sight");
    let said = |result: Result<_, suffrage_runtime::ElectionError>| {
        result.map(drop).map_err(|error| error.to_string())
    };
    (said(first), said(second))
}

/// Creates the first two nodes.
async fn nodes(membership: Arc<Membership>, both: [Tls; 2]) -> Vec<Node> {
    let (mut listeners, mut addresses) = (Vec::new(), Vec::new());
    for _ in &both {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        addresses.push(listener.local_addr().unwrap().to_string());
        listeners.push(listener);
    }
    addresses.resize(membership.nodes() as usize, "127.0.0.1:1".to_owned());
    let addresses: Arc<[String]> = addresses.into();
    (0..)
        .zip(listeners.into_iter().zip(both))
        .map(|(number, (listener, tls))| {
            let setup =
                NodeSetup { timeouts: hasty(), ..NodeSetup::new(membership.clone(), number) };
            let tcp = Tcp { listener, addresses: addresses.clone(), security: Security::Tls(tls) };
            Node::tcp(Algorithm::named("all-to-all").unwrap(), setup, tcp).unwrap()
        })
        .collect()
}

fn write(folder: &Path, credentials: &Credentials) {
    std::fs::write(folder.join("ca.pem"), &credentials.authority).unwrap();
    std::fs::write(folder.join("node.pem"), &credentials.certificate).unwrap();
    std::fs::write(folder.join("key.pem"), &credentials.key).unwrap();
}

/// A node has the certificate of another cluster, and gets the right one while it runs.
#[tokio::test]
async fn certificates_are_replaced_without_a_restart() {
    let authority = Authority::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &credentials(&authority, &authority, "theirs", 2));
    let files = TlsFiles {
        authority: "ca.pem".into(),
        certificate: "node.pem".into(),
        key: "key.pem".into(),
        revoked: None,
    };
    let second = Tls::from_files(files.within(folder.path())).unwrap();
    let first = Tls::new(credentials(&authority, &authority, CLUSTER, 1)).unwrap();
    let mut nodes = nodes(named(CLUSTER, [1, 2]), [first, second]).await;
    let mut view = nodes[0].watch();
    let (mut second, mut first) = (nodes.pop().unwrap(), nodes.pop().unwrap());
    let (first, second) = timeout(Duration::from_secs(60), async {
        tokio::join!(first.elect(), second.elect(), async {
            view.wait_for(|view| !view.missing.is_empty()).await.unwrap();
            write(folder.path(), &credentials(&authority, &authority, CLUSTER, 2));
        })
    })
    .await
    .map(|(first, second, ())| (first.unwrap(), second.unwrap()))
    .expect("no end in sight");
    assert_eq!(first.leader, second.leader);
    assert_eq!(view.borrow().missing.len(), 0);
}

/// An incomplete or invalid change leaves the old credentials in use.
#[test]
fn certificates_that_do_not_fit_are_not_used() {
    let authority = Authority::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let old = credentials(&authority, &authority, CLUSTER, 2);
    write(folder.path(), &old);
    let files = TlsFiles {
        authority: "ca.pem".into(),
        certificate: "node.pem".into(),
        key: "key.pem".into(),
        revoked: None,
    };
    let tls = Tls::from_files(files.within(folder.path())).unwrap();
    assert!(!tls.refresh().unwrap(), "nothing has changed");
    let new = credentials(&authority, &authority, CLUSTER, 2);
    write(folder.path(), &Credentials { key: old.key, ..new.clone() });
    tls.refresh().unwrap_err();
    std::fs::remove_file(folder.path().join("key.pem")).unwrap();
    let error = tls.refresh().unwrap_err().to_string();
    assert!(error.contains("key.pem"), "{error}");
    write(folder.path(), &new);
    assert!(tls.refresh().unwrap());
    assert_eq!(node_name(CLUSTER, 2), "node-2.ours");
}

/// The revocation of a peer ends the connection that it has.
#[tokio::test]
async fn a_peer_that_is_revoked_is_shut_out_at_once() {
    let authority = Authority::new().unwrap();
    let own = credentials(&authority, &authority, CLUSTER, 1);
    let other = credentials(&authority, &authority, CLUSTER, 2);
    let list = authority.revoke([std::str::from_utf8(&other.certificate).unwrap()]).unwrap();
    let first = Tls::new(own.clone()).unwrap();
    // The third node never starts, which keeps the election from ending.
    let ids = [1, 2, 3].map(Id::new).to_vec();
    let membership = Membership::new(CLUSTER, Wiring::complete(3), ids).unwrap();
    let mut nodes = nodes(membership.into(), [first.clone(), Tls::new(other).unwrap()]).await;
    let mut view = nodes[0].watch();
    let (mut second, mut waiting) = (nodes.pop().unwrap(), nodes.pop().unwrap());
    let story = async {
        view.wait_for(|view| view.connected == 1).await.unwrap();
        first.replace(Credentials { revoked: Some(list.into_bytes()), ..own }).unwrap();
        let revoked = |why: &str| why.to_lowercase().contains("revoked");
        let out = view.wait_for(|view| view.missing.values().any(|one| revoked(&one.why)));
        assert_eq!(out.await.unwrap().connected, 0);
    };
    tokio::select! {
        () = story => {}
        _ = async { tokio::join!(waiting.elect(), second.elect()) } => panic!("without the third"),
        () = sleep(Duration::from_secs(60)) => panic!("it is still connected"),
    }
}
