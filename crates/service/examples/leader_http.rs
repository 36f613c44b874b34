//! A service whose `/leader` answers 200 where it leads and 503 elsewhere, for a load balancer.

use axum::{Router, extract::State, http::StatusCode, routing::get};
use std::sync::{Arc, RwLock};
use suffrage_service::{Leadership, LocalCluster, Timing, clock::BootClock};
use suffrage_service::{records::MemoryStore, transport::LocalNetwork};

type Seat = Arc<RwLock<Option<Leadership>>>;

/// Answers by the validity of the leadership, which is checked by the clock at each request.
async fn leader(State(seat): State<Seat>) -> StatusCode {
    let seat = seat.read().expect("no holder panics");
    match seat.as_ref().map(Leadership::check) {
        Some(Ok(())) => StatusCode::OK,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    }
}

#[cfg_attr(test, tokio::test)]
#[cfg_attr(not(test), tokio::main)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cluster = LocalCluster::new(LocalNetwork::new(1), &["a"], Timing::LAN);
    let member = cluster.member("a", MemoryStore::founding(), Arc::new(BootClock))?;
    let seat = Seat::default();
    let app = Router::new().route("/leader", get(leader)).with_state(seat.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("curl -i http://{}/leader", listener.local_addr()?);
    let _server = tokio::spawn(async move { axum::serve(listener, app).await });
    assert_eq!(leader(State(seat.clone())).await, StatusCode::SERVICE_UNAVAILABLE);
    *seat.write().expect("no holder panics") = Some(member.office("web").stand().await?);
    assert_eq!(leader(State(seat)).await, StatusCode::OK);
    Ok(())
}
