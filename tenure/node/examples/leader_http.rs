//! A service whose `/leader` answers 200 where it leads and 503 elsewhere, for a load balancer.

use axum::{Router, extract::State, http::StatusCode, routing::get};
use std::{error::Error, net::SocketAddr, sync::Arc};
use tenure_node::{Leadership, LeaseTiming, LocalCluster, Member, clock::BootClock};
use tenure_node::{records::MemoryStore, transport::LocalNetwork};
use tokio::{net::TcpListener, sync::RwLock};
type Seat = Arc<RwLock<Option<Arc<Leadership>>>>;
/// Answers by the validity of the leadership, which is checked by the clock at each request.
async fn leader(State(seat): State<Seat>) -> StatusCode {
    let leads = seat.read().await.as_ref().is_some_and(|leadership| leadership.check().is_ok());
    if leads { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }
}

/// Serves the answers at the address that it returns, and stands again after each leadership.
async fn serve(member: Member) -> Result<SocketAddr, Box<dyn Error>> {
    let (seat, listener) = (Seat::default(), TcpListener::bind("127.0.0.1:0").await?);
    let (address, at) = (listener.local_addr()?, get(leader).with_state(seat.clone()));
    tokio::spawn(async { axum::serve(listener, Router::new().route("/leader", at)).await });
    tokio::spawn(async move {
        while let Ok(leadership) = member.office("web").stand().await.map(Arc::new) {
            *seat.write().await = Some(leadership.clone());
            leadership.stopping().await; // Lost, or asked to leave.
            *seat.write().await = None;
        } // Dropping the last handle releases the office.
    });
    Ok(address)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let cluster = LocalCluster::new(LocalNetwork::new(1), &["a", "b", "c"], LeaseTiming::LAN);
    for name in ["a", "b", "c"] {
        let member = cluster.member(name, MemoryStore::founding(), Arc::new(BootClock))?;
        println!("curl -i http://{}/leader", serve(member).await?);
    }
    std::future::pending().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::time::{sleep, timeout};

    /// Asks a member over HTTP, and returns the status of its answer.
    async fn ask(address: SocketAddr) -> u16 {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /leader HTTP/1.0\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }

    #[tokio::test]
    async fn one_of_three_answers_200_and_another_one_when_that_one_has_left() {
        // Slower than `LeaseTiming::LAN`, for a machine that is busy.
        let timing = LeaseTiming { lease: Duration::from_secs(1), ..LeaseTiming::LAN };
        let cluster = LocalCluster::new(LocalNetwork::new(1), &["a", "b", "c"], timing);
        let (mut addresses, mut members) = (Vec::new(), Vec::new());
        for name in ["a", "b", "c"] {
            let member =
                cluster.member(name, MemoryStore::founding(), Arc::new(BootClock)).unwrap();
            addresses.push(serve(member.clone()).await.unwrap());
            members.push(member);
        }
        let (mut before, mut leaders) = (None, 0);
        let twice = async {
            while leaders < 2 {
                let mut answers = Vec::new();
                for &address in &addresses {
                    answers.push(ask(address).await);
                }
                assert!(answers.iter().all(|answer| [200, 503].contains(answer)), "{answers:?}");
                let leader = answers.iter().position(|&answer| answer == 200);
                if let Some(leader) = leader.filter(|&it| Some(it) != before) {
                    (before, leaders) = (Some(leader), leaders + 1);
                    let _ = members[leader].office("web").ask_to_resign().await;
                }
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(Duration::from_secs(30), twice).await.unwrap();
    }
}
