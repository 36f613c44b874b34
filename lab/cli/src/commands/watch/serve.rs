//! Serves one page on this machine, until a signal ends it.

use crate::error::{Error, complain};
use crate::interrupt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The longest time for which a connection may say nothing: browsers open some in advance.
const PATIENCE: Duration = Duration::from_secs(5);

/// The time between two looks for connections and signals.
const LOOK: Duration = Duration::from_millis(50);

/// The longest request that is read.
const REQUEST: usize = 16 << 10;

/// Serves the page on a free port of the loopback address, and opens a browser if it is wanted.
pub(super) fn serve(page: String, browser: bool) -> Result<(), Error> {
    let failed = |error| Error::of("cannot serve the page; write it with --html FILE", error);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let address = format!("http://{}/", listener.local_addr().map_err(failed)?);
    complain(format_args!("the run is at {address} until Ctrl-C"));
    if browser && let Err(error) = open::that_detached(&address) {
        complain(format_args!("no browser was opened ({error}): open the address yourself"));
    }
    let host = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let served: Arc<(String, String)> = (page, host).into();
    while !interrupt::asked() {
        match listener.accept() {
            Ok((stream, _)) => {
                let served = served.clone();
                // A browser that goes away in the middle of the page does no harm. Where the system starts no thread,
                // it asks again.
                let work = move || answer(stream, &served.0, &served.1);
                drop(thread::Builder::new().spawn(work));
            }
            // There is no connection, or one has failed, and not the listener.
            Err(_) => thread::sleep(LOOK),
        }
    }
    Ok(())
}

/// Answers one request, and closes the connection. A page of another site that has the browser ask this machine
/// under a name of its own gets nothing.
fn answer(mut stream: TcpStream, page: &str, host: &str) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut request = Vec::new();
    let mut piece = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < REQUEST {
        match stream.read(&mut piece)? {
            0 => return Ok(()),
            read => request.extend_from_slice(&piece[..read]),
        }
    }
    let line = request.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let (status, body) = match line {
        _ if !is_for(&request, host) => ("403 Forbidden", "this page is for its own address\n"),
        line if line.starts_with(b"GET / ") || line.starts_with(b"HEAD / ") => ("200 OK", page),
        _ => ("404 Not Found", "there is one page here, at /\n"),
    };
    let kind = if status.starts_with("200") { "html" } else { "plain" };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/{kind}; charset=utf-8\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )?;
    if !line.starts_with(b"HEAD") {
        stream.write_all(body.as_bytes())?;
    }
    stream.flush()
}

/// Whether a request names this host, or the same port of `localhost`.
fn is_for(request: &[u8], host: &str) -> bool {
    let text = String::from_utf8_lossy(request);
    let named = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim().to_owned())
    });
    let port = host.rsplit(':').next().unwrap_or_default();
    named.is_some_and(|named| named == host || named == format!("localhost:{port}"))
}

#[cfg(test)]
mod tests {
    use super::is_for;

    #[test]
    fn only_the_address_itself_gets_the_page() {
        let asks = |host: &str| {
            let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
            is_for(request.as_bytes(), "127.0.0.1:4000")
        };
        assert!(asks("127.0.0.1:4000") && asks("localhost:4000"));
        assert!(!asks("evil.example:4000") && !asks("127.0.0.1:4001"));
        assert!(!is_for(b"GET / HTTP/1.0\r\n\r\n", "127.0.0.1:4000"));
    }
}
