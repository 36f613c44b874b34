//! Dials a node, and exchanges greetings.

use super::connection::Opened;
use super::{Endpoint, Security, Stream};
use crate::wire::{Answer, Hello, LONGEST_GREETING, Refusal, Welcome, greeting, read_greeting};
use bytes::BytesMut;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The result of dialling.
pub(super) enum Dialled {
    Up(Opened, Welcome),
    Crossed,
    Refused(Refusal),
    /// There was no valid answer, for this reason.
    Failed(String),
}

/// Dials and sends the greeting. Sets `spoken` as soon as the other side may have received it.
pub(super) async fn dial(endpoint: &Endpoint, hello: &Hello, spoken: &AtomicBool) -> Dialled {
    let node = hello.to.0;
    let attempt = async {
        let stream = TcpStream::connect(endpoint.address(node)).await?;
        stream.set_nodelay(true)?;
        let name = endpoint.certificate_name(endpoint.membership.ids()[node as usize]);
        let credentials = endpoint.security.replacements();
        let stream = protect(&endpoint.security, stream, &name).await?;
        introduce(stream, credentials, hello, spoken).await
    };
    match timeout(endpoint.timeouts.greeting, attempt).await {
        Ok(Ok(dialled)) => dialled,
        Ok(Err(error)) => match error.kind() {
            ErrorKind::ConnectionRefused => Dialled::Failed("no process listens there".to_owned()),
            ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof => {
                Dialled::Failed("it closes connections".to_owned())
            }
            _ => Dialled::Failed(error.to_string()),
        },
        Err(_) => Dialled::Failed("no answer in time".to_owned()),
    }
}

async fn protect(
    security: &Security,
    stream: TcpStream,
    name: &str,
) -> io::Result<Box<dyn Stream>> {
    Ok(match security {
        Security::None => Box::new(stream),
        Security::Tls(tls) => Box::new(tls.connect(stream, name).await?),
    })
}

async fn introduce(
    mut stream: Box<dyn Stream>,
    credentials: u64,
    hello: &Hello,
    spoken: &AtomicBool,
) -> io::Result<Dialled> {
    let mut out = BytesMut::new();
    greeting(&mut out, hello);
    spoken.store(true, Ordering::Relaxed);
    stream.write_all_buf(&mut out).await?;
    stream.flush().await?;
    let (frame, rest) = first_frame(&mut stream).await?;
    Ok(match read_greeting::<Answer>(&frame) {
        Ok(Answer::Welcome(welcome)) => Dialled::Up(Opened { stream, rest, credentials }, welcome),
        Ok(Answer::Crossed) => Dialled::Crossed,
        Ok(Answer::Refused(refusal)) => Dialled::Refused(refusal),
        Err(error) => Dialled::Failed(error.to_string()),
    })
}

/// Reads the first frame, and the bytes that arrive after it.
pub(super) async fn first_frame(stream: &mut impl Stream) -> io::Result<(BytesMut, BytesMut)> {
    let mut buffer = BytesMut::with_capacity(LONGEST_GREETING + 4);
    loop {
        let frame = crate::wire::take_frame(&mut buffer, LONGEST_GREETING)
            .map_err(|_| io::Error::other("it does not speak this protocol"))?;
        if let Some(frame) = frame {
            return Ok((frame.into(), buffer));
        }
        if stream.read_buf(&mut buffer).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
}
