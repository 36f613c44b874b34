//! Three nodes in one program elect a leader: `cargo run --example three_nodes`
use std::sync::Arc;
use suffrage_algorithms::Algorithm;
use suffrage_model::Id;
use suffrage_networks::wiring::Wiring;
use suffrage_runtime::{Membership, Node, NodeSetup, Security, Tcp};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let algorithm = Algorithm::named("humblet").ok_or("no such algorithm")?;
    let ids = [17, 42, 5].map(Id::new).to_vec();
    let membership = Arc::new(Membership::new("example", Wiring::complete(3), ids)?);
    // On three hosts each would bind its own listener, and know the addresses of the others.
    let mut listeners = Vec::new();
    for _ in 0..3 {
        listeners.push(TcpListener::bind("127.0.0.1:0").await?);
    }
    let addresses: Result<Vec<String>, std::io::Error> =
        listeners.iter().map(|listener| Ok(listener.local_addr()?.to_string())).collect();
    let addresses: Arc<[String]> = addresses?.into();
    let mut elections = Vec::new();
    for (number, listener) in (0..).zip(listeners) {
        let tcp = Tcp { listener, addresses: addresses.clone(), security: Security::None };
        let mut node = Node::tcp(algorithm, NodeSetup::new(membership.clone(), number), tcp)?;
        elections.push(tokio::spawn(async move { node.elect().await }));
    }
    for election in elections {
        let outcome = election.await??;
        println!("{} is {:?}, {:?} leads", outcome.id, outcome.role, outcome.leader);
    }
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
