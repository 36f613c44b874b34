//! Health probes.

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::{Request, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use std::time::Duration;
use suffrage_net::tasks::addresses;
use tokio::net::TcpStream;
use tokio::time::timeout;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HealthProbe {
    /// A shell's command line, which succeeds while the command is healthy.
    Command(String),
    /// A server, which answers GET with a status of 200 to 299 while the command is healthy.
    Http { host: String, path: String },
}

impl HealthProbe {
    /// Parses a command line, or an address that begins with `http://`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        // A scheme has no case (RFC 3986).
        let scheme =
            |name: &str| text.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name));
        if scheme("https://") {
            return Err(format!(
                "health checks of a server on this host use no TLS: write http://, or a \
                 command such as `curl --fail --silent {text}`"
            ));
        }
        if !scheme("http://") {
            return Ok(Self::Command(text.to_owned()));
        }
        let rest = &text["http://".len()..];
        let (host, path) = rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash));
        let port = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok());
        match host {
            "" => Err("write a host, as in http://127.0.0.1:8080/health".to_owned()),
            _ if port.is_some() => Ok(Self::Http { host: host.to_owned(), path: path.to_owned() }),
            _ => Ok(Self::Http { host: format!("{host}:80"), path: path.to_owned() }),
        }
    }
}

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
    let stream = TcpStream::connect(&*addresses(host).await?).await?;
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
mod tests;
