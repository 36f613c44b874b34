//! Dialling: from an address to an answer.

use super::{Security, Station, Stream};
use crate::wire::{Answer, Hello, LONGEST_GREETING, Refusal, Welcome, greeting, read_greeting};
use bytes::BytesMut;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};
use suffrage_process::Id;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// What has come of dialling.
pub(super) enum Dialled {
    Up(Box<dyn Stream>, BytesMut, Welcome),
    Crossed,
    Refused(Refusal),
    /// Nobody is there who speaks the protocol: the connection was refused, or closed at once,
    /// as something between does that forwards connections.
    Nobody(String),
    Failed(String),
}

/// Dials and introduces itself. Sets `spoken` as soon as the other side may know of it.
pub(super) async fn dial(station: &Station, hello: &Hello, spoken: &AtomicBool) -> Dialled {
    let node = hello.to.0;
    let attempt = async {
        let stream = TcpStream::connect(station.address(node)).await?;
        stream.set_nodelay(true)?;
        let id = station.cluster.ids()[node as usize];
        introduce(protect(&station.security, stream, id).await?, hello, spoken).await
    };
    match timeout(station.patience.greeting, attempt).await {
        Ok(Ok(dialled)) => dialled,
        Ok(Err(error)) => match error.kind() {
            ErrorKind::ConnectionRefused => Dialled::Nobody("nobody listens there".to_owned()),
            ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof => {
                Dialled::Nobody("it closes connections".to_owned())
            }
            _ => Dialled::Failed(error.to_string()),
        },
        Err(_) => Dialled::Failed("no answer in time".to_owned()),
    }
}

async fn protect(security: &Security, stream: TcpStream, id: Id) -> io::Result<Box<dyn Stream>> {
    Ok(match security {
        Security::None => Box::new(stream),
        Security::Tls(tls) => Box::new(tls.connect(stream, id).await?),
    })
}

async fn introduce(
    mut stream: Box<dyn Stream>,
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
        Ok(Answer::Welcome(welcome)) => Dialled::Up(stream, rest, welcome),
        Ok(Answer::Crossed) => Dialled::Crossed,
        Ok(Answer::Refused(refusal)) => Dialled::Refused(refusal),
        Err(error) => Dialled::Failed(error.to_string()),
    })
}

/// Reads the first frame, and what comes with it.
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
