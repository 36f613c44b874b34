//! The HTTP of a member that a dialogue plays: carries messages to its socket and back, as `tenure serve` does.

use super::Remote;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

/// The token of the program.
pub(super) const TOKEN: &str = "a-token-of-its-own";

#[derive(Clone)]
struct Gateway {
    socket: PathBuf,
    /// What programs say, by the keys of their candidacies.
    said: Arc<Mutex<BTreeMap<String, UnixStream>>>,
}

/// Serves for as long as this process runs.
pub(super) fn remote(socket: &Path) -> Remote {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let gateway = Gateway { socket: socket.to_owned(), said: Arc::default() };
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let gateway = gateway.clone();
            // The end of either side ends the connection.
            thread::spawn(move || gateway.converse(stream));
        }
    });
    Remote { url, token: TOKEN, authority: None }
}

/// A request: the last two parts of its path, and what it says.
struct Request {
    resource: String,
    what: String,
    content: Value,
}

/// Reads a request. Returns `None` without the right token.
fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let (mut length, mut is_known) = (0, false);
    let mut first = String::new();
    if stream.read_line(&mut first)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().map_err(io::Error::other)?;
            }
            Some((name, value)) if name.eq_ignore_ascii_case("authorization") => {
                is_known = value.strip_prefix("Bearer ") == Some(TOKEN);
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let path = first.strip_prefix("POST /v1/").and_then(|rest| rest.split_once(' '));
    let (_, named) =
        path.and_then(|(path, _)| path.split_once('/')).ok_or(io::ErrorKind::InvalidData)?;
    let (resource, what) = named.split_once('/').unwrap_or((named, ""));
    let content = serde_json::from_slice(&body)?;
    let request = Request { resource: resource.to_owned(), what: what.to_owned(), content };
    Ok(is_known.then_some(request))
}

fn chunk(stream: &mut TcpStream, text: &str) -> io::Result<()> {
    stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
}

impl Gateway {
    fn converse(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut stream = BufReader::new(stream);
        loop {
            let code = match read(&mut stream)? {
                None => "401 Unauthorized",
                Some(request) if request.what == "stand" => {
                    if let Ok(member) = UnixStream::connect(&self.socket) {
                        let stream = stream.into_inner();
                        let key = format!("{:x}", stream.peer_addr()?.port());
                        self.said.lock().unwrap().insert(key.clone(), member.try_clone()?);
                        let ended = stand(stream, member, &key, &request);
                        self.said.lock().unwrap().remove(&key);
                        return ended;
                    }
                    "503 Service Unavailable"
                }
                Some(request) => {
                    let member =
                        self.said.lock().unwrap().get(&request.resource).map(UnixStream::try_clone);
                    match member {
                        Some(member) => {
                            writeln!(member?, "{}", request.content)?;
                            "204 No Content"
                        }
                        None => "404 Not Found",
                    }
                }
            };
            let length = if code.starts_with("204") { "" } else { "content-length: 0\r\n" };
            stream.get_mut().write_all(format!("HTTP/1.1 {code}\r\n{length}\r\n").as_bytes())?;
        }
    }
}

/// Lets a program stand until either side ends it.
fn stand(
    mut stream: TcpStream,
    mut member: UnixStream,
    key: &str,
    request: &Request,
) -> io::Result<()> {
    let (mut program, end) = (stream.try_clone()?, member.try_clone()?);
    thread::spawn(move || {
        // Nothing more comes on the connection of a candidacy but its end.
        let _ = program.read(&mut [0]);
        end.shutdown(Shutdown::Both)
    });
    let mut stand = request.content.clone();
    stand["office"] = json!(request.resource);
    writeln!(member, "{}", json!({"hello": {"versions": [1]}}))?;
    writeln!(member, "{}", json!({"stand": stand}))?;
    stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")?;
    for line in BufReader::new(member).lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let fields = message.as_object().and_then(|fields| fields.iter().next());
        let (name, content) = fields.ok_or(io::ErrorKind::InvalidData)?;
        let mut content = content.clone();
        if name == "hello" {
            content["candidacy"] = json!(key);
        }
        // A chunk may end anywhere, and a comment says that the member is still there.
        let event = format!(": still there\n\nevent: {name}\ndata: {content}\n\n");
        let (begin, rest) = event.split_at(event.len() / 2);
        chunk(&mut stream, begin)?;
        chunk(&mut stream, rest)?;
    }
    stream.shutdown(Shutdown::Both)
}
