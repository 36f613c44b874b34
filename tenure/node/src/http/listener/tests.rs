use super::*;
use axum::routing::get;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::timeout;

const LONG: Duration = Duration::from_secs(20);
const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

/// Serves with room for four clients and two in the window.
async fn serve_few(header: Duration, answer: Duration) -> SocketAddr {
    let window = Window { connections: 2, time: LONG };
    let limits = HttpLimits { window, connections: 4, header, answer };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let much = || async { "much ".repeat(10_000_000) };
    let router = Router::new().route("/", get(|| async { "here" })).route("/much", get(much));
    tokio::spawn(serve(listener, None, router, limits, drop));
    at
}

async fn ask(at: SocketAddr) -> String {
    let mut stream = TcpStream::connect(at).await.unwrap();
    stream.write_all(REQUEST).await.unwrap();
    let mut answer = String::new();
    let read = timeout(LONG, stream.read_to_string(&mut answer)).await;
    read.expect("it is answered in time").unwrap();
    answer
}

/// Waits until the other side has closed a connection.
async fn closed(stream: &mut TcpStream) {
    let read = async { while stream.read(&mut [0; 4096]).await.unwrap_or(0) > 0 {} };
    timeout(LONG, read).await.expect("it is closed");
}

#[tokio::test]
async fn clients_that_send_nothing_make_room_for_one_that_asks() {
    let at = serve_few(Duration::from_millis(300), LONG).await;
    let mut idle = Vec::new();
    for _ in 0..4 {
        idle.push(TcpStream::connect(at).await.unwrap());
    }
    // This one sends its header slowly.
    idle[0].write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
    assert!(ask(at).await.ends_with("here"));
    for stream in &mut idle {
        closed(stream).await;
    }
}

#[tokio::test]
async fn there_are_never_more_clients_than_there_is_room_for() {
    let at = serve_few(LONG, LONG).await;
    let mut idle = Vec::new();
    for _ in 0..20 {
        idle.push(TcpStream::connect(at).await.unwrap());
    }
    // Four are served and two wait, any two: a connection that has waited for long makes room.
    let mut others = JoinSet::new();
    for mut stream in idle.split_off(4) {
        others.spawn(async move { closed(&mut stream).await });
    }
    for _ in 0..14 {
        others.join_next().await.unwrap().unwrap();
    }
    for stream in &mut idle {
        stream.write_all(REQUEST).await.unwrap();
        let mut answer = String::new();
        timeout(LONG, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
        assert!(answer.ends_with("here"));
    }
}

#[tokio::test]
async fn a_client_that_does_not_take_its_answer_is_left() {
    let at = serve_few(LONG, Duration::from_millis(300)).await;
    let mut slow = Vec::new();
    for _ in 0..4 {
        let mut stream = TcpStream::connect(at).await.unwrap();
        stream.write_all(b"GET /much HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        slow.push(stream);
    }
    assert!(ask(at).await.ends_with("here"));
}
