//! Being dialled: from a stranger to the end of a link.

use super::dial::first_frame;
use super::{Security, Station, Stream, Table, tls};
use crate::wire::{Answer, GreetingError, Hello, Refusal, greeting, read_greeting};
use bytes::BytesMut;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use suffrage_process::Port;
use suffrage_topology::wiring::End;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

/// Listens for ever. Strangers are limited in number, in time and in what they may say: when there
/// are too many, the one that has said nothing for longest makes room.
pub(super) async fn listen(listener: TcpListener, table: Arc<Table>) {
    let station = &table.station;
    let most = station.limits.strangers_for(station.cluster.wiring().degree(station.node));
    let mut tasks = JoinSet::new();
    let mut strangers: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    if strangers.len() >= most {
                        strangers.retain(|stranger| !stranger.is_finished());
                    }
                    if strangers.len() >= most && let Some(oldest) = strangers.pop_front() {
                        oldest.abort();
                    }
                    strangers.push_back(tasks.spawn(meet(stream, table.clone())));
                }
                Err(error) => {
                    // Too many open files, most likely. Links that are up go on.
                    warn!(%error, "cannot accept connections");
                    sleep(Duration::from_millis(50)).await;
                }
            },
            Some(_) = tasks.join_next() => {}
        }
    }
}

/// Lets a stranger introduce itself.
async fn meet(stream: TcpStream, table: Arc<Table>) {
    let from = stream.peer_addr().map_or_else(|_| String::new(), |address| address.to_string());
    let patience = table.station.patience.greeting;
    match timeout(patience, introduced(&table, stream)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => debug!(%from, %error, "a stranger"),
        Err(_) => debug!(%from, "a stranger that said nothing"),
    }
}

async fn introduced(table: &Table, stream: TcpStream) -> io::Result<()> {
    let station = &*table.station;
    stream.set_nodelay(true)?;
    match &station.security {
        Security::None => {
            let mut stream: Box<dyn Stream> = Box::new(stream);
            let (hello, rest) = hello(&mut stream).await?;
            match welcome(station, &hello, true) {
                Ok(port) => table.accept(port, stream, rest, hello),
                Err(refusal) => return refuse(stream, &hello, refusal).await,
            }
        }
        Security::Tls(tls) => {
            let mut stream = tls.accept(stream).await?;
            let (hello, rest) = hello(&mut stream).await?;
            let ids = station.cluster.ids();
            let certain =
                ids.get(hello.from.0 as usize).is_some_and(|&id| tls::is_from(&stream, id));
            match welcome(station, &hello, certain) {
                Ok(port) => table.accept(port, Box::new(stream), rest, hello),
                Err(refusal) => {
                    return refuse(Box::new(stream), &hello, refusal).await;
                }
            }
        }
    }
    Ok(())
}

async fn hello(stream: &mut impl Stream) -> io::Result<(Hello, BytesMut)> {
    let (frame, rest) = first_frame(stream).await?;
    match read_greeting(&frame) {
        Ok(hello) => Ok((hello, rest)),
        Err(error) => {
            if matches!(error, GreetingError::Version(_)) {
                // The head of any answer tells it our version.
                let mut out = BytesMut::new();
                greeting(&mut out, &Answer::Crossed);
                stream.write_all_buf(&mut out).await?;
                stream.shutdown().await?;
            }
            Err(io::Error::other(error))
        }
    }
}

/// At which port of ours the link is, if there is one.
fn welcome(station: &Station, hello: &Hello, certain: bool) -> Result<Port, Refusal> {
    let cluster = &station.cluster;
    if hello.cluster != cluster.name() {
        return Err(Refusal::Cluster(cluster.name().to_owned()));
    }
    if hello.algorithm != station.algorithm {
        return Err(Refusal::Algorithm(station.algorithm.clone()));
    }
    if hello.digest != cluster.digest() {
        return Err(Refusal::Network(cluster.digest()));
    }
    let (node, port) = hello.to;
    let from = End { node: hello.from.0, port: Port(hello.from.1) };
    let wiring = cluster.wiring();
    let linked = port < wiring.degree(station.node)
        && node == station.node
        && wiring.across(node, Port(port)) == from;
    if !linked {
        return Err(Refusal::Who(station.node));
    }
    if certain { Ok(Port(port)) } else { Err(Refusal::Certificate) }
}

async fn refuse(stream: Box<dyn Stream>, hello: &Hello, refusal: Refusal) -> io::Result<()> {
    let (node, port) = hello.from;
    warn!(node, port, algorithm = ?hello.algorithm, cluster = ?hello.cluster,
        "refused a node; it was told: {refusal}");
    answer(stream, &Answer::Refused(refusal)).await
}

/// Says a last word to someone who has dialled.
pub(super) async fn answer(mut stream: Box<dyn Stream>, answer: &Answer) -> io::Result<()> {
    let mut out = BytesMut::new();
    greeting(&mut out, answer);
    stream.write_all_buf(&mut out).await?;
    stream.shutdown().await
}
