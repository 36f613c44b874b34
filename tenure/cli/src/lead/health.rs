//! Health probes over HTTP.

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::{Request, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Sends one request. Returns the reason if the server does not count as healthy.
pub(crate) async fn ask(host: String, path: String, limit: Duration) -> Option<String> {
    match timeout(limit, get(&host, &path)).await {
        Ok(Ok(status)) if (200..300).contains(&status) => None,
        Ok(Ok(status)) => Some(format!("{host} answers with status {status}")),
        Ok(Err(error)) => Some(format!("{host}: {error}")),
        Err(_) => Some(format!("{host} does not answer within {limit:?}")),
    }
}

async fn get(host: &str, path: &str) -> Result<u16, Box<dyn std::error::Error + Send + Sync>> {
    let stream = TcpStream::connect(host).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let request = Request::get(path)
        .header(header::HOST, host)
        .header(header::CONNECTION, "close")
        .body(Empty::<Bytes>::new())?;
    // If the connection ends without an answer, the sender returns an error.
    let driver = tokio::spawn(connection);
    let answer = sender.send_request(request).await;
    driver.abort();
    Ok(answer?.status().as_u16())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// Starts a server that gives this answer to one request; none if it is empty.
    async fn server(answer: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 1024]).await.unwrap();
            if answer.is_empty() {
                std::future::pending::<()>().await;
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
        });
        address
    }

    #[tokio::test]
    async fn a_server_is_healthy_if_it_says_so_in_time() {
        let ask = |host| ask(host, "/health".to_owned(), Duration::from_millis(500));
        let fine = server("HTTP/1.1 204 No Content\r\n\r\n").await;
        assert_eq!(ask(fine).await, None);
        let busy = server("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n").await;
        assert!(ask(busy).await.unwrap().ends_with("answers with status 503"));
        let stuck = server("").await;
        assert!(ask(stuck).await.unwrap().contains("does not answer within"));
        let nonsense = server("nonsense\r\n\r\n").await;
        assert!(ask(nonsense).await.is_some());
        assert!(ask("127.0.0.1:1".to_owned()).await.is_some());
    }
}
