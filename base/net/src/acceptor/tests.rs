use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const WINDOW: Window = Window { connections: 3, time: Duration::from_secs(60) };

#[tokio::test]
async fn connections_that_say_nothing_make_room_the_oldest_first() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let hold = |mut stream: TcpStream, _| async move {
        let _ = stream.write_all(b"in").await;
        std::future::pending::<()>().await;
        Ok(())
    };
    let accepting = tokio::spawn(accept(listener, WINDOW, hold));
    let connect = || async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let is_in = stream.read_exact(&mut [0; 2]).await.is_ok();
        (stream, is_in)
    };
    let (mut oldest, is_in) = connect().await;
    assert!(is_in);
    let mut streams = Vec::new();
    while streams.len() < 3 {
        let (stream, is_in) = connect().await;
        // Until the oldest has been there for a while, there is room for three.
        if is_in {
            streams.push(stream);
        }
    }
    assert_eq!(oldest.read(&mut [0]).await.unwrap_or(0), 0, "the oldest is closed");
    accepting.abort();
}

#[tokio::test]
async fn a_panic_in_authentication_reaches_the_owner() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let accepting = tokio::spawn(accept(listener, WINDOW, |_, _| async { panic!("a defect") }));
    let _stream = TcpStream::connect(address).await.unwrap();
    assert!(accepting.await.unwrap_err().is_panic());
}
