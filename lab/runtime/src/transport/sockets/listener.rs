//! Accepts connections from other nodes, and passes them to their links.

use super::connection::Opened;
use super::dial::first_frame;
use super::{Endpoint, Security, Stream, Table};
use crate::wire::{Answer, GreetingError, Hello, Refusal, greeting, read_greeting};
use bytes::BytesMut;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use suffrage_model::{Id, Port};
use suffrage_net::acceptor::{Rejected, Window, accept};
use suffrage_net::tls;
use suffrage_networks::wiring::End;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tracing::warn;

/// Accepts connections until the future is dropped.
pub(super) async fn listen(listener: TcpListener, table: Arc<Table>) {
    let endpoint = &table.endpoint;
    let degree = endpoint.membership.wiring().degree(endpoint.node);
    let window = Window {
        connections: endpoint.limits.unauthenticated_for(degree),
        time: endpoint.timeouts.greeting,
    };
    let authenticate = |stream, from| {
        let table = table.clone();
        async move { introduced(&table, stream, from).await }
    };
    accept(listener, window, authenticate).await;
}

/// Receives the greeting of a peer, and passes the connection to its link or refuses it.
async fn introduced(table: &Table, stream: TcpStream, from: SocketAddr) -> Result<(), Rejected> {
    let endpoint = &*table.endpoint;
    stream.set_nodelay(true)?;
    let credentials = endpoint.security.replacements();
    match &endpoint.security {
        Security::None => {
            let mut stream: Box<dyn Stream> = Box::new(stream);
            let (hello, rest) = hello(&mut stream).await?;
            match welcome(endpoint, &hello, true) {
                Ok(port) => table.accept(port, Opened { stream, rest, credentials }, hello),
                Err(refusal) => return refuse(table, stream, from, &hello, refusal).await,
            }
        }
        Security::Tls(tls) => {
            let mut stream = tls.accept(stream).await.map_err(Rejected::Handshake)?;
            let (hello, rest) = hello(&mut stream).await?;
            let name = endpoint.id(hello.from.0).map(|id| endpoint.certificate_name(id));
            let certain = name.is_some_and(|name| tls::is_from(&stream, &name));
            match welcome(endpoint, &hello, certain) {
                Ok(port) => {
                    let stream = Box::new(stream);
                    table.accept(port, Opened { stream, rest, credentials }, hello);
                }
                Err(refusal) => {
                    return refuse(table, Box::new(stream), from, &hello, refusal).await;
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
                // The head of any answer contains our version.
                let mut out = BytesMut::new();
                greeting(&mut out, &Answer::Crossed);
                stream.write_all_buf(&mut out).await?;
                stream.shutdown().await?;
            }
            Err(io::Error::other(error))
        }
    }
}

/// Checks a greeting, and returns this node's port of the link.
fn welcome(endpoint: &Endpoint, hello: &Hello, certain: bool) -> Result<Port, Refusal> {
    let membership = &endpoint.membership;
    if hello.cluster != membership.name() {
        return Err(Refusal::Cluster(membership.name().to_owned()));
    }
    if hello.algorithm != endpoint.algorithm {
        return Err(Refusal::Algorithm(endpoint.algorithm.clone()));
    }
    if hello.digest != membership.digest() {
        return Err(Refusal::Network(membership.digest()));
    }
    let (node, port) = hello.to;
    let from = End { node: hello.from.0, port: Port(hello.from.1) };
    let wiring = membership.wiring();
    let linked = port < wiring.degree(endpoint.node)
        && node == endpoint.node
        && wiring.across(node, Port(port)) == from;
    if !linked {
        return Err(Refusal::Who(membership.ids()[endpoint.node as usize]));
    }
    if certain { Ok(Port(port)) } else { Err(Refusal::Certificate) }
}

async fn refuse(
    table: &Table,
    stream: Box<dyn Stream>,
    from: SocketAddr,
    hello: &Hello,
    refusal: Refusal,
) -> Result<(), Rejected> {
    if let Some(held_back) = table.refusals.permit() {
        // Its number stands for an identity only if it has the same network.
        let same = hello.digest == table.endpoint.membership.digest();
        let id = table.endpoint.id(hello.from.0).filter(|_| same);
        warn!(%from, id = id.map(Id::get), algorithm = ?hello.algorithm,
            cluster = ?hello.cluster, held_back, "refused a node; it was told: {refusal}");
    }
    Ok(answer(stream, &Answer::Refused(refusal)).await?)
}

/// Answers a greeting, and closes the connection.
pub(super) async fn answer(mut stream: Box<dyn Stream>, answer: &Answer) -> io::Result<()> {
    let mut out = BytesMut::new();
    greeting(&mut out, answer);
    stream.write_all_buf(&mut out).await?;
    stream.shutdown().await
}
